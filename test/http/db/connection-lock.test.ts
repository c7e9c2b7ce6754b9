import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { runInTransaction } from '../../../src/db/client/orm.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { lockConnection } from '../../../src/db/locks.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

/** A locked connection is loaded by the statement that locks it. */

let fixture: ApiFixture
let uuid: string
beforeAll(async () => {
  fixture = await openApiFixture([])
  uuid = await fixture.insertConnection(await fixture.insertAccount())
  await fixture.orm.em
    .fork()
    .execute('insert into circuit_breaker (connection_uuid, failures) values (?, array[now()])', [uuid])
})
afterAll(() => fixture?.close())

test('a locked connection is loaded with its current values, without a second query and without its credentials', async () => {
  const all = await fixture.orm.em.fork().findOneOrFail(Connection, uuid)
  await runInTransaction(fixture.orm, async em => {
    await lockConnection(em, uuid)
    const locked = em.getUnitOfWork().getById<Connection>(Connection, uuid)
    expect(locked).toMatchObject({ ...all })
    expect(locked?.sealedCredentials).toBeUndefined()
  })
})

test('loaded fields of a locked connection are updated or kept, and none of them is written', async () => {
  await runInTransaction(fixture.orm, async em => {
    const known = await em.findOneOrFail(Connection, uuid, {
      populate: ['sealedCredentials', 'isDistrusted'],
    })
    await fixture.orm.em
      .fork({ disableContextResolution: true })
      .execute(`update connection set status = 'INACTIVE' where uuid = ?`, [uuid])
    const { sealedCredentials } = known
    await lockConnection(em, uuid)
    expect(known).toMatchObject({ status: 'INACTIVE', isDistrusted: true, sealedCredentials })
    em.getUnitOfWork().computeChangeSets()
    expect(em.getUnitOfWork().getChangeSets()).toEqual([])
  })
})
