import type { Context, Middleware } from 'koa'
import type { Logger } from 'pino'
import { redactError } from '../../db/redact-error.ts'
import { ApiError } from '../http/api-error.ts'
import { describeFailureCause } from '../http/failure-cause.ts'
import { isOutage } from '../http/outage.ts'
import { UNAVAILABLE_RETRY_S } from '../limits.ts'

/** The one error channel: whatever is thrown below is answered in the contract's shape, and only here. */
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
 * What the caller is told of whatever was thrown. Its code and cause stand in the access log line of the request
 * (`ctx.state.failure`); what is no refusal is logged by itself as well.
 */
export function toLoggedApiError(ctx: Pick<Context, 'state'>, error: unknown, log: Logger): ApiError {
  const refusal = toApiError(error)
  ctx.state.failure = {
    code: refusal.code,
    ...(refusal.status >= 500 && { cause: describeFailureCause(error) }),
  }
  const line = { request_id: ctx.state.requestId, ...ctx.state.failure, error: redactError(error) }
  if (refusal.code === 'internal_error') log.error(line, 'a bug')
  else if (!(error instanceof ApiError)) log.warn(line, 'an outage')
  return refusal
}

/** A refusal is itself, an outage is 503, everything else is a fault of ours and shows nothing of itself. */
function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (isOutage(error)) return new ApiError('unavailable', { retryAfterS: UNAVAILABLE_RETRY_S })
  return new ApiError('internal_error')
}

function writeErrorResponse(ctx: Parameters<Middleware>[0], refusal: ApiError) {
  const { status, details: more } = refusal
  ctx.status = status
  ctx.set(more.headers ?? {})
  if (more.retryAfterS !== undefined) ctx.set('Retry-After', String(more.retryAfterS))
  ctx.body = buildErrorBody(refusal, ctx.state.requestId)
}

/** The body of every error. */
export function buildErrorBody({ code, message, details: more }: ApiError, requestId: string) {
  return {
    message,
    code,
    ...(more.errors && { errors: more.errors }),
    ...(more.data !== undefined && { data: more.data }),
    request_id: requestId,
  }
}
