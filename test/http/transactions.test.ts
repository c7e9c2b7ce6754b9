import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { inSnapshot, inTransaction, type Orm, openOrm } from '../../src/db/orm.ts'
import { openWorld, type World } from './support/world.ts'

/** Transactions begin in the message of their first statement: what PostgreSQL hears, and that it means the same. */

/** Of a pool of `pg` with one place, what says a message. */
type OneClient = { connect(): Promise<{ connection: { query(text: string): void }; release(): void }> }

let world: World
let orm: Orm
let uuid: string
const heard: string[] = []
beforeAll(async () => {
  world = await openWorld([])
  uuid = await world.account()
  orm = await openOrm({ databaseUrl: world.config.databaseUrl, poolSize: 1 })
  const pool = (await orm.em.getConnection().getNativeClient()) as unknown as OneClient
  const { connection, release } = await pool.connect()
  const say = connection.query.bind(connection)
  connection.query = text => {
    heard.push(text)
    say(text)
  }
  release()
})
afterAll(async () => {
  await orm?.close()
  await world?.close()
})
beforeEach(() => void heard.splice(0))

const rename = (name: string) => `update account set name = '${name}' where uuid = '${uuid}'`
const nameNow = async () => {
  const [row]: { name: string }[] = await world.orm.em
    .fork()
    .execute('select name from account where uuid = ?', [uuid])
  return row?.name
}
/** Nothing of one transaction is left for the next statement over the same connection. */
const isAlone = async () => {
  heard.splice(0)
  await orm.em.fork().execute('select 1')
  expect(heard).toEqual(['select 1'])
  const [row]: { open: string }[] = await world.orm.em
    .fork()
    .execute(`select count(*) as open from pg_stat_activity where state like 'idle in transaction%'`)
  expect(row?.open).toBe('0')
}

test('a transaction is as many messages as it has statements, and its end', async () => {
  const answer = await inTransaction(orm, async em => {
    await em.execute(rename('first'))
    return em.execute('select name from account where uuid = ?', [uuid])
  })
  expect(answer).toEqual([{ name: 'first' }])
  expect(heard).toEqual([
    `begin; ${rename('first')}`,
    `select name from account where uuid = '${uuid}'`,
    'commit',
  ])
  expect(await nameNow()).toBe('first')
  await isAlone()
})

test('what its first statement answers is the statement’s, how many rows it changed included', async () => {
  const changed = await inTransaction(orm, em =>
    em.execute<{ affectedRows: number }>(rename('counted'), [], 'run'),
  )
  expect(changed).toMatchObject({ affectedRows: 1 })
})

test('one that fails with its first statement, or with a later one, has changed nothing', async () => {
  await inTransaction(orm, em => em.execute(rename('before')))
  await expect(inTransaction(orm, em => em.execute('select 1 / 0'))).rejects.toThrow('division by zero')
  await isAlone()
  const half = inTransaction(orm, async em => {
    await em.execute(rename('half'))
    await em.execute('select 1 / 0')
  })
  await expect(half).rejects.toThrow('division by zero')
  expect(await nameNow()).toBe('before')
  await isAlone()
  const given = inTransaction(orm, async em => {
    await em.execute(rename('given up'))
    throw new Error('no')
  })
  await expect(given).rejects.toThrow('no')
  expect(await nameNow()).toBe('before')
  await isAlone()
})

test('one that asks nothing is none, whether it ends well or not', async () => {
  await inTransaction(orm, async () => 1)
  await expect(inTransaction(orm, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(heard).toEqual([])
  await isAlone()
})

test('a snapshot sees one moment, and changes nothing', async () => {
  await inTransaction(orm, em => em.execute(rename('then')))
  const seen = await inSnapshot(orm.em, async em => {
    const read = () => em.execute('select name from account where uuid = ?', [uuid])
    const first = await read()
    await world.orm.em.fork({ disableContextResolution: true }).execute(rename('now'))
    return [...first, ...(await read())]
  })
  expect(seen).toEqual([{ name: 'then' }, { name: 'then' }])
  expect(heard.filter(text => text.startsWith('start transaction isolation level repeatable read'))).toEqual([
    `start transaction isolation level repeatable read read only; select name from account where uuid = '${uuid}'`,
  ])
  await expect(inSnapshot(orm.em, em => em.execute(rename('never')))).rejects.toThrow('read-only')
  expect(await nameNow()).toBe('now')
  await isAlone()
})

test('a transaction inside another is still undone alone', async () => {
  await inTransaction(orm, async em => {
    const inner = em.transactional(async tx => {
      await tx.execute(rename('inner'))
      throw new Error('only this')
    })
    await expect(inner).rejects.toThrow('only this')
    await em.execute(rename('outer'))
  })
  expect(await nameNow()).toBe('outer')
})
