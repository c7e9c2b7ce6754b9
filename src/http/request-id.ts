import { randomUUID } from 'node:crypto'
import type { Middleware } from 'koa'
import type { Logger } from 'pino'
import { fail } from './api-error.ts'
import { MAX_REQUEST_ID_CHARS } from './limits.ts'

/** Middleware around every request: its id, its access log line and its security headers. */

const SAFE_REQUEST_ID = new RegExp(`^[A-Za-z0-9._:/+=@-]{1,${MAX_REQUEST_ID_CHARS}}$`)

/** Assigns the request id (SPEC §1): a safe `X-Request-Id` is accepted, else one is generated. Responses carry it. */
export const assignRequestId: Middleware = async (ctx, next) => {
  const callerId = ctx.get('X-Request-Id')
  ctx.state.requestId = SAFE_REQUEST_ID.test(callerId) ? callerId : randomUUID()
  ctx.set('X-Request-Id', ctx.state.requestId)
  await next()
}

/**
 * Creates the access log: one line per request, with its error code and, for 5xx, its cause
 * (src/http/error-handler.ts). It logs the route's pattern, not the path: a path may hold a PIX key and a query a
 * document, and neither of them, nor a token or a body, belongs in a log.
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

/**
 * Answers 400 to a request with several Host headers or, from HTTP/1.1 on, with none (RFC 9112, 3.2), and 417 to an
 * expectation other than `100-continue` (RFC 9110, 10.1.1). Node itself takes the first Host and answers the others without
 * a body.
 */
export const requireValidHeaders: Middleware = async (ctx, next) => {
  const { rawHeaders, httpVersion } = ctx.req
  const hosts = rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host')
  if (hosts.length > 1 || (hosts.length === 0 && httpVersion !== '1.0'))
    fail('malformed_request', { errors: { Host: ['must be sent once'] } })
  if (!['', '100-continue'].includes(ctx.get('Expect').toLowerCase())) fail('expectation_failed')
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
