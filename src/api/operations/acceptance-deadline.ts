import { mapQuery, type Query } from '../../db/pipeline/query.ts'
import { CLOCK_QUERY } from '../../db/repositories/database-clock.ts'
import { MIN_TO_START_MS } from '../../http/limits.ts'
import { getRequestDeadline } from '../../http/request-deadline.ts'

/**
 * Queries the acceptance deadline of an order without an Idempotency-Key, as ISO 8601 UTC by PostgreSQL's clock: a
 * worker on another machine compares it with that clock. It is PostgreSQL's time plus the time left to the request
 * when the result arrives. A late result makes the deadline earlier, never later than the request's own.
 */
export function queryAcceptanceDeadline(): Query<string> {
  const deadline = getRequestDeadline()
  return mapQuery(CLOCK_QUERY, nowMs =>
    new Date(nowMs + deadline.remainingMs - MIN_TO_START_MS).toISOString(),
  )
}
