import { randomUUID } from 'node:crypto'
import type { Sealer } from '../security/sealing.ts'
import { signalCharge, signalDispute, signalOrphanPayload } from '../temporal/signals.ts'
import { buildReopenOptions, type WorkflowClientContext } from '../temporal/workflow-options.ts'
import {
  chargeWorkflowId,
  disputeWorkflowId,
  orphanWorkflowId,
  pixKeyRemovalWorkflowId,
  pixKeyWorkflowId,
  refundWorkflowId,
  returnWorkflowId,
  transferWorkflowId,
} from '../workflows/contracts/workflow-ids.ts'
import {
  type CreatedTransferRow,
  type IssuingChargeRow,
  reopenIssuingCharge,
  reopenScheduledTransfer,
} from './reopen-inputs.ts'

/**
 * The workflows of rows that move without one, reopened from their rows. They ask the providers and never issue or send; only
 * a transfer that waits for its time and was never sent goes on as ordered.
 */

export type ActiveNoun = 'charge' | 'transfer' | 'refund' | 'return' | 'med' | 'pix_key' | 'orphan'

/** As much of a row as reopens its workflow; names as in PostgreSQL. */
export type ActiveRow = {
  uuid: string
  account_uuid: string
  state: string
  connection_uuid: string
  /** As PostgreSQL writes it, to the microsecond. */
  created_at: string
  /** Of a transfer or a charge: the connections that it has an attempt through. */
  tried?: string[]
  /** Of a dispute. */
  provider_med_id?: string
  end_to_end?: string
  request_id?: string
}

const WORKFLOW_IDS: Record<ActiveNoun, (uuid: string) => string> = {
  charge: chargeWorkflowId,
  transfer: transferWorkflowId,
  refund: refundWorkflowId,
  return: returnWorkflowId,
  med: disputeWorkflowId,
  pix_key: pixKeyWorkflowId,
  orphan: orphanWorkflowId,
}

export function getWorkflowId(noun: ActiveNoun, { uuid, state }: Pick<ActiveRow, 'uuid' | 'state'>): string {
  return noun === 'pix_key' && state === 'removing' ? pixKeyRemovalWorkflowId(uuid) : WORKFLOW_IDS[noun](uuid)
}

/**
 * False for what cannot be: a key that is being made had all of its order in its workflow, a PIX that waits to go back is
 * begun by a person, and the row of a waiting transfer whose workflow had ended is older than that end.
 */
export async function reopenWorkflow(
  engine: WorkflowClientContext,
  sealing: { sealer: Sealer },
  noun: ActiveNoun,
  row: ActiveRow,
): Promise<boolean> {
  const { uuid, state, connection_uuid: connectionUuid } = row
  const notice = { notificationUuid: randomUUID(), connectionUuid }
  switch (noun) {
    case 'charge':
      if (state === 'issuing') await reopenIssuingCharge(engine, sealing, row as ActiveRow & IssuingChargeRow)
      else await signalCharge(engine, uuid, notice)
      return true
    case 'transfer':
      if (state === 'created') return reopenCreatedTransfer(engine, row as ActiveRow & CreatedTransferRow)
      await reopenPayout(engine, noun, row)
      return true
    case 'refund':
      await reopenPayout(engine, noun, row)
      return true
    case 'return':
      if (state === 'held') return false
      await reopenPayout(engine, noun, row)
      return true
    case 'med':
      await signalDispute(
        engine,
        {
          ...{ uuid, connectionUuid, providerDisputeId: row.provider_med_id!, endToEnd: row.end_to_end! },
          requestId: row.request_id!,
        },
        notice,
      )
      return true
    case 'orphan':
      await signalOrphanPayload(engine, uuid, notice)
      return true
    case 'pix_key':
      if (state !== 'removing') return false
      await startReopenedWorkflow(engine, 'pixKeyRemovalWorkflow', pixKeyRemovalWorkflowId(uuid), { uuid })
      return true
  }
}

/**
 * A transfer without an accepted attempt. One that may have been sent is looked for: where no candidate knows it, it ends as
 * failed. One that waits, and whose workflow had ended, is left to the rebuild of the database.
 */
async function reopenCreatedTransfer(
  engine: WorkflowClientContext,
  row: ActiveRow & CreatedTransferRow,
): Promise<boolean> {
  if (await reopenScheduledTransfer(engine, row)) return true
  const isWaiting = row.scheduled_for !== null && new Date(row.scheduled_for) > new Date()
  if (isWaiting) return false
  await reopenPayout(engine, 'transfer', row)
  return true
}

/** Everyone who may have the money is asked; it is followed where it is found, or ended where twice nobody knows it. */
export function reopenPayout(
  engine: WorkflowClientContext,
  noun: 'transfer' | 'refund' | 'return',
  { uuid, connection_uuid: connectionUuid, created_at, tried = [] }: ActiveRow,
): Promise<void> {
  const orderedAt = new Date(created_at).toISOString()
  const order =
    noun === 'return'
      ? { uuid, connectionUuid, continuation: 'unknown_outcome', restored: { orderedAt } }
      : { reopen: uuid, unfinished: { candidates: [...new Set([...tried, connectionUuid])], orderedAt } }
  return startReopenedWorkflow(engine, `${noun}Workflow`, WORKFLOW_IDS[noun](uuid), order)
}

/** One that runs after all goes on as it is. */
async function startReopenedWorkflow(
  engine: WorkflowClientContext,
  type: string,
  workflowId: string,
  order: object,
): Promise<void> {
  const client = await engine.client()
  await client.workflow.start(type, {
    ...buildReopenOptions(engine, workflowId),
    args: [{ ...order, timeScale: engine.timeScale }],
  })
}
