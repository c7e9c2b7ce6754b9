import { SpanKind, trace } from '@opentelemetry/api'
import type { Provider } from './port.ts'

/** A call of a provider and what it came to: `operation` is the port's name of it, `outcome` the kind of its answer. */
export type ObservedCall = { provider: string; operation: string; outcome: string; seconds: number }
export type Observe = (call: ObservedCall) => void

/** The same provider, whose every call is seen; what only reads what is at hand is no call. */
export function observed<Adapter extends Provider>(
  adapter: Adapter,
  provider: string,
  observe: Observe,
): Adapter {
  return new Proxy(adapter, {
    get(target, operation, receiver) {
      const method: unknown = Reflect.get(target, operation, receiver)
      if (typeof method !== 'function' || NO_CALLS.has(operation)) return method
      return (...args: unknown[]) =>
        watch({ provider, operation: String(operation), observe }, () => method.apply(target, args))
    },
  })
}

type Watched = { provider: string; operation: string; observe: Observe }

/** The call, timed, and as a span of its own where traces are kept. */
function watch<Answer extends { kind: string }>(
  { provider, operation, observe }: Watched,
  call: () => Promise<Answer>,
): Promise<Answer> {
  const attributes = { 'trilho.provider': provider, 'trilho.operation': operation }
  return trace
    .getTracer('trilho')
    .startActiveSpan(`${provider} ${operation}`, { kind: SpanKind.CLIENT, attributes }, async span => {
      const startedAt = performance.now()
      let outcome = 'bug'
      try {
        const answer = await call()
        outcome = answer.kind
        return answer
      } finally {
        span.setAttribute('trilho.outcome', outcome)
        span.end()
        observe({ provider, operation, outcome, seconds: (performance.now() - startedAt) / 1000 })
      }
    })
}

const NO_CALLS = new Set<string | symbol>(['readNotice', 'openAhead', 'close'])
