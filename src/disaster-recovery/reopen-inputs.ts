import type { Client } from '@temporalio/client'
import type { Sealer } from '../security/sealing.ts'
import { readWorkflowHistory, type WorkflowHistory } from '../temporal/workflow-history.ts'
import { startOrReopenWorkflow, type TemporalContext } from '../temporal/workflow-options.ts'
import type { ChargeInput } from '../workflows/contracts/charges.ts'
import type { TransferInput } from '../workflows/contracts/transfers.ts'
import { WORKFLOWS } from '../workflows/contracts/workflows.ts'
import { readPayoutHistory } from './payout-history.ts'
import { buildRebuildMetadata, restoreOriginalInput, startRebuild } from './rebuild-inputs.ts'

/** Columns of a row whose order no provider has accepted yet: its input is restored from them. Names as in PostgreSQL. */
type UnsentRow = {
  uuid: string
  account_uuid: string
  connection_uuid: string
  created_at: string
  value_cents: string
  request_id: string
  fingerprint: string
  /** Connections of its attempts. */
  tried: string[]
}
export type CreatedTransferRow = UnsentRow & { scheduled_for: string | null }
export type IssuingChargeRow = UnsentRow & { expires_in_seconds: number }

/**
 * Returns the order of a scheduled transfer if it is proved that the transfer was never sent: its time has not come, or the
 * workflow's history has no send activity. Undefined if neither proves it, or if the workflow had completed: the row is older than
 * that, and the rebuild of a restored database decides.
 */
export async function findUnsentScheduledOrder(
  temporal: TemporalContext,
  row: CreatedTransferRow,
): Promise<TransferInput | undefined> {
  const { uuid, scheduled_for: scheduledFor, tried } = row
  if (scheduledFor === null || tried.length > 0) return undefined
  const client = await temporal.client()
  const history = await readWorkflowHistory<TransferInput>(client, WORKFLOWS.transfer.idOf(uuid), uuid)
  if (
    history
      ? history.result !== undefined || (await hasStartedSending(client, history))
      : new Date(scheduledFor) <= new Date()
  )
    return undefined
  return history
    ? (restoreOriginalInput(history.input) as TransferInput)
    : { ...buildInputFromRow(temporal, row), details: '', scheduledFor: new Date(scheduledFor).toISOString() }
}

/**
 * Starts the workflow of an `issuing` charge again: it looks the charge up at its candidates, by our id, and never
 * issues it. The charge becomes pending if one has it, and failed if none does.
 */
export async function reopenIssuingCharge(
  temporal: TemporalContext,
  { sealer }: { sealer: Sealer },
  row: IssuingChargeRow,
): Promise<void> {
  const { uuid, fingerprint, expires_in_seconds: expiresInSeconds } = row
  const client = await temporal.client()
  const history = await readWorkflowHistory<ChargeInput>(client, WORKFLOWS.charge.idOf(uuid), uuid)
  const input = history
    ? (restoreOriginalInput(history.input) as ChargeInput)
    : // Row and splits exist: the sealed details are not read.
      {
        ...buildInputFromRow(temporal, row),
        expiresInSeconds,
        details: sealer.seal({ splits: [], fingerprint }),
      }
  const restored = {
    orderedAt: new Date(row.created_at).toISOString(),
    ended: history?.result,
    connectionUuid: history?.connectionUuid,
  }
  const workflowId = WORKFLOWS.charge.idOf(uuid)
  const metadata = buildRebuildMetadata(workflowId, input, { provider: input.candidates[0]! })
  await startRebuild({ ...temporal, client }, { noun: 'charge', order: input, restored }, metadata)
}

async function hasStartedSending(client: Client, { input, runIds }: WorkflowHistory<TransferInput>) {
  const history = await readPayoutHistory(client, {
    workflowId: WORKFLOWS.transfer.idOf(input.uuid),
    runIds,
    restoredAt: new Date(0),
    earlierConnections: input.continuation ? input.candidates : [],
  })
  return history.attemptedConnections.length > 0
}

function buildInputFromRow({ timeScale }: TemporalContext, row: UnsentRow) {
  return {
    uuid: row.uuid,
    accountUuid: row.account_uuid,
    requestId: row.request_id,
    timeScale,
    candidates: [...new Set([...row.tried, row.connection_uuid])],
    valueCents: Number(row.value_cents),
  }
}

/** Starts the workflow of a transfer's order again, with its visibility. */
export function startOrderedTransfer(temporal: TemporalContext, input: TransferInput): Promise<void> {
  const workflowId = WORKFLOWS.transfer.idOf(input.uuid)
  const metadata = buildRebuildMetadata(workflowId, input, { provider: input.candidates[0]! })
  return startOrReopenWorkflow(temporal, 'transfer', input.uuid, input, metadata)
}
