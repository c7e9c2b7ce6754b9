import type { ErrorCode, ServerErrorCode } from '../domain/errors/error-catalogue.ts'
import { ApiError } from './api-error.ts'
import { classifyDependencyFailure } from './outage.ts'

/**
 * Describes why a request was answered 5xx, for the access log and the metric `trilho_http_failures_total`: the part
 * that failed and how (`postgres: connection refused`). The text is made of constants, error names and codes, never of
 * a message, which may quote SQL, values or addresses. The set is small enough for a metric label.
 */
export function describeFailureCause(error: unknown): string {
  if (error instanceof ApiError) return describeApiErrorCause(error)
  return classifyDependencyFailure(error)?.cause ?? `bug: ${describeErrorType(error)}`
}

/** Cause of an error that carries none. */
const DEFAULT_CAUSES: Record<ServerErrorCode, string> = {
  internal_error: 'bug',
  unavailable: 'unknown',
  overloaded: 'overload',
  paused: 'paused by an operator',
  not_started: 'worker: no answer in time',
  not_confirmed: 'worker: no answer in time',
  issuing: 'provider: no answer in time',
  no_provider_available: 'provider: none could be reached',
  code_undeliverable: 'configuration: no messenger for this type of address',
  pix_key_unknown: 'provider: no answer in time',
  cancellation_unknown: 'provider: no answer in time',
}

function describeApiErrorCause({ code, details: more }: ApiError): string {
  if (typeof more.cause === 'string') return more.cause
  if (more.cause !== undefined) return describeFailureCause(more.cause)
  return (DEFAULT_CAUSES as Partial<Record<ErrorCode, string>>)[code] ?? code
}

function describeErrorType(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const { code } = error as { code?: unknown }
  return typeof code === 'string' || typeof code === 'number' ? `${error.name} ${code}` : error.name
}
