import { randomUUID } from 'node:crypto'
import type { ApiFixture } from './api-fixture.ts'
import { bookingSql } from './row-inserters.ts'

export type DisputeRow = {
  connection: string
  kind?: string
  type?: string
  state?: string
  createdAt?: string
  hasReply?: boolean
  /** Settlement of its return of the whole value; nothing was returned where absent. */
  returnedAt?: Date
}

/** A dispute as a workflow would have written it; answers its uuid. */
export async function insertDispute(world: ApiFixture, row: DisputeRow): Promise<string> {
  const { connection, kind = 'RECEIVED_MED', type = 'SCAM', state = 'open' } = row
  const [med, movement, at] = [randomUUID(), randomUUID(), row.createdAt ?? new Date().toISOString()]
  const endToEnd = `E09089356${randomUUID().replaceAll('-', '').slice(0, 23)}`
  const direction = kind === 'RECEIVED_MED' ? 'IN' : 'OUT'
  await world.orm.em.execute(
    `with made as (insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents,
       status, end_to_end, settled_at, created_at, updated_at)
     select ?, account_uuid, provider_account_uuid, uuid, 'EXTERNAL_TRANSFER', ?, 1050, 'SETTLED', ?, ?, ?, ?
     from connection where uuid = ? returning *) ${bookingSql()}`,
    [movement, direction, endToEnd, at, at, at, connection],
  )
  await world.orm.em.execute(
    `insert into dispute (uuid, account_uuid, connection_uuid, provider_account_uuid, provider_dispute_id, kind, dispute_type, state,
       end_to_end, movement_uuid, value_cents, opened_at, due_at, request_id, created_at, updated_at, accept, analysis,
       replied_at, reply_state, returned_at, returned_cents)
     select ?, account_uuid, uuid, provider_account_uuid, ?, ?, ?, ?, ?, ?, 1000, ?, ?::timestamptz + interval '7 days', 'r', ?, ?,
       ?, ?, ?, ?, ?, ?
     from connection where uuid = ?`,
    [
      ...[med, randomUUID(), kind, type, state, endToEnd, movement, at, at, at, at],
      ...(row.hasReply ? [false, 'No.', at, 'pending'] : [null, null, null, null]),
      ...[row.returnedAt ?? null, row.returnedAt ? 1_000 : 0],
      connection,
    ],
  )
  return med
}

/** The part of a fixture that writes rows. */
type RowWriter = Pick<ApiFixture, 'orm'>

/** A settled transfer of R$ 10.50, as its workflow would have written it. */
export async function insertPaidTransfer(
  world: RowWriter,
  {
    connection,
    state = 'paid',
    settledAt = new Date(),
  }: { connection: string; state?: string; settledAt?: Date },
): Promise<{ transfer: string; movement: string; endToEnd: string }> {
  const [transfer, movement] = [randomUUID(), randomUUID()]
  const endToEnd = `E09089356${randomUUID().replaceAll('-', '').slice(0, 23)}`
  await world.orm.em.execute(
    `with made as (insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents,
       status, end_to_end, settled_at, created_at, updated_at)
     select ?, account_uuid, provider_account_uuid, uuid, 'EXTERNAL_TRANSFER', 'OUT', 1050, 'SETTLED', ?, ?, now(), now()
     from connection where uuid = ? returning *) ${bookingSql()}`,
    [movement, endToEnd, settledAt, connection],
  )
  await world.orm.em.execute(
    `insert into transfer (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, returned_cents, pix_key,
       movement_uuid, end_to_end, settled_at, request_id, fingerprint, created_at, updated_at)
     select ?, account_uuid, uuid, provider_account_uuid, ?, 1050, ?, 'maria@example.com', ?, ?, ?, 'r', 'f', now(), now()
     from connection where uuid = ?`,
    [transfer, state, state === 'refunded' ? 1_050 : 0, movement, endToEnd, settledAt, connection],
  )
  return { transfer, movement, endToEnd }
}

/** A dispute that an account has requested about a paid transfer; answers its uuid and its transfer's. */
export async function insertRequestedDispute(
  world: RowWriter,
  { connection, state = 'open' }: { connection: string; state?: string },
): Promise<{ dispute: string; transfer: string }> {
  const paid = await insertPaidTransfer(world, { connection })
  const dispute = randomUUID()
  await world.orm.em.execute(
    `insert into dispute (uuid, account_uuid, connection_uuid, provider_account_uuid, provider_dispute_id, kind, dispute_type, state,
       end_to_end, movement_uuid, transfer_uuid, value_cents, opened_at, due_at, details, fingerprint, request_id, created_at, updated_at)
     select ?, account_uuid, uuid, provider_account_uuid, ?, 'REQUESTED_MED', 'SCAM', ?, ?, ?, ?, 1050, now(), now() + interval '7 days',
       'Loja falsa.', 'f', 'r', now(), now()
     from connection where uuid = ?`,
    [
      dispute,
      state === 'requesting' ? null : dispute,
      state,
      paid.endToEnd,
      paid.movement,
      paid.transfer,
      connection,
    ],
  )
  return { dispute, transfer: paid.transfer }
}
