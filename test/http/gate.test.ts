import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Connection } from '../../src/db/entities/connection.ts'
import { lockGate } from '../../src/db/lock.ts'
import { inTransaction } from '../../src/db/orm.ts'
import { openWorld, type World } from './support/world.ts'

/** The gate of money tells the connection it locks. */

let world: World
let uuid: string
beforeAll(async () => {
  world = await openWorld([])
  uuid = await world.connection(await world.account())
  await world.orm.em
    .fork()
    .execute('insert into breaker (connection_uuid, failures) values (?, array[now()])', [uuid])
})
afterAll(() => world?.close())

test('as it stands then: it is not asked for again, and its credentials stay where they are', async () => {
  const all = await world.orm.em.fork().findOneOrFail(Connection, uuid)
  await inTransaction(world.orm, async em => {
    await lockGate(em, uuid)
    const told = em.getUnitOfWork().getById<Connection>(Connection, uuid)
    expect(told).toMatchObject({ ...all })
    expect(told?.sealedCredentials).toBeUndefined()
  })
})

test('what was known beside it stays known, and nothing of it is written', async () => {
  await inTransaction(world.orm, async em => {
    const known = await em.findOneOrFail(Connection, uuid, {
      populate: ['sealedCredentials', 'isDistrusted'],
    })
    await world.orm.em
      .fork({ disableContextResolution: true })
      .execute(`update connection set status = 'INACTIVE' where uuid = ?`, [uuid])
    const { sealedCredentials } = known
    await lockGate(em, uuid)
    expect(known).toMatchObject({ status: 'INACTIVE', isDistrusted: true, sealedCredentials })
    em.getUnitOfWork().computeChangeSets()
    expect(em.getUnitOfWork().getChangeSets()).toEqual([])
  })
})
