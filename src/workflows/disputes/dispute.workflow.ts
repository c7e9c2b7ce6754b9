import {
  allHandlersFinished,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow'
import {
  type DisputeState,
  disputeMachine,
  dueWarningHours,
  nextDeadlineMs,
} from '../../domain/disputes/dispute.ts'
import { scaleWait, WAITS } from '../../domain/shared/intervals.ts'
import {
  type DisputeInput,
  type DisputeSnapshot,
  type ReplyToDisputeInput,
  type ReplyToDisputeResult,
  replyToDisputeUpdate,
  type SendDisputeReplyResult,
} from '../contracts/disputes.ts'
import { isWorkerLoss } from '../payouts/execute-payout.ts'
import {
  idempotentProviderActivities,
  payoutActivities,
  regularDbActivities,
} from '../shared/activity-proxies.ts'
import { ProviderInbox, pollAfterNotification } from '../shared/provider-inbox.ts'
import { startFollowUps } from '../shared/start-follow-ups.ts'
import { upsertDisputeVisibility } from './visibility.ts'

/**
 * Workflow of a dispute, from the provider's notification to its end: warnings, the one reply, the deadline, the decision and
 * the return, which the provider itself sends. A late notification reopens a completed workflow, which polls once.
 */
export function disputeWorkflow(order: DisputeInput): Promise<DisputeState | 'foreign'> {
  return new DisputeWorkflow(order).run()
}

class DisputeWorkflow {
  #snapshot: DisputeSnapshot | undefined
  #isForeign = false
  /** The row existed and is missing now, as after a restore: the next poll opens it again, or ends the workflow. */
  #isRowLost = false
  #hasNewReply = false
  /** Attempts to send the reply, and polls without an answer. */
  #replyAttempts = 0
  #unansweredPolls = 0
  #pollsSinceChange = 0 // Since it last changed.
  #isReplyUnknown = false // The reply was sent; only a poll can tell whether it arrived.
  #replyAtMs = 0
  #nextPollAtMs = 0
  readonly #input: DisputeInput
  readonly #inbox: ProviderInbox

  constructor(order: DisputeInput) {
    this.#input = order
    this.#inbox = new ProviderInbox(order.timeScale, () => this.#continueRun())
    if (order.hasPendingNotification) this.#inbox.seedPending([])
    setHandler(replyToDisputeUpdate, reply => this.#handleReply(reply), {
      description: 'Submits the one reply to the dispute: { details (sealed), requestId }',
    })
  }

  async run(): Promise<DisputeState | 'foreign'> {
    const stored = await regularDbActivities.getDispute(this.#input.uuid)
    if (stored) await this.#applyState(stored)
    if (!stored && !(await this.#openDispute())) {
      this.#isForeign = true
      setCurrentDetails('Not found: the provider has no such dispute about a payment of ours')
      await condition(allHandlersFinished)
      return 'foreign'
    }
    // A signal that arrives during the last transaction is processed too: it is not delivered again.
    while (this.#isUnfinished()) {
      while (this.#isUnfinished()) {
        await this.#runNextStep(this.#snapshot!)
        if (workflowInfo().continueAsNewSuggested && !this.#inbox.hasPending) await this.#continueRun()
      }
      await condition(allHandlersFinished)
    }
    await condition(allHandlersFinished)
    return this.#isForeign ? 'foreign' : this.#snapshot!.state
  }

  /** Continues as new, unless a caller waits for an update of this run. */
  async #continueRun(): Promise<void> {
    const { hasPendingNotification: _, ...order } = this.#input
    if (allHandlersFinished())
      await continueAsNew<typeof disputeWorkflow>({
        ...order,
        ...(this.#unansweredPolls > 0 && { hasPendingNotification: true }),
      })
  }

  #isUnfinished(): boolean {
    const isUnfinished =
      !disputeMachine.isFinal(this.#snapshot!.state) || this.#inbox.hasPending || this.#unansweredPolls > 0
    return isUnfinished && !this.#isForeign
  }

  async #openDispute(): Promise<boolean> {
    const result = await pollAfterNotification(
      () => idempotentProviderActivities.pollDispute(this.#input),
      this.#inbox,
    )
    if (result.kind !== 'known') return false
    this.#pollsSinceChange = 1
    this.#nextPollAtMs = this.#timeAfter(WAITS.nextDisputePoll(this.#pollsSinceChange))
    await this.#applyState(result)
    return true
  }

  /** The one thing that is to be done now, or the wait for the next. */
  async #runNextStep(now: DisputeSnapshot): Promise<void> {
    const { uuid, timeScale } = this.#input
    const at = Date.now()
    const dueAtMs = Date.parse(now.dueAt)
    if (this.#hasNewReply) {
      this.#hasNewReply = false
      return this.#applyStateOrLoss(await regularDbActivities.getDispute(uuid))
    }
    if (this.#inbox.hasPending || at >= this.#nextPollAtMs) return this.#poll()
    if (this.#isRowLost)
      return this.#inbox.waitForNotification((this.#nextPollAtMs - at) * timeScale, 'reopen the dispute')
    if (now.isReplyPending && at >= this.#replyAtMs) return this.#sendReply()
    if (now.state === 'open' && at >= dueAtMs)
      return this.#applyStateOrLoss(await regularDbActivities.applyDisputeDeadline(uuid))
    const hours = dueWarningHours({ dueAtMs, nowMs: at, timeScale })
    if (now.isAnswerable && hours !== null && hours < (now.warnedHours ?? Number.POSITIVE_INFINITY))
      return this.#applyStateOrLoss(await regularDbActivities.recordDisputeWarning({ uuid, hours }))
    const [nextMs, summary] = this.#nextTimer(now, at)
    await condition(() => this.#hasNewReply || this.#inbox.hasPending, Math.max(1, nextMs - at), { summary })
  }

  #nextTimer(now: DisputeSnapshot, at: number): [number, string] {
    const { timeScale } = this.#input
    const moments: [number, string][] = [[this.#nextPollAtMs, 'poll the provider']]
    if (now.isReplyPending) moments.push([this.#replyAtMs, 'send the reply again'])
    if (now.state === 'open') {
      const deadline = { dueAtMs: Date.parse(now.dueAt), nowMs: at, timeScale }
      moments.push([nextDeadlineMs(deadline), 'warning or deadline'])
    }
    return moments.reduce((first, other) => (other[0] < first[0] ? other : first))
  }

  async #poll(): Promise<void> {
    const isNotified = this.#inbox.hasPending
    this.#inbox.markProcessed()
    const result = await idempotentProviderActivities.pollDispute(this.#input)
    if (result.kind === 'known') {
      this.#isRowLost = this.#isReplyUnknown = false
      this.#unansweredPolls = 0
      if (isNotified) this.#pollsSinceChange = 0 // The notification may run ahead of what the provider shows: the next polls follow soon.
      this.#pollsSinceChange += 1
      await this.#applyState(result)
      this.#nextPollAtMs = this.#timeAfter(WAITS.nextDisputePoll(this.#pollsSinceChange))
      return
    }
    this.#isForeign = this.#isRowLost && (result.kind === 'not_found' || result.kind === 'foreign')
    this.#unansweredPolls += 1
    this.#nextPollAtMs = this.#timeAfter(WAITS.nextPoll(this.#unansweredPolls))
  }

  /** After an attempt without an answer, the provider is polled first for whether it has the reply. */
  async #sendReply(): Promise<void> {
    if (this.#isReplyUnknown) await this.#poll()
    if (this.#isReplyUnknown) {
      this.#replyAtMs = this.#nextPollAtMs
      return
    }
    if (!this.#snapshot!.isReplyPending) return
    const sent = await this.#callSendReply()
    this.#isReplyUnknown = sent === null || sent.kind === 'again'
    this.#replyAttempts = this.#isReplyUnknown ? this.#replyAttempts + 1 : 0
    if (this.#isReplyUnknown) this.#replyAtMs = this.#timeAfter(WAITS.nextPoll(this.#replyAttempts))
    if (sent) await this.#applyState(sent)
  }

  /** Null where the call broke off: the provider may have the reply all the same. */
  async #callSendReply(): Promise<SendDisputeReplyResult | null> {
    try {
      return await payoutActivities.sendDisputeReply(this.#input)
    } catch (error) {
      if (isWorkerLoss(error)) return null
      throw error
    }
  }

  async #applyStateOrLoss(now: DisputeSnapshot | null): Promise<void> {
    if (now) return this.#applyState(now)
    this.#isRowLost = true
    this.#nextPollAtMs = 0
  }

  async #applyState(now: DisputeSnapshot): Promise<void> {
    const isNew = this.#snapshot === undefined
    if (this.#snapshot && this.#snapshot.state !== now.state) {
      this.#pollsSinceChange = 1
      this.#nextPollAtMs = this.#timeAfter(WAITS.nextDisputePoll(this.#pollsSinceChange))
    }
    this.#snapshot = now
    upsertDisputeVisibility(now, isNew)
    await startFollowUps(now, this.#input.timeScale)
  }

  /**
   * Stores the reply under the row lock, so that of two concurrent replies one is refused; the workflow then sends it to
   * the provider.
   */
  async #handleReply(reply: ReplyToDisputeInput): Promise<ReplyToDisputeResult> {
    await condition(() => this.#snapshot !== undefined || this.#isForeign)
    if (!this.#snapshot) return 'med_not_answerable'
    const answer = await regularDbActivities.storeDisputeReply({ uuid: this.#input.uuid, ...reply })
    this.#hasNewReply ||= answer === 'accepted'
    return answer
  }

  #timeAfter(waitMs: number): number {
    return Date.now() + scaleWait(waitMs, this.#input.timeScale)
  }
}
