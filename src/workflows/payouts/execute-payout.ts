import {
  ActivityFailure,
  CancellationScope,
  CancelledFailure,
  isCancellation,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow'
import { hasArrived } from '../../domain/payouts/order-difference.ts'
import { scaleWait, WAITS } from '../../domain/shared/intervals.ts'
import type { ManualSettlement, PollResult, SendResult } from '../contracts/payouts.ts'
import { SEARCH_ATTRIBUTES } from '../contracts/search-attributes.ts'
import {
  anyWorkerActivities,
  dbActivities,
  type PayoutActivities,
  payoutActivities,
} from '../shared/activity-proxies.ts'
import { AbsenceProof, type ProviderInbox } from '../shared/provider-inbox.ts'

/** The activities of one payout at one connection, as `executePayout` calls them. */
export type PayoutPort = {
  connectionUuid: string
  /**
   * `isResend`: the absence of the earlier sending is proved. A restored payout is polled instead of sent.
   * `activities`: those of any worker, where the one before could not connect.
   */
  send: (isResend: boolean, activities: PayoutActivities) => Promise<PollResult>
  /** `pollCount`: number of polls before; `canAnswerFromRow`: a final outcome is answered from the row. */
  poll: (pollCount: number, canAnswerFromRow?: boolean) => Promise<PollResult>
  /** The same payout at another connection, where it may go through several. */
  forConnection?: (connectionUuid: string) => PayoutPort
  /** Applies an operator's manual settlement where the provider cannot tell the outcome. */
  settleManually: (settlement: ManualSettlement) => Promise<SendResult>
  /** Called with every result of `send` and `poll`; not where the worker was lost. */
  onResult?: (result: PollResult) => void
  /** Called with every outcome that is not final: accepted and in process, or unknown. */
  onPending: (kind: 'in_process' | 'unknown') => void
  inbox: ProviderInbox
}

/** One payout in its workflow; its noun is part of the names of its activities. */
export type PayoutRun = Pick<PayoutPort, 'onPending' | 'inbox'> & {
  noun: 'Transfer' | 'Refund' | 'Return'
  uuid: string
}

/** Creates the activities of a payout at one connection, except `send`. */
export function createPollingPort(
  { noun, uuid, inbox, onPending }: PayoutRun,
  connectionUuid: string,
): Omit<PayoutPort, 'send'> {
  return {
    connectionUuid,
    poll: (pollCount, canAnswerFromRow = false) =>
      inbox.pollActivities[`poll${noun}`]({ uuid, connectionUuid, pollCount, canAnswerFromRow }),
    settleManually: signal => dbActivities[`manuallySettle${noun}`]({ uuid, connectionUuid, signal }),
    onPending,
    inbox,
  }
}

/** Outcome after which the payout is neither polled nor sent again through this connection. */
export type TerminalOutcome = Extract<SendResult, { kind: 'settled' | 'rejected' | 'unreachable' }>

/** Tells whether a payout settled while the look-up of its returns failed: its connection is polled again. */
export function hasUnknownReturns(result: PollResult): boolean {
  return result.kind === 'settled' && result.returnsUnknown === true
}

/**
 * Sends a payout once through one provider, then polls that provider until the outcome is final (SPEC §6). It is sent again,
 * by the same id, only after two "not found" after the settle window have proved that it never arrived, or after its
 * request could not leave the worker.
 */
export async function executePayout(port: PayoutPort): Promise<TerminalOutcome> {
  let current = port
  current.inbox.enableManualSettlement()
  const alert = new UnknownOutcomeAlert(current.inbox.timeScale)
  let absenceProof = new AbsenceProof(current.inbox.timeScale)
  let wasAccepted = false
  let unconnectedSendings = 0
  let resendCount = 0
  let result: PollResult = await sendPayoutOnce(current, false)
  for (let pollCount = 0; ; pollCount++) {
    const scheduledMs = WAITS.nextPoll(pollCount + 1)
    let waitMs: number | null = scheduledMs
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
        result = await sendPayoutOnce(current, false, anyWorkerActivities)
        pollCount = -1
        continue
      case 'redirect':
        // The workflow's history was rolled back: the payout is polled at the connection of its live attempt.
        current = current.forConnection?.(result.connectionUuid) ?? current
        absenceProof = new AbsenceProof(current.inbox.timeScale)
        current.onPending('unknown')
        break
      case 'not_found':
        waitMs = absenceProof.recordNotFound(
          Math.max(result.settleWindowMs, WAITS.settleWindowAfter(resendCount)),
        )
        // Polled on the schedule too: a payout may be listed long before its absence can be proved.
        if (waitMs !== null) waitMs = Math.min(scheduledMs, waitMs)
        break
      case 'unknown':
        if (hasArrived(result.code)) absenceProof = new AbsenceProof(current.inbox.timeScale)
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
      absenceProof = new AbsenceProof(current.inbox.timeScale)
      pollCount = -1 // The polling schedule starts over with each sending.
      resendCount += 1
      // A manual settlement by an operator is applied before anything is sent a second time.
      const settlement = current.inbox.nextManualSettlement()
      result = settlement ? await current.settleManually(settlement) : await sendPayoutOnce(current, true)
      continue
    }
    await current.inbox.waitForNotification(waitMs, `${result.kind}: next poll`)
    // The provider may list a notified change only later: the polling schedule starts over.
    if (current.inbox.hasPending && wasAccepted) pollCount = -1
    const isNotified = current.inbox.hasNotification
    current.inbox.markProcessed(current.connectionUuid)
    const settlement = current.inbox.nextManualSettlement()
    result = settlement
      ? await current.settleManually(settlement)
      : await current.poll(pollCount + 1, !isNotified)
    current.onResult?.(result)
    // An accepted payout has arrived: "not found" proves no absence any more.
    if (result.kind === 'not_found' && wasAccepted) result = { kind: 'unknown', code: 'no_longer_found' }
  }
}

async function sendPayoutOnce(
  port: PayoutPort,
  isResend: boolean,
  activities: PayoutActivities = payoutActivities,
): Promise<PollResult> {
  const result = await orInterrupted(port.send(isResend, activities))
  if (result !== INTERRUPTED) port.onResult?.(result)
  return result
}

/** Outcome of a call whose worker was lost. */
export const INTERRUPTED = { kind: 'unknown', code: 'interrupted' } as const

/** Awaits an activity that Temporal does not retry; the loss of its worker during the call is the outcome unknown. */
export async function orInterrupted<Result>(call: Promise<Result>): Promise<Result | typeof INTERRUPTED> {
  try {
    return await call
  } catch (error) {
    if (isWorkerLoss(error)) return INTERRUPTED
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
