import { setTimeout as pause } from 'node:timers/promises'
import { StartupRefusal } from '../../domain/errors/startup-refusal.ts'
import { MIGRATIONS } from '../migrations/index.ts'
import { type Orm, openOrm } from './orm.ts'

/** How long a migration waits for a lock, how many times it tries, and the pause between attempts. */
type MigrationRetryPolicy = { lockMs: number; attempts: number; everyMs: number }

/** Queries queue behind a waiting migration, so each wait is short; retries go on for minutes. */
const MIGRATION_RETRY_POLICY: MigrationRetryPolicy = { lockMs: 2_000, attempts: 60, everyMs: 1_000 }

/**
 * Names of a migrating process's sessions: the ones that migrate, and the one that holds or awaits the lock of all
 * migrations. The latter idles in a transaction for as long as a migration runs.
 */
export const MIGRATION_SESSION_NAMES = {
  migrating: 'trilho-migration',
  lock: 'trilho-migration-lock',
} as const

/**
 * Brings the schema up to date; several processes may call it at once, while others serve. Uses connections of its
 * own without a statement timeout, because building an index over millions of rows, or waiting for the process that
 * builds it, takes longer than a request's statement may.
 */
export async function migrate(
  databaseUrl: string,
  retryPolicy = MIGRATION_RETRY_POLICY,
  migrations = MIGRATIONS,
): Promise<void> {
  const orm = await openOrm({
    databaseUrl,
    migrations,
    statementMs: null,
    lockMs: retryPolicy.lockMs,
    applicationName: MIGRATION_SESSION_NAMES.migrating,
    canCreateDatabase: true,
  })
  try {
    await runPendingMigrations(orm, retryPolicy)
  } finally {
    await orm.close()
  }
}

/**
 * Runs every pending migration in its own transaction, so that the locks of one are not held while the next builds
 * its index. The connections of `orm` have a lock timeout, which lets the queries of the table pass.
 */
async function runPendingMigrations(orm: Orm, retryPolicy: MigrationRetryPolicy): Promise<void> {
  const connection = orm.em.getConnection()
  await connection.transactional(async context => {
    await connection.execute(
      `set local application_name = '${MIGRATION_SESSION_NAMES.lock}'`,
      [],
      'run',
      context,
    )
    // One process migrates; the others wait without a limit and then find no pending migration.
    await connection.execute('set local lock_timeout = 0', [], 'run', context)
    // This session idles while the migrations run on another connection.
    await connection.execute('set local idle_in_transaction_session_timeout = 0', [], 'run', context)
    await connection.execute('select pg_advisory_xact_lock(7013001)', [], 'run', context)
    const pending = await orm.migrator.getPending()
    await refuseForeignSchema(orm, pending.length)
    for (const { name } of pending) await runMigrationWithRetry(orm, name, retryPolicy)
  })
}

/** Refuses a database whose schema migrations of another history have made: none of this release's can follow them. */
async function refuseForeignSchema({ migrator, config }: Orm, pendingCount: number): Promise<void> {
  const isInitial = pendingCount === config.get('migrations').migrationsList?.length
  const [executed] = isInitial ? await migrator.getExecuted() : []
  if (executed)
    throw new StartupRefusal(
      `The database has the schema of a version before the first release (migration ${executed.name}), which no migration ` +
        'brings up to date: name an empty database in DATABASE_URL, or remove the folder of `npm start` (TRILHO_HOME)',
    )
}

/**
 * Returns whether every migration of this release is applied. Read-only, unlike `migrator.getPending`, which creates
 * a missing database and migrations table: a health check must do neither.
 */
export async function isSchemaMigrated({ em, config }: Orm): Promise<boolean> {
  const names = (config.get('migrations').migrationsList ?? []).map(
    migration => Object(migration).name as string,
  )
  const applied = await em
    .fork()
    .execute<{ name: string }[]>('select name from mikro_orm_migrations')
    .catch(error => (Object(error).code === UNDEFINED_TABLE ? [] : Promise.reject(error)))
  const appliedNames = new Set(applied.map(({ name }) => name))
  return names.every(name => appliedNames.has(name))
}

const UNDEFINED_TABLE = '42P01'

async function runMigrationWithRetry(
  orm: Orm,
  name: string,
  { attempts, everyMs }: MigrationRetryPolicy,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await orm.migrator.up(name)
      return
    } catch (error) {
      if (!LOCK_ERROR_CODES.includes((error as { code?: unknown }).code)) throw error
      if (attempt === attempts)
        throw await buildLockTimeoutError(orm, { name, attempts, cause: error as Error })
      await pause(everyMs)
    }
  }
}

/** SQLSTATEs of a lock timeout and of a deadlock with another transaction. */
const LOCK_ERROR_CODES: unknown[] = ['55P03', '40P01']

/** Builds the error that names the sessions whose transactions have held table locks for the longest. */
async function buildLockTimeoutError(
  orm: Orm,
  { name, attempts, cause }: { name: string; attempts: number; cause: Error },
) {
  const holders: { description: string }[] = await orm.em.fork().execute(LOCK_HOLDERS)
  const holderText = holders.map(({ description }) => description).join('; ') || 'a session that has ended'
  return new Error(
    `Migration ${name} got no lock in ${attempts} attempts; tables are held by ${holderText}.`,
    {
      cause,
    },
  )
}

const LOCK_HOLDERS = `
select format('process %s (%s) since %s: %s', a.pid, coalesce(nullif(a.application_name, ''), 'no name'),
  date_trunc('second', a.xact_start), string_agg(distinct c.relname, ', ')) as description
from pg_locks l join pg_stat_activity a using (pid) join pg_class c on c.oid = l.relation
where l.granted and l.pid <> pg_backend_pid() and a.datname = current_database()
  and c.relkind = 'r' and c.relnamespace <> 'pg_catalog'::regnamespace
group by a.pid, a.application_name, a.xact_start order by a.xact_start limit 5`
