import {
  allHandlersFinished,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow'
import { type RefundState, refundMachine } from '../../domain/refunds/refund.ts'
import { awaitResultUpdate } from '../contracts/await-result.ts'
import type { UnfinishedPayout } from '../contracts/payouts.ts'
import type { OpenRefundResult, RefundInput } from '../contracts/refunds.ts'
import type { ReopenedInput } from '../contracts/reopening.ts'
import { SEARCH_ATTRIBUTES } from '../contracts/search-attributes.ts'
import { createPollingPort, executePayout, type PayoutRun } from '../payouts/execute-payout.ts'
import { findRestoredPayout, searchAt } from '../payouts/restore.ts'
import { dbActivities } from '../shared/activity-proxies.ts'
import { continuationOf } from '../shared/continue-as-new.ts'
import { ProviderInbox, pollUntilResolved } from '../shared/provider-inbox.ts'
import { startFollowUps } from '../shared/start-follow-ups.ts'

/**
 * Workflow of a refund (devolução): holds its money, sends it once through the provider that received the PIX, and polls
 * until the outcome is final.
 */
export async function refundWorkflow(input: RefundInput | ReopenedInput): Promise<RefundState> {
  const { timeScale } = input
  let hasResult = false
  let nextRunInput: RefundInput | ReopenedInput = input
  const inbox = new ProviderInbox(timeScale, async () => {
    hasResult = true
    await condition(allHandlersFinished)
    await continueAsNew<typeof refundWorkflow>(nextRunInput)
  })
  setHandler(awaitResultUpdate, () => condition(() => hasResult), {
    description: 'Waits until the refund is accepted or fails',
  })

  if ('reopen' in input) {
    if (input.unfinished) return resumeUnfinished(input.reopen, input.unfinished)
    if (input.pendingConnections) inbox.seedPending(input.pendingConnections)
    return processLateNotifications(input.reopen)
  }
  const { uuid, connectionUuid, restored } = input
  if (input.continuation) {
    hasResult = true
    inbox.resumeManualSettlement()
  }
  const refund = await (restored ? rebuildRefund(input) : dbActivities.openRefund(input))
  await startFollowUps(refund, timeScale)
  if (refundMachine.isFinal(refund.state)) return end(refund.state)
  if (!restored) nextRunInput = { ...input, continuation: continuationOf(input) }
  const outcome = restored
    ? await findRestoredPayout(createRun(uuid), searchAt(connectionUuid, restored))
    : await executePayout({
        ...createPollingPort(createRun(uuid), connectionUuid),
        send: (isResend, { sendRefund }) => sendRefund({ uuid, connectionUuid, isResend }),
      })
  await startFollowUps(outcome, timeScale)
  if (outcome.kind !== 'settled' && inbox.hasPending) {
    hasResult = true
    return processLateNotifications(uuid)
  }
  return end(outcome.kind === 'settled' ? 'settled' : 'failed')

  function createRun(uuid: string): PayoutRun {
    return {
      ...{ noun: 'Refund', uuid, inbox },
      onPending(kind) {
        hasResult ||= kind === 'in_process'
        setCurrentDetails(
          kind === 'in_process' ? 'Accepted by the provider' : 'Outcome unknown: the provider is polled',
        )
      },
    }
  }

  /** Stores a refund again that is newer than the restored database, once its restored charge can be refunded. */
  async function rebuildRefund(order: RefundInput): Promise<OpenRefundResult> {
    setCurrentDetails('Waits until its charge is restored')
    return (await pollUntilResolved(() => dbActivities.rebuildRefund(order), inbox)).opened
  }

  /** Resumes a refund that lost its workflow before its outcome was final. */
  async function resumeUnfinished(uuid: string, unfinished: UnfinishedPayout): Promise<RefundState> {
    hasResult = true
    inbox.resumeManualSettlement()
    const outcome = await findRestoredPayout(createRun(uuid), { ...unfinished, hadSettled: false })
    await startFollowUps(outcome, timeScale)
    return end(outcome.kind === 'settled' ? 'settled' : 'failed')
  }

  async function end(state: RefundState): Promise<RefundState> {
    hasResult = true
    setCurrentDetails(state === 'settled' ? 'Returned to the payer' : 'Not refunded: the hold is released')
    upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.status, value: refundMachine.statusOf(state) }])
    await condition(allHandlersFinished)
    return state
  }

  /** Polls after each late notification: the refund may have settled after it had failed. */
  async function processLateNotifications(uuid: string): Promise<RefundState> {
    await condition(() => inbox.hasPending)
    for (;;) {
      while (inbox.hasPending) {
        const { connectionUuid } = await dbActivities.getRefund(uuid)
        nextRunInput = { reopen: uuid, timeScale, pendingConnections: [connectionUuid] }
        const poll = (pollCount: number) =>
          inbox.pollActivities.pollRefund({ uuid, connectionUuid, pollCount })
        const result = await pollUntilResolved(poll, inbox)
        if ('deliveries' in result) await startFollowUps(result, timeScale)
      }
      const { state } = await dbActivities.getRefund(uuid)
      // A signal that arrives during this read is processed too: it is not delivered again.
      if (!inbox.hasPending) return end(state)
    }
  }
}
