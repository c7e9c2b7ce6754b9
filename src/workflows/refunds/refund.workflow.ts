import {
  allHandlersFinished,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow'
import type { OpenRefundResult } from '../../activities/refunds/activities.ts'
import { type RefundState, refundMachine } from '../../domain/refunds/refund.ts'
import {
  awaitResultUpdate,
  type ManualSettlement,
  type RefundInput,
  type ReopenedInput,
  type UnfinishedPayout,
} from '../contracts/messages.ts'
import { SEARCH_ATTRIBUTES } from '../contracts/workflow-ids.ts'
import { executePayout, type TerminalOutcome } from '../payouts/execute-payout.ts'
import { findRestoredPayout } from '../payouts/restore.ts'
import { dbActivities, idempotentProviderActivities, payoutActivities } from '../shared/activity-proxies.ts'
import { continuationOf } from '../shared/continue-as-new.ts'
import { ProviderInbox, pollUntilResolved } from '../shared/provider-inbox.ts'
import { startFollowUps } from '../shared/start-follow-ups.ts'

/** A devolução: held, sent once through the provider that received the PIX, and asked about until that provider knows. */
export async function refundWorkflow(order: RefundInput | ReopenedInput): Promise<RefundState> {
  const { timeScale } = order
  let isAnswered = false
  let onward: RefundInput | ReopenedInput = order
  const notices = new ProviderInbox(timeScale, async () => {
    isAnswered = true
    await condition(allHandlersFinished)
    await continueAsNew<typeof refundWorkflow>(onward)
  })
  setHandler(awaitResultUpdate, () => condition(() => isAnswered), {
    description: 'Waits until the refund is accepted or cannot be',
  })

  if ('reopen' in order) {
    if (order.unfinished) return found(order.reopen, order.unfinished)
    if (order.pendingConnections) notices.seedPending(order.pendingConnections)
    return resumed(order.reopen)
  }
  const { uuid, connectionUuid } = order
  if (order.continuation) {
    isAnswered = true
    notices.resumeManualSettlement()
  }
  const opened = await (order.restored ? awaitReopenedRefund(order, notices) : dbActivities.openRefund(order))
  await startFollowUps(opened, timeScale)
  if (refundMachine.isFinal(opened.state)) return end(opened.state)
  if (!order.restored) onward = { ...order, continuation: continuationOf(order) }
  const sent = order.restored
    ? await find(uuid, { ...order.restored, candidates: [connectionUuid] })
    : await executePayout({
        ...follower(uuid, connectionUuid),
        send: again => payoutActivities.sendRefund({ uuid, connectionUuid, isResend: again }),
      })
  await startFollowUps(sent, timeScale)
  if (sent.kind !== 'settled' && notices.hasPending) {
    isAnswered = true
    return resumed(uuid)
  }
  return end(sent.kind === 'settled' ? 'settled' : 'failed')

  function follower(uuid: string, connectionUuid: string) {
    return {
      connectionUuid,
      poll: (asked: number, canAnswerFromRow = false) =>
        notices.pollActivities.pollRefund({
          uuid,
          connectionUuid,
          pollCount: asked,
          canAnswerFromRow: canAnswerFromRow,
        }),
      settleManually: (word: ManualSettlement) =>
        dbActivities.manuallySettleRefund({ uuid, connectionUuid, signal: word }),
      onPending(kind: 'in_process' | 'unknown') {
        isAnswered ||= kind === 'in_process'
        setCurrentDetails(
          kind === 'in_process' ? 'Accepted by the provider' : 'Not known: the provider is asked',
        )
      },
      inbox: notices,
    }
  }

  /** Asks whether it went, and follows it to its end. */
  function find(
    uuid: string,
    { candidates, orderedAt, ended }: UnfinishedPayout & { ended?: string },
  ): Promise<TerminalOutcome> {
    return findRestoredPayout({
      hadSettled: ended === 'settled',
      searchProviders: at =>
        idempotentProviderActivities.restoreRefund({ uuid, candidates, orderedAt, ...at }),
      portFor: connectionUuid => follower(uuid, connectionUuid),
      inbox: notices,
    })
  }

  /** Its workflow was lost while it moved. */
  async function found(uuid: string, unfinished: UnfinishedPayout): Promise<RefundState> {
    isAnswered = true
    notices.resumeManualSettlement()
    const last = await find(uuid, unfinished)
    await startFollowUps(last, timeScale)
    return end(last.kind === 'settled' ? 'settled' : 'failed')
  }

  async function end(state: RefundState): Promise<RefundState> {
    isAnswered = true
    setCurrentDetails(
      state === 'settled' ? 'Returned to the payer' : 'Nothing was returned; the money is back',
    )
    upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.status, value: refundMachine.statusOf(state) }])
    await condition(allHandlersFinished)
    return state
  }

  /** A late word of the provider: a settlement after the failure. */
  async function resumed(uuid: string): Promise<RefundState> {
    await condition(() => notices.hasPending)
    for (;;) {
      while (notices.hasPending) {
        const { connectionUuid } = await dbActivities.getRefund(uuid)
        onward = { reopen: uuid, timeScale, pendingConnections: [connectionUuid] }
        const ask = (asked: number) =>
          notices.pollActivities.pollRefund({ uuid, connectionUuid, pollCount: asked })
        const told = await pollUntilResolved(ask, notices)
        if ('deliveries' in told) await startFollowUps(told, timeScale)
      }
      const { state } = await dbActivities.getRefund(uuid)
      // What came while this was read is heard as well: nobody would tell it again.
      if (!notices.hasPending) return end(state)
    }
  }
}

/** Newer than its restored database: stored again as soon as its charge stands where it can be refunded. */
async function awaitReopenedRefund(order: RefundInput, notices: ProviderInbox): Promise<OpenRefundResult> {
  setCurrentDetails('Waits until its charge is rebuilt')
  const known = await pollUntilResolved(() => dbActivities.rebuildRefund(order), notices)
  return known.opened
}
