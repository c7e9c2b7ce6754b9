import {
  allHandlersFinished,
  condition,
  continueAsNew,
  setCurrentDetails,
  setHandler,
  sleep,
} from '@temporalio/workflow'
import { type RecurrenceState, recurrenceMachine } from '../../domain/recurrences/recurrence.ts'
import { scaleWait, WAITS } from '../../domain/shared/intervals.ts'
import type { ChargeInput } from '../contracts/charges.ts'
import { awaitResultUpdate, type ReopenedInput } from '../contracts/orders.ts'
import {
  type CancelRecurrenceResult,
  type CreateRecurrenceInput,
  type CreateRecurrenceResult,
  cancelRecurrenceUpdate,
  type PollRecurrenceResult,
  type RecurrenceInput,
  type RecurrenceSnapshot,
} from '../contracts/recurrences.ts'
import { SEARCH_ATTRIBUTES } from '../contracts/search-attributes.ts'
import { buildMoneyWorkflowOptions } from '../contracts/start-options.ts'
import {
  anyWorkerActivities,
  dbActivities,
  idempotentProviderActivities,
} from '../shared/activity-proxies.ts'
import { ProviderInbox } from '../shared/provider-inbox.ts'
import { startChildOnce, startFollowUps } from '../shared/start-follow-ups.ts'
import { orInterrupted } from '../shared/worker-loss.ts'
import { shouldContinueAsNew, upsertVisibility } from '../shared/workflow-info.ts'

/**
 * Workflow of a recurrence, for as long as it lasts: creates it at one provider, sends the request for consent, polls what the payer decides,
 * starts the workflow of each cycle's charge, and ends by what the provider reports. Continues as new after each cycle.
 */
export async function recurrenceWorkflow(input: RecurrenceInput | ReopenedInput): Promise<RecurrenceState> {
  const workflow = new RecurrenceWorkflow(input)
  await ('reopen' in input ? workflow.reopen(input.reopen) : workflow.create(input))
  await workflow.run()
  await condition(allHandlersFinished)
  return workflow.state
}

/** Two look-ups that do not find a recurrence prove that it was not created. */
const ABSENCE_LOOK_UPS = 2

class RecurrenceWorkflow {
  readonly #input: RecurrenceInput | ReopenedInput
  readonly #uuid: string
  readonly #inbox: ProviderInbox
  #snapshot: RecurrenceSnapshot | undefined
  /** A provider has created it, or none has. */
  #hasResult = false
  #unansweredCalls = 0
  #nextCallAtMs = 0
  #cancellations: ((answer: CancelRecurrenceResult) => void)[] = []
  /** A cycle was charged in this run, which has no more to do than to continue as new. */
  #isCycleDone = false

  constructor(input: RecurrenceInput | ReopenedInput) {
    this.#input = input
    this.#uuid = 'reopen' in input ? input.reopen : input.uuid
    this.#inbox = new ProviderInbox(input.timeScale)
    setHandler(awaitResultUpdate, () => condition(() => this.#hasResult), {
      description: 'Waits until the recurrence is created or fails',
    })
    setHandler(cancelRecurrenceUpdate, () => this.#handleCancel(), {
      description: 'Cancels the recurrence at its provider and then in the database',
    })
  }

  get state(): RecurrenceState {
    return this.#snapshot!.state
  }

  async create(order: RecurrenceInput): Promise<void> {
    await this.#apply(await dbActivities.openRecurrence(order))
    await this.#createAtCandidates(order.candidates, order.firstCharge)
    this.#nextCallAtMs = this.#timeAfter(WAITS.pendingRecurrencePoll)
  }

  /** A recurrence that was being created is looked up where its request may have arrived; no other provider is called. */
  async reopen(uuid: string): Promise<void> {
    const snapshot = await dbActivities.getRecurrence(uuid)
    await this.#apply(snapshot)
    const { tried, connectionUuid } = snapshot
    await this.#createAtCandidates(tried.length > 0 ? tried : [connectionUuid])
  }

  async run(): Promise<void> {
    this.#hasResult = true
    for (let step = this.#nextStep(); step !== 'end'; step = this.#nextStep()) {
      if (step === 'wait') await this.#wait()
      else if (step === 'charge') await this.#chargeCycle()
      else if (step === 'continue')
        await this.#continueRun({ reopen: this.#uuid, timeScale: this.#inbox.timeScale })
      else await this.#call(step)
    }
    this.#answerCancellations({ kind: 'closed', state: this.state })
    // Its provider ends them with it, and may not notify of that.
    if (this.#snapshot!.hasOpenDebits) await idempotentProviderActivities.signalOpenDebits(this.#uuid)
  }

  async #createAtCandidates(orderedCandidates: string[], firstCharge?: ChargeInput): Promise<void> {
    if (this.state !== 'creating') return
    const { hasFirstCharge } = this.#snapshot!
    const candidates = hasFirstCharge ? await this.#issueFirstCharge(firstCharge) : orderedCandidates
    for (const connectionUuid of candidates) {
      if (this.state !== 'creating') return
      const result = await this.#createAt(connectionUuid)
      if (result.kind === 'known') await this.#apply(result)
    }
    if (this.state !== 'creating') return
    if (hasFirstCharge) await idempotentProviderActivities.cancelFirstCharge(this.#uuid)
    await this.#apply(await dbActivities.failRecurrence(this.#uuid))
  }

  /** Returns the one candidate of a recurrence with a first charge: the provider that has issued that; none where it cannot be paid. */
  async #issueFirstCharge(order: ChargeInput | undefined): Promise<string[]> {
    const { tried } = this.#snapshot!
    // Where an answer is missing, only a look-up there ends the creation, whatever has become of the charge.
    if (tried.length > 0) return tried
    const input = { uuid: this.#uuid, ...(order && { order }) }
    const { connectionUuid } = await idempotentProviderActivities.issueFirstCharge(input)
    return connectionUuid === null ? [] : [connectionUuid]
  }

  /**
   * Creates it at one provider. Where the answer is lost it is looked up after 1 and 10 minutes, and requested again there only once it is
   * proved absent.
   */
  async #createAt(
    connectionUuid: string,
  ): Promise<Extract<CreateRecurrenceResult, { kind: 'known' | 'refused' }>> {
    const uuid = this.#uuid
    for (let isAbsenceProved = false; ; ) {
      const result = await this.#requestCreation({
        uuid,
        connectionUuid,
        ...(isAbsenceProved && { isAbsenceProved }),
      })
      if (result.kind === 'known' || result.kind === 'refused') return result
      if (result.kind === 'not_started') {
        await sleep(scaleWait(WAITS.prepareAgain, this.#inbox.timeScale), { summary: 'another worker calls' })
        continue
      }
      setCurrentDetails(`Creation without an answer (${result.code}): looked up at the provider`)
      for (let lookUps = 0, absences = 0; absences < ABSENCE_LOOK_UPS; lookUps += 1) {
        const waitMs = scaleWait(WAITS.nextRecurrenceLookUp(lookUps), this.#inbox.timeScale)
        if (shouldContinueAsNew()) await this.#continueRun(this.#input)
        await sleep(waitMs, { summary: 'creation without an answer: next look-up' })
        const found = await idempotentProviderActivities.lookUpRecurrence({ uuid, connectionUuid })
        if (found.kind === 'known') return found
        if (found.kind === 'not_found') absences += 1
      }
      isAbsenceProved = true
    }
  }

  #requestCreation(input: CreateRecurrenceInput): Promise<CreateRecurrenceResult> {
    return orInterrupted(anyWorkerActivities.createRecurrence(input))
  }

  /** The next step; one call without an answer is repeated before any other is made. */
  #nextStep(): 'poll' | 'cancel' | 'request' | 'charge' | 'continue' | 'wait' | 'end' {
    const { cancelRequested, isRequestDue, nextCreationAt } = this.#snapshot!
    if (recurrenceMachine.isFinal(this.state)) return 'end'
    if (this.#inbox.hasPending) return 'poll'
    if (this.#isCycleDone && allHandlersFinished()) return 'continue'
    const nowMs = Date.now()
    const isCallDue = this.#unansweredCalls === 0 || nowMs >= this.#nextCallAtMs
    const isCancelRequested = cancelRequested || this.#cancellations.length > 0
    if (isCallDue && isCancelRequested && recurrenceMachine.accepts(this.state, 'cancelled')) return 'cancel'
    if (isCallDue && isRequestDue) return 'request'
    if (nextCreationAt !== null && nowMs >= Date.parse(nextCreationAt)) return 'charge'
    return nowMs >= this.#nextCallAtMs ? 'poll' : 'wait'
  }

  async #wait(): Promise<void> {
    if (shouldContinueAsNew())
      await this.#continueRun({ reopen: this.#uuid, timeScale: this.#inbox.timeScale })
    const { nextCreationAt, endsAt } = this.#snapshot!
    const creationAtMs = nextCreationAt === null ? Number.POSITIVE_INFINITY : Date.parse(nextCreationAt)
    const endsAtMs = endsAt === null ? Number.POSITIVE_INFINITY : Date.parse(endsAt)
    const nowMs = Date.now()
    if (endsAtMs > nowMs && this.#unansweredCalls === 0)
      this.#nextCallAtMs = Math.min(this.#nextCallAtMs, endsAtMs)
    const isCreationNext = creationAtMs < this.#nextCallAtMs
    const waitMs = Math.max(1, Math.min(creationAtMs, this.#nextCallAtMs) - nowMs)
    const isStepDue = () => this.#inbox.hasPending || this.#cancellations.length > 0
    await condition(isStepDue, waitMs, {
      summary: isCreationNext ? 'create the next charge' : 'poll the provider',
    })
  }

  async #call(step: 'poll' | 'cancel' | 'request'): Promise<void> {
    this.#inbox.markProcessed()
    const result = await this.#callActivity(step)
    if (result.kind === 'no_answer') {
      this.#unansweredCalls += 1
      this.#nextCallAtMs = this.#timeAfter(WAITS.nextPoll(this.#unansweredCalls))
      if (step === 'cancel') this.#snapshot = { ...this.#snapshot!, cancelRequested: true }
      setCurrentDetails(`${this.state}: the provider has not answered (${result.code}); called again`)
      return this.#answerCancellations({ kind: 'no_answer' })
    }
    this.#unansweredCalls = 0
    await this.#apply(result)
    const isActive = this.state === 'active'
    this.#nextCallAtMs = this.#timeAfter(isActive ? WAITS.activeRecurrencePoll : WAITS.pendingRecurrencePoll)
    // A provider that refuses to cancel it would refuse again.
    if (step === 'cancel') this.#answerCancellations({ kind: 'closed', state: this.state })
  }

  #callActivity(step: 'poll' | 'cancel' | 'request'): Promise<PollRecurrenceResult> {
    switch (step) {
      case 'poll':
        return idempotentProviderActivities.pollRecurrence(this.#uuid)
      case 'cancel':
        return idempotentProviderActivities.cancelRecurrence(this.#uuid)
      case 'request':
        return idempotentProviderActivities.requestConsent(this.#uuid)
    }
  }

  /** Starts the charge of the cycle that is due; its uuid follows from the cycle, so that a repeat starts none. */
  async #chargeCycle(): Promise<void> {
    const { charge, ...snapshot } = await dbActivities.prepareCycle(this.#uuid)
    if (!charge) {
      await this.#apply(snapshot)
      // The clock of the worker may be behind that of Temporal.
      await sleep(WAITS.prepareAgain, { summary: 'create the next charge' })
      return
    }
    const { cycle, order } = charge
    await startChildOnce('charge', order.uuid, order, buildMoneyWorkflowOptions('charge', order))
    await this.#apply(await dbActivities.recordCycle({ uuid: this.#uuid, cycle }))
    this.#isCycleDone = true
  }

  async #apply(snapshot: RecurrenceSnapshot): Promise<void> {
    this.#snapshot = snapshot
    upsertVisibility([
      { key: SEARCH_ATTRIBUTES.status, value: recurrenceMachine.statusOf(snapshot.state) },
      { key: SEARCH_ATTRIBUTES.provider, value: snapshot.connectionUuid },
    ])
    setCurrentDetails(RECURRENCE_STATUS_DETAILS[snapshot.state])
    await startFollowUps(snapshot, this.#inbox.timeScale)
  }

  async #handleCancel(): Promise<CancelRecurrenceResult> {
    await condition(() => this.#hasResult)
    if (!recurrenceMachine.accepts(this.state, 'cancelled')) return { kind: 'closed', state: this.state }
    this.#unansweredCalls = 0 // A caller requested it: cancel now, not on the schedule.
    return new Promise(resolve => this.#cancellations.push(resolve))
  }

  /** Completes all waiting updates; without an answer of the provider the request stays. */
  #answerCancellations(answer: CancelRecurrenceResult): void {
    for (const resolve of this.#cancellations.splice(0)) resolve(answer)
  }

  /** Continues as new, unless a caller waits for an update of this run. */
  async #continueRun(input: RecurrenceInput | ReopenedInput): Promise<void> {
    if (allHandlersFinished()) await continueAsNew<typeof recurrenceWorkflow>(input)
  }

  #timeAfter(waitMs: number): number {
    return Date.now() + scaleWait(waitMs, this.#inbox.timeScale)
  }
}

const RECURRENCE_STATUS_DETAILS: Record<RecurrenceState, string> = {
  creating: 'Being created: candidate providers are called in order',
  pending: 'Created: waiting for the bank of the payer',
  processing: 'At the bank of the payer, who decides',
  active: 'Active: a charge is created for each cycle',
  rejected: 'Rejected by the payer or their bank',
  expired: 'Expired: it was not authorized in time',
  cancelled: 'Cancelled',
  ended: 'Ended: its last day has passed',
  failed: 'Failed: no provider has created it',
}
