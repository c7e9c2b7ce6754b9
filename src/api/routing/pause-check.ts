import type { Connection } from '../../db/entities/connection.ts'
import type { MoneyDirection } from '../../db/entities/pause.ts'
import { mapQuery, type Query } from '../../db/pipeline/query.ts'
import { queryIsPaused } from '../../db/repositories/pauses.ts'
import { fail } from '../../http/api-error.ts'
import { PAUSED_RETRY_S } from '../../http/limits.ts'

/** Returns the candidates that are not paused for a direction; fails with 503 where all are paused (SPEC §9). */
export function requireUnpausedConnections(candidates: Connection[], direction: MoneyDirection): string[] {
  const unpaused = candidates.filter(
    connection => !(direction === 'in' ? connection.isPausedIn : connection.isPausedOut),
  )
  if (unpaused.length === 0) failPaused()
  return unpaused.map(({ uuid }) => uuid)
}

/**
 * Queries whether payouts of one connection are paused, for a refund or return, which has no other connection. Fails
 * with 503 when the result is read.
 */
export function queryPayoutPause(connectionUuid: string): Query<void> {
  return mapQuery(queryIsPaused(connectionUuid, 'out'), isNow => void (isNow && failPaused()))
}

function failPaused(): never {
  fail('paused', { retryAfterS: PAUSED_RETRY_S })
}
