import {
  allHandlersFinished,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
} from '@temporalio/workflow'
import {
  type DisputeState,
  disputeMachine,
  dueWarningHours,
  nextDeadlineMs,
} from '../../domain/disputes/dispute.ts'
import { scaleWait, WAITS } from '../../domain/shared/intervals.ts'
import {
  type CancelDisputeResult,
  cancelDisputeUpdate,
  type DisputeInput,
  type DisputeSnapshot,
  type ReplyToDisputeInput,
  type ReplyToDisputeResult,
  replyToDisputeUpdate,
} from '../contracts/disputes.ts'
import { awaitResultUpdate } from '../contracts/orders.ts'
import { SEARCH_ATTRIBUTES } from '../contracts/search-attributes.ts'
import {
  anyWorkerActivities,
  idempotentProviderActivities,
  regularDbActivities,
} from '../shared/activity-proxies.ts'
import { ProviderInbox, pollAfterNotification } from '../shared/provider-inbox.ts'
import { startFollowUpWorkflows } from '../shared/start-follow-ups.ts'
import { orInterrupted } from '../shared/worker-loss.ts'
import { shouldContinueAsNew } from '../shared/workflow-info.ts'

/**
 * Workflow of a dispute, from the provider's notification to its end: warnings, the one reply, the deadline, the decision and
 * the return, which the provider itself sends. Of one that an account requests: from its request, which the workflow sends, to the last
 * return, unless the account cancels it. A late notification reopens a completed workflow, which polls once.
 */
export function disputeWorkflow(input: DisputeInput): Promise<DisputeState | 'foreign'> {
  return new DisputeWorkflow(input).run()
}

class DisputeWorkflow {
  #snapshot: DisputeSnapshot | undefined
  /** The provider has no such dispute about a payment of ours. */
  #isForeign = false
  /** The row existed and is missing now: the next poll opens it again, or ends the workflow. */
  #isRowLost = false
  /** An update has stored a reply that the snapshot does not show yet. */
  #hasNewReply = false
  /** The reply was sent without an answer: only a poll can tell whether it arrived. */
  #isReplyUnknown = false
  #unansweredReplies = 0
  #nextReplyAtMs = 0
  #unansweredPolls = 0
  #pollsSinceChange = 0
  #nextPollAtMs = 0
  #cancellations: ((answer: CancelDisputeResult) => void)[] = []
  #unansweredCancellations = 0
  #nextCancelAtMs = 0
  readonly #input: DisputeInput
  readonly #inbox: ProviderInbox

  constructor(input: DisputeInput) {
    this.#input = input
    this.#inbox = new ProviderInbox(input.timeScale, () => this.#continueRun())
    if (input.hasPendingNotification) this.#inbox.seedPending([])
    setHandler(replyToDisputeUpdate, reply => this.#handleReply(reply), {
      description: 'Submits the one reply to the dispute: { details (sealed), requestId, sentBy }',
    })
    setHandler(awaitResultUpdate, () => condition(() => this.#isRequestAnswered()), {
      description: 'Waits until the provider has accepted or refused the request, or a call has no answer',
    })
    setHandler(cancelDisputeUpdate, () => this.#handleCancel(), {
      description: 'Cancels what the account has requested, at its provider',
    })
  }

  async run(): Promise<DisputeState | 'foreign'> {
    const storedDispute = await regularDbActivities.getDispute(this.#input.uuid)
    if (storedDispute) await this.#applyState(storedDispute)
    else if (this.#input.request) await this.#openRequest()
    else if (!(await this.#openDispute())) {
      this.#isForeign = true
      setCurrentDetails('Not found: the provider has no such dispute about a payment of ours')
      await condition(allHandlersFinished)
      return 'foreign'
    }
    for (;;) {
      while (this.#isUnfinished()) {
        await this.#runNextStep(this.#snapshot!)
        if (shouldContinueAsNew() && !this.#inbox.hasPending) await this.#continueRun()
      }
      this.#answerCancellations('closed')
      await condition(allHandlersFinished)
      // A signal that arrived during this wait is processed too: it is not delivered again.
      if (!this.#isUnfinished()) return this.#isForeign ? 'foreign' : this.#snapshot!.state
    }
  }

  /** Continues as new, unless a caller waits for an update of this run. */
  async #continueRun(): Promise<void> {
    const { hasPendingNotification: _, ...input } = this.#input
    if (allHandlersFinished())
      await continueAsNew<typeof disputeWorkflow>({
        ...input,
        ...(this.#unansweredPolls > 0 && { hasPendingNotification: true }),
      })
  }

  #isUnfinished(): boolean {
    const isUnfinished =
      !disputeMachine.isFinal(this.#snapshot!.state) || this.#inbox.hasPending || this.#unansweredPolls > 0
    return isUnfinished && !this.#isForeign
  }

  /** Polls until the provider confirms the dispute, whose row the activity writes; false where it does not. */
  async #openDispute(): Promise<boolean> {
    const result = await pollAfterNotification(
      () => idempotentProviderActivities.pollDispute(this.#input),
      this.#inbox,
    )
    if (result.kind !== 'known') return false
    this.#schedulePoll(1)
    await this.#applyState(result)
    return true
  }

  /** Runs the one step that is due, or waits until one is. */
  async #runNextStep(snapshot: DisputeSnapshot): Promise<void> {
    const { uuid, timeScale } = this.#input
    const nowMs = Date.now()
    const dueAtMs = Date.parse(snapshot.dueAt)
    if (isRequesting(snapshot)) return this.#request()
    if (this.#isCancellationDue(snapshot, nowMs)) return this.#cancel()
    if (this.#hasNewReply) {
      this.#hasNewReply = false
      return this.#applyStateOrLoss(await regularDbActivities.getDispute(uuid))
    }
    if (this.#inbox.hasPending || nowMs >= this.#nextPollAtMs) return this.#poll()
    if (this.#isRowLost)
      return this.#inbox.waitForNotification((this.#nextPollAtMs - nowMs) * timeScale, 'reopen the dispute')
    if (snapshot.isReplyPending && nowMs >= this.#nextReplyAtMs) return this.#sendReply()
    if (snapshot.state === 'open' && nowMs >= dueAtMs)
      return this.#applyStateOrLoss(await regularDbActivities.applyDisputeDeadline(uuid))
    const hours = dueWarningHours({ dueAtMs, nowMs, timeScale })
    if (snapshot.isAnswerable && hours !== null && hours < (snapshot.warnedHours ?? Number.POSITIVE_INFINITY))
      return this.#applyStateOrLoss(await regularDbActivities.recordDisputeWarning({ uuid, hours }))
    const [nextStepAtMs, summary] = this.#findNextStep(snapshot, nowMs)
    const isStepDue = () => this.#hasNewReply || this.#inbox.hasPending || this.#cancellations.length > 0
    await condition(isStepDue, Math.max(1, nextStepAtMs - nowMs), { summary })
  }

  /** Returns the workflow time and the summary of the step that is due next. */
  #findNextStep(snapshot: DisputeSnapshot, nowMs: number): [number, string] {
    const { timeScale } = this.#input
    const steps: [number, string][] = [[this.#nextPollAtMs, 'poll the provider']]
    if (snapshot.isReplyPending) steps.push([this.#nextReplyAtMs, 'send the reply again'])
    if (snapshot.isCancelRequested) steps.push([this.#nextCancelAtMs, 'cancel again'])
    if (snapshot.state === 'open') {
      const deadline = { dueAtMs: Date.parse(snapshot.dueAt), nowMs, timeScale }
      steps.push([nextDeadlineMs(deadline), 'warning or deadline'])
    }
    return steps.reduce((earliest, step) => (step[0] < earliest[0] ? step : earliest))
  }

  async #openRequest(): Promise<void> {
    await this.#applyState(await regularDbActivities.openRequestedDispute(this.#input))
  }

  /** Requests the dispute at its provider; without an answer again after a wait, or a notification. */
  async #request(): Promise<void> {
    const waitMs = this.#nextPollAtMs - Date.now()
    if (waitMs > 0 && !this.#inbox.hasPending) {
      await condition(() => this.#inbox.hasPending, waitMs, { summary: 'request the dispute again' })
      return
    }
    this.#inbox.markProcessed()
    const result = await idempotentProviderActivities.requestDispute(this.#input)
    if (result.kind === 'known') {
      this.#unansweredPolls = 0
      await this.#applyState(result)
      return this.#schedulePoll(1)
    }
    // The row of an earlier run may be missing after a restore.
    if (result.kind === 'not_found' && this.#input.request) await this.#openRequest()
    this.#unansweredPolls += 1
    this.#nextPollAtMs = this.#timeAfter(WAITS.nextPoll(this.#unansweredPolls))
  }

  #isRequestAnswered(): boolean {
    if (!this.#snapshot) return this.#isForeign
    return !isRequesting(this.#snapshot) || this.#unansweredPolls > 0
  }

  #isCancellationDue({ isCancellable, isCancelRequested }: DisputeSnapshot, nowMs: number): boolean {
    const isRequested = isCancelRequested || this.#cancellations.length > 0
    return isCancellable === true && isRequested && nowMs >= this.#nextCancelAtMs
  }

  /** Cancels the dispute at its provider; without an answer again after a wait. */
  async #cancel(): Promise<void> {
    const result = await idempotentProviderActivities.cancelDispute(this.#input)
    if (result.kind === 'known') {
      this.#unansweredCancellations = 0
      await this.#applyState(result)
      return this.#answerCancellations('closed')
    }
    this.#unansweredCancellations += 1
    this.#nextCancelAtMs = this.#timeAfter(WAITS.nextPoll(this.#unansweredCancellations))
    this.#snapshot = { ...this.#snapshot!, isCancelRequested: true }
    this.#answerCancellations('no_answer')
  }

  async #handleCancel(): Promise<CancelDisputeResult> {
    await condition(() => this.#snapshot !== undefined || this.#isForeign)
    if (!this.#snapshot?.isCancellable) return 'closed'
    this.#nextCancelAtMs = 0 // A caller requested it: cancel now, not on the schedule.
    return new Promise(resolve => this.#cancellations.push(resolve))
  }

  /** Completes all waiting updates; without an answer of the provider the cancellation stays requested. */
  #answerCancellations(answer: CancelDisputeResult): void {
    for (const resolve of this.#cancellations.splice(0)) resolve(answer)
  }

  async #poll(): Promise<void> {
    const isNotified = this.#inbox.hasPending
    this.#inbox.markProcessed()
    const result = await idempotentProviderActivities.pollDispute(this.#input)
    if (result.kind === 'known') {
      this.#isRowLost = this.#isReplyUnknown = false
      this.#unansweredPolls = 0
      // The provider may show the notified change only later: the next polls follow soon.
      if (isNotified) this.#pollsSinceChange = 0
      this.#pollsSinceChange += 1
      await this.#applyState(result)
      return this.#schedulePoll(this.#pollsSinceChange)
    }
    this.#isForeign = this.#isRowLost && (result.kind === 'not_found' || result.kind === 'foreign')
    this.#unansweredPolls += 1
    this.#nextPollAtMs = this.#timeAfter(WAITS.nextPoll(this.#unansweredPolls))
  }

  /** Sends the reply. Where an earlier attempt had no answer, polls first whether the provider has the reply. */
  async #sendReply(): Promise<void> {
    if (this.#isReplyUnknown) await this.#poll()
    if (this.#isReplyUnknown) {
      this.#nextReplyAtMs = this.#nextPollAtMs
      return
    }
    if (!this.#snapshot!.isReplyPending) return
    const result = await orInterrupted(anyWorkerActivities.sendDisputeReply(this.#input))
    this.#isReplyUnknown = result.kind !== 'closed'
    this.#unansweredReplies = this.#isReplyUnknown ? this.#unansweredReplies + 1 : 0
    if (this.#isReplyUnknown) this.#nextReplyAtMs = this.#timeAfter(WAITS.nextPoll(this.#unansweredReplies))
    if (result.kind !== 'unknown') await this.#applyState(result)
  }

  /** `polls`: number of polls since the dispute last changed. */
  #schedulePoll(polls: number): void {
    this.#pollsSinceChange = polls
    this.#nextPollAtMs = this.#timeAfter(WAITS.nextDisputePoll(polls))
  }

  async #applyStateOrLoss(snapshot: DisputeSnapshot | null): Promise<void> {
    if (snapshot) return this.#applyState(snapshot)
    if (this.#input.request) return this.#openRequest()
    this.#isRowLost = true
    this.#nextPollAtMs = 0
  }

  async #applyState(snapshot: DisputeSnapshot): Promise<void> {
    const isNew = this.#snapshot === undefined
    if (this.#snapshot && this.#snapshot.state !== snapshot.state) this.#schedulePoll(1)
    this.#snapshot = snapshot
    if (!snapshot.isCancellable) this.#answerCancellations('closed')
    upsertDisputeVisibility(snapshot, isNew)
    const { deliveries = [], returns } = snapshot
    await startFollowUpWorkflows(
      { deliveries: deliveries.map(deliveryUuid => ({ deliveryUuid })), returns },
      this.#input.timeScale,
    )
  }

  /** Stores the reply under the row lock: of two concurrent ones one is refused. The workflow then sends it. */
  async #handleReply(reply: ReplyToDisputeInput): Promise<ReplyToDisputeResult> {
    await condition(() => this.#snapshot !== undefined || this.#isForeign)
    if (!this.#snapshot) return 'med_not_answerable'
    const result = await regularDbActivities.storeDisputeReply({ uuid: this.#input.uuid, ...reply })
    this.#hasNewReply ||= result === 'accepted'
    return result
  }

  #timeAfter(waitMs: number): number {
    return Date.now() + scaleWait(waitMs, this.#input.timeScale)
  }
}

function isRequesting({ state }: DisputeSnapshot): boolean {
  return disputeMachine.accepts(state, 'requested')
}

function upsertDisputeVisibility(snapshot: DisputeSnapshot, isNew: boolean): void {
  upsertSearchAttributes([
    { key: SEARCH_ATTRIBUTES.status, value: disputeMachine.statusOf(snapshot.state) },
    ...(isNew
      ? [
          { key: SEARCH_ATTRIBUTES.account, value: snapshot.accountUuid },
          { key: SEARCH_ATTRIBUTES.provider, value: snapshot.connectionUuid },
          { key: SEARCH_ATTRIBUTES.endToEnd, value: snapshot.endToEnd },
          { key: SEARCH_ATTRIBUTES.value, value: snapshot.valueCents },
        ]
      : []),
  ])
  setCurrentDetails(
    snapshot.isReplyPending
      ? 'Replied: the reply is being sent to the provider'
      : DISPUTE_STATUS_DETAILS[snapshot.state],
  )
}

const DISPUTE_STATUS_DETAILS: Record<DisputeState, string> = {
  requesting: 'Being requested at the provider of the transfer',
  refused: 'Refused: the provider does not request it',
  open: 'Open: the merchant can reply until the deadline',
  analysing: 'In analysis by the provider',
  accepted: 'Accepted: the provider is polled until it has returned the money',
  resolved: 'Accepted and closed: the provider has returned what it could',
  rejected: 'Rejected: the block is released',
  cancelled: 'Withdrawn by the payer: the block is released',
  lapsed: 'No decision was published while money could be returned: the block is released',
}
