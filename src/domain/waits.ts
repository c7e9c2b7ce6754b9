/** Every wait of every life, with its reason. `TRILHO_TIME_SCALE` divides them all, for tests and storms. */

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** SPEC §6: how long to wait before asking a provider again whose answer is missing; the last one repeats. */
const ASK_AGAIN_MS = [5 * SECOND, 10 * SECOND, 30 * SECOND, MINUTE, 5 * MINUTE, HOUR]

export const WAITS = {
  /** Before the next question, after `asked` questions without an answer. */
  askAgain: (asked: number) => ASK_AGAIN_MS[Math.min(asked, ASK_AGAIN_MS.length) - 1] ?? SECOND,
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
  /** From here on an unknown outcome is told to the operator (SPEC §6). */
  tellOperator: 10 * MINUTE,
}

/** A wait as this process runs it, at least one millisecond. */
export function scaled(waitMs: number, timeScale: number): number {
  return Math.max(1, Math.round(waitMs / timeScale))
}
