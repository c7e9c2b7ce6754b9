import { SpanKind, trace } from '@opentelemetry/api'
import type { Logger } from 'pino'
import { PACED } from '../domain/providers/provider.ts'
import type { Provider } from './port.ts'

/** An observed call: `operation` is its name in the port, `outcome` its result's kind, `code` a failure's reason. */
export type ObservedCall = {
  provider: string
  connectionUuid: string
  operation: string
  outcome: string
  code: string | null
  seconds: number
}
export type ObserveCall = (call: ObservedCall) => void

/** Wraps an adapter so that calls are observed; of reading a notification only a request of keys without an answer. */
export function observeProvider<Adapter extends Provider>(
  adapter: Adapter,
  { provider, uuid: connectionUuid }: { provider: string; uuid: string },
  observe: ObserveCall,
): Adapter {
  return new Proxy(adapter, {
    get(target, operation, receiver) {
      const method: unknown = Reflect.get(target, operation, receiver)
      if (typeof method !== 'function' || UNOBSERVED_METHODS.has(operation)) return method
      const labels = { provider, connectionUuid, operation: String(operation) }
      const observeIfRelevant: ObserveCall = call => {
        if (operation !== 'readNotification' || call.outcome === 'no_answer') observe(call)
      }
      return (...args: unknown[]) => traceCall(labels, observeIfRelevant, () => method.apply(target, args))
    },
  })
}

/** Times a call, and traces it as a span where tracing is enabled. */
function traceCall<Answer extends { kind: string; code?: string }>(
  labels: Pick<ObservedCall, 'provider' | 'connectionUuid' | 'operation'>,
  observe: ObserveCall,
  call: () => Promise<Answer>,
): Promise<Answer> {
  const { provider, operation } = labels
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
        observe({ ...labels, outcome, code, seconds: (performance.now() - startedAt) / 1000 })
      }
    })
}

const UNOBSERVED_METHODS = new Set<string | symbol>(['preconnect', 'close', 'readNotifiedDetails'])

/** Outcomes of a call that failed: the provider refused, or the result is uncertain. */
const FAILED_OUTCOMES = new Set([
  'rejected',
  'refused',
  'unreachable',
  'unknown',
  'no_answer',
  'awaiting_approval',
  'bug',
])

/**
 * Logs a failed call in one line, without keys, documents or texts of the provider. Calls that were not made because of the
 * provider's pace are counted only (`trilho_provider_paced_total`).
 */
export function logFailedCall(
  log: Logger,
  { connectionUuid: connection, provider, operation, outcome, code, seconds }: ObservedCall,
): void {
  if (!FAILED_OUTCOMES.has(outcome) || code === PACED) return
  log.warn(
    { connection, provider, operation, outcome, code, ms: Math.round(seconds * 1000) },
    'a provider call failed',
  )
}
