import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { defineEntity, OptimisticLockError } from '@mikro-orm/core'
import { MikroORM } from '@mikro-orm/postgresql'
import { PostgresDialect } from 'kysely'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { PipelinedPool } from '../../../src/db/pipeline/pool.ts'
import { constantQuery } from '../../../src/db/pipeline/query.ts'
import { createTestDatabase } from '../../support/database.ts'

/** MikroORM's checks of what PostgreSQL reports, which an entity with a version column would rely on. */

const schema = defineEntity({
  name: 'Note',
  properties: p => ({ uuid: p.uuid().primary(), text: p.text(), version: p.integer().version() }),
})
class Note extends schema.class {}
schema.setClass(Note)

let orm: MikroORM
let uuid: string
beforeAll(async () => {
  const connectionString = await createTestDatabase()
  const pool = new PipelinedPool({ connectionString })
  const driverOptions = () => new PostgresDialect({ pool })
  orm = await MikroORM.init({ clientUrl: connectionString, entities: [Note], driverOptions })
  await orm.em.fork().execute('create table note (uuid uuid primary key, text text, version int default 1)')
  const em = orm.em.fork()
  uuid = em.create(Note, { uuid: randomUUID(), text: 'first' }).uuid
  await em.flush()
})
afterAll(() => orm?.close())

const read = async () => {
  const em = orm.em.fork()
  return { em, note: await em.findOneOrFail(Note, uuid) }
}

test('the second of two concurrent changes of a versioned row fails', async () => {
  const [one, two] = [await read(), await read()]
  one.note.text = 'one'
  two.note.text = 'two'
  await one.em.flush()
  await expect(two.em.flush()).rejects.toThrow(OptimisticLockError)
  expect((await read()).note).toMatchObject({ text: 'one', version: 2 })
})

test('a change of a versioned row that has vanished fails, by a flush and at the end of a transaction', async () => {
  const lost = await read()
  await orm.em.fork().execute('delete from note where uuid = ?', [uuid])
  lost.note.text = 'late'
  await expect(lost.em.flush()).rejects.toThrow(OptimisticLockError)

  const ended = runInTransaction(orm, async em => {
    const note = em.create(Note, { uuid: randomUUID(), text: 'first' })
    await em.flush()
    await em.execute('delete from note where uuid = ?', [note.uuid])
    note.text = 'late'
    return constantQuery('accepted')
  })
  await expect(ended).rejects.toThrow(OptimisticLockError)
})
