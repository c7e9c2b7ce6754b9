import {
  allHandlersFinished,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow'
import { WAITS } from '../../domain/shared/intervals.ts'
import { awaitResultUpdate, type DepositReturnInput, type ReopenedInput } from '../contracts/orders.ts'
import type {
  KeepUnmatchedInput,
  RecordDepositInput,
  RecordDepositResult,
  ReturnPaymentInput,
} from '../contracts/unmatched.ts'
import type { TerminalOutcome } from '../payouts/candidates.ts'
import { PayoutWorkflow } from '../payouts/payout-workflow.ts'
import { dbActivities, idempotentProviderActivities } from '../shared/activity-proxies.ts'
import { ProviderInbox, pollAfterNotification } from '../shared/provider-inbox.ts'
import { startFollowUps } from '../shared/start-follow-ups.ts'

/**
 * Workflow of a PIX whose notification names no charge of ours: credits it when the provider confirms it, to the static code that
 * it names, else as a deposit, unless it names a charge there; a forged notification has no effect.
 */
export async function depositWorkflow(input: RecordDepositInput): Promise<RecordDepositResult['kind']> {
  const inbox = new ProviderInbox(input.timeScale, () => continueAsNew<typeof depositWorkflow>(input))
  const result = await pollAfterNotification(() => idempotentProviderActivities.recordDeposit(input), inbox)
  if (result.kind === 'accepted') await startFollowUps(result, input.timeScale)
  setCurrentDetails(DEPOSIT_STATUS_DETAILS[result.kind])
  return result.kind
}

const DEPOSIT_STATUS_DETAILS: Record<Exclude<RecordDepositResult['kind'], 'no_answer'>, string> = {
  accepted: 'Recorded: as a deposit, or as the payment of a static code',
  expected: 'Not a deposit: it belongs to a charge, whose workflow was signalled',
  not_found: 'Not found: the provider has no such PIX',
}

/** Workflow of the order to return a deposit: holds its money, or stores why not, and starts the workflow of the return. */
export async function depositReturnWorkflow(input: DepositReturnInput): Promise<'ordered' | 'refused'> {
  let isStored = false
  setHandler(awaitResultUpdate, () => condition(() => isStored), {
    description: 'Waits until the order is stored',
  })
  const { failure, returns } = await dbActivities.orderDepositReturn(input)
  isStored = true
  await startFollowUps({ returns }, input.timeScale)
  setCurrentDetails(
    failure === null ? 'Ordered: the return has a workflow of its own' : `Refused: ${failure}`,
  )
  await condition(allHandlersFinished)
  return failure === null ? 'ordered' : 'refused'
}

/** Workflow of a return: sends an unmatched PIX back to its payer, once, through the provider that received it. */
export async function returnWorkflow(
  input: ReturnPaymentInput | ReopenedInput,
): Promise<'settled' | 'rejected'> {
  const { timeScale } = input
  const payout = new PayoutWorkflow(input, RETURN)
  const { inbox } = payout
  let outcome = await ('reopen' in input ? reopen(input) : sendUntilReached(input))
  if (outcome?.kind === 'unreachable')
    outcome = await sendUntilReached({
      uuid: payout.uuid,
      connectionUuid: payout.connectionUuid!,
      timeScale,
    })
  if (outcome) await startFollowUps(outcome, timeScale)
  let isSettled = outcome?.kind === 'settled'
  // The refusal may be an earlier one, read from the row: a notification makes the provider be polled.
  if (!isSettled && inbox.hasNotification) isSettled = await hasSettledLate()
  const code = outcome?.kind === 'rejected' ? `: ${outcome.code}` : ''
  setCurrentDetails(isSettled ? 'Returned to its payer' : `Not returned${code}`)
  payout.hasResult = true
  await condition(allHandlersFinished)
  return isSettled ? 'settled' : 'rejected'

  /** Undefined where a late notification has reopened the return. One that is still to be sent is polled first. */
  async function reopen(reopened: ReopenedInput): Promise<TerminalOutcome | undefined> {
    const { unfinished, pendingConnections, isUnsent } = reopened
    payout.connectionUuid = (unfinished?.candidates ?? pendingConnections)?.[0]
    payout.isUnsent = isUnsent === true
    const outcome = await payout.reopen(reopened)
    if (!isUnsent) return outcome
    if (await hasSettledLate()) return SETTLED_LATE
    return sendUntilReached({ uuid: payout.uuid, connectionUuid: payout.connectionUuid!, timeScale })
  }

  /** Sends the return. No other provider can return the PIX: where no request left, the same one is tried again. */
  async function sendUntilReached(order: ReturnPaymentInput): Promise<TerminalOutcome> {
    payout.connectionUuid = order.connectionUuid
    for (;;) {
      payout.isUnsent = false
      const notifiedConnections = inbox.drain() // They came before the sending, and are not about its outcome.
      setCurrentDetails('Returning an unmatched PIX to its payer')
      const { last } = await payout.send(order)
      if (last.kind === 'rejected' && notifiedConnections.length > 0) inbox.seedPending(notifiedConnections)
      if (last.kind !== 'unreachable') return last
      payout.isUnsent = true
      setCurrentDetails(`Not sent yet: provider unreachable (${last.code}); retried`)
      await inbox.waitForNotification(WAITS.retryReturn, 'provider unreachable')
      // The notification is about an earlier sending that the row does not show, or an operator retries it now.
      if (inbox.hasPending && (await hasSettledLate())) return SETTLED_LATE
    }
  }

  /** Polls until the provider answers: whether the return has settled after its workflow's earlier outcome. */
  async function hasSettledLate(): Promise<boolean> {
    let isSettled = false
    await payout.pollLateUpdates(async result => {
      if ('deliveries' in result) await startFollowUps(result, timeScale)
      isSettled ||= result.kind === 'settled'
    })
    return isSettled
  }
}

/** Its follow-ups were started by the poll that found it. */
const SETTLED_LATE: TerminalOutcome = { kind: 'settled', deliveries: [], returns: [] }

const RETURN = {
  noun: 'Return',
  pendingDetails: {
    in_process: 'Accepted by the provider',
    unknown: 'Outcome unknown: the provider is polled',
  },
} as const

/** Workflow that credits an unmatched PIX to its account, by an operator's decision, where it cannot go back to its payer. */
export async function keepUnmatchedWorkflow(input: KeepUnmatchedInput): Promise<'kept' | 'nothing'> {
  const isKept = await dbActivities.keepUnmatchedPayment(input)
  setCurrentDetails(isKept ? 'Kept for the account' : 'Not kept: it no longer waited for a return')
  return isKept ? 'kept' : 'nothing'
}
