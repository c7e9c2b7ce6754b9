import { randomUUID } from 'node:crypto'
import type { Orm } from '../../../src/db/client/orm.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'

/** A line of a statement with a movement of its own, booked at any time. */
export type BookedLine = {
  connection: string
  type: string
  cents: number
  /** The available balance after it. */
  balance: number
  at: number
  /** Of the payer or receiver; absent: unknown. */
  name?: string
  status?: 'PENDING' | 'SETTLED' | 'FAILED'
  transfer?: string
  reason?: string
  /** The movement of an earlier line; absent: one of its own. */
  movement?: string
}

/** The type of the movement whose line has a type of its own. */
const movementType = (type: string) =>
  type === 'REVERSAL' || type === 'SHORTFALL' ? 'EXTERNAL_TRANSFER' : type

/** Books a line of the connection's account. Returns its movement. */
export async function bookLine(orm: Orm, line: BookedLine): Promise<string> {
  const {
    connection,
    type,
    cents,
    balance,
    at,
    name,
    status = 'SETTLED',
    transfer = null,
    reason = null,
  } = line
  const movement = line.movement ?? randomUUID()
  const party = name === undefined ? null : JSON.stringify({ name, document: '52998224725' })
  const time = new Date(at)
  await runInTransaction(orm, async tx => {
    if (!line.movement)
      await tx.execute(
        `insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents,
         status, reason, entry_name, transfer_uuid, sender, receiver, settled_at, created_at, updated_at)
       select ?, account_uuid, provider_account_uuid, uuid, ?, ?, ?, ?, ?, ?, ?, ?::jsonb, ?::jsonb, ?, ?, ?
       from connection where uuid = ?`,
        [
          ...[
            movement,
            movementType(type),
            cents > 0 && !transfer ? 'IN' : 'OUT',
            Math.abs(cents),
            status,
            reason,
            reason?.startsWith('provider_') ? `entry/${movement}` : null,
            transfer,
          ],
          ...[party, party, status === 'SETTLED' ? time : null, time, time, connection],
        ],
      )
    await tx.execute(
      `insert into posting (movement_uuid, account_uuid, provider_account_uuid, type, bucket, cents, balance_cents, created_at)
       select ?, c.account_uuid, c.provider_account_uuid, ?, leg.bucket, leg.cents, leg.balance, ?
       from connection c
       cross join (values (?, -1 * ?::bigint, 0), ('available', ?::bigint, ?::bigint)) as leg (bucket, cents, balance)
       where c.uuid = ?`,
      [movement, type, time, type === 'FEE' ? 'fee' : 'outside', cents, cents, balance, connection],
    )
  })
  return movement
}
