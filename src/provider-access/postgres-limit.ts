import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'

/** Longest wait for PostgreSQL before the call of a provider goes on without it, in milliseconds. */
const MAX_WAIT_MS = 1_000

/** Runs work at PostgreSQL; undefined where it fails or does not answer in time. */
export type AskPostgres = <Answer>(work: () => Promise<Answer>) => Promise<Answer | undefined>

/**
 * Creates the function by which a call of a provider asks PostgreSQL for what it can do without: a failure is logged by its code, and
 * the call is not delayed for more than a second.
 */
export function createPostgresLimit(log: Logger): AskPostgres {
  return async work => {
    const isAnswered = new AbortController()
    const tooLate = sleep(MAX_WAIT_MS, undefined, { signal: isAnswered.signal }).then(
      () => logFailure('timeout'),
      () => undefined,
    )
    const answer = work().catch((error: unknown) => logFailure(Object(error).code))
    try {
      return await Promise.race([answer, tooLate])
    } finally {
      isAnswered.abort()
    }
  }

  function logFailure(code: unknown): undefined {
    log.warn({ code }, 'PostgreSQL does not share what a provider call needs: this process goes on alone')
    return undefined
  }
}
