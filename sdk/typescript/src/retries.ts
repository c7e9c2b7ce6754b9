import type { ResponseInfo } from './response-info.ts'

/** When an attempt is repeated, and after which delay (Trilho's page of errors, "Whether to try again"). */

export type RetryPolicy = {
  /** Attempts of one call, the first included; 1 never retries. Default 4. */
  maxAttempts: number
  /** Milliseconds before the second attempt, doubled for each further one. Default 500. */
  baseDelayMs: number
  /** Default 8,000. */
  maxDelayMs: number
  /** Milliseconds of a whole call: all attempts and the delays between them. Default 60,000. */
  deadlineMs: number
}

export const DEFAULT_RETRIES: RetryPolicy = {
  maxAttempts: 4,
  baseDelayMs: 500,
  maxDelayMs: 8_000,
  deadlineMs: 60_000,
}

/** Statuses after which a repeat may succeed. */
const RETRIED_STATUSES = new Set([408, 429, 500, 502, 503, 504])

/** Returns whether the API answers a repeat of a request with the result of the first. */
export function isRepeatable(method: string, idempotencyKey: string | undefined): boolean {
  return method === 'GET' || method === 'PUT' || method === 'DELETE' || idempotencyKey !== undefined
}

/** Returns whether another attempt may have another outcome than this error response. */
export function isRetriedResponse({ status, isReplayed }: ResponseInfo, data: unknown): boolean {
  // A stored response is final for its key, and so is an operation that has FAILED.
  const isFinal = isReplayed || Object(data).status === 'FAILED'
  return RETRIED_STATUSES.has(status) && !isFinal
}

/** Computes the delay after a number of failed attempts: what the API asks for, and a random part that doubles. */
export function computeDelayMs(
  { baseDelayMs, maxDelayMs }: RetryPolicy,
  failedAttempts: number,
  retryAfterMs = 0,
): number {
  const ceilingMs = Math.min(baseDelayMs * 2 ** (failedAttempts - 1), maxDelayMs)
  return retryAfterMs + ceilingMs * (0.5 + Math.random() / 2)
}

/** Waits, or rejects when the signal is aborted. */
export function delay(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end)
      resolve()
    }, ms)
    if (signal?.aborted) end()
    else signal?.addEventListener('abort', end, { once: true })
  })
}
