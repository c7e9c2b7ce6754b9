import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { returnPayout } from '../../../src/activities/unmatched/return-payout.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { noQuery } from '../../../src/db/pipeline/query.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { insertDispute } from '../support/dispute-rows.ts'

/** One PIX may have a return of ours and one of its provider's, by a dispute: each has its movement. */

let fixture: ApiFixture
beforeAll(async () => {
  fixture = await openApiFixture([])
})
afterAll(() => fixture?.close())

test('our return’s movement is found although a dispute has returned the PIX in part since', async () => {
  const connection = await fixture.insertConnection(await fixture.insertAccount())
  const med = await insertDispute(fixture, { connection })
  const sql = <Row extends object>(query: string, values: unknown[]) =>
    fixture.orm.em.fork().execute<Row[]>(query, values)
  const [row] = await sql<{ original: string }>(
    'select movement_uuid as original from dispute where uuid = ?',
    [med],
  )
  const { original } = row!
  const returned = async (disputeUuid: string | null, ago: string) => {
    const uuid = randomUUID()
    await sql(
      `insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents,
         status, original_uuid, dispute_uuid, created_at, updated_at)
       select ?, account_uuid, provider_account_uuid, uuid, 'EXTERNAL_REFUND', 'OUT', 1050, 'PENDING', ?, ?,
         now() - ?::interval, now() from connection where uuid = ?`,
      [uuid, original, disputeUuid, ago, connection],
    )
    return uuid
  }
  const ownReturn = await returned(null, '1 hour')
  await returned(med, '0')
  await runInTransaction(fixture.orm, async em => {
    const [{ out }] = await returnPayout.lock(em, original, noQuery)
    expect(out?.uuid).toBe(ownReturn)
  })
})
