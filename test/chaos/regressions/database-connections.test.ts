import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Orm } from '../../../src/db/client/orm.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { createTestDatabase } from '../../support/database.ts'
import { openTestOrm } from '../../support/orm.ts'

/** A storm's finding when the database went down during transactions: a worker that never got a connection again. */

const POOL = 2
let orm: Orm
beforeAll(async () => {
  orm = await openTestOrm({ databaseUrl: await createTestDatabase(), poolSize: POOL })
})
afterAll(() => orm?.close())

test('connections that end during transactions are replaced, however many', async () => {
  for (let time = 0; time < 2 * POOL; time++)
    await expect(
      runInTransaction(orm, em => em.execute('select pg_terminate_backend(pg_backend_pid())')),
    ).rejects.toThrow()
  expect(await runInTransaction(orm, em => em.execute('select 1 as one'))).toEqual([{ one: 1 }])
})

test('connections that end outside of transactions are replaced too', async () => {
  for (let time = 0; time < 2 * POOL; time++)
    await expect(orm.em.fork().execute('select pg_terminate_backend(pg_backend_pid())')).rejects.toThrow()
  const all = await Promise.all([1, 2, 3, 4].map(one => orm.em.fork().execute(`select ${one} as one`)))
  expect(all.flat()).toEqual([{ one: 1 }, { one: 2 }, { one: 3 }, { one: 4 }])
})

test('a pool closed while it connects closes the new connection too', async () => {
  const closing = await openTestOrm({ databaseUrl: await createTestDatabase(), poolSize: POOL })
  await closing.em.fork().execute('select 1')
  const asked = ['select pg_sleep(0.5)', 'select 2'].map(sql =>
    closing.em
      .fork()
      .execute(sql)
      .catch(() => 'given up'),
  )
  await new Promise(setImmediate) // Now one connection is in use, and another one is being opened.
  await closing.close()
  expect((await Promise.all(asked))[1]).toBe('given up')
})
