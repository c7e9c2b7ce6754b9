import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { StartupRefusal } from './startup-refusal.ts'

const RETRY_INTERVAL_MS = 1_000
/** Between two warnings about one server. */
const WARNING_INTERVAL_MS = 30_000

/**
 * Repeats `connect` every second until it succeeds, with a warning every half minute. A `StartupRefusal` is thrown at once;
 * every other error counts as a server that is away. Once `signal` is aborted nothing is tried any more, and nothing settles.
 */
export async function waitForServer<T>(
  connect: () => Promise<T>,
  { log, server, signal }: { log: Logger; server: 'PostgreSQL' | 'Temporal'; signal?: AbortSignal },
): Promise<T> {
  let warnedAtMs = Number.NEGATIVE_INFINITY
  for (;;) {
    try {
      return await connect()
    } catch (error) {
      if (signal?.aborted) return new Promise<never>(() => {})
      if (error instanceof StartupRefusal) throw error
      if (performance.now() - warnedAtMs >= WARNING_INTERVAL_MS) {
        log.warn({ code: Object(error).code }, `${server} does not answer; the process waits for it`)
        warnedAtMs = performance.now()
      }
      await pause(RETRY_INTERVAL_MS, undefined, { signal }).catch(() => {}) // An abort is seen by the next attempt.
    }
  }
}
