import type { AttemptVersion } from '../../domain/payouts/payout-kind.ts'
import type { Attempt } from '../entities/attempt.ts'
import { getManualSettlementCutoff, PENDING_ATTEMPT_STATES } from './attempts.ts'

/** Which attempt an operator may settle: the one that was shown, as long as nothing has changed it since. */

/**
 * Finds the attempt that an operator saw among all attempts at its operation; undefined where it has been sent again, has
 * ended, or has just been accepted, so that what the operator found out may be about something else.
 */
export function findSettleableAttempt(
  attempts: Attempt[],
  seen: AttemptVersion,
  timeScale: number,
): Attempt | undefined {
  return attempts.find(
    one => one.uuid === seen.attempt && one.sendings === seen.sending && isSettleable(one, timeScale),
  )
}

/** Unknown, or under way without news for so long that the provider ought to have told. */
function isSettleable({ state, updatedAt }: Attempt, timeScale: number): boolean {
  return (
    state === 'unknown' ||
    (PENDING_ATTEMPT_STATES.includes(state) && updatedAt < getManualSettlementCutoff(timeScale))
  )
}

/** The attempt that counts now: the live one, or the last where all have ended. */
export function findCurrentAttempt(attempts: Attempt[]): Attempt | undefined {
  const isLive = ({ state }: Attempt) => state === 'unknown' || PENDING_ATTEMPT_STATES.includes(state)
  return attempts.find(isLive) ?? attempts.at(-1)
}
