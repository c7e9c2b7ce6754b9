import type { Client } from '@temporalio/client'
import type { Sealer } from '../security/sealing.ts'
import { buildReopenOptions, type WorkflowClientContext } from '../temporal/workflow-options.ts'
import type { ChargeInput, TransferInput } from '../workflows/contracts/messages.ts'
import { chargeWorkflowId, transferWorkflowId } from '../workflows/contracts/workflow-ids.ts'
import { readPayoutHistory } from './payout-history.ts'
import { buildRebuildMetadata, type RebuildableInput, restoreOriginalInput } from './rebuild-inputs.ts'
import { readWorkflowHistory, type WorkflowHistory } from './workflow-history.ts'

/** Rows whose order no provider has accepted yet, and the orders by which their lost workflows are started again. */

/** What such a row keeps of its order; names as in PostgreSQL. */
type UnsentRow = {
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
export type CreatedTransferRow = UnsentRow & { scheduled_for: string | null }
export type IssuingChargeRow = UnsentRow & { expires_in_seconds: number }

/**
 * Starts again a transfer that waits for its time, where it is proved that nothing of it was sent: its time has not come, or
 * the history of its workflow begins no sending. False where neither proves it, or where its workflow had ended: its row is
 * older than that then, and the rebuild of a restored database decides.
 */
export async function reopenScheduledTransfer(
  engine: WorkflowClientContext,
  row: CreatedTransferRow,
): Promise<boolean> {
  const { uuid, scheduled_for: scheduledFor, tried } = row
  if (scheduledFor === null || tried.length > 0) return false
  const client = await engine.client()
  const past = await readWorkflowHistory<TransferInput>(client, transferWorkflowId(uuid), uuid)
  if (
    past
      ? past.result !== undefined || (await hasStartedSending(client, past))
      : new Date(scheduledFor) <= new Date()
  )
    return false
  const order = past
    ? (restoreOriginalInput(past.input) as TransferInput)
    : { ...buildInputFromRow(engine, row), details: '', scheduledFor: new Date(scheduledFor).toISOString() }
  await startOriginalWorkflow(engine, client, transferWorkflowId(uuid), order)
  return true
}

/**
 * Starts again a charge that was being issued: its candidates are asked for it by our id, and none issues it anew. It is
 * pending where one has it, and failed where none does.
 */
export async function reopenIssuingCharge(
  engine: WorkflowClientContext,
  { sealer }: { sealer: Sealer },
  row: IssuingChargeRow,
): Promise<void> {
  const { uuid, fingerprint, expires_in_seconds: expiresInSeconds } = row
  const client = await engine.client()
  const past = await readWorkflowHistory<ChargeInput>(client, chargeWorkflowId(uuid), uuid)
  const order = past
    ? (restoreOriginalInput(past.input) as ChargeInput)
    : // Its row and its splits are there: nothing of the sealed details is read.
      {
        ...buildInputFromRow(engine, row),
        expiresInSeconds,
        details: sealer.seal({ splits: [], fingerprint }),
      }
  const restored = {
    orderedAt: new Date(row.created_at).toISOString(),
    ...(past?.result !== undefined && { ended: past.result }),
    ...(past?.connectionUuid !== undefined && { connectionUuid: past.connectionUuid }),
  }
  await startOriginalWorkflow(engine, client, chargeWorkflowId(uuid), { ...order, restored })
}

async function hasStartedSending(
  client: Client,
  { input: order, runIds }: WorkflowHistory<TransferInput>,
): Promise<boolean> {
  const history = await readPayoutHistory(client, {
    ...{ workflowId: transferWorkflowId(order.uuid), runIds, restoredAt: new Date(0) },
    earlierConnections: order.continuation ? order.candidates : [],
  })
  return history.attemptedConnections.length > 0
}

function buildInputFromRow({ timeScale }: WorkflowClientContext, row: UnsentRow) {
  return {
    ...{ uuid: row.uuid, accountUuid: row.account_uuid, requestId: row.request_id, timeScale },
    candidates: [...new Set([...row.tried, row.connection_uuid])],
    valueCents: Number(row.value_cents),
  }
}

async function startOriginalWorkflow(
  engine: WorkflowClientContext,
  client: Client,
  workflowId: string,
  order: RebuildableInput & { candidates: string[] },
) {
  const seen = { provider: order.candidates[0]! }
  await client.workflow.start(`${workflowId.split('/')[0]}Workflow`, {
    ...buildRebuildMetadata(workflowId, order, seen),
    ...buildReopenOptions(engine, workflowId),
    args: [order],
  })
}
