import { randomUUID } from 'node:crypto'
import type { Middleware } from 'koa'
import type { Logger } from 'pino'
import { fail } from '../http/api-error.ts'
import { MAX_REQUEST_ID_CHARS } from '../limits.ts'

/** What surrounds every request: its id, its line in the log, and the headers that keep browsers honest. */

const SAFE_REQUEST_ID = new RegExp(`^[A-Za-z0-9._:/+=@-]{1,${MAX_REQUEST_ID_CHARS}}$`)

/** SPEC §1: `X-Request-Id` is taken over where it is safe, made where it is not; every answer carries it. */
export const assignRequestId: Middleware = async (ctx, next) => {
  const given = ctx.get('X-Request-Id')
  ctx.state.requestId = SAFE_REQUEST_ID.test(given) ? given : randomUUID()
  ctx.set('X-Request-Id', ctx.state.requestId)
  await next()
}

/**
 * One line per request, with the code of a refusal, and its cause where it is 5xx (src/api/http/failure-cause.ts). The route's
 * pattern stands for the path: a path may hold a key, a query a document, and neither, nor a token nor a body, belongs in a
 * log.
 */
export function createAccessLog(log: Logger): Middleware {
  return async (ctx, next) => {
    const startedAt = performance.now()
    await next()
    log.info(
      {
        request_id: ctx.state.requestId,
        method: ctx.method,
        route: ctx._matchedRoute ?? null,
        status: ctx.status,
        ms: Math.round(performance.now() - startedAt),
        ...ctx.state.failure,
        account: ctx.state.token?.accountUuid,
        token: ctx.state.token?.uuid,
      },
      'request',
    )
  }
}

/** RFC 9112, 3.2: a request with several Host headers is answered 400; Node itself takes the first of them. */
export const requireSingleHostHeader: Middleware = async (ctx, next) => {
  const hosts = ctx.req.rawHeaders.filter((text, place) => place % 2 === 0 && text.toLowerCase() === 'host')
  if (hosts.length > 1) fail('malformed_request')
  await next()
}

export const SECURITY_HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=31536000',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}

export const setSecurityHeaders: Middleware = async (ctx, next) => {
  ctx.set(SECURITY_HEADERS)
  await next()
}
