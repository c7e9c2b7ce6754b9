import type { Connection } from '../../db/entities/connection.ts'
import type { MoneyDirection } from '../../db/entities/pause.ts'
import { mapQuery, type Query } from '../../db/pipeline/query.ts'
import { queryIsPaused } from '../../db/repositories/pauses.ts'
import { fail } from '../http/api-error.ts'
import { PAUSED_RETRY_S } from '../limits.ts'

/** The candidates through which something new may begin; 503 where all of them are paused (SPEC §9). */
export function requireUnpausedConnections(candidates: Connection[], direction: MoneyDirection): string[] {
  const left = candidates.filter(one => !(direction === 'in' ? one.isPausedIn : one.isPausedOut))
  if (left.length === 0) failPaused()
  return left.map(({ uuid }) => uuid)
}

/** The same of money that can only go back through the connection it came by: hearing the answer refuses. */
export function queryPayoutPause(connectionUuid: string): Query<void> {
  return mapQuery(queryIsPaused(connectionUuid, 'out'), isNow => void (isNow && failPaused()))
}

function failPaused(): never {
  fail('paused', { retryAfterS: PAUSED_RETRY_S })
}
