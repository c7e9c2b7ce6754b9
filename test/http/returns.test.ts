import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { unmatchedReturn } from '../../src/activities/returns.ts'
import { inTransaction } from '../../src/db/orm.ts'
import { NOTHING } from '../../src/db/questions.ts'
import { disputeRow } from './support/disputes.ts'
import { openWorld, type World } from './support/world.ts'

/** Of one PIX both a return of ours and one of its provider's, by a dispute, may be written: each has its movement. */

let world: World
beforeAll(async () => {
  world = await openWorld([])
})
afterAll(() => world?.close())

test('the movement of a return is our own, though a dispute has returned some since', async () => {
  const connection = await world.connection(await world.account())
  const med = await disputeRow(world, { connection })
  const sql = <Row extends object>(query: string, values: unknown[]) =>
    world.orm.em.fork().execute<Row[]>(query, values)
  const [row] = await sql<{ original: string }>('select movement_uuid as original from med where uuid = ?', [
    med,
  ])
  const { original } = row!
  const returned = async (medUuid: string | null, ago: string) => {
    const uuid = randomUUID()
    await sql(
      `insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents,
         status, original_uuid, med_uuid, created_at, updated_at)
       select ?, account_uuid, provider_account_uuid, uuid, 'EXTERNAL_REFUND', 'OUT', 500, 'PENDING', ?, ?,
         now() - ?::interval, now() from connection where uuid = ?`,
      [uuid, original, medUuid, ago, connection],
    )
    return uuid
  }
  const own = await returned(null, '1 hour')
  await returned(med, '0')
  await inTransaction(world.orm, async em => {
    const [{ out }] = await unmatchedReturn.lock(em, original, NOTHING)
    expect(out?.uuid).toBe(own)
  })
})
