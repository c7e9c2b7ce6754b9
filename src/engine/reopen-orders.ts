import type { Client } from '@temporalio/client'
import type { Sealer } from '../sealing.ts'
import { chargeId, transferId } from '../workflows/ids.ts'
import type { ChargeOrder, TransferOrder } from '../workflows/messages.ts'
import { type Past, pastOf } from './past-lives.ts'
import { lifeOf, type Order, wholeOf } from './rebuild-orders.ts'
import { sendingHistoryOf } from './sending-history.ts'
import { again, type Engine } from './start.ts'

/** Rows whose order no provider has accepted yet, and the orders by which their lost workflows are started again. */

/** What such a row keeps of its order; names as in PostgreSQL. */
type OrderRow = {
  uuid: string
  account_uuid: string
  connection_uuid: string
  created_at: string
  value_cents: string
  request_id: string
  fingerprint: string
  /** The connections of its attempts. */
  tried: string[]
}
export type CreatedTransferRow = OrderRow & { scheduled_for: string | null }
export type IssuingChargeRow = OrderRow & { expires_in_seconds: number }

/**
 * Starts again a transfer that waits for its time, where it is proved that nothing of it was sent: its time has not come, or
 * the history of its workflow begins no sending. False where neither proves it, or where its workflow had ended: its row is
 * older than that then, and the rebuild of a restored database decides.
 */
export async function reopenScheduled(engine: Engine, row: CreatedTransferRow): Promise<boolean> {
  const { uuid, scheduled_for: scheduledFor, tried } = row
  if (scheduledFor === null || tried.length > 0) return false
  const client = await engine.client()
  const past = await pastOf<TransferOrder>(client, transferId(uuid), uuid)
  if (
    past ? past.ended !== undefined || (await hasBegun(client, past)) : new Date(scheduledFor) <= new Date()
  )
    return false
  const order = past
    ? (wholeOf(past.order) as TransferOrder)
    : { ...orderOf(engine, row), details: '', scheduledFor: new Date(scheduledFor).toISOString() }
  await start(engine, client, transferId(uuid), order)
  return true
}

/**
 * Starts again a charge that was being issued: its candidates are asked for it by our id, and none issues it anew. It is
 * pending where one has it, and failed where none does.
 */
export async function reopenIssuing(
  engine: Engine,
  { sealer }: { sealer: Sealer },
  row: IssuingChargeRow,
): Promise<void> {
  const { uuid, fingerprint, expires_in_seconds: expiresInSeconds } = row
  const client = await engine.client()
  const past = await pastOf<ChargeOrder>(client, chargeId(uuid), uuid)
  const order = past
    ? (wholeOf(past.order) as ChargeOrder)
    : // Its row and its splits are there: nothing of the sealed details is read.
      { ...orderOf(engine, row), expiresInSeconds, details: sealer.seal({ splits: [], fingerprint }) }
  const restored = {
    orderedAt: new Date(row.created_at).toISOString(),
    ...(past?.ended !== undefined && { ended: past.ended }),
    ...(past?.connectionUuid !== undefined && { connectionUuid: past.connectionUuid }),
  }
  await start(engine, client, chargeId(uuid), { ...order, restored })
}

async function hasBegun(client: Client, { order, runIds }: Past<TransferOrder>): Promise<boolean> {
  const history = await sendingHistoryOf(client, {
    ...{ workflowId: transferId(order.uuid), runIds, restoredBy: new Date(0) },
    begunBefore: order.goesOn ? order.candidates : [],
  })
  return history.begun.length > 0
}

function orderOf({ timeScale }: Engine, row: OrderRow) {
  return {
    ...{ uuid: row.uuid, accountUuid: row.account_uuid, requestId: row.request_id, timeScale },
    candidates: [...new Set([...row.tried, row.connection_uuid])],
    valueCents: Number(row.value_cents),
  }
}

async function start(
  engine: Engine,
  client: Client,
  workflowId: string,
  order: Order & { candidates: string[] },
) {
  const seen = { provider: order.candidates[0]! }
  await client.workflow.start(`${workflowId.split('/')[0]}Workflow`, {
    ...lifeOf(workflowId, order, seen),
    ...again(engine, workflowId),
    args: [order],
  })
}
