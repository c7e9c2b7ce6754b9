import type { Attempt } from '../db/entities/attempt.ts'
import type { OrderedMoneyNoun } from '../domain/shared/nouns.ts'
import type { OrphanInput } from '../workflows/contracts/charges.ts'
import type { DisputeInput } from '../workflows/contracts/disputes.ts'
import type { ReopenedInput } from '../workflows/contracts/orders.ts'
import {
  type ProviderNotificationSignal,
  providerNotificationSignal,
} from '../workflows/contracts/provider-notifications.ts'
import { approvalDecidedSignal } from '../workflows/contracts/transfers.ts'
import type { RecordDepositInput, ReturnPaymentInput } from '../workflows/contracts/unmatched.ts'
import { WORKFLOWS } from '../workflows/contracts/workflows.ts'
import { buildReopenOptions, catchWorkflowNotFound, type TemporalContext } from './workflow-options.ts'

/**
 * Client calls that signal provider notifications, with signalWithStart. If the workflow has completed, a new run
 * starts from the row; it only polls the provider and never issues or sends. Safe to call twice.
 */

/** Signals the workflow of a charge, transfer or refund by the uuid of its row. */
export function signalOperation(
  temporal: TemporalContext,
  noun: OrderedMoneyNoun,
  uuid: string,
  notification: ProviderNotificationSignal,
): Promise<void> {
  const signal = createSignal<ReopenedInput>(noun, ({ reopen }) => reopen)
  return signal(temporal, { reopen: uuid }, notification)
}

/** Signals a recurrence by the uuid of its row. */
export function signalRecurrence(
  temporal: TemporalContext,
  uuid: string,
  notification: ProviderNotificationSignal,
): Promise<void> {
  return createSignal<ReopenedInput>('recurrence', ({ reopen }) => reopen)(
    temporal,
    { reopen: uuid },
    notification,
  )
}

export const signalOrphanPayload = createSignal<OrphanInput>('orphan', ({ attemptUuid }) => attemptUuid)

/** Signals the return of an unmatched PIX. Its workflow finds the attempt, and sends only if there is none. */
export const signalReturn = createSignal<ReturnPaymentInput>('return', ({ uuid }) => uuid)

/** Starts the recording of a PIX that no charge expects; a repeat finds the movement recorded. */
export const signalDeposit = createSignal<RecordDepositInput>(
  'deposit',
  ({ connectionUuid, endToEnd }) => `${connectionUuid}/${endToEnd}`,
)

/** What the Temporal UI shows of a dispute that an account has requested. */
export const REQUESTED_DISPUTE = 'Dispute that the account requests'

/** Signals a dispute. Its workflow writes or finds the row, and polls the provider. */
export const signalDispute = createSignal<DisputeInput>(
  'dispute',
  ({ uuid }) => uuid,
  ({ providerDisputeId }) =>
    providerDisputeId === null ? REQUESTED_DISPUTE : `Dispute ${providerDisputeId} of a provider`,
)

/** Creates the call that signals the workflow of an input; `keyOf` gives what identifies it among those of its noun. */
function createSignal<Input extends { timeScale: number }>(
  noun: keyof typeof WORKFLOWS,
  keyOf: (input: Omit<Input, 'timeScale'>) => string,
  summarize?: (input: Omit<Input, 'timeScale'>) => string,
) {
  const { type, idOf } = WORKFLOWS[noun]
  return async (
    temporal: TemporalContext,
    input: Omit<Input, 'timeScale'>,
    notification: ProviderNotificationSignal,
  ) => {
    const client = await temporal.client()
    await client.workflow.signalWithStart<(input: object) => Promise<unknown>, [ProviderNotificationSignal]>(
      type,
      {
        ...buildReopenOptions(temporal, idOf(keyOf(input))),
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
    case 'preparing': // Of payouts only.
    case 'calling':
      return 'issuing'
    case 'orphan':
    case 'closed':
      await signalOrphanPayload(temporal, { attemptUuid: uuid }, notification)
      return 'signalled'
    default:
      await signalOperation(temporal, 'charge', subjectUuid, notification)
      return 'signalled'
  }
}

/**
 * Tells the workflow of a transfer that persons have decided about it; false if none runs. What they decided is in its row, so that the
 * sweep tells it again where this does not arrive.
 */
export async function signalApprovalDecided(
  temporal: TemporalContext,
  transferUuid: string,
): Promise<boolean> {
  const client = await temporal.client()
  const signal = client.workflow
    .getHandle(WORKFLOWS.transfer.idOf(transferUuid))
    .signal(approvalDecidedSignal)
  return (await catchWorkflowNotFound(signal, 'gone')) !== 'gone'
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
