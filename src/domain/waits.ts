/** Every wait of every life, with its reason. `TRILHO_TIME_SCALE` divides them all, for tests and storms. */

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** SPEC §6: how long to wait before asking a provider again whose answer is missing; the last one repeats. */
const ASK_AGAIN_MS = [5 * SECOND, 10 * SECOND, 30 * SECOND, MINUTE, 5 * MINUTE, HOUR]

/** How long a code that could not be sent waits for its next try; the last one repeats until the code expires. */
const SEND_CODE_AGAIN_MS = [SECOND, 5 * SECOND, 15 * SECOND, 30 * SECOND, MINUTE]

const MED_LOOKS_MS = [15 * SECOND, 30 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 6 * HOUR]

export const WAITS = {
  /** Before the next question, after `asked` questions without an answer. */
  askAgain: (asked: number) => ASK_AGAIN_MS[Math.min(asked, ASK_AGAIN_MS.length) - 1] ?? SECOND,
  /** Before the next try, after `tries` that failed (SPEC §9). */
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
   * Before an unresolved dispute is looked at again, after `looked` looks since it last changed: some providers tell of no
   * decision, and notices may be lost. The last one repeats.
   */
  medLook: (looked: number) => MED_LOOKS_MS[Math.min(looked, MED_LOOKS_MS.length) - 1] ?? MINUTE,
  /** From here on an unknown outcome is told to the operator (SPEC §6). */
  tellOperator: 10 * MINUTE,
  /** A webhook's replaced token signs as well for this long (SPEC §8). */
  rotationGrace: 24 * HOUR,
  /** A delivery that has not moved so long after it was due has lost its life: another one is begun. */
  deliveryForgotten: 5 * MINUTE,
}

/** A wait as this process runs it, at least one millisecond. */
export function scaled(waitMs: number, timeScale: number): number {
  return Math.max(1, Math.round(waitMs / timeScale))
}
