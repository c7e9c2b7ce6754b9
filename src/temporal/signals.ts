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
import { buildReopenOptions, catchWorkflowNotFound, type TemporalContext } from './workflow-options.ts'

/**
 * Client calls that signal provider notifications, with signalWithStart. If the workflow has completed, a new run
 * starts from the row; it only polls the provider and never issues or sends. Safe to call twice.
 */

export const signalCharge = createRowSignal(CHARGE_WORKFLOW, chargeWorkflowId)
export const signalTransfer = createRowSignal(TRANSFER_WORKFLOW, transferWorkflowId)
export const signalRefund = createRowSignal(REFUND_WORKFLOW, refundWorkflowId)

export const signalOrphanPayload = createSignal<Omit<OrphanInput, 'timeScale'>>(
  ORPHAN_WORKFLOW,
  ({ attemptUuid }) => orphanWorkflowId(attemptUuid),
)

/** Signals the return of an unmatched PIX. Its workflow finds the attempt, and sends only if there is none. */
export const signalReturn = createSignal<{ uuid: string; connectionUuid: string }>(
  RETURN_WORKFLOW,
  ({ uuid }) => returnWorkflowId(uuid),
)

/** Starts the recording of a PIX that no charge expects; a repeat finds the movement recorded. */
export const signalDeposit = createSignal<Omit<RecordDepositInput, 'timeScale'>>(
  DEPOSIT_WORKFLOW,
  ({ connectionUuid, endToEnd }) => depositWorkflowId(connectionUuid, endToEnd),
)

/** Signals a dispute. Its workflow writes or finds the row, and polls the provider. */
export const signalDispute = createSignal<Omit<DisputeInput, 'timeScale'>>(
  DISPUTE_WORKFLOW,
  ({ uuid }) => disputeWorkflowId(uuid),
  ({ providerDisputeId }) => `Dispute ${providerDisputeId} of a provider`,
)

/** Creates the call that signals a workflow by the uuid of its row. */
function createRowSignal(type: string, idOf: (uuid: string) => string) {
  const signal = createSignal<Omit<ReopenedInput, 'timeScale'>>(type, ({ reopen }) => idOf(reopen))
  return (temporal: TemporalContext, uuid: string, notification: ProviderNotificationSignal) =>
    signal(temporal, { reopen: uuid }, notification)
}

/** Creates the call that signals the workflow of an input. */
function createSignal<Input extends object>(
  type: string,
  idOf: (input: Input) => string,
  summarize?: (input: Input) => string,
) {
  return async (temporal: TemporalContext, input: Input, notification: ProviderNotificationSignal) => {
    const client = await temporal.client()
    await client.workflow.signalWithStart<(input: object) => Promise<unknown>, [ProviderNotificationSignal]>(
      type,
      {
        ...buildReopenOptions(temporal, idOf(input)),
        ...(summarize && { staticSummary: summarize(input) }),
        args: [{ ...input, timeScale: temporal.timeScale }],
        signal: providerNotificationSignal,
        signalArgs: [notification],
      },
    )
  }
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
      await signalOrphanPayload(temporal, { attemptUuid: uuid }, notification)
      return 'signalled'
    default:
      await signalCharge(temporal, subjectUuid, notification)
      return 'signalled'
  }
}

/** Signals a running workflow; false if none runs. */
export async function signalIfRunning(
  temporal: TemporalContext,
  workflowId: string,
  notification: ProviderNotificationSignal,
): Promise<boolean> {
  const client = await temporal.client()
  const signal = client.workflow.getHandle(workflowId).signal(providerNotificationSignal, notification)
  return (await catchWorkflowNotFound(signal, 'gone')) !== 'gone'
}
