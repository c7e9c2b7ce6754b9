import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { StartupRefusal } from '../domain/errors/startup-refusal.ts'

const RETRY_INTERVAL_MS = 1_000
const WARNING_INTERVAL_MS = 30_000

/**
 * Waits for a server: repeats `connect` every second until it succeeds, with a warning every half minute. A
 * `StartupRefusal` is thrown at once; any other error counts as an unreachable server. Once `signal` is aborted there
 * are no more attempts, and the promise never settles.
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
      await pause(RETRY_INTERVAL_MS, undefined, { signal }).catch(() => {}) // The next attempt checks for an abort.
    }
  }
}

/** gRPC status codes: not found, permission denied, unimplemented, unauthenticated. */
const [NOT_FOUND, PERMISSION_DENIED, UNIMPLEMENTED, UNAUTHENTICATED] = [5, 7, 12, 16]

/** Classifies an error of `describeNamespace`: `StartupRefusal` for a wrong setting, undefined if waiting may help. */
export function classifyTemporalError(error: unknown): StartupRefusal | undefined {
  switch (Object(error).code) {
    case NOT_FOUND:
      return new StartupRefusal(
        'TEMPORAL_NAMESPACE names a namespace that the Temporal server does not have: correct it or run `trilho prepare-temporal`',
      )
    case PERMISSION_DENIED:
    case UNAUTHENTICATED:
      return new StartupRefusal(
        'The Temporal server at TEMPORAL_ADDRESS does not let this process use TEMPORAL_NAMESPACE: correct the address, the namespace, or TEMPORAL_API_KEY and the client certificate',
      )
    case UNIMPLEMENTED:
      return new StartupRefusal(
        'The server at TEMPORAL_ADDRESS is not a Temporal server: correct the address and the port',
      )
    default:
      return undefined
  }
}
