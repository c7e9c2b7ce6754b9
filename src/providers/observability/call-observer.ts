import { SpanKind, trace } from '@opentelemetry/api'
import type { Provider } from '../port.ts'

/**
 * A call of a provider and what it came to: `operation` is the port's name of it, `outcome` the kind of its answer, `code` why
 * it was refused or not answered.
 */
export type ObservedCall = {
  provider: string
  connectionUuid: string
  operation: string
  outcome: string
  code: string | null
  seconds: number
}
export type ObserveCall = (call: ObservedCall) => void

/**
 * The same provider, whose every call is seen. What only reads what is at hand is no call; reading a notification is one
 * where it had to ask the provider for its key and got no answer.
 */
export function observeProvider<Adapter extends Provider>(
  adapter: Adapter,
  { provider, uuid: connectionUuid }: { provider: string; uuid: string },
  observe: ObserveCall,
): Adapter {
  return new Proxy(adapter, {
    get(target, operation, receiver) {
      const method: unknown = Reflect.get(target, operation, receiver)
      if (typeof method !== 'function' || UNOBSERVED_METHODS.has(operation)) return method
      const isSeen = operation === 'readNotification' ? hasNoAnswer : isAlwaysObserved
      const observeSeen: ObserveCall = call => isSeen(call) && observe(call)
      return (...args: unknown[]) =>
        traceCall({ provider, connectionUuid, operation: String(operation), observe: observeSeen }, () =>
          method.apply(target, args),
        )
    },
  })
}

type CallObservation = Pick<ObservedCall, 'provider' | 'connectionUuid' | 'operation'> & {
  observe: ObserveCall
}

/** The call, timed, and as a span of its own where traces are kept. */
function traceCall<Answer extends { kind: string; code?: string }>(
  { observe, ...called }: CallObservation,
  call: () => Promise<Answer>,
): Promise<Answer> {
  const { provider, operation } = called
  const attributes = { 'trilho.provider': provider, 'trilho.operation': operation }
  return trace
    .getTracer('trilho')
    .startActiveSpan(`${provider} ${operation}`, { kind: SpanKind.CLIENT, attributes }, async span => {
      const startedAt = performance.now()
      let outcome = 'bug'
      let code: string | null = null
      try {
        const answer = await call()
        outcome = answer.kind
        code = answer.code ?? null
        return answer
      } finally {
        span.setAttribute('trilho.outcome', outcome)
        span.end()
        observe({ ...called, outcome, code, seconds: (performance.now() - startedAt) / 1000 })
      }
    })
}

const hasNoAnswer = ({ outcome }: ObservedCall) => outcome === 'no_answer'
const isAlwaysObserved = () => true

const UNOBSERVED_METHODS = new Set<string | symbol>(['preconnect', 'close'])
