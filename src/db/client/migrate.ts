import { setTimeout as pause } from 'node:timers/promises'
import type { Orm } from './orm.ts'

/** How long a migration stands in the queue for a lock, how often it tries again, and after what pause. */
export type MigrationRetryPolicy = { lockMs: number; tries: number; everyMs: number }

/** Whoever reads a table meanwhile waits behind it, so it waits no longer than a request may; but comes back for minutes. */
export const MIGRATION_RETRY_POLICY: MigrationRetryPolicy = { lockMs: 2_000, tries: 60, everyMs: 1_000 }

/**
 * Every pending migration in a transaction of its own, so that the locks of one are not held while the next builds its
 * index. The connections of `orm` give up waiting for a lock in time, and let the readers of the table pass.
 */
export async function runPendingMigrations(orm: Orm, patience: MigrationRetryPolicy): Promise<void> {
  const connection = orm.em.getConnection()
  await connection.transactional(async context => {
    // One process migrates, the others wait for it, however long, and find nothing left to do.
    await connection.execute('set local lock_timeout = 0', [], 'run', context)
    // It is idle while the migrations run over another connection.
    await connection.execute('set local idle_in_transaction_session_timeout = 0', [], 'run', context)
    await connection.execute('select pg_advisory_xact_lock(7013001)', [], 'run', context)
    for (const { name } of await orm.migrator.getPending()) await runMigrationWithRetry(orm, name, patience)
  })
}

/**
 * Whether every migration of this release has been applied. It only reads, unlike `migrator.getPending`, which creates the
 * database and the table of migrations where they are missing: a health check must do neither.
 */
export async function isSchemaMigrated({ em, config }: Orm): Promise<boolean> {
  const names = (config.get('migrations').migrationsList ?? []).map(
    migration => Object(migration).name as string,
  )
  const applied = await em
    .fork()
    .execute<{ name: string }[]>('select name from mikro_orm_migrations')
    .catch(error => (Object(error).code === UNDEFINED_TABLE ? [] : Promise.reject(error)))
  const known = new Set(applied.map(({ name }) => name))
  return names.every(name => known.has(name))
}

const UNDEFINED_TABLE = '42P01'

async function runMigrationWithRetry(
  orm: Orm,
  name: string,
  { tries, everyMs }: MigrationRetryPolicy,
): Promise<void> {
  for (let tried = 1; ; tried++) {
    try {
      await orm.migrator.up(name)
      return
    } catch (error) {
      if (!LOCK_ERROR_CODES.includes((error as { code?: unknown }).code)) throw error
      if (tried === tries) throw await buildLockTimeoutError(orm, { name, tries, cause: error as Error })
      await pause(everyMs)
    }
  }
}

/** SQLSTATE of a lock that was not given in time, and of who waited in a ring: a life has what this waits for, and the other way round. */
const LOCK_ERROR_CODES: unknown[] = ['55P03', '40P01']

/** Says what was waited for, and who has been in a transaction over tables for the longest. */
async function buildLockTimeoutError(
  orm: Orm,
  { name, tries, cause }: { name: string; tries: number; cause: Error },
) {
  const holders: { said: string }[] = await orm.em.fork().execute(LOCK_HOLDERS)
  const held = holders.map(({ said }) => said).join('; ') || 'nobody any more'
  return new Error(`Migration ${name} got no lock in ${tries} tries; tables are held by ${held}.`, { cause })
}

const LOCK_HOLDERS = `
select format('process %s (%s) since %s: %s', a.pid, coalesce(nullif(a.application_name, ''), 'no name'),
  date_trunc('second', a.xact_start), string_agg(distinct c.relname, ', ')) as said
from pg_locks l join pg_stat_activity a using (pid) join pg_class c on c.oid = l.relation
where l.granted and l.pid <> pg_backend_pid() and a.datname = current_database()
  and c.relkind = 'r' and c.relnamespace <> 'pg_catalog'::regnamespace
group by a.pid, a.application_name, a.xact_start order by a.xact_start limit 5`
