import type { Context, Middleware } from 'koa'
import type { Logger } from 'pino'
import { redactError } from '../db/redact-error.ts'
import { ApiError } from './api-error.ts'
import { describeFailureCause } from './failure-cause.ts'
import { UNAVAILABLE_RETRY_S } from './limits.ts'
import { isOutage } from './outage.ts'
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
