import type { Context, Middleware } from 'koa'
import type { Logger } from 'pino'
import { redactError } from '../db/redact-error.ts'
import type { ErrorCode, ServerErrorCode } from '../domain/errors/error-catalogue.ts'
import { ApiError } from './api-error.ts'
import { UNAVAILABLE_RETRY_S } from './limits.ts'
import { classifyDependencyFailure, isOutage } from './outage.ts'
import { formatFieldErrors } from './validate.ts'

/** Creates the middleware that turns every thrown error into an error response of the contract; nothing else does. */
export function errorHandler(log: Logger): Middleware {
  return async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      writeErrorResponse(ctx, toLoggedApiError(ctx, error, log))
    }
  }
}

/**
 * Converts a thrown error to the error that is sent. Its code and cause go into the request's access log line
 * (`ctx.state.failure`); an unexpected error is also logged by itself.
 */
export function toLoggedApiError(ctx: Pick<Context, 'state'>, error: unknown, log: Logger): ApiError {
  const refusal = toApiError(error)
  ctx.state.failure = {
    code: refusal.code,
    ...(refusal.status >= 500 && { cause: describeFailureCause(error) }),
  }
  const line = { request_id: ctx.state.requestId, ...ctx.state.failure, error: redactError(error) }
  if (refusal.code === 'internal_error') log.error(line, 'internal error')
  else if (!(error instanceof ApiError)) log.warn(line, 'a dependency is unavailable')
  return refusal
}

/** Maps an error: an ApiError stays, an outage becomes 503, anything else 500 without details. */
function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (isOutage(error)) return new ApiError('unavailable', { retryAfterS: UNAVAILABLE_RETRY_S })
  return new ApiError('internal_error')
}

function writeErrorResponse(ctx: Parameters<Middleware>[0], refusal: ApiError) {
  const { status, details } = refusal
  ctx.status = status
  ctx.set(details.headers ?? {})
  if (details.retryAfterS !== undefined) ctx.set('Retry-After', String(details.retryAfterS))
  ctx.body = buildErrorBody(refusal, ctx.state.requestId)
}

/** Builds the body of every error response. */
export function buildErrorBody({ code, message, details }: ApiError, requestId: string) {
  return {
    message,
    code,
    ...(details.errors && { errors: formatFieldErrors(details.errors) }),
    ...(details.data !== undefined && { data: details.data }),
    request_id: requestId,
  }
}

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
  qr_unreadable: 'bank of a code: no answer in time',
  code_undeliverable: 'configuration: no messenger for this type of address',
  pix_key_unknown: 'provider: no answer in time',
  revision_unknown: 'provider: no answer in time',
  cancellation_unknown: 'provider: no answer in time',
}

function describeApiErrorCause({ code, details }: ApiError): string {
  if (typeof details.cause === 'string') return details.cause
  if (details.cause !== undefined) return describeFailureCause(details.cause)
  return (DEFAULT_CAUSES as Partial<Record<ErrorCode, string>>)[code] ?? code
}

function describeErrorType(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const { code } = error as { code?: unknown }
  return typeof code === 'string' || typeof code === 'number' ? `${error.name} ${code}` : error.name
}
