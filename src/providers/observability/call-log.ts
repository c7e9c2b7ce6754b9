import type { Logger } from 'pino'
import type { ObservedCall } from './call-observer.ts'

/** Outcomes of a call that failed: the provider refused, or the result is uncertain. */
const FAILED_OUTCOMES = new Set([
  'rejected',
  'refused',
  'unreachable',
  'unknown',
  'no_answer',
  'awaiting_approval',
  'bug',
])

/** Logs a failed call in one line, without keys, documents or texts of the provider. */
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
