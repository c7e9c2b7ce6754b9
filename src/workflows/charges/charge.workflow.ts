import {
  allHandlersFinished,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow'
import {
  type ChargeState,
  chargeMachine,
  isIssuedChargeState,
  isRevisableChargeState,
} from '../../domain/charges/charge.ts'
import { scaleWait, WAITS } from '../../domain/shared/intervals.ts'
import {
  awaitIssuedUpdate,
  type CancelChargeResult,
  type ChargeInput,
  type ChargeRevisionOrder,
  cancelChargeUpdate,
  type IssueChargeResult,
  type PollChargeResult,
  type ReviseChargeResult,
  reviseChargeUpdate,
} from '../contracts/charges.ts'
import type { ReopenedInput } from '../contracts/orders.ts'
import { SEARCH_ATTRIBUTES } from '../contracts/search-attributes.ts'
import { dbActivities, idempotentProviderActivities, issueLocallyFirst } from '../shared/activity-proxies.ts'
import { AbsenceProof, ProviderInbox } from '../shared/provider-inbox.ts'
import { startChildOnce, startFollowUps } from '../shared/start-follow-ups.ts'
import { shouldContinueAsNew, upsertVisibility } from '../shared/workflow-info.ts'

/**
 * Workflow of a charge: issues it, waits for its payment, and ends when it is paid, expired, cancelled or failed. A later
 * notification reopens a completed one from its row.
 */
export async function chargeWorkflow(input: ChargeInput | ReopenedInput): Promise<ChargeState> {
  const workflow = new ChargeWorkflow(input)
  await ('reopen' in input ? workflow.reopen(input) : workflow.issue(input))
  for (let step = workflow.nextStep(); step !== 'end'; step = workflow.nextStep()) {
    if (step === 'wait') await workflow.waitForNextPoll()
    else if (step === 'cancel') await workflow.cancel()
    else if (step === 'revise') await workflow.revise()
    else await workflow.poll()
  }
  await condition(allHandlersFinished)
  return workflow.state
}

/** Polls of an ended charge for a payment that was notified and is not listed: after 5 s, 10 s, 30 s, 1 min and 5 min. */
const MAX_POLLS_AFTER_END = 5

class ChargeWorkflow {
  state: ChargeState = 'issuing'
  #uuid = ''
  /** It is a static code: the workflow of the PIX that pays it records the payment, so this one ends once it is issued. */
  #isStatic = false
  /** The state has been issued or read from the row, so that updates can be answered. */
  #isStateKnown = false
  /** Workflow time of the poll after which an unpaid charge expires: its payload's expiry and a grace for the settlement. */
  #expiryPollAtMs = Number.POSITIVE_INFINITY
  /** After a poll without a conclusive answer: time of the next poll, and number of such polls so far. */
  #retryPollAtMs = 0
  #unansweredPolls = 0
  /** A notification reported a payment that the provider does not list yet: it is polled again on the schedule. */
  #isPaymentUnlisted = false
  readonly #cancellationRequests = new CancellationRequests()
  readonly #revisionRequest = new RevisionRequest()
  /** Proof that an unanswered cancellation has removed the charge at its provider. */
  #absenceProof: AbsenceProof
  #isAbsenceProved = false
  readonly #inbox: ProviderInbox

  constructor(input: ChargeInput | ReopenedInput) {
    this.#inbox = new ProviderInbox(input.timeScale, () => this.#continueRun(input))
    this.#absenceProof = new AbsenceProof(input.timeScale)
    setHandler(awaitIssuedUpdate, () => this.#awaitIssued(), {
      description: 'Waits until the charge is issued or fails',
    })
    setHandler(cancelChargeUpdate, () => this.#handleCancelCharge(), {
      description: 'Cancels a pending charge at its provider and then in the database',
    })
    setHandler(reviseChargeUpdate, order => this.#handleReviseCharge(order), {
      description: 'Revises a pending charge with a due date at its provider and then in the database',
    })
  }

  async issue(order: ChargeInput): Promise<void> {
    this.#uuid = order.uuid
    const result = order.debit ? await this.#issueDebit(order) : await issueLocallyFirst(order)
    this.#isStatic = result.isStatic === true
    this.#applyState(result.state, result.expiresAt)
    this.#isStateKnown = true
    upsertVisibility([{ key: SEARCH_ATTRIBUTES.provider, value: result.connectionUuid }])
    const { timeScale } = order
    for (const attemptUuid of result.orphans)
      await startChildOnce('orphan', attemptUuid, { attemptUuid, timeScale })
    await startFollowUps(result, timeScale)
  }

  /** Makes a debit at the one provider of its recurrence; where the answer is lost, looks it up and requests it again by the same id. */
  async #issueDebit(order: ChargeInput): Promise<IssueChargeResult> {
    let proof = new AbsenceProof(order.timeScale)
    let isAbsenceProved = false
    for (let calls = 1; ; calls += 1) {
      this.#inbox.markProcessed()
      const input = { order, ...(isAbsenceProved && { isAbsenceProved }) }
      const result = await idempotentProviderActivities.issueDebit(input)
      if (result.kind === 'closed') return result
      isAbsenceProved = false
      if (result.kind === 'again') {
        proof = new AbsenceProof(order.timeScale)
        setCurrentDetails(`The provider has not made the debit yet (${result.code}): requested again`)
        await this.#inbox.waitForNotification(WAITS.nextPoll(calls), 'no response: next request')
        continue
      }
      const waitMs = proof.recordNotFound(result.settleWindowMs)
      isAbsenceProved = waitMs === null
      if (waitMs !== null) await this.#inbox.waitForNotification(waitMs, 'not found: next look-up')
    }
  }

  async reopen({ reopen: uuid, pendingConnections }: ReopenedInput): Promise<void> {
    this.#uuid = uuid
    if (pendingConnections) this.#inbox.seedPending(pendingConnections)
    const charge = await dbActivities.getCharge(uuid)
    this.#isStatic = charge.isStatic === true
    this.#applyState(charge.state, charge.expiresAt)
    this.#cancellationRequests.isPending = charge.cancelRequested
    this.#revisionRequest.uuid = charge.openRevision ?? null
    this.#isStateKnown = true
  }

  /** The next step. The workflow ends only when its provider has been polled for all notifications. */
  nextStep(): 'poll' | 'cancel' | 'revise' | 'wait' | 'end' {
    if (!isIssuedChargeState(this.state)) return 'end'
    if (this.#isStatic) return this.#nextStaticStep()
    if (this.#inbox.hasPending) return 'poll'
    if (chargeMachine.isFinal(this.state) && this.#unansweredPolls === 0) return 'end'
    if (!this.#isRequestDue() && Date.now() < this.#nextPollAtMs) return 'wait'
    if (this.#cancellationRequests.isPending && chargeMachine.accepts(this.state, 'cancelled'))
      return 'cancel'
    return this.#revisionRequest.uuid !== null && isRevisableChargeState(this.state) ? 'revise' : 'poll'
  }

  /** The next step of a static code: notifications are not about it. It stays until its callers have their answers. */
  #nextStaticStep(): 'cancel' | 'wait' | 'end' {
    if (this.#isCancellationDue()) return 'cancel'
    return allHandlersFinished() ? 'end' : 'wait'
  }

  async waitForNextPoll(): Promise<void> {
    if (this.#isStatic) return condition(() => allHandlersFinished() || this.#isCancellationDue())
    const { timeScale } = this.#inbox
    const isRetry = this.#unansweredPolls > 0
    if (shouldContinueAsNew())
      await this.#continueRun({
        reopen: this.#uuid,
        timeScale,
        ...(isRetry && { pendingConnections: [] }),
      })
    const isStepDue = () => this.#inbox.hasPending || this.#isRequestDue()
    await condition(isStepDue, Math.max(1, this.#nextPollAtMs - Date.now()), {
      summary: isRetry ? 'next poll' : 'payload expires',
    })
  }

  async poll(): Promise<void> {
    const isNotified = this.#inbox.hasPending
    this.#inbox.markProcessed()
    await this.#applyPollResult(
      await this.#inbox.pollActivities.pollCharge({
        chargeUuid: this.#uuid,
        isPayloadExpired: this.#isExpiryDue(),
      }),
      isNotified,
    )
  }

  async cancel(): Promise<void> {
    const result = await idempotentProviderActivities.cancelCharge({
      chargeUuid: this.#uuid,
      ...(this.#isAbsenceProved && { isAbsenceProved: true }),
    })
    await this.#applyPollResult(result)
    if (result.kind === 'no_answer' && result.settleWindowMs !== undefined) {
      const waitMs = this.#absenceProof.recordNotFound(result.settleWindowMs)
      this.#isAbsenceProved = waitMs === null
      this.#bringPollForward(waitMs ?? 0)
    } else if (result.kind === 'known') this.#resetAbsenceProof()
    if (result.kind === 'no_answer') this.#cancellationRequests.resolveAll({ kind: 'no_answer' })
    // A provider that refuses to cancel an open payload would refuse again.
    else this.#cancellationRequests.resolveAll({ kind: 'closed', state: result.state })
  }

  async revise(): Promise<void> {
    const { uuid, order } = this.#revisionRequest
    const result = await idempotentProviderActivities.reviseCharge({
      chargeUuid: this.#uuid,
      revisionUuid: uuid!,
      ...(order && { order }),
      isPayloadExpired: this.#isExpiryDue(),
    })
    await this.#applyPollResult(result)
    if (result.kind === 'no_answer') this.#revisionRequest.resolveAll({ kind: 'no_answer' })
    // A payment that has started may fail, and the provider is asked about the revision then.
    else this.#revisionRequest.close(result.state, { isEnded: !this.#isPaymentStarted() })
  }

  async #applyPollResult(result: PollChargeResult, isNotified = false): Promise<void> {
    if (result.kind === 'no_answer') {
      this.#isPaymentUnlisted ||= isNotified
      this.#schedulePollRetry()
      setCurrentDetails(
        `${chargeMachine.statusOf(this.state)}: the provider has not answered (${result.code}); polled again`,
      )
      return startFollowUps(result, this.#inbox.timeScale)
    }
    const wasEndDue = this.#isEndDue()
    this.#applyState(result.state, result.expiresAt)
    if (result.valueCents !== undefined)
      upsertVisibility([{ key: SEARCH_ATTRIBUTES.value, value: result.valueCents }])
    this.#isPaymentUnlisted =
      (isNotified || this.#isPaymentUnlisted) && this.#mayListPaymentLater(result, isNotified)
    // While an end is due and nothing changes, the polls become less frequent.
    if (this.#isPaymentUnlisted ? isNotified : !wasEndDue || !this.#isEndDue()) this.#unansweredPolls = 0
    if (this.#isPaymentUnlisted || this.#isEndDue()) this.#schedulePollRetry()
    if (!chargeMachine.accepts(this.state, 'cancelled'))
      this.#cancellationRequests.resolveAll({ kind: 'closed', state: this.state })
    if (!isRevisableChargeState(this.state))
      this.#revisionRequest.close(this.state, { isEnded: !this.#isPaymentStarted() })
    await startFollowUps(result, this.#inbox.timeScale)
  }

  /** Workflow time of the next poll if nothing happens before. */
  get #nextPollAtMs(): number {
    if (this.#unansweredPolls === 0) return this.#expiryPollAtMs
    const isExpiryAhead = this.#isPaymentUnlisted && Date.now() < this.#expiryPollAtMs
    return isExpiryAhead ? Math.min(this.#retryPollAtMs, this.#expiryPollAtMs) : this.#retryPollAtMs
  }

  /**
   * Whether the provider may list the notified payment later: it lists none, and the charge still accepts one. A charge
   * that has ended is polled a few times more only, as its payload cannot be paid any more.
   */
  #mayListPaymentLater(
    { listedPaymentCount }: Extract<PollChargeResult, { kind: 'known' }>,
    isNotified: boolean,
  ): boolean {
    if (listedPaymentCount !== 0 || !chargeMachine.accepts(this.state, 'payment_started')) return false
    return !chargeMachine.isFinal(this.state) || isNotified || this.#unansweredPolls < MAX_POLLS_AFTER_END
  }

  /** A cancellation was requested, and its caller has not been answered `no_answer` yet. */
  #isCancellationDue(): boolean {
    return (
      this.#cancellationRequests.isPending &&
      this.#unansweredPolls === 0 &&
      chargeMachine.accepts(this.state, 'cancelled')
    )
  }

  /** A revision was requested whose caller has not been answered `no_answer` yet. */
  #isRevisionDue(): boolean {
    return (
      this.#revisionRequest.uuid !== null && this.#unansweredPolls === 0 && isRevisableChargeState(this.state)
    )
  }

  #isRequestDue(): boolean {
    return this.#isCancellationDue() || this.#isRevisionDue()
  }

  /** Whether a payment is in process, which may still fail. */
  #isPaymentStarted(): boolean {
    return chargeMachine.accepts(this.state, 'payment_confirmed')
  }

  /** Whether the charge expires by the next poll: its payload has expired, so the provider's "not paid" ends it. */
  #isExpiryDue(): boolean {
    return Date.now() >= this.#expiryPollAtMs && chargeMachine.accepts(this.state, 'payload_expired')
  }

  /** Whether the charge should end soon: a payment is in process, whose notification may be lost, or the payload has expired. */
  #isEndDue(): boolean {
    return this.#isPaymentStarted() || this.#isExpiryDue()
  }

  /** Continues as new, unless a caller waits for an update of this run. */
  async #continueRun(input: ChargeInput | ReopenedInput): Promise<void> {
    if (allHandlersFinished()) await continueAsNew<typeof chargeWorkflow>(input)
  }

  #schedulePollRetry(): void {
    this.#unansweredPolls += 1
    this.#retryPollAtMs = Date.now() + scaleWait(WAITS.nextPoll(this.#unansweredPolls), this.#inbox.timeScale)
  }

  /** Polls after `waitMs` (before the time scale) where the schedule would poll later. */
  #bringPollForward(waitMs: number): void {
    const pollAtMs = Date.now() + scaleWait(waitMs, this.#inbox.timeScale)
    this.#retryPollAtMs = Math.min(this.#retryPollAtMs, pollAtMs)
  }

  #resetAbsenceProof(): void {
    this.#absenceProof = new AbsenceProof(this.#inbox.timeScale)
    this.#isAbsenceProved = false
  }

  #applyState(state: ChargeState, expiresAt?: string | null): void {
    this.state = state
    if (expiresAt)
      this.#expiryPollAtMs =
        Date.parse(expiresAt) + scaleWait(WAITS.settlementGraceAfterExpiry, this.#inbox.timeScale)
    upsertVisibility([{ key: SEARCH_ATTRIBUTES.status, value: chargeMachine.statusOf(state) }])
    setCurrentDetails(CHARGE_STATUS_DETAILS[state])
  }

  async #awaitIssued(): Promise<ChargeState> {
    await condition(() => this.#isStateKnown)
    return this.state
  }

  async #handleCancelCharge(): Promise<CancelChargeResult> {
    await condition(() => this.#isStateKnown)
    if (!chargeMachine.accepts(this.state, 'cancelled')) return { kind: 'closed', state: this.state }
    this.#unansweredPolls = 0 // A caller requested it: cancel now, not on the schedule.
    return this.#cancellationRequests.add()
  }

  async #handleReviseCharge(order: ChargeRevisionOrder): Promise<ReviseChargeResult> {
    await condition(() => this.#isStateKnown)
    const isOtherOpen = this.#revisionRequest.uuid !== null && this.#revisionRequest.uuid !== order.uuid
    if (isOtherOpen || !isRevisableChargeState(this.state)) return { kind: 'closed', state: this.state }
    this.#unansweredPolls = 0 // A caller requested it: revise now, not on the schedule.
    return this.#revisionRequest.add(order)
  }
}

/** Texts that the Temporal UI shows of a charge in each state. */
const CHARGE_STATUS_DETAILS: Record<ChargeState, string> = {
  issuing: 'Being issued: candidate providers are called in order',
  pending: 'Issued: waiting for the payer',
  debiting: 'Being debited: the provider is polled each day until it is paid or over',
  paying: 'Payment in progress: the provider is polled until it settles',
  paid: 'Paid',
  refunding: 'Refund in progress',
  partially_refunded: 'Paid and partially refunded',
  refunded: 'Fully refunded',
  failed: 'Failed: no provider issued the payload',
  expired: 'Expired: the provider confirms that it was not paid',
  cancelled: 'Cancelled',
}

/** Updates `cancelCharge` that wait for their result. */
class CancellationRequests {
  /** Whether the provider has not answered a request yet; a reopened workflow reads it from the charge's row. */
  isPending = false
  #resolvers: ((answer: CancelChargeResult) => void)[] = []

  add(): Promise<CancelChargeResult> {
    this.isPending = true
    return new Promise(resolve => this.#resolvers.push(resolve))
  }

  /** Completes all waiting updates; without an answer of the provider the request stays pending. */
  resolveAll(answer: CancelChargeResult): void {
    this.isPending = answer.kind === 'no_answer'
    for (const resolve of this.#resolvers.splice(0)) resolve(answer)
  }
}

/** The revision that the provider has not answered, and the updates `reviseCharge` that wait for its result. */
class RevisionRequest {
  /** Uuid of the revision; a reopened workflow reads it from the database. Null where none is under way. */
  uuid: string | null = null
  /** Absent in a reopened workflow, whose revision is stored. */
  order: ChargeRevisionOrder | undefined
  #resolvers: ((answer: ReviseChargeResult) => void)[] = []

  add(order: ChargeRevisionOrder): Promise<ReviseChargeResult> {
    this.uuid = order.uuid
    this.order = order
    return new Promise(resolve => this.#resolvers.push(resolve))
  }

  /** Completes all waiting updates; `isEnded`: the row of the revision says what became of it. */
  close(state: ChargeState, { isEnded }: { isEnded: boolean }): void {
    if (isEnded) {
      this.uuid = null
      this.order = undefined
    }
    this.resolveAll({ kind: 'closed', state })
  }

  resolveAll(answer: ReviseChargeResult): void {
    for (const resolve of this.#resolvers.splice(0)) resolve(answer)
  }
}
