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
import type { ManualSettlement, UnfinishedPayout } from '../contracts/payouts.ts'
import type { OpenRefundResult, RefundInput } from '../contracts/refunds.ts'
import type { ReopenedInput } from '../contracts/reopening.ts'
import { SEARCH_ATTRIBUTES } from '../contracts/search-attributes.ts'
import { executePayout, type TerminalOutcome } from '../payouts/execute-payout.ts'
import { findRestoredPayout } from '../payouts/restore.ts'
import { dbActivities, idempotentProviderActivities, payoutActivities } from '../shared/activity-proxies.ts'
import { continuationOf } from '../shared/continue-as-new.ts'
import { ProviderInbox, pollUntilResolved } from '../shared/provider-inbox.ts'
import { startFollowUps } from '../shared/start-follow-ups.ts'

/**
 * Workflow of a refund (devolução): holds its money, sends it once through the provider that received the PIX, and polls
 * until the outcome is final.
 */
export async function refundWorkflow(order: RefundInput | ReopenedInput): Promise<RefundState> {
  const { timeScale } = order
  let isAnswered = false
  let nextRunInput: RefundInput | ReopenedInput = order
  const inbox = new ProviderInbox(timeScale, async () => {
    isAnswered = true
    await condition(allHandlersFinished)
    await continueAsNew<typeof refundWorkflow>(nextRunInput)
  })
  setHandler(awaitResultUpdate, () => condition(() => isAnswered), {
    description: 'Waits until the refund is accepted or fails',
  })

  if ('reopen' in order) {
    if (order.unfinished) return resumeUnfinished(order.reopen, order.unfinished)
    if (order.pendingConnections) inbox.seedPending(order.pendingConnections)
    return processLateNotifications(order.reopen)
  }
  const { uuid, connectionUuid } = order
  if (order.continuation) {
    isAnswered = true
    inbox.resumeManualSettlement()
  }
  const opened = await (order.restored ? awaitReopenedRefund(order, inbox) : dbActivities.openRefund(order))
  await startFollowUps(opened, timeScale)
  if (refundMachine.isFinal(opened.state)) return end(opened.state)
  if (!order.restored) nextRunInput = { ...order, continuation: continuationOf(order) }
  const outcome = order.restored
    ? await findPayout(uuid, { ...order.restored, candidates: [connectionUuid] })
    : await executePayout({
        ...createPollingPort(uuid, connectionUuid),
        send: again => payoutActivities.sendRefund({ uuid, connectionUuid, isResend: again }),
      })
  await startFollowUps(outcome, timeScale)
  if (outcome.kind !== 'settled' && inbox.hasPending) {
    isAnswered = true
    return processLateNotifications(uuid)
  }
  return end(outcome.kind === 'settled' ? 'settled' : 'failed')

  function createPollingPort(uuid: string, connectionUuid: string) {
    return {
      connectionUuid,
      poll: (asked: number, canAnswerFromRow = false) =>
        inbox.pollActivities.pollRefund({
          uuid,
          connectionUuid,
          pollCount: asked,
          canAnswerFromRow,
        }),
      settleManually: (settlement: ManualSettlement) =>
        dbActivities.manuallySettleRefund({ uuid, connectionUuid, signal: settlement }),
      onPending(kind: 'in_process' | 'unknown') {
        isAnswered ||= kind === 'in_process'
        setCurrentDetails(
          kind === 'in_process' ? 'Accepted by the provider' : 'Outcome unknown: the provider is polled',
        )
      },
      inbox,
    }
  }

  /** Asks whether it went, and follows it to its end. */
  function findPayout(
    uuid: string,
    { candidates, orderedAt, ended }: UnfinishedPayout & { ended?: string },
  ): Promise<TerminalOutcome> {
    return findRestoredPayout({
      hadSettled: ended === 'settled',
      searchProviders: at =>
        idempotentProviderActivities.restoreRefund({ uuid, candidates, orderedAt, ...at }),
      portFor: connectionUuid => createPollingPort(uuid, connectionUuid),
      inbox,
    })
  }

  /** Its workflow was lost while it moved. */
  async function resumeUnfinished(uuid: string, unfinished: UnfinishedPayout): Promise<RefundState> {
    isAnswered = true
    inbox.resumeManualSettlement()
    const last = await findPayout(uuid, unfinished)
    await startFollowUps(last, timeScale)
    return end(last.kind === 'settled' ? 'settled' : 'failed')
  }

  async function end(state: RefundState): Promise<RefundState> {
    isAnswered = true
    setCurrentDetails(state === 'settled' ? 'Returned to the payer' : 'Not refunded: the hold is released')
    upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.status, value: refundMachine.statusOf(state) }])
    await condition(allHandlersFinished)
    return state
  }

  /** Handles a late notification: a settlement after the failure. */
  async function processLateNotifications(uuid: string): Promise<RefundState> {
    await condition(() => inbox.hasPending)
    for (;;) {
      while (inbox.hasPending) {
        const { connectionUuid } = await dbActivities.getRefund(uuid)
        nextRunInput = { reopen: uuid, timeScale, pendingConnections: [connectionUuid] }
        const poll = (asked: number) =>
          inbox.pollActivities.pollRefund({ uuid, connectionUuid, pollCount: asked })
        const result = await pollUntilResolved(poll, inbox)
        if ('deliveries' in result) await startFollowUps(result, timeScale)
      }
      const { state } = await dbActivities.getRefund(uuid)
      // A signal that arrives during this read is processed too: it is not delivered again.
      if (!inbox.hasPending) return end(state)
    }
  }
}

/** Stores a refund again that is newer than the restored database, as soon as its charge is in a state that can be refunded. */
async function awaitReopenedRefund(order: RefundInput, inbox: ProviderInbox): Promise<OpenRefundResult> {
  setCurrentDetails('Waits until its charge is restored')
  const known = await pollUntilResolved(() => dbActivities.rebuildRefund(order), inbox)
  return known.opened
}
