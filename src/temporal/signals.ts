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
  returnWorkflowId,
} from '../workflows/contracts/unmatched.ts'
import { buildReopenOptions, type TemporalContext } from './workflow-options.ts'

/**
 * Client calls that signal provider notifications, with signalWithStart. If the workflow has completed, a new run
 * starts from the row; it only polls the provider and never issues or sends. Safe to call twice.
 */

export const signalCharge = createRowSignal(CHARGE_WORKFLOW, chargeWorkflowId)
export const signalTransfer = createRowSignal(TRANSFER_WORKFLOW, transferWorkflowId)
export const signalRefund = createRowSignal(REFUND_WORKFLOW, refundWorkflowId)

/** Creates the call that signals a workflow by the uuid of its row. */
function createRowSignal(type: string, idOf: (uuid: string) => string) {
  return (temporal: TemporalContext, uuid: string, notification: ProviderNotificationSignal) =>
    signalOrReopen(temporal, notification, {
      type,
      workflowId: idOf(uuid),
      input: { reopen: uuid } satisfies Omit<ReopenedInput, 'timeScale'>,
    })
}

export function signalOrphanPayload(
  temporal: TemporalContext,
  attemptUuid: string,
  notification: ProviderNotificationSignal,
) {
  const workflowId = orphanWorkflowId(attemptUuid)
  return signalOrReopen(temporal, notification, {
    type: ORPHAN_WORKFLOW,
    workflowId,
    input: { attemptUuid } satisfies Omit<OrphanInput, 'timeScale'>,
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
  const workflowId = returnWorkflowId(input.uuid)
  return signalOrReopen(temporal, notification, { type: RETURN_WORKFLOW, workflowId, input })
}

/** Starts the recording of a PIX that no charge expects; a repeat finds the movement recorded. */
export function signalDeposit(
  temporal: TemporalContext,
  input: Omit<RecordDepositInput, 'timeScale'>,
  notification: ProviderNotificationSignal,
) {
  const workflowId = depositWorkflowId(input.connectionUuid, input.endToEnd)
  return signalOrReopen(temporal, notification, { type: DEPOSIT_WORKFLOW, workflowId, input })
}

/** Signals a dispute. Its workflow writes or finds the row, and polls the provider. */
export function signalDispute(
  temporal: TemporalContext,
  input: Omit<DisputeInput, 'timeScale'>,
  notification: ProviderNotificationSignal,
): Promise<void> {
  const staticSummary = `Dispute ${input.providerDisputeId} of a provider`
  const workflowId = disputeWorkflowId(input.uuid)
  return signalOrReopen(temporal, notification, { type: DISPUTE_WORKFLOW, workflowId, input, staticSummary })
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

type SignalRequest = { type: string; workflowId: string; input: object; staticSummary?: string }

async function signalOrReopen(
  temporal: TemporalContext,
  notification: ProviderNotificationSignal,
  { type, workflowId, input, staticSummary }: SignalRequest,
): Promise<void> {
  const client = await temporal.client()
  await client.workflow.signalWithStart<(input: object) => Promise<unknown>, [ProviderNotificationSignal]>(
    type,
    {
      ...buildReopenOptions(temporal, workflowId),
      ...(staticSummary !== undefined && { staticSummary }),
      args: [{ ...input, timeScale: temporal.timeScale }],
      signal: providerNotificationSignal,
      signalArgs: [notification],
    },
  )
}
