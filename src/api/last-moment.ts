import { type Question, question } from '../db/questions.ts'
import { requestDeadline } from './deadline.ts'
import { LEAST_TO_BEGIN_MS } from './limits.ts'

/**
 * Until when a workflow may take an order without a key, as ISO 8601 UTC by PostgreSQL's clock, because a worker on another
 * machine compares with it. It is what PostgreSQL's clock showed, and what is left of the request when that is heard: hearing
 * it late makes the moment earlier, never later than the request's own.
 */
export function lastMoment(): Question<string> {
  const deadline = requestDeadline()
  return question('select now() as at', [], ([row]) => {
    const askedAt = new Date(row!.at as string | Date).getTime()
    return new Date(askedAt + deadline.leftMs - LEAST_TO_BEGIN_MS).toISOString()
  })
}
