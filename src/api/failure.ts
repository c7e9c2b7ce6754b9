import type { Context, Middleware } from 'koa'
import type { Logger } from 'pino'
import { loggable } from '../db/loggable.ts'
import { Refusal } from './errors.ts'
import { failureCause } from './failure-cause.ts'
import { UNAVAILABLE_RETRY_S } from './limits.ts'
import { isOutage } from './outage.ts'

/** The one error channel: whatever is thrown below is answered in the contract's shape, and only here. */
export function failures(log: Logger): Middleware {
  return async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      answer(ctx, refusalFor(ctx, error, log))
    }
  }
}

/**
 * What the caller is told of whatever was thrown. Its code and cause stand in the access log line of the request
 * (`ctx.state.failure`); what is no refusal is logged by itself as well.
 */
export function refusalFor(ctx: Pick<Context, 'state'>, error: unknown, log: Logger): Refusal {
  const refusal = refusalOf(error)
  ctx.state.failure = { code: refusal.code, ...(refusal.status >= 500 && { cause: failureCause(error) }) }
  const line = { request_id: ctx.state.requestId, ...ctx.state.failure, error: loggable(error) }
  if (refusal.code === 'internal_error') log.error(line, 'a bug')
  else if (!(error instanceof Refusal)) log.warn(line, 'an outage')
  return refusal
}

/** A refusal is itself, an outage is 503, everything else is a fault of ours and shows nothing of itself. */
function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (isOutage(error)) return new Refusal('unavailable', { retryAfterS: UNAVAILABLE_RETRY_S })
  return new Refusal('internal_error')
}

function answer(ctx: Parameters<Middleware>[0], refusal: Refusal) {
  const { status, more } = refusal
  ctx.status = status
  ctx.set(more.headers ?? {})
  if (more.retryAfterS !== undefined) ctx.set('Retry-After', String(more.retryAfterS))
  ctx.body = bodyOf(refusal, ctx.state.requestId)
}

/** The body of every error. */
export function bodyOf({ code, message, more }: Refusal, requestId: string) {
  return {
    message,
    code,
    ...(more.errors && { errors: more.errors }),
    ...(more.data !== undefined && { data: more.data }),
    request_id: requestId,
  }
}
