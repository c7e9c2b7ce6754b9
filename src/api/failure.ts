import type { Middleware } from 'koa'
import type { Logger } from 'pino'
import { loggable } from '../db/loggable.ts'
import { Refusal } from './errors.ts'
import { UNAVAILABLE_RETRY_S } from './limits.ts'
import { isOutage } from './outage.ts'

/** The one error channel: whatever is thrown below is answered in the contract's shape, and only here. */
export function failures(log: Logger): Middleware {
  return async (ctx, next) => {
    try {
      await next()
    } catch (error) {
      const refusal = refusalFor(error, { log, requestId: ctx.state.requestId })
      ctx.state.failure = {
        code: refusal.code,
        cause: causeOf(refusal === error ? refusal.more.cause : error),
      }
      answer(ctx, refusal)
    }
  }
}

/** What a log line says of a cause: its system or SQL code where it has one, else its type. Its message may quote a row. */
function causeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code } = error as { code?: unknown }
  return typeof code === 'string' || typeof code === 'number' ? `${error.name} ${code}` : error.name
}

/** What the caller is told of whatever was thrown; what is no refusal is logged. */
export function refusalFor(error: unknown, { log, requestId }: { log: Logger; requestId: string }): Refusal {
  const refusal = refusalOf(error)
  const line = { request_id: requestId, code: refusal.code, error: loggable(error) }
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
