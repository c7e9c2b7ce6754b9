/** Every wait of every workflow, with its reason. `TRILHO_TIME_SCALE` divides them all, for tests and storms. */

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Intervals of polling a provider whose answer is missing (SPEC §6); the last one repeats. */
const ASK_AGAIN_MS = [5 * SECOND, 10 * SECOND, 30 * SECOND, MINUTE, 5 * MINUTE, HOUR]

/** Intervals of sending a verification code again after a failure; the last one repeats until the code expires. */
const SEND_CODE_AGAIN_MS = [SECOND, 5 * SECOND, 15 * SECOND, 30 * SECOND, MINUTE]

const MED_LOOKS_MS = [15 * SECOND, 30 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 6 * HOUR]

export const WAITS = {
  /** Before the next poll, after `asked` polls without an answer. */
  askAgain: (asked: number) => ASK_AGAIN_MS[Math.min(asked, ASK_AGAIN_MS.length) - 1] ?? SECOND,
  /** Before the next attempt, after `tries` failures (SPEC §9). */
  sendCodeAgain: (tries: number) =>
    SEND_CODE_AGAIN_MS[Math.min(tries, SEND_CODE_AGAIN_MS.length) - 1] ?? SECOND,
  /** The rail may settle up to 40 s after the payload has expired (SPEC §2). */
  afterExpiry: MINUTE,
  /** The second "not found" that proves a sending never arrived comes this long after the first (SPEC §6). */
  secondLook: MINUTE,
  /** A refused or unreachable return is tried again: there is no other provider for it. */
  returnAgain: 15 * MINUTE,
  /** A scheduled transfer that found no balance or no provider is tried again (SPEC §4). */
  transferAgain: 15 * MINUTE,
  /** A scheduled transfer that could not be sent for this long is EXPIRED. */
  transferGivenUp: 24 * HOUR,
  /**
   * Before an unresolved dispute is polled again, after `looked` polls since it last changed: some providers notify of no
   * decision, and notifications may be lost. The last one repeats.
   */
  medLook: (looked: number) => MED_LOOKS_MS[Math.min(looked, MED_LOOKS_MS.length) - 1] ?? MINUTE,
  /** After this long, operators are alerted to an unknown outcome (SPEC §6). */
  tellOperator: 10 * MINUTE,
  /** A webhook's replaced signing secret still signs for this long (SPEC §8). */
  rotationGrace: 24 * HOUR,
  /** A delivery that is overdue by this much has lost its workflow: the sweep starts another one. */
  deliveryForgotten: 5 * MINUTE,
}

/** A wait as this process runs it, at least one millisecond. */
export function scaled(waitMs: number, timeScale: number): number {
  return Math.max(1, Math.round(waitMs / timeScale))
}
