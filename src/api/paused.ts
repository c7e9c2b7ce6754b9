import type { Connection } from '../db/entities/connection.ts'
import type { MoneyDirection } from '../db/entities/pause.ts'
import { isPaused } from '../db/pauses.ts'
import { heardAs, type Question } from '../db/questions.ts'
import { refuse } from './errors.ts'
import { PAUSED_RETRY_S } from './limits.ts'

/** The candidates through which something new may begin; 503 where all of them are paused (SPEC §9). */
export function unpaused(candidates: Connection[], direction: MoneyDirection): string[] {
  const left = candidates.filter(one => !(direction === 'in' ? one.isPausedIn : one.isPausedOut))
  if (left.length === 0) refusePaused()
  return left.map(({ uuid }) => uuid)
}

/** The same of money that can only go back through the connection it came by: hearing the answer refuses. */
export function unpausedBack(connectionUuid: string): Question<void> {
  return heardAs(isPaused(connectionUuid, 'out'), isNow => void (isNow && refusePaused()))
}

function refusePaused(): never {
  refuse('paused', { retryAfterS: PAUSED_RETRY_S })
}
