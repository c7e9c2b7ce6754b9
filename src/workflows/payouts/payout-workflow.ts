import {
  allHandlersFinished,
  CancellationScope,
  condition,
  continueAsNew,
  isCancellation,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow'
import { hasArrived } from '../../domain/payouts/order-difference.ts'
import { countPolls, scaleWait, WAITS } from '../../domain/shared/intervals.ts'
import {
  awaitResultUpdate,
  listCandidates,
  type ReopenedInput,
  type UnfinishedPayout,
} from '../contracts/orders.ts'
import type {
  Continuation,
  LookUpPayoutResult,
  PollResult,
  SendPayoutInput,
  SendResult,
} from '../contracts/payouts.ts'
import type { RefundInput } from '../contracts/refunds.ts'
import { SEARCH_ATTRIBUTES } from '../contracts/search-attributes.ts'
import type { TransferInput } from '../contracts/transfers.ts'
import type { ReturnPaymentInput } from '../contracts/unmatched.ts'
import {
  anyWorkerActivities,
  dbActivities,
  idempotentProviderActivities,
  payoutActivities,
} from '../shared/activity-proxies.ts'
import { AbsenceProof, ProviderInbox } from '../shared/provider-inbox.ts'
import { INTERRUPTED, orInterrupted } from '../shared/worker-loss.ts'
import { type SendingResult, sendThroughCandidates, type TerminalOutcome } from './candidates.ts'

type PayoutOrder = TransferInput | RefundInput | ReturnPaymentInput

type PayoutDetails = {
  /** Part of the names of its activities. */
  noun: 'Transfer' | 'Refund' | 'Return'
  /** Texts of the Temporal UI while the provider has accepted the payout, and while its outcome is unknown. */
  pendingDetails: Record<'in_process' | 'unknown', string>
}

/**
 * Money that leaves through a provider: what the workflows of a transfer, a refund and a return share (SPEC §6). A transfer
 * has several candidates, a refund and a return one. Handles the update `awaitResult`, provider notifications, manual
 * settlements, late notifications and continue-as-new.
 */
export class PayoutWorkflow {
  readonly uuid: string
  readonly inbox: ProviderInbox
  /** The payout is accepted, waits for its turn, or has ended: the update `awaitResult` completes. */
  hasResult = false
  /** The one connection of a refund or return; late notifications are resolved there. */
  connectionUuid: string | undefined
  /** A return that left no worker and is still to be sent: a run that only polls meanwhile passes that on. */
  isUnsent = false
  /** Given to the sending activity as long as the row may not exist: it stores the transfer with its first attempt. */
  orderToStore: TransferInput | undefined
  readonly #noun: PayoutDetails['noun']
  readonly #pendingDetails: PayoutDetails['pendingDetails']
  /** Input of the next run after continue-as-new. */
  #nextRunInput: PayoutOrder | ReopenedInput

  constructor(input: PayoutOrder | ReopenedInput, { noun, pendingDetails }: PayoutDetails) {
    this.uuid = 'reopen' in input ? input.reopen : input.uuid
    this.#noun = noun
    this.#pendingDetails = pendingDetails
    this.#nextRunInput = input
    this.inbox = new ProviderInbox(input.timeScale, () => this.#continueRun())
    setHandler(awaitResultUpdate, () => condition(() => this.hasResult), {
      description: 'Waits until a provider accepts the payout, or it fails',
    })
    const { continuation } = 'reopen' in input ? {} : input
    if (!continuation) return
    this.hasResult = !continuation.isUnstored
    this.inbox.resumeManualSettlement()
    for (const connectionUuid of continuation.pendingConnections ?? [])
      this.inbox.addConnection(connectionUuid)
  }

  /** Sends an order through its candidates, and polls each to its end before the next one. */
  send(order: PayoutOrder, candidates = listCandidates(order)): Promise<SendingResult> {
    return sendThroughCandidates(candidates, (connectionUuid, maxTurnWaitMs) => {
      this.#nextRunInput = {
        ...order,
        ...('candidates' in order && { candidates: candidates.slice(candidates.indexOf(connectionUuid)) }),
        continuation: continuationOf(order),
      }
      return this.#execute(connectionUuid, { maxTurnWaitMs })
    })
  }

  /**
   * Looks up a payout that was interrupted, at all connections that it may have gone through, and polls it to its end where
   * one has it. Sends nothing: where all have twice answered "not found", the last look-up closes it.
   */
  async lookUp(unfinished: UnfinishedPayout): Promise<TerminalOutcome> {
    const { uuid, inbox } = this
    let absenceProof = new AbsenceProof(inbox.timeScale)
    const alert = new UnknownOutcomeAlert(inbox.timeScale)
    let isFinalPoll = false
    inbox.enableManualSettlement()
    for (let pollCount = 0; ; pollCount++) {
      inbox.markProcessed()
      const result: LookUpPayoutResult = await idempotentProviderActivities[`lookUp${this.#noun}`]({
        uuid,
        ...unfinished,
        pollCount,
        isFinalPoll,
      })
      if (result.kind === 'found') {
        alert.clear()
        return this.#execute(result.connectionUuid, { isSent: true })
      }
      if (result.kind === 'rejected') return this.#complete(result, alert)
      if (result.kind === 'unknown' && result.code === 'awaiting_approval') {
        // An order that can be approved has arrived at its provider: no earlier "not found" counts.
        absenceProof = new AbsenceProof(inbox.timeScale)
        isFinalPoll = false
      }
      const waitMs: number | null =
        result.kind === 'not_found'
          ? absenceProof.recordNotFound(result.settleWindowMs)
          : WAITS.nextPoll(pollCount + 1)
      isFinalPoll ||= waitMs === null
      if (waitMs === null) continue
      if (result.kind === 'unknown') alert.markUnknown()
      this.#showPending('unknown')
      await inbox.waitForNotification(waitMs, `${result.kind}: next poll`)
      const outcome = await this.#settleManually(result.connectionUuid)
      if (outcome?.kind === 'settled' || outcome?.kind === 'rejected') return this.#complete(outcome, alert)
    }
  }

  /**
   * Reopens the workflow from its row: looks an unfinished payout up, or waits for the late notification that reopens a
   * completed one. Returns the outcome of the look-up.
   */
  async reopen({ unfinished, pendingConnections }: ReopenedInput): Promise<TerminalOutcome | undefined> {
    this.hasResult = true
    if (unfinished) {
      this.inbox.resumeManualSettlement()
      return this.lookUp(unfinished)
    }
    if (pendingConnections) this.inbox.seedPending(pendingConnections)
    await condition(() => this.inbox.hasPending)
    return undefined
  }

  /**
   * Polls the connections with pending notifications until they answer: a settlement after the failure, or a return by the
   * recipient. `applyResult` is called with each answer.
   */
  async pollLateUpdates(applyResult: (result: PollResult) => Promise<void>): Promise<void> {
    const { uuid, inbox } = this
    let connections = this.#drainNotifications()
    for (let pollCount = 0; connections.length > 0; pollCount++) {
      this.hasResult = true
      const pendingConnections: string[] = []
      for (const connectionUuid of connections) {
        const poll = inbox.pollActivities[`poll${this.#noun}`]
        const result = await poll({ uuid, connectionUuid, pollCount })
        await applyResult(result)
        if (result.kind === 'unknown' || hasUnknownReturns(result)) pendingConnections.push(connectionUuid)
      }
      this.#nextRunInput = {
        reopen: uuid,
        timeScale: inbox.timeScale,
        pendingConnections,
        ...(this.isUnsent && { isUnsent: true }),
      }
      if (pendingConnections.length > 0)
        await inbox.waitForNotification(WAITS.nextPoll(pollCount + 1), 'no response: next poll')
      connections = [...new Set([...pendingConnections, ...this.#drainNotifications()])]
    }
  }

  /**
   * Sends the payout once through one connection, then polls its provider until the outcome is final (SPEC §6). It is sent
   * again, by the same id, only after two "not found" after the settle window have proved that it never arrived, or after its
   * request did not leave the worker. `isSent`: the provider has the payout, which is polled in place of each sending.
   * `maxTurnWaitMs`: the longest time, unscaled, that it waits for its turn in the pace of the provider.
   */
  async #execute(
    candidate: string,
    { isSent = false, maxTurnWaitMs = 0 }: { isSent?: boolean; maxTurnWaitMs?: number },
  ): Promise<TerminalOutcome> {
    let connectionUuid = candidate
    const { inbox } = this
    const turnWait = new TurnWait(scaleWait(maxTurnWaitMs, inbox.timeScale))
    inbox.enableManualSettlement()
    const alert = new UnknownOutcomeAlert(inbox.timeScale)
    let absenceProof = new AbsenceProof(inbox.timeScale)
    let wasAccepted = false
    let unconnectedSendings = 0
    let resendCount = 0
    const sendOrPoll = (isResend: boolean, activities = payoutActivities): Promise<PollResult> =>
      isSent
        ? this.#pollSent(connectionUuid, 0)
        : this.#sendOnce({ connectionUuid, isResend, maxTurnWaitMs: turnWait.remainingMs }, activities)
    let result = await sendOrPoll(false)
    for (let pollCount = 0; ; pollCount++) {
      const scheduledMs = WAITS.nextPoll(pollCount + 1)
      let waitMs: number | null = scheduledMs
      switch (result.kind) {
        case 'settled':
        case 'rejected':
        case 'unreachable':
          if (hasUnknownReturns(result)) inbox.addConnection(connectionUuid)
          return this.#complete(result, alert)
        case 'not_started':
          result = await sendOrPoll(false)
          pollCount = -1
          continue
        case 'not_connected':
          unconnectedSendings += 1
          await sleep(scaleWait(WAITS.sendAgain(unconnectedSendings), inbox.timeScale), {
            summary: 'its worker reached no provider: send again',
          })
          result = await sendOrPoll(false, anyWorkerActivities)
          pollCount = -1
          continue
        case 'paced':
          turnWait.start()
          this.#showPending('paced')
          await sleep(result.retryAfterMs, { summary: 'waits for its turn in the pace of the provider' })
          result = await sendOrPoll(false)
          pollCount = -1
          continue
        case 'redirect':
          // The row is newer than the workflow's history: the payout is polled at the connection of its live attempt.
          connectionUuid = result.connectionUuid
          absenceProof = new AbsenceProof(inbox.timeScale)
          this.#showPending('unknown')
          break
        case 'not_found':
          waitMs = absenceProof.recordNotFound(
            Math.max(result.settleWindowMs, WAITS.settleWindowAfter(resendCount)),
          )
          // Polled on the schedule too: a payout may be listed long before its absence can be proved.
          if (waitMs !== null) waitMs = Math.min(scheduledMs, waitMs)
          break
        case 'unknown':
          if (hasArrived(result.code)) absenceProof = new AbsenceProof(inbox.timeScale)
          pollCount = countPolls(pollCount, result.code)
          waitMs = WAITS.nextPoll(pollCount + 1)
          alert.markUnknown()
          this.#showPending('unknown')
          break
        case 'in_process':
          // An accepted payout settles soon, however long its outcome was unknown: polling starts over.
          if (!wasAccepted) {
            pollCount = 0
            waitMs = WAITS.nextPoll(1)
          }
          wasAccepted = true
          alert.clear()
          this.#showPending('in_process')
      }
      if (waitMs === null) {
        absenceProof = new AbsenceProof(inbox.timeScale)
        pollCount = -1 // The polling schedule starts over with each sending.
        resendCount += 1
        // A manual settlement by an operator is applied before anything is sent a second time.
        result = (await this.#settleManually(connectionUuid)) ?? (await sendOrPoll(true))
        continue
      }
      await inbox.waitForNotification(waitMs, `${result.kind}: next poll`)
      // The provider may list a notified change only later: the polling schedule starts over.
      if (inbox.hasPending && wasAccepted) pollCount = -1
      const isNotified = inbox.hasNotification
      inbox.markProcessed(connectionUuid)
      result =
        (await this.#settleManually(connectionUuid)) ??
        (isSent
          ? await this.#pollSent(connectionUuid, pollCount + 1, !isNotified)
          : await this.#poll(connectionUuid, pollCount + 1, !isNotified))
      // An accepted payout has arrived: "not found" proves no absence any more.
      if (result.kind === 'not_found' && wasAccepted) result = { kind: 'unknown', code: 'no_longer_found' }
    }
  }

  /** Any result but `not_started` proves that the row is stored: it is never stored again. */
  #noteStored<Result extends PollResult>(result: Result): Result {
    if (result.kind !== 'not_started') this.orderToStore = undefined
    return result
  }

  async #sendOnce(
    sending: Omit<SendPayoutInput, 'uuid'>,
    activities: typeof payoutActivities,
  ): Promise<PollResult> {
    const order = this.orderToStore && { order: this.orderToStore }
    const call = activities[`send${this.#noun}`]({ uuid: this.uuid, ...sending, ...order })
    const result = await orInterrupted(call)
    // Where the worker was lost, the row may not exist.
    return result === INTERRUPTED ? result : this.#noteStored(result)
  }

  async #poll(connectionUuid: string, pollCount: number, canAnswerFromRow: boolean): Promise<PollResult> {
    const poll = this.inbox.pollActivities[`poll${this.#noun}`]
    return this.#noteStored(await poll({ uuid: this.uuid, connectionUuid, pollCount, canAnswerFromRow }))
  }

  async #pollSent(connectionUuid: string, pollCount: number, canAnswerFromRow = false): Promise<PollResult> {
    const result = await this.#poll(connectionUuid, pollCount, canAnswerFromRow)
    return result.kind === 'not_started' ? { kind: 'unknown', code: result.kind } : result
  }

  /** Applies the oldest manual settlement of an operator that is not applied yet, if there is one. */
  async #settleManually(connectionUuid: string): Promise<SendResult | undefined> {
    const signal = this.inbox.nextManualSettlement()
    return signal && dbActivities[`manuallySettle${this.#noun}`]({ uuid: this.uuid, connectionUuid, signal })
  }

  #complete(outcome: TerminalOutcome, alert: UnknownOutcomeAlert): TerminalOutcome {
    alert.clear()
    this.inbox.disableManualSettlement()
    return outcome
  }

  /** A request is answered while its payout waits for its turn: the row and its hold are stored. */
  #showPending(kind: 'in_process' | 'unknown' | 'paced'): void {
    this.hasResult ||= kind !== 'unknown'
    setCurrentDetails(kind === 'paced' ? PACED_DETAILS : this.#pendingDetails[kind])
  }

  /** Removes and returns the connections to be polled because of a notification. */
  #drainNotifications(): string[] {
    const connections = this.inbox.drain()
    return this.connectionUuid && connections.length > 0 ? [this.connectionUuid] : connections
  }

  /**
   * Continues as new. Passes on that the row may not exist, and the connections with unprocessed notifications, whose signals
   * are not delivered again.
   */
  async #continueRun(): Promise<void> {
    this.hasResult = true
    await condition(allHandlersFinished)
    let input = this.#nextRunInput
    if ('continuation' in input && input.continuation) {
      const { pendingConnections } = this.inbox
      const continuation = {
        ...input.continuation,
        ...(this.orderToStore && { isUnstored: true as const }),
        ...(pendingConnections.length > 0 && { pendingConnections }),
      }
      input = { ...input, continuation }
    }
    await continueAsNew(input)
  }
}

/** Text of the Temporal UI while a payout waits for its turn. */
const PACED_DETAILS = 'Not sent yet: waits for its turn in the pace of the provider'

/** The time that a payout may still wait for its turn at one provider; it runs from the first wait on. */
class TurnWait {
  readonly #maxWaitMs: number
  #endsAtMs: number | undefined

  constructor(maxWaitMs: number) {
    this.#maxWaitMs = maxWaitMs
  }

  start(): void {
    this.#endsAtMs ??= Date.now() + this.#maxWaitMs
  }

  get remainingMs(): number {
    return this.#endsAtMs === undefined ? this.#maxWaitMs : Math.max(0, this.#endsAtMs - Date.now())
  }
}

/** Tells whether a payout settled while the look-up of its returns failed: its connection is polled again. */
function hasUnknownReturns(result: PollResult): boolean {
  return result.kind === 'settled' && result.returnsUnknown === true
}

/** Returns what the next run learns of the earlier ones. It starts with the original candidates of a transfer. */
function continuationOf({ continuation, ...order }: PayoutOrder): Continuation {
  const candidates = continuation?.candidates ?? ('candidates' in order ? order.candidates : undefined)
  return {
    orderedAt: continuation?.orderedAt ?? workflowInfo().startTime.toISOString(),
    ...(candidates && { candidates }),
  }
}

/**
 * Sets search attribute TrilhoOutcome=unknown once an outcome has been unknown for `WAITS.alertOperatorAfter` (10 min,
 * scaled). A durable timer decides, not the clock: two readings of `Date.now()` may lie on either side of the limit when
 * a history is replayed.
 */
class UnknownOutcomeAlert {
  readonly #timeScale: number
  #timer: CancellationScope | undefined
  /** An earlier run may have set the attribute before continue-as-new. */
  #isRaised = workflowInfo().typedSearchAttributes.get(SEARCH_ATTRIBUTES.outcome) !== undefined

  constructor(timeScale: number) {
    this.#timeScale = timeScale
  }

  /** The outcome is unknown: starts the timer, unless it runs or has fired. */
  markUnknown(): void {
    if (this.#isRaised || this.#timer) return
    this.#timer = new CancellationScope()
    void this.#timer
      .run(() => this.#raiseAfterDelay())
      .catch(error => {
        if (!isCancellation(error)) throw error
      })
  }

  /** The outcome is known: stops the timer and removes the attribute. */
  clear(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    if (this.#isRaised) upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.outcome, value: null }])
    this.#isRaised = false
  }

  async #raiseAfterDelay(): Promise<void> {
    await sleep(scaleWait(WAITS.alertOperatorAfter, this.#timeScale), {
      summary: 'alert operators: outcome unknown',
    })
    this.#isRaised = true
    upsertSearchAttributes([{ key: SEARCH_ATTRIBUTES.outcome, value: 'unknown' }])
  }
}
