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
import { buildReopenOptions, type WorkflowClientContext } from './workflow-options.ts'

/**
 * Client calls that signal provider notifications, with signalWithStart. If the workflow has completed, a new run
 * starts from the row; it only polls the provider and never issues or sends. Safe to call twice.
 */

export function signalCharge(
  engine: WorkflowClientContext,
  uuid: string,
  notification: ProviderNotificationSignal,
): Promise<void> {
  return signalOrReopen<ReopenedInput>(engine, notification, {
    type: CHARGE_WORKFLOW,
    workflowId: chargeWorkflowId(uuid),
    input: { reopen: uuid, timeScale: engine.timeScale },
  })
}

export function signalTransfer(
  engine: WorkflowClientContext,
  uuid: string,
  notification: ProviderNotificationSignal,
): Promise<void> {
  return signalOrReopen<ReopenedInput>(engine, notification, {
    type: TRANSFER_WORKFLOW,
    workflowId: transferWorkflowId(uuid),
    input: { reopen: uuid, timeScale: engine.timeScale },
  })
}

export function signalRefund(
  engine: WorkflowClientContext,
  uuid: string,
  notification: ProviderNotificationSignal,
): Promise<void> {
  return signalOrReopen<ReopenedInput>(engine, notification, {
    type: REFUND_WORKFLOW,
    workflowId: refundWorkflowId(uuid),
    input: { reopen: uuid, timeScale: engine.timeScale },
  })
}

export function signalOrphanPayload(
  engine: WorkflowClientContext,
  attemptUuid: string,
  notification: ProviderNotificationSignal,
): Promise<void> {
  return signalOrReopen<OrphanInput>(engine, notification, {
    type: ORPHAN_WORKFLOW,
    workflowId: orphanWorkflowId(attemptUuid),
    input: { attemptUuid, timeScale: engine.timeScale },
  })
}

/**
 * Signals the workflow of the attempt whose payload a PIX names: the charge, or the orphan. `none`: the provider
 * issued no payload; `issuing`: that is not known yet.
 */
export async function signalPayloadOwner(
  engine: WorkflowClientContext,
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
      await signalOrphanPayload(engine, uuid, notification)
      return 'signalled'
    default:
      await signalCharge(engine, subjectUuid, notification)
      return 'signalled'
  }
}

/** Signals the return of an unmatched PIX. Its workflow finds the attempt, and sends only if there is none. */
export function signalReturn(
  engine: WorkflowClientContext,
  input: { uuid: string; connectionUuid: string },
  notification: ProviderNotificationSignal,
): Promise<void> {
  return signalOrReopen<ReturnPaymentInput>(engine, notification, {
    type: RETURN_WORKFLOW,
    workflowId: returnWorkflowId(input.uuid),
    input: { ...input, timeScale: engine.timeScale },
  })
}

/** Starts the recording of a PIX that no charge expects; a repeat finds the movement recorded. */
export function signalDeposit(
  engine: WorkflowClientContext,
  deposit: Omit<RecordDepositInput, 'timeScale'>,
  notification: ProviderNotificationSignal,
): Promise<void> {
  const workflowId = depositWorkflowId(deposit.connectionUuid, deposit.endToEnd)
  return signalOrReopen<RecordDepositInput>(engine, notification, {
    type: DEPOSIT_WORKFLOW,
    workflowId,
    input: { ...deposit, timeScale: engine.timeScale },
  })
}

/** Signals a dispute. Its workflow writes or finds the row, and polls the provider. */
export function signalDispute(
  engine: WorkflowClientContext,
  input: Omit<DisputeInput, 'timeScale'>,
  notification: ProviderNotificationSignal,
): Promise<void> {
  const staticSummary = `Dispute ${input.providerDisputeId} of a provider`
  const workflowId = disputeWorkflowId(input.uuid)
  return signalOrReopen<DisputeInput>(engine, notification, {
    type: DISPUTE_WORKFLOW,
    workflowId,
    input: { ...input, timeScale: engine.timeScale },
    staticSummary,
  })
}

/** Signals a running workflow; false if none runs. */
export async function signalIfRunning(
  engine: WorkflowClientContext,
  workflowId: string,
  notification: ProviderNotificationSignal,
): Promise<boolean> {
  const client = await engine.client()
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
  engine: WorkflowClientContext,
  notification: ProviderNotificationSignal,
  { type, workflowId, input, staticSummary }: SignalRequest<Input>,
): Promise<void> {
  const client = await engine.client()
  await client.workflow.signalWithStart<(input: Input) => Promise<unknown>, [ProviderNotificationSignal]>(
    type,
    {
      ...buildReopenOptions(engine, workflowId),
      ...(staticSummary !== undefined && { staticSummary }),
      args: [input],
      signal: providerNotificationSignal,
      signalArgs: [notification],
    },
  )
}
