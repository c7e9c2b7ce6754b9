import { type Query, query } from '../../db/pipeline/query.ts'
import { MIN_TO_START_MS } from '../limits.ts'
import { getRequestDeadline } from '../middleware/request-deadline.ts'

/**
 * Until when a workflow may take an order without a key, as ISO 8601 UTC by PostgreSQL's clock, because a worker on another
 * machine compares with it. It is what PostgreSQL's clock showed, and what is left of the request when that is heard: hearing
 * it late makes the moment earlier, never later than the request's own.
 */
export function queryAcceptanceDeadline(): Query<string> {
  const deadline = getRequestDeadline()
  return query('select now() as at', [], ([row]) => {
    const askedAt = new Date(row!.at as string | Date).getTime()
    return new Date(askedAt + deadline.remainingMs - MIN_TO_START_MS).toISOString()
  })
}
