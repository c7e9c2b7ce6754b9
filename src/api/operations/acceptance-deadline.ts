import { type Query, query } from '../../db/pipeline/query.ts'
import { MIN_TO_START_MS } from '../limits.ts'
import { getRequestDeadline } from '../middleware/request-deadline.ts'

/**
 * Queries the acceptance deadline of an order without an Idempotency-Key, as ISO 8601 UTC by PostgreSQL's clock: a
 * worker on another machine compares it with that clock. It is PostgreSQL's `now()` plus the time left to the request
 * when the result arrives. A late result makes the deadline earlier, never later than the request's own.
 */
export function queryAcceptanceDeadline(): Query<string> {
  const deadline = getRequestDeadline()
  return query('select now() as at', [], ([row]) => {
    const databaseNowMs = new Date(row!.at as string | Date).getTime()
    return new Date(databaseNowMs + deadline.remainingMs - MIN_TO_START_MS).toISOString()
  })
}
