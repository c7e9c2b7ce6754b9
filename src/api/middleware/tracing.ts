import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { Middleware } from 'koa'

/**
 * A span per request, a child of the caller's where it sends one; nothing at all where no tracing is set up. What else a
 * caller's programs tell each other (baggage, tracestate) stays out: the context goes into histories, which name nobody.
 */
export const traceRequest: Middleware = (ctx, next) => {
  const { traceparent } = ctx.headers
  const caller = propagation.extract(context.active(), { traceparent })
  return context.with(caller, () =>
    trace.getTracer('trilho').startActiveSpan(ctx.method, { kind: SpanKind.SERVER }, async span => {
      try {
        await next()
      } finally {
        const route = String(ctx._matchedRoute ?? 'none')
        span.updateName(`${ctx.method} ${route}`)
        span.setAttributes({
          'http.request.method': ctx.method,
          'http.route': route,
          'http.response.status_code': ctx.status,
          'trilho.request_id': ctx.state.requestId,
        })
        if (ctx.status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
        span.end()
      }
    }),
  )
}
