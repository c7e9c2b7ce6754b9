import type { AttemptState } from '../../domain/providers/attempt.ts'
import { PACED } from '../../domain/providers/provider.ts'

type AttemptToShow = { state: AttemptState; code: string | null; preparedAt: Date | null }

/**
 * Returns the state of an attempt as pages show it. Of a payout that is not sent yet it says why: `waiting` for its turn in the pace of
 * its provider, or `prepared` there as well.
 */
export function getShownAttemptState({
  state,
  code,
  preparedAt,
}: AttemptToShow): AttemptState | 'prepared' | 'waiting' {
  if (state === 'preparing' && preparedAt) return 'prepared'
  return code === PACED && (state === 'preparing' || state === 'calling') ? 'waiting' : state
}
