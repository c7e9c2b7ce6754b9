import {
  ActivityFailure,
  CancellationScope,
  CancelledFailure,
  isCancellation,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow'
import { scaleWait, WAITS } from '../../domain/shared/intervals.ts'
import type { ManualSettlement, PollResult, SendResult } from '../contracts/payouts.ts'
import { SEARCH_ATTRIBUTES } from '../contracts/search-attributes.ts'
import { AbsenceProof, type ProviderInbox } from '../shared/provider-inbox.ts'

/** Sends a payout through one connection and polls it there. */
export type PayoutPort = {
  connectionUuid: string
  /** `isRepeat`: only after the earlier sending was proved absent. A payout that may not be sent any more is polled. */
  send: (isRepeat: boolean) => Promise<PollResult>
  /** `pollCount`: number of polls before; `canAnswerFromRow`: a final outcome is answered from the row. */
  poll: (pollCount: number, canAnswerFromRow?: boolean) => Promise<PollResult>
  /** The same of another connection, where one operation may go through several. */
  forConnection?: (connectionUuid: string) => PayoutPort
  /** Applies an operator's manual settlement where the provider cannot tell the outcome. */
  settleManually: (settlement: ManualSettlement) => Promise<SendResult>
  /** Called with every result of an activity; not where its worker was lost. */
  onResult?: (result: PollResult) => void
  /** Called with every outcome that is not final: accepted and in process, or unknown. */
  onPending: (kind: 'in_process' | 'unknown') => void
  inbox: ProviderInbox
}

export type TerminalOutcome = Extract<SendResult, { kind: 'settled' | 'rejected' | 'unreachable' }>

/** Tells whether a payout settled while the look-up of its returns failed: its connection is polled again. */
export function hasUnknownReturns(result: PollResult): boolean {
  return result.kind === 'settled' && result.returnsUnknown === true
}

/**
 * Sends money once through one provider and asks that provider until it knows (SPEC §6). Nothing is sent a second time
 * unless two "not found" after the settle window have proved that the first never arrived, or its request could not
 * leave the worker; then by the same id, and that answer counts as a first one.
 */
export async function executePayout(port: PayoutPort): Promise<TerminalOutcome> {
  let current = port
  current.inbox.enableManualSettlement()
  const alert = new UnknownOutcomeAlert(current.inbox.timeScale)
  let absence = new AbsenceProof(current.inbox.timeScale)
  let wasAccepted = false
  let unconnectedSendings = 0
  let result: PollResult = await sendPayoutOnce(current, false)
  for (let pollCount = 0; ; pollCount++) {
    let waitMs: number | null = WAITS.nextPoll(pollCount + 1)
    switch (result.kind) {
      case 'settled':
      case 'rejected':
      case 'unreachable':
        alert.clear()
        current.inbox.disableManualSettlement()
        return result
      case 'not_started':
        result = await sendPayoutOnce(current, false)
        pollCount = -1
        continue
      case 'not_connected':
        unconnectedSendings += 1
        await sleep(scaleWait(WAITS.sendAgain(unconnectedSendings), current.inbox.timeScale), {
          summary: 'its worker reached no provider: send again',
        })
        result = await sendPayoutOnce(current, false)
        pollCount = -1
        continue
      case 'redirect':
        // The history was rolled back: the operation goes on where its rows say that it is.
        current = current.forConnection?.(result.connectionUuid) ?? current
        absence = new AbsenceProof(current.inbox.timeScale)
        current.onPending('unknown')
        break
      case 'not_found':
        // Polled on the schedule too: a payout may be listed long before its absence can be proved.
        waitMs = earliestWaitMs(waitMs, absence.recordNotFound(result.settleWindowMs))
        break
      case 'unknown':
        // An order that awaits approval exists at the provider.
        if (result.code === 'awaiting_approval') absence = new AbsenceProof(current.inbox.timeScale)
        alert.markUnknown()
        current.onPending('unknown')
        break
      case 'in_process':
        // An accepted payout settles soon, however long its outcome was unknown: polling starts over.
        if (!wasAccepted) {
          pollCount = 0
          waitMs = WAITS.nextPoll(1)
        }
        wasAccepted = true
        alert.clear()
        current.onPending('in_process')
    }
    if (waitMs === null) {
      absence = new AbsenceProof(current.inbox.timeScale)
      pollCount = -1 // The answer to a repeat counts as a first one.
      // A manual settlement by an operator is applied before anything is sent a second time.
      const settlement = current.inbox.nextManualSettlement()
      result = settlement ? await current.settleManually(settlement) : await sendPayoutOnce(current, true)
      continue
    }
    await current.inbox.waitForNotification(waitMs, `${result.kind}: next poll`)
    // A notification may run ahead of the provider's books: polling starts over.
    if (current.inbox.hasPending && wasAccepted) pollCount = -1
    const isNotified = current.inbox.hasNotification
    current.inbox.markProcessed(current.connectionUuid)
    const settlement = current.inbox.nextManualSettlement()
    result = settlement
      ? await current.settleManually(settlement)
      : await current.poll(pollCount + 1, !isNotified)
    current.onResult?.(result)
    // What a provider once had did arrive: that it does not find it now is one more missing answer.
    if (result.kind === 'not_found' && wasAccepted) result = { kind: 'unknown', code: 'no_longer_found' }
  }
}

/** The shorter wait; null where absence is proved. */
function earliestWaitMs(scheduledMs: number, proofMs: number | null): number | null {
  return proofMs === null ? null : Math.min(scheduledMs, proofMs)
}

/** Sends once; the loss of the worker during the call is the outcome unknown. */
async function sendPayoutOnce(current: PayoutPort, isRepeat: boolean): Promise<PollResult> {
  try {
    const result = await current.send(isRepeat)
    current.onResult?.(result)
    return result
  } catch (error) {
    if (isWorkerLoss(error)) return { kind: 'unknown', code: 'interrupted' }
    throw error
  }
}

/**
 * Tells whether an activity that Temporal does not retry ended with its worker or before its result was stored: its
 * outcome is unknown.
 */
export function isWorkerLoss(error: unknown): boolean {
  return error instanceof ActivityFailure && !(error.cause instanceof CancelledFailure)
}

/**
 * Sets search attribute TrilhoOutcome=unknown once an outcome has been unknown for `WAITS.alertOperatorAfter` (10 min,
 * scaled). A durable timer decides, not the clock: two readings of `Date.now()` may lie on either side of the limit when
 * a history is replayed.
 */
export class UnknownOutcomeAlert {
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
    void this.#timer.run(() => this.#raiseAfterDelay()).catch(ignoreCancellation)
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

function ignoreCancellation(error: unknown): void {
  if (!isCancellation(error)) throw error
}
