import { randomUUID } from 'node:crypto'
import type { ActiveNoun, ActiveRow } from '../db/repositories/lost-workflows.ts'
import type { Sealer } from '../security/sealing.ts'
import { signalDispute, signalOperation, signalOrphanPayload } from '../temporal/signals.ts'
import { startOrReopenWorkflow, type TemporalContext } from '../temporal/workflow-options.ts'
import { WORKFLOWS } from '../workflows/contracts/workflows.ts'
import {
  type CreatedTransferRow,
  type IssuingChargeRow,
  reopenIssuingCharge,
  reopenScheduledTransfer,
} from './reopen-inputs.ts'

/**
 * Reopens the workflows of active rows that have none. They poll the providers and never issue or send; only a
 * scheduled transfer that was never sent continues as ordered.
 */

export function getWorkflowId(noun: ActiveNoun, { uuid, state }: Pick<ActiveRow, 'uuid' | 'state'>): string {
  return WORKFLOWS[noun === 'pix_key' && state === 'removing' ? 'pix_key_removal' : noun].idOf(uuid)
}

/** Whether the workflow of an active row can be reopened: the order of a key in creation exists only in its workflow, and an operator returns a held PIX. */
export function canReopenWorkflow(noun: ActiveNoun, { state }: Pick<ActiveRow, 'state'>): boolean {
  return !(noun === 'return' && state === 'held') && !(noun === 'pix_key' && state !== 'removing')
}

/**
 * Reopens the workflow of an active row. False if that is impossible: the order of a key in creation exists only in
 * its lost workflow, a held PIX is returned by an operator, and the row of a scheduled transfer whose workflow had
 * completed is older than that result.
 */
export async function reopenWorkflow(
  temporal: TemporalContext,
  sealing: { sealer: Sealer },
  noun: ActiveNoun,
  row: ActiveRow,
): Promise<boolean> {
  const { uuid, state, connection_uuid: connectionUuid } = row
  const { timeScale } = temporal
  const notification = { notificationUuid: randomUUID(), connectionUuid }
  if (noun === 'transfer' && state === 'created')
    return reopenCreatedTransfer(temporal, row as ActiveRow & CreatedTransferRow)
  if (!canReopenWorkflow(noun, row)) return false
  switch (noun) {
    case 'charge':
      await (state === 'issuing'
        ? reopenIssuingCharge(temporal, sealing, row as ActiveRow & IssuingChargeRow)
        : signalOperation(temporal, 'charge', uuid, notification))
      break
    case 'transfer':
    case 'refund':
    case 'return':
      await reopenPayout(temporal, noun, row)
      break
    case 'dispute': {
      const ids = {
        uuid,
        connectionUuid,
        providerDisputeId: row.provider_dispute_id!,
        endToEnd: row.end_to_end!,
      }
      await signalDispute(temporal, { ...ids, requestId: row.request_id! }, notification)
      break
    }
    case 'orphan':
      await signalOrphanPayload(temporal, { attemptUuid: uuid }, notification)
      break
    case 'pix_key':
      await startOrReopenWorkflow(temporal, 'pix_key_removal', uuid, { uuid, timeScale })
  }
  return true
}

/**
 * Reopens a transfer without an accepted attempt. If it may have been sent, its candidates are polled, and if none
 * knows it, it fails. If it is scheduled and its workflow had completed, the rebuild of the database decides.
 */
async function reopenCreatedTransfer(temporal: TemporalContext, row: ActiveRow & CreatedTransferRow) {
  if (await reopenScheduledTransfer(temporal, row)) return true
  const isScheduled = row.scheduled_for !== null && new Date(row.scheduled_for) > new Date()
  if (isScheduled) return false
  await reopenPayout(temporal, 'transfer', row)
  return true
}

/**
 * Starts a payout's workflow that polls every candidate: it follows the payout where one is found, or ends it once no
 * candidate knows it twice.
 */
export function reopenPayout(
  temporal: TemporalContext,
  noun: 'transfer' | 'refund' | 'return',
  { uuid, connection_uuid: connectionUuid, created_at, tried = [] }: ActiveRow,
): Promise<void> {
  const orderedAt = new Date(created_at).toISOString()
  const { timeScale } = temporal
  const candidates = [...new Set([...tried, connectionUuid])]
  if (noun !== 'return')
    return startOrReopenWorkflow(temporal, noun, uuid, {
      reopen: uuid,
      unfinished: { candidates, orderedAt },
      timeScale,
    })
  return startOrReopenWorkflow(temporal, noun, uuid, {
    uuid,
    connectionUuid,
    continuation: 'unknown_outcome',
    restored: { orderedAt },
    timeScale,
  })
}
