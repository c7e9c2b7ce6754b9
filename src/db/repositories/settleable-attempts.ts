import type { AttemptVersion } from '../../domain/providers/attempt.ts'
import type { Attempt } from '../entities/attempt.ts'
import { getManualSettlementCutoff, PENDING_ATTEMPT_STATES } from './attempts.ts'

/** Selects the attempt that an operator may settle: the one that was shown, as long as it has not changed since. */

/**
 * Finds the attempt that the operator saw among all attempts at its operation; undefined if it has been sent again,
 * has ended, or has just been accepted, because the operator's finding may then be about another sending.
 */
export function findSettleableAttempt(
  attempts: Attempt[],
  expected: AttemptVersion,
  timeScale: number,
): Attempt | undefined {
  return attempts.find(
    one => one.uuid === expected.attempt && one.sendings === expected.sending && isSettleable(one, timeScale),
  )
}

/** Returns whether an attempt is unknown, or pending without an update since the cut-off of manual settlement. */
function isSettleable({ state, updatedAt }: Attempt, timeScale: number): boolean {
  return (
    state === 'unknown' ||
    (PENDING_ATTEMPT_STATES.includes(state) && updatedAt < getManualSettlementCutoff(timeScale))
  )
}

/** Returns the pending or unknown attempt, or else the last one. */
export function findCurrentAttempt(attempts: Attempt[]): Attempt | undefined {
  const isLive = ({ state }: Attempt) => state === 'unknown' || PENDING_ATTEMPT_STATES.includes(state)
  return attempts.find(isLive) ?? attempts.at(-1)
}
