import { WorkflowNotFoundError } from '@temporalio/common'
import type { Attempt } from '../db/entities/attempt.ts'
import {
  CHARGE_WORKFLOW,
  chargeWorkflowId,
  ORPHAN_WORKFLOW,
  type OrphanInput,
  orphanWorkflowId,
} from '../workflows/contracts/charges.ts'
import { DISPUTE_WORKFLOW, type DisputeInput, disputeWorkflowId } from '../workflows/contracts/disputes.ts'
import {
  type ProviderNotificationSignal,
  providerNotificationSignal,
} from '../workflows/contracts/provider-notifications.ts'
import { REFUND_WORKFLOW, refundWorkflowId } from '../workflows/contracts/refunds.ts'
import type { ReopenedInput } from '../workflows/contracts/reopening.ts'
import { TRANSFER_WORKFLOW, transferWorkflowId } from '../workflows/contracts/transfers.ts'
import {
  DEPOSIT_WORKFLOW,
  depositWorkflowId,
  RETURN_WORKFLOW,
  type RecordDepositInput,
  type ReturnPaymentInput,
  returnWorkflowId,
} from '../workflows/contracts/unmatched.ts'
import { buildReopenOptions, type TemporalContext } from './workflow-options.ts'

/**
 * Client calls that signal provider notifications, with signalWithStart. If the workflow has completed, a new run
 * starts from the row; it only polls the provider and never issues or sends. Safe to call twice.
 */

export function signalCharge(
  temporal: TemporalContext,
  uuid: string,
  notification: ProviderNotificationSignal,
): Promise<void> {
  return signalOrReopen<ReopenedInput>(temporal, notification, {
    type: CHARGE_WORKFLOW,
    workflowId: chargeWorkflowId(uuid),
    input: { reopen: uuid, timeScale: temporal.timeScale },
  })
}

export function signalTransfer(
  temporal: TemporalContext,
  uuid: string,
  notification: ProviderNotificationSignal,
): Promise<void> {
  return signalOrReopen<ReopenedInput>(temporal, notification, {
    type: TRANSFER_WORKFLOW,
    workflowId: transferWorkflowId(uuid),
    input: { reopen: uuid, timeScale: temporal.timeScale },
  })
}

export function signalRefund(
  temporal: TemporalContext,
  uuid: string,
  notification: ProviderNotificationSignal,
): Promise<void> {
  return signalOrReopen<ReopenedInput>(temporal, notification, {
    type: REFUND_WORKFLOW,
    workflowId: refundWorkflowId(uuid),
    input: { reopen: uuid, timeScale: temporal.timeScale },
  })
}

export function signalOrphanPayload(
  temporal: TemporalContext,
  attemptUuid: string,
  notification: ProviderNotificationSignal,
): Promise<void> {
  return signalOrReopen<OrphanInput>(temporal, notification, {
    type: ORPHAN_WORKFLOW,
    workflowId: orphanWorkflowId(attemptUuid),
    input: { attemptUuid, timeScale: temporal.timeScale },
  })
}

/**
 * Signals the workflow of the attempt whose payload a PIX names: the charge, or the orphan. `none`: the provider
 * issued no payload; `issuing`: that is not known yet.
 */
export async function signalPayloadOwner(
  temporal: TemporalContext,
  { uuid, subjectUuid, state }: Attempt,
  notification: ProviderNotificationSignal,
): Promise<'signalled' | 'issuing' | 'none'> {
  switch (state) {
    case 'rejected':
    case 'unreachable':
      return 'none'
    case 'calling':
      return 'issuing'
    case 'orphan':
    case 'closed':
      await signalOrphanPayload(temporal, uuid, notification)
      return 'signalled'
    default:
      await signalCharge(temporal, subjectUuid, notification)
      return 'signalled'
  }
}

/** Signals the return of an unmatched PIX. Its workflow finds the attempt, and sends only if there is none. */
export function signalReturn(
  temporal: TemporalContext,
  input: { uuid: string; connectionUuid: string },
  notification: ProviderNotificationSignal,
): Promise<void> {
  return signalOrReopen<ReturnPaymentInput>(temporal, notification, {
    type: RETURN_WORKFLOW,
    workflowId: returnWorkflowId(input.uuid),
    input: { ...input, timeScale: temporal.timeScale },
  })
}

/** Starts the recording of a PIX that no charge expects; a repeat finds the movement recorded. */
export function signalDeposit(
  temporal: TemporalContext,
  deposit: Omit<RecordDepositInput, 'timeScale'>,
  notification: ProviderNotificationSignal,
): Promise<void> {
  const workflowId = depositWorkflowId(deposit.connectionUuid, deposit.endToEnd)
  return signalOrReopen<RecordDepositInput>(temporal, notification, {
    type: DEPOSIT_WORKFLOW,
    workflowId,
    input: { ...deposit, timeScale: temporal.timeScale },
  })
}

/** Signals a dispute. Its workflow writes or finds the row, and polls the provider. */
export function signalDispute(
  temporal: TemporalContext,
  input: Omit<DisputeInput, 'timeScale'>,
  notification: ProviderNotificationSignal,
): Promise<void> {
  const staticSummary = `Dispute ${input.providerDisputeId} of a provider`
  const workflowId = disputeWorkflowId(input.uuid)
  return signalOrReopen<DisputeInput>(temporal, notification, {
    type: DISPUTE_WORKFLOW,
    workflowId,
    input: { ...input, timeScale: temporal.timeScale },
    staticSummary,
  })
}

/** Signals a running workflow; false if none runs. */
export async function signalIfRunning(
  temporal: TemporalContext,
  workflowId: string,
  notification: ProviderNotificationSignal,
): Promise<boolean> {
  const client = await temporal.client()
  try {
    await client.workflow.getHandle(workflowId).signal(providerNotificationSignal, notification)
    return true
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false
    throw error
  }
}

type SignalRequest<Input> = { type: string; workflowId: string; input: Input; staticSummary?: string }

async function signalOrReopen<Input>(
  temporal: TemporalContext,
  notification: ProviderNotificationSignal,
  { type, workflowId, input, staticSummary }: SignalRequest<Input>,
): Promise<void> {
  const client = await temporal.client()
  await client.workflow.signalWithStart<(input: Input) => Promise<unknown>, [ProviderNotificationSignal]>(
    type,
    {
      ...buildReopenOptions(temporal, workflowId),
      ...(staticSummary !== undefined && { staticSummary }),
      args: [input],
      signal: providerNotificationSignal,
      signalArgs: [notification],
    },
  )
}
