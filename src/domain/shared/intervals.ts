import { PACED } from '../providers/provider.ts'

/** Every wait of every workflow, with its reason. `TRILHO_TIME_SCALE` divides them all, for tests and storms. */

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** Intervals of polling a provider whose answer is missing (SPEC §6); the last one repeats. */
const POLL_INTERVALS_MS = [5 * SECOND, 10 * SECOND, 30 * SECOND, MINUTE, 5 * MINUTE, HOUR]

/** Polls whose intervals have reached a minute. */
const POLLS_TO_A_MINUTE = 3

/** Intervals of sending an auth code or a link again after a failure; the last one repeats until it expires. */
const MESSAGE_RETRY_INTERVALS_MS = [SECOND, 5 * SECOND, 15 * SECOND, 30 * SECOND, MINUTE]

/** Intervals of reading how far the last items of a batch are; the last one repeats. */
const BATCH_POLL_INTERVALS_MS = [SECOND, 2 * SECOND, 5 * SECOND, 15 * SECOND, MINUTE, 5 * MINUTE]

const DISPUTE_POLL_INTERVALS_MS = [15 * SECOND, 30 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 6 * HOUR]

export const WAITS = {
  /** Before the next poll, after `polls` without an answer. */
  nextPoll: (polls: number) => POLL_INTERVALS_MS[Math.min(polls, POLL_INTERVALS_MS.length) - 1] ?? SECOND,
  /**
   * Before money is sent again by the same id, after `sendings` requests that could not leave their worker while another
   * worker reaches the provider: Temporal may give the next one to any worker.
   */
  sendAgain: (sendings: number) => Math.min((SECOND / 2) * 2 ** (sendings - 1), 2 * SECOND),
  /**
   * Longest wait of a payout for its turn in the pace of a provider while another provider may take it: an instant payment is expected
   * within seconds, and the order of the providers is the merchant's preference, which a short wait is worth.
   */
  turnBeforeNextProvider: 10 * SECOND,
  /** Longest wait of a payout for its turn where no other provider takes it: its money is held meanwhile. Then it is not sent. */
  turn: HOUR,
  /** Before a provider that has not answered is asked again to prepare a payout, which moves nothing. */
  prepareAgain: SECOND,
  /** Before a message is sent again, a code (SPEC §9) or a link, after `attempts` that failed. */
  nextMessageAttempt: (attempts: number) =>
    MESSAGE_RETRY_INTERVALS_MS[Math.min(attempts, MESSAGE_RETRY_INTERVALS_MS.length) - 1] ?? SECOND,
  /** Before an unpaid charge expires: the rail may settle up to 40 s after the expiry of the payload (SPEC §2). */
  settlementGraceAfterExpiry: MINUTE,
  /**
   * After an operator has confirmed that a charge was not paid, before an answer of its provider ends the charge: the list of
   * its payments may lag behind the charge (SPEC §2).
   */
  endAfterConfirmation: HOUR,
  /**
   * After a settled PIX for a charge that only some may pay, for a payer that its provider reports in a notification only; then the
   * payer counts as unknown.
   */
  payerReport: 10 * MINUTE,
  /** Between the two "not found" that prove that a request never arrived (SPEC §6). */
  absenceConfirmation: MINUTE,
  /**
   * Shortest settle window after `resends` repeated sendings that were proved absent: a payout that its provider refuses in words
   * that no table lists is repeated after an hour, then every six hours, because each sending may cost a look-up of its key. The
   * fourth is not delayed: identical refusals count then (`countRepeatedRefusal`).
   */
  settleWindowAfter: (resends: number) => [0, HOUR, 0][resends] ?? 6 * HOUR,
  /** From the first of at least three sendings, refused alike and proved absent, until their refusal counts (SPEC §6). */
  countRepeatedRefusal: HOUR,
  /** Before a return is sent again that found its provider unreachable: there is no other provider for it. */
  retryReturn: 15 * MINUTE,
  /** Before a scheduled transfer is tried again that found no balance or no provider (SPEC §4). */
  retryTransfer: 15 * MINUTE,
  /** Before the next item of a batch is tried again that found no balance, a pause or a blocked account: what ends these tells nobody. */
  retryBatch: MINUTE,
  /** Before the items of a batch that are on their way are read again, after `polls`. */
  nextBatchPoll: (polls: number) =>
    BATCH_POLL_INTERVALS_MS[Math.min(polls, BATCH_POLL_INTERVALS_MS.length) - 1] ?? SECOND,
  /** Before a report is tried again that found another one being built: of its account, or by its worker. */
  reportTurn: 5 * SECOND,
  /**
   * Before the merchant's server is asked about an order, so that the request of the order has been answered by then; as Asaas' withdrawal
   * validation has it.
   */
  firstCallout: 5 * SECOND,
  /** Before a call-out that was not answered is requested again. */
  retryCallout: 10 * SECOND,
  /** A scheduled transfer that could not be sent for this long is EXPIRED. */
  expireTransferAfter: DAY,
  /**
   * Before an unresolved dispute is polled again, after `polls` since it last changed: some providers notify of no decision,
   * and notifications may be lost. The last one repeats.
   */
  nextDisputePoll: (polls: number) =>
    DISPUTE_POLL_INTERVALS_MS[Math.min(polls, DISPUTE_POLL_INTERVALS_MS.length) - 1] ?? MINUTE,
  /**
   * Before a recurrence whose creation has no answer is looked up again, after `lookUps`: at 1 and at 10 minutes, because providers list
   * a new recurrence later than they make it. Two look-ups that do not find it prove that it is absent.
   */
  nextRecurrenceLookUp: (lookUps: number) => [MINUTE, 9 * MINUTE][lookUps] ?? 10 * MINUTE,
  /** Before a recurrence is polled again that its payer has not decided about; its provider may notify of it, or lose the notification. */
  pendingRecurrencePoll: HOUR,
  /** Before an authorized recurrence is polled again: its payer may revoke it in their bank, and its notification may be lost. */
  activeRecurrencePoll: DAY,
  /**
   * An unknown sending through a provider that can only be sent the same order again is repeated for this long: providers document no
   * longer life of an idempotency key. Then it is the operator's.
   */
  repeatToFind: 10 * MINUTE,
  /** After this long, operators are alerted to an unknown outcome (SPEC §6). */
  alertOperatorAfter: 10 * MINUTE,
  /** A webhook's replaced signing secret still signs for this long (SPEC §8). */
  rotationGrace: DAY,
  /** A delivery that is overdue by this much has lost its workflow: the sweep starts another one. */
  deliveryOverdue: 5 * MINUTE,
}

/**
 * Counts the polls that lengthen the wait for the next one, by the code of the last answer: a poll that was not made because of its
 * provider's pace is repeated within a minute, however long the payout has been polled.
 */
export function countPolls(pollCount: number, code: string): number {
  return code === PACED ? Math.min(pollCount, POLLS_TO_A_MINUTE) : pollCount
}

/** Divides a wait by the time scale; at least one millisecond. */
export function scaleWait(waitMs: number, timeScale: number): number {
  return Math.max(1, Math.round(waitMs / timeScale))
}
