import {
  allHandlersFinished,
  condition,
  setCurrentDetails,
  upsertSearchAttributes,
} from '@temporalio/workflow'
import { type RefundState, refundMachine } from '../../domain/refunds/refund.ts'
import type { ReopenedInput } from '../contracts/orders.ts'
import type { RefundInput } from '../contracts/refunds.ts'
import { SEARCH_ATTRIBUTES } from '../contracts/search-attributes.ts'
import type { TerminalOutcome } from '../payouts/candidates.ts'
import { PayoutWorkflow } from '../payouts/payout-workflow.ts'
import { dbActivities } from '../shared/activity-proxies.ts'
import { startFollowUps } from '../shared/start-follow-ups.ts'

/**
 * Workflow of a refund (devolução): holds its money, sends it through the provider that received the PIX (again only after proved absence), and polls
 * until the outcome is final. A late notification reopens a completed one: it may have settled after it had failed.
 */
export async function refundWorkflow(input: RefundInput | ReopenedInput): Promise<RefundState> {
  const { timeScale } = input
  const payout = new PayoutWorkflow(input, REFUND)
  let state = await ('reopen' in input ? reopen(input) : send(input))
  while (payout.inbox.hasNotification) {
    await payout.pollLateUpdates(async result => {
      if ('deliveries' in result) await startFollowUps(result, timeScale)
    })
    // A signal that arrives during this read is processed too: it is not delivered again.
    state = (await dbActivities.getRefund(payout.uuid)).state
  }
  payout.hasResult = true
  setCurrentDetails(state === 'settled' ? 'Returned to the payer' : 'Not refunded: the hold is released')
  upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.status, value: refundMachine.statusOf(state) }])
  await condition(allHandlersFinished)
  return state

  async function send(order: RefundInput): Promise<RefundState> {
    payout.connectionUuid = order.connectionUuid
    const refund = await dbActivities.openRefund(order)
    await startFollowUps(refund, timeScale)
    if (refundMachine.isFinal(refund.state)) return refund.state
    return finish((await payout.send(order)).last)
  }

  async function reopen(reopened: ReopenedInput): Promise<RefundState> {
    payout.connectionUuid = reopened.unfinished?.candidates[0]
    const outcome = await payout.reopen(reopened)
    if (outcome) return finish(outcome)
    const refund = await dbActivities.getRefund(payout.uuid)
    payout.connectionUuid = refund.connectionUuid
    return refund.state
  }

  async function finish(outcome: TerminalOutcome): Promise<RefundState> {
    await startFollowUps(outcome, timeScale)
    return outcome.kind === 'settled' ? 'settled' : 'failed'
  }
}

const REFUND = {
  noun: 'Refund',
  pendingDetails: {
    in_process: 'Accepted by the provider',
    unknown: 'Outcome unknown: the provider is polled',
  },
} as const
