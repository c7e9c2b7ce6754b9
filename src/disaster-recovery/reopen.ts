import { randomUUID } from 'node:crypto'
import type { Client } from '@temporalio/client'
import type { ActiveRow } from '../db/repositories/lost-workflows.ts'
import type { PayoutNoun, UnfinishedNoun } from '../domain/shared/nouns.ts'
import type { Sealer } from '../security/sealing.ts'
import { signalDispute, signalOperation, signalOrphanPayload } from '../temporal/signals.ts'
import { readWorkflowHistory, type WorkflowHistory } from '../temporal/workflow-history.ts'
import { startOrReopenWorkflow, type TemporalContext } from '../temporal/workflow-options.ts'
import type { ChargeInput } from '../workflows/contracts/charges.ts'
import { buildMoneyWorkflowOptions } from '../workflows/contracts/start-options.ts'
import type { TransferInput } from '../workflows/contracts/transfers.ts'
import { WORKFLOWS } from '../workflows/contracts/workflows.ts'
import { readPayoutHistory } from './payout-history.ts'
import { restoreOriginalInput, startRebuild } from './rebuild-inputs.ts'

/**
 * Reopens the workflows of active rows that have none. They poll the providers and never issue or send; only a
 * transfer that is scheduled or waits for approvals, and was never sent, continues as ordered.
 */

export function getWorkflowId(
  noun: UnfinishedNoun,
  { uuid, state }: Pick<ActiveRow, 'uuid' | 'state'>,
): string {
  return WORKFLOWS[noun === 'pix_key' && state === 'removing' ? 'pix_key_removal' : noun].idOf(uuid)
}

/** Reopens the workflow of one row; it is decided already that it can be. */
type Reopening = () => Promise<void>

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
      if (state === 'created' || state === 'held' || state === 'approved')
        return findCreatedTransferReopening(temporal, row as ActiveRow & CreatedTransferRow)
      return () => reopenPayout(temporal, noun, row)
    case 'refund':
      return () => reopenPayout(temporal, noun, row)
    case 'return':
      return state === 'held' ? undefined : () => reopenPayout(temporal, noun, row)
    case 'recurrence':
    case 'report':
      return () => startOrReopenWorkflow(temporal, noun, uuid, { reopen: uuid, timeScale })
    case 'transfer_batch':
      return () => startOrReopenWorkflow(temporal, noun, uuid, { uuid, timeScale })
    case 'dispute': {
      const ids = {
        uuid,
        connectionUuid,
        providerDisputeId: row.provider_dispute_id ?? null,
        endToEnd: row.end_to_end!,
      }
      return () => signalDispute(temporal, { ...ids, requestId: row.request_id! }, notification)
    }
    case 'orphan':
      return () => signalOrphanPayload(temporal, { attemptUuid: uuid }, notification)
    case 'pix_key':
      if (state !== 'removing') return undefined
      return () => startOrReopenWorkflow(temporal, 'pix_key_removal', uuid, { uuid, timeScale })
    default:
      return noun satisfies never
  }
}

/**
 * Finds what reopens a transfer without an accepted attempt. If it may have been sent, its candidates are polled, and if none
 * knows it, it fails. If it is scheduled, or waits for approvals, and its workflow had completed, the rebuild of the database decides.
 */
async function findCreatedTransferReopening(
  temporal: TemporalContext,
  row: ActiveRow & CreatedTransferRow,
): Promise<Reopening | undefined> {
  const order = await findUnsentOrder(temporal, row)
  if (order) {
    const metadata = buildMoneyWorkflowOptions('transfer', order)
    return () => startOrReopenWorkflow(temporal, 'transfer', order.uuid, order, metadata)
  }
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
type CreatedTransferRow = UnsentRow & { state: string; scheduled_for: string | null }
type IssuingChargeRow = UnsentRow & { expires_in_seconds: number | null }

/**
 * Returns the order of a scheduled transfer, or of one that needs approvals, if it is proved that the transfer was never sent: its time
 * has not come, or the workflow's history has no send activity that made a call. Undefined if neither proves it, or if the workflow had completed: the row is older than
 * that, and the rebuild of a restored database decides.
 */
async function findUnsentOrder(
  temporal: TemporalContext,
  row: CreatedTransferRow,
): Promise<TransferInput | undefined> {
  const { uuid, state, scheduled_for: scheduledFor, tried } = row
  const needsApproval = state === 'held' || state === 'approved'
  if ((scheduledFor === null && !needsApproval) || tried.length > 0) return undefined
  const client = await temporal.client()
  const history = await readWorkflowHistory<TransferInput>(client, WORKFLOWS.transfer.idOf(uuid), uuid)
  if (
    history
      ? history.result !== undefined || (await hasStartedSending(client, history))
      : scheduledFor === null || new Date(scheduledFor) <= new Date()
  )
    return undefined
  return history
    ? (restoreOriginalInput(history.input) as TransferInput)
    : {
        ...buildInputFromRow(temporal, row),
        details: '',
        scheduledFor: new Date(scheduledFor!).toISOString(),
      }
}

/**
 * Starts the workflow of an `issuing` charge again: it looks the charge up at its candidates, by our id, and never
 * issues it. The charge becomes pending if one has it, and failed if none does.
 */
async function reopenIssuingCharge(
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
        // Null of a charge with a due date, on which it has no effect.
        expiresInSeconds: expiresInSeconds ?? 0,
        details: sealer.seal({ splits: [], fingerprint }),
      }
  const restored = {
    orderedAt: new Date(row.created_at).toISOString(),
    ended: history?.result,
    connectionUuid: history?.connectionUuid,
  }
  await startRebuild(temporal, { noun: 'charge', order: input, restored })
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
