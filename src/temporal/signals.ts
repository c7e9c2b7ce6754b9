import { WorkflowNotFoundError } from '@temporalio/common'
import type { RecordDepositInput } from '../activities/unmatched/record-deposit.ts'
import type { Attempt } from '../db/entities/attempt.ts'
import {
  type DisputeInput,
  type ProviderNotificationSignal,
  providerNotificationSignal,
} from '../workflows/contracts/messages.ts'
import {
  chargeWorkflowId,
  depositWorkflowId,
  disputeWorkflowId,
  orphanWorkflowId,
  refundWorkflowId,
  returnWorkflowId,
  transferWorkflowId,
} from '../workflows/contracts/workflow-ids.ts'
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
  return signalOrReopen(engine, notification, {
    type: 'chargeWorkflow',
    workflowId: chargeWorkflowId(uuid),
    input: { reopen: uuid },
  })
}

export function signalTransfer(
  engine: WorkflowClientContext,
  uuid: string,
  notification: ProviderNotificationSignal,
): Promise<void> {
  return signalOrReopen(engine, notification, {
    type: 'transferWorkflow',
    workflowId: transferWorkflowId(uuid),
    input: { reopen: uuid },
  })
}

export function signalRefund(
  engine: WorkflowClientContext,
  uuid: string,
  notification: ProviderNotificationSignal,
): Promise<void> {
  return signalOrReopen(engine, notification, {
    type: 'refundWorkflow',
    workflowId: refundWorkflowId(uuid),
    input: { reopen: uuid },
  })
}

export function signalOrphanPayload(
  engine: WorkflowClientContext,
  attemptUuid: string,
  notification: ProviderNotificationSignal,
): Promise<void> {
  return signalOrReopen(engine, notification, {
    type: 'orphanWorkflow',
    workflowId: orphanWorkflowId(attemptUuid),
    input: { attemptUuid },
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
): Promise<'told' | 'issuing' | 'none'> {
  switch (state) {
    case 'rejected':
    case 'unreachable':
      return 'none'
    case 'calling':
      return 'issuing'
    case 'orphan':
    case 'closed':
      await signalOrphanPayload(engine, uuid, notification)
      return 'told'
    default:
      await signalCharge(engine, subjectUuid, notification)
      return 'told'
  }
}

/** Signals the return of an unmatched PIX. Its workflow finds the attempt, and sends only if there is none. */
export function signalReturn(
  engine: WorkflowClientContext,
  input: { uuid: string; connectionUuid: string },
  notification: ProviderNotificationSignal,
): Promise<void> {
  return signalOrReopen(engine, notification, {
    type: 'returnWorkflow',
    workflowId: returnWorkflowId(input.uuid),
    input,
  })
}

/** Starts the recording of a PIX that no charge expects; a repeat finds the movement recorded. */
export function signalDeposit(
  engine: WorkflowClientContext,
  deposit: Omit<RecordDepositInput, 'timeScale'>,
  notification: ProviderNotificationSignal,
): Promise<void> {
  const workflowId = depositWorkflowId(deposit.connectionUuid, deposit.endToEnd)
  return signalOrReopen(engine, notification, { type: 'depositWorkflow', workflowId, input: deposit })
}

/** Signals a dispute. Its workflow writes or finds the row, and polls the provider. */
export function signalDispute(
  engine: WorkflowClientContext,
  input: Omit<DisputeInput, 'timeScale'>,
  notification: ProviderNotificationSignal,
): Promise<void> {
  const staticSummary = `Dispute ${input.providerDisputeId} of a provider`
  const workflowId = disputeWorkflowId(input.uuid)
  return signalOrReopen(engine, notification, { type: 'disputeWorkflow', workflowId, input, staticSummary })
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

/** Workflow types that the worker registers; src/workflows/index.ts exports them. */
type WorkflowTypeName = keyof typeof import('../workflows/index.ts')

type SignalRequest = { type: WorkflowTypeName; workflowId: string; input: object; staticSummary?: string }

async function signalOrReopen(
  engine: WorkflowClientContext,
  notification: ProviderNotificationSignal,
  { type, workflowId, input, staticSummary }: SignalRequest,
): Promise<void> {
  const client = await engine.client()
  await client.workflow.signalWithStart(type, {
    ...buildReopenOptions(engine, workflowId),
    ...(staticSummary !== undefined && { staticSummary }),
    args: [{ ...input, timeScale: engine.timeScale }],
    signal: providerNotificationSignal,
    signalArgs: [notification],
  })
}
