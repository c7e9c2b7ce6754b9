import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { migrate, type Orm, openOrm, runInTransaction } from '../../../src/db/client/orm.ts'
import { createTestDatabase } from '../../support/database.ts'

/** A migration beside who reads its table for long, as a backup does: it waits, and nobody waits for it. */

/** One that makes an index, which no reader is in the way of, and one that alters a table and may be done again. */
const [INDEX, ALTERING] = ['018_tested_endpoints', '020_exact_weeks'] as const
const SOON = { lockMs: 500, tries: 100, everyMs: 50 }

let url: string
let orm: Orm
beforeAll(async () => {
  url = await createTestDatabase()
  orm = await openOrm({ databaseUrl: url })
})
afterAll(() => orm?.close())
beforeEach(async () => {
  await orm.em.fork().execute('drop index webhook_tested')
  await orm.em.fork().execute('delete from mikro_orm_migrations where name in (?, ?)', [INDEX, ALTERING])
})

const done = async () => {
  const sql = 'select name from mikro_orm_migrations where name in (?, ?) order by id'
  const rows: { name: string }[] = await orm.em.fork().execute(sql, [INDEX, ALTERING])
  return rows.map(({ name }) => name)
}

/** Until somebody stands in the queue for the table. */
async function waitForLockWaiter() {
  const waiting = `select 1 from pg_locks where not granted and relation = 'med'::regclass`
  while ((await orm.em.fork().execute(waiting)).length === 0) await sleep(5)
}

/** Does it while somebody reads the table of the one that alters. */
const besideReader = <T>(work: () => Promise<T>) =>
  runInTransaction(orm, async em => {
    await em.execute('lock table med in access share mode')
    return work()
  })

test('who reads the table meanwhile is answered, and the migration is done when the first reader is gone', async () => {
  const { migrations } = await besideReader(async () => {
    // Two at once: one does, the other waits and finds nothing left to do.
    const both = Promise.all([migrate(url, SOON), migrate(url, SOON)])
    await Promise.race([waitForLockWaiter(), both])
    expect(await orm.em.fork().execute('select count(*)::int as count from med')).toEqual([{ count: 0 }])
    expect(await done()).toEqual([INDEX])
    return { migrations: both }
  })
  await migrations
  expect(await done()).toEqual([INDEX, ALTERING])
})

test('a migration that waits in vain says for what and for whom, and what was done before it stays', async () => {
  await besideReader(async () => {
    const failed = migrate(url, { lockMs: 20, tries: 2, everyMs: 1 })
    await expect(failed).rejects.toThrow(
      /020_exact_weeks got no lock in 2 tries; tables are held by process \d+ .*: med\./,
    )
  })
  expect(await done()).toEqual([INDEX])
  await migrate(url)
  expect(await done()).toEqual([INDEX, ALTERING])
})

test('one whose statements are transactions of their own begins anew over what it has done, and holds old rows to its rules', async () => {
  const [RULES, sql] = ['023_money_rules', (query: string) => orm.em.fork().execute<object[]>(query)]
  await sql(`delete from mikro_orm_migrations where name = '${RULES}'`)
  await sql('alter table charge drop constraint charge_total')
  const { migrating } = await runInTransaction(orm, async em => {
    await em.execute('lock table movement in access share mode') // The last of those it alters.
    const migrating = migrate(url, SOON)
    while ((await sql(`select from pg_constraint where conname = 'charge_total'`)).length === 0)
      await sleep(5)
    return { migrating }
  })
  await migrating
  expect(await sql(`select conname from pg_constraint where contype = 'c' and not convalidated`)).toEqual([])
  expect(await sql(`select from mikro_orm_migrations where name = '${RULES}'`)).toHaveLength(1)
})

test.each([
  ['021_foreign_ids', 'select from transfer for update', 'select from movement limit 1'],
  ['023_money_rules', 'select from charge for update', 'select from refund limit 1'],
])('%s and a life never wait for each other in a ring', async (name, one, another) => {
  await orm.em.fork().execute('drop trigger if exists movement_stays on movement') // 021 came before it.
  await orm.em.fork().execute('delete from mikro_orm_migrations where name = ?', [name])
  let isOver = false
  const migrating = migrate(url, SOON).finally(() => {
    isOver = true
  })
  const lives = async () => {
    while (!isOver)
      await runInTransaction(orm, async em => {
        await em.execute(one)
        await sleep(20)
        await em.execute(another)
      })
  }
  await Promise.all([migrating, lives()])
})

test('a database that does not exist is created by a migration, and by nothing else', async () => {
  const absent = new URL(url)
  absent.pathname = `/absent_${randomUUID().replaceAll('-', '')}`
  const reader = await openOrm({ databaseUrl: absent.href })
  await expect(reader.em.fork().execute('select 1')).rejects.toMatchObject({ code: '3D000' })
  await migrate(absent.href)
  expect(await reader.em.fork().execute('select from account')).toEqual([])
  await reader.close()
})
