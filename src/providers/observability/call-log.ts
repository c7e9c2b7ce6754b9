import type { Logger } from 'pino'
import type { ObservedCall } from './call-observer.ts'

/** Outcomes of a call that did not do what was asked: the provider refused, or nothing certain is known of it. */
const FAILED_OUTCOMES = new Set([
  'rejected',
  'refused',
  'unreachable',
  'unknown',
  'no_answer',
  'awaiting_approval',
  'bug',
])

/** Writes one log line for a call that failed. It names neither a key, nor a document, nor a text of the provider. */
export function logFailedCall(
  log: Logger,
  { connectionUuid: connection, provider, operation, outcome, code, seconds }: ObservedCall,
): void {
  if (!FAILED_OUTCOMES.has(outcome)) return
  log.warn(
    { connection, provider, operation, outcome, code, ms: Math.round(seconds * 1000) },
    'a provider call failed',
  )
}
