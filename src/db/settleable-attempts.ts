import type { SeenAttempt } from '../domain/money-out.ts'
import { silentSince, UNDER_WAY } from './attempts.ts'
import type { Attempt } from './entities/attempt.ts'

/** Which attempt an operator may settle: the one that was shown, as long as nothing has changed it since. */

/**
 * Finds the attempt that an operator saw among all attempts at its operation; undefined where it has been sent again, has
 * ended, or has just been accepted, so that what the operator found out may be about something else.
 */
export function settleableAttempt(
  attempts: Attempt[],
  seen: SeenAttempt,
  timeScale: number,
): Attempt | undefined {
  return attempts.find(
    one => one.uuid === seen.attempt && one.sendings === seen.sending && isSettleable(one, timeScale),
  )
}

/** Unknown, or under way without news for so long that the provider ought to have told. */
function isSettleable({ state, updatedAt }: Attempt, timeScale: number): boolean {
  return state === 'unknown' || (UNDER_WAY.includes(state) && updatedAt < silentSince(timeScale))
}

/** The attempt that counts now: the live one, or the last where all have ended. */
export function currentAttempt(attempts: Attempt[]): Attempt | undefined {
  const isLive = ({ state }: Attempt) => state === 'unknown' || UNDER_WAY.includes(state)
  return attempts.find(isLive) ?? attempts.at(-1)
}
