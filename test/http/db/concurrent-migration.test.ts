import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { Migration } from '@mikro-orm/migrations'
import { MIGRATION_SESSION_NAMES, migrate } from '../../../src/db/client/migrate.ts'
import type { Orm } from '../../../src/db/client/orm.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { MIGRATIONS } from '../../../src/db/migrations/index.ts'
import { readDatabaseGauges } from '../../../src/db/repositories/database-gauges.ts'
import { createTestDatabase } from '../../support/database.ts'
import { openTestOrm } from '../../support/orm.ts'

/** A migration while another transaction reads its table for long, as a backup does: it waits, and blocks no request. */

/** Creates an index, which a reader does not block. */
class Migration101_index extends Migration {
  override up() {
    this.addSql('create index account_by_name on account (name)')
  }
}

/** Needs the lock that a reader blocks. */
class Migration102_check extends Migration {
  override up() {
    this.addSql('alter table dispute add constraint dispute_late check (due_at > opened_at)')
  }
}

/** A transaction for each statement; the last ones need the lock that a reader blocks. */
class Migration103_rules extends Migration {
  override isTransactional() {
    return false
  }

  override up() {
    for (const table of ['charge', 'transfer', 'movement']) {
      const name = `${table}_created`
      this.addSql(`alter table ${table} drop constraint if exists ${name},
        add constraint ${name} check (created_at <= updated_at) not valid`)
      this.addSql(`alter table ${table} validate constraint ${name}`)
    }
  }
}

/** Runs until a test cancels it, as an index over many rows does. */
class Migration104_long extends Migration {
  override up() {
    this.addSql('select pg_sleep(600)')
  }
}

const [INDEX, ALTERING, RULES] = ['Migration101_index', 'Migration102_check', 'Migration103_rules'] as const
const LATER = [
  ...MIGRATIONS,
  { name: INDEX, class: Migration101_index },
  { name: ALTERING, class: Migration102_check },
]
const WITH_RULES = [...MIGRATIONS, { name: RULES, class: Migration103_rules }]
const SOON = { lockMs: 500, attempts: 100, everyMs: 50 }

let url: string
let orm: Orm
beforeAll(async () => {
  url = await createTestDatabase()
  orm = await openTestOrm({ databaseUrl: url })
})
afterAll(() => orm?.close())
beforeEach(async () => {
  await sql('drop index if exists account_by_name')
  await sql('alter table dispute drop constraint if exists dispute_late')
  await sql(`delete from mikro_orm_migrations where name like 'Migration1%'`)
})

const sql = (query: string) => orm.em.fork().execute<Record<string, unknown>[]>(query)

const listApplied = async () => {
  const rows = await sql(`select name from mikro_orm_migrations where name like 'Migration1%' order by id`)
  return rows.map(({ name }) => name)
}

/** Waits until a session waits for the table. */
async function waitForLockWaiter() {
  while (
    (
      await sql(
        `select 1 from pg_locks l join pg_stat_activity a using (pid)
         where not l.granted and l.relation = 'dispute'::regclass and a.datname = current_database()`,
      )
    ).length === 0
  )
    await sleep(5)
}

/** Does it while another transaction reads the table that is altered. */
const withReader = <T>(work: () => Promise<T>) =>
  runInTransaction(orm, async em => {
    await em.execute('lock table dispute in access share mode')
    return work()
  })

test('a query of the table is answered meanwhile, and the migration is done after the first reader', async () => {
  const { migrations } = await withReader(async () => {
    // Two at once: one migrates, the other waits and finds nothing left to do.
    const both = Promise.all([migrate(url, SOON, LATER), migrate(url, SOON, LATER)])
    await Promise.race([waitForLockWaiter(), both])
    expect(await sql('select count(*)::int as count from dispute')).toEqual([{ count: 0 }])
    expect(await listApplied()).toEqual([INDEX])
    return { migrations: both }
  })
  await migrations
  expect(await listApplied()).toEqual([INDEX, ALTERING])
})

test('a migration that waits in vain names the table and the session that holds it, and what was done before stays', async () => {
  await withReader(async () => {
    const failed = migrate(url, { lockMs: 20, attempts: 2, everyMs: 1 }, LATER)
    await expect(failed).rejects.toThrow(
      /Migration102_check got no lock in 2 attempts; tables are held by process \d+ .*: dispute\./,
    )
  })
  expect(await listApplied()).toEqual([INDEX])
  await migrate(url, SOON, LATER)
  expect(await listApplied()).toEqual([INDEX, ALTERING])
})

test('a migration with a transaction for each statement begins again over what it has done', async () => {
  const { migrating } = await runInTransaction(orm, async em => {
    await em.execute('lock table movement in access share mode') // The last of those it alters.
    const migrating = migrate(url, SOON, WITH_RULES)
    while ((await sql(`select from pg_constraint where conname = 'charge_created'`)).length === 0)
      await sleep(5)
    return { migrating }
  })
  await migrating
  expect(await sql(`select conname from pg_constraint where contype = 'c' and not convalidated`)).toEqual([])
  expect(await listApplied()).toEqual([RULES])
})

test('such a migration and a transaction that locks the same tables never deadlock', async () => {
  let isOver = false
  const migrating = migrate(url, SOON, WITH_RULES).finally(() => {
    isOver = true
  })
  const transactions = async () => {
    while (!isOver)
      await runInTransaction(orm, async em => {
        await em.execute('select from movement for update')
        await sleep(20)
        await em.execute('select from charge limit 1')
      })
  }
  await Promise.all([migrating, transactions()])
  expect(await listApplied()).toEqual([RULES])
})

test('the lock of all migrations counts as held only where no migration runs', async () => {
  const { migrating, lock } = MIGRATION_SESSION_NAMES
  const readHeld = async () =>
    (await readDatabaseGauges(orm.em.fork()))
      .filter(({ gauge }) => /^trilho_(idle_transaction|lock_wait)_/.test(gauge))
      .map(({ value }) => value > 0)
  const sessions = (name: string, condition: string) =>
    `select from pg_stat_activity where datname = current_database() and application_name = '${name}' and ${condition}`
  const waitForSession = async (name: string, condition: string) => {
    while ((await sql(sessions(name, condition))).length === 0) await sleep(5)
  }
  const long = [...MIGRATIONS, { name: 'Migration104_long', class: Migration104_long }]
  const both = Promise.allSettled([migrate(url, SOON, long), migrate(url, SOON, long)])
  await waitForSession(migrating, `wait_event = 'PgSleep'`)
  await waitForSession(lock, `state = 'idle in transaction'`)
  await waitForSession(lock, `wait_event = 'advisory'`)
  expect(await readHeld()).toEqual([false, false])

  // The second process goes on with the migration that the first one has not done.
  let isOver = false
  const ended = both.finally(() => {
    isOver = true
  })
  while (!isOver) {
    await sql(
      `select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`,
    )
    await sleep(20)
  }
  expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  while ((await sql(sessions(migrating, 'true'))).length > 0) await sleep(5)

  const vanished = await openTestOrm({ databaseUrl: url, applicationName: lock })
  await runInTransaction(vanished, async em => {
    await em.execute('select 1')
    expect(await readHeld()).toEqual([true, false])
  })
  await vanished.close()
})

test('a schema of before the first release is refused in one line, and stays as it is', async () => {
  const before = new URL(url)
  before.pathname = `/before_${randomUUID().replaceAll('-', '')}`
  await sql(`create database ${before.pathname.slice(1)}`)
  const older = await openTestOrm({ databaseUrl: before.href })
  await older.em.fork().execute(`
    create table mikro_orm_migrations (id serial primary key, name varchar(255), executed_at timestamptz default now());
    insert into mikro_orm_migrations (name) values ('001_charges'), ('002_money_out');
    create table account (uuid uuid primary key)`)
  await expect(migrate(before.href)).rejects.toThrow(
    /^The database has the schema of a version before the first release \(migration 001_charges\), .* empty database in DATABASE_URL, or remove .*$/,
  )
  expect(await older.em.fork().execute('select count(*)::int as count from mikro_orm_migrations')).toEqual([
    { count: 2 },
  ])
  await older.close()
})

test('a missing database is created by a migration only', async () => {
  const absent = new URL(url)
  absent.pathname = `/absent_${randomUUID().replaceAll('-', '')}`
  const reader = await openTestOrm({ databaseUrl: absent.href })
  await expect(reader.em.fork().execute('select 1')).rejects.toMatchObject({ code: '3D000' })
  await migrate(absent.href)
  expect(await reader.em.fork().execute('select from account')).toEqual([])
  await reader.close()
})
