import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { Middleware } from 'koa'

/**
 * Traces each request as a span, a child of the caller's span where it sends one; does nothing where tracing is off.
 * Baggage and tracestate are dropped: the context goes into workflow histories, which hold no personal data.
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
