import { randomUUID } from 'node:crypto'
import type { ActiveRow } from '../db/repositories/lost-workflows.ts'
import type { PayoutNoun, UnfinishedNoun } from '../domain/shared/nouns.ts'
import type { Sealer } from '../security/sealing.ts'
import { signalDispute, signalOperation, signalOrphanPayload } from '../temporal/signals.ts'
import { startOrReopenWorkflow, type TemporalContext } from '../temporal/workflow-options.ts'
import { WORKFLOWS } from '../workflows/contracts/workflows.ts'
import {
  type CreatedTransferRow,
  findUnsentScheduledOrder,
  type IssuingChargeRow,
  reopenIssuingCharge,
  startOrderedTransfer,
} from './reopen-inputs.ts'

/**
 * Reopens the workflows of active rows that have none. They poll the providers and never issue or send; only a
 * scheduled transfer that was never sent continues as ordered.
 */

export function getWorkflowId(
  noun: UnfinishedNoun,
  { uuid, state }: Pick<ActiveRow, 'uuid' | 'state'>,
): string {
  return WORKFLOWS[noun === 'pix_key' && state === 'removing' ? 'pix_key_removal' : noun].idOf(uuid)
}

/** Reopens the workflow of one row; it is decided already that it can be. */
export type Reopening = () => Promise<void>

/**
 * Finds what reopens the workflow of an active row. Undefined if that is impossible: the order of a key in creation exists only in
 * its lost workflow, a held PIX is returned by an operator, and the row of a scheduled transfer whose workflow had completed is older
 * than that result.
 */
export async function findReopening(
  temporal: TemporalContext,
  sealing: { sealer: Sealer },
  noun: UnfinishedNoun,
  row: ActiveRow,
): Promise<Reopening | undefined> {
  const { uuid, state, connection_uuid: connectionUuid } = row
  const { timeScale } = temporal
  const notification = { notificationUuid: randomUUID(), connectionUuid }
  switch (noun) {
    case 'charge':
      return () =>
        state === 'issuing'
          ? reopenIssuingCharge(temporal, sealing, row as ActiveRow & IssuingChargeRow)
          : signalOperation(temporal, 'charge', uuid, notification)
    case 'transfer':
      if (state === 'created')
        return findCreatedTransferReopening(temporal, row as ActiveRow & CreatedTransferRow)
      return () => reopenPayout(temporal, noun, row)
    case 'refund':
      return () => reopenPayout(temporal, noun, row)
    case 'return':
      return state === 'held' ? undefined : () => reopenPayout(temporal, noun, row)
    case 'dispute': {
      const ids = {
        uuid,
        connectionUuid,
        providerDisputeId: row.provider_dispute_id!,
        endToEnd: row.end_to_end!,
      }
      return () => signalDispute(temporal, { ...ids, requestId: row.request_id! }, notification)
    }
    case 'orphan':
      return () => signalOrphanPayload(temporal, { attemptUuid: uuid }, notification)
    case 'pix_key':
      if (state !== 'removing') return undefined
      return () => startOrReopenWorkflow(temporal, 'pix_key_removal', uuid, { uuid, timeScale })
  }
}

/**
 * Finds what reopens a transfer without an accepted attempt. If it may have been sent, its candidates are polled, and if none
 * knows it, it fails. If it is scheduled and its workflow had completed, the rebuild of the database decides.
 */
async function findCreatedTransferReopening(
  temporal: TemporalContext,
  row: ActiveRow & CreatedTransferRow,
): Promise<Reopening | undefined> {
  const order = await findUnsentScheduledOrder(temporal, row)
  if (order) return () => startOrderedTransfer(temporal, order)
  const isScheduled = row.scheduled_for !== null && new Date(row.scheduled_for) > new Date()
  return isScheduled ? undefined : () => reopenPayout(temporal, 'transfer', row)
}

/**
 * Starts a payout's workflow that polls every candidate: it follows the payout where one is found, or ends it once no
 * candidate knows it twice.
 */
export function reopenPayout(
  temporal: TemporalContext,
  noun: PayoutNoun,
  { uuid, connection_uuid: connectionUuid, created_at, tried = [] }: ActiveRow,
): Promise<void> {
  const orderedAt = new Date(created_at).toISOString()
  const { timeScale } = temporal
  const candidates = [...new Set([...tried, connectionUuid])]
  const unfinished = { candidates, orderedAt }
  return startOrReopenWorkflow(temporal, noun, uuid, { reopen: uuid, unfinished, timeScale })
}
