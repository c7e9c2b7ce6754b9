import { setTimeout as sleep } from 'node:timers/promises'
import {
  type NoAnswerResult,
  PACED,
  type PaceKind,
  type ProviderCapabilities,
  type UnreachableResult,
} from '../domain/providers/provider.ts'
import type { Provider } from './port.ts'
import type { TakeTurn } from './shared-access.ts'

/**
 * The calls that have a pace, each with its kind, and whether it is an order or a look-up. Cancelling a charge is repeated as look-ups
 * are. The other calls are rare: lists of a period, keys, and what onboarding calls.
 */
const PACED_CALLS = {
  issueCharge: { kind: 'charge', type: 'order' },
  findCharge: { kind: 'charge', type: 'lookUp' },
  cancelCharge: { kind: 'charge', type: 'lookUp' },
  findPayment: { kind: 'charge', type: 'lookUp' },
  prepareRefund: { kind: 'charge', type: 'order' },
  refund: { kind: 'charge', type: 'order' },
  findRefund: { kind: 'charge', type: 'lookUp' },
  prepareTransfer: { kind: 'send', type: 'order' },
  sendTransfer: { kind: 'send', type: 'order' },
  findTransfer: { kind: 'lookUp', type: 'lookUp' },
} as const satisfies { [Call in keyof Provider]?: { kind: PaceKind; type: 'order' | 'lookUp' } }

const isPacedCall = (name: string | symbol): name is keyof typeof PACED_CALLS =>
  Object.hasOwn(PACED_CALLS, name)

/**
 * How long an order waits for its turn, in milliseconds: a local activity that issues a charge has two seconds. A look-up does not
 * wait: its workflow repeats it.
 */
const MAX_WAIT_MS = { order: 1_500, lookUp: 0 }

/**
 * After this time in milliseconds an order that waited is not sent any more, whatever kept its process: the workflow may soon poll its
 * outcome (src/activities/payouts/send.ts).
 */
const MAX_ORDER_DELAY_MS = 3_000

const MESSAGE = 'not called: the pace of the provider leaves no room for it now'
const PACED_RESULTS = {
  order: { kind: 'unreachable', code: PACED, message: MESSAGE } satisfies UnreachableResult,
  lookUp: { kind: 'no_answer', code: PACED, message: MESSAGE, isUnprocessed: true } satisfies NoAnswerResult,
}

/**
 * Wraps an adapter so that its calls keep the paces of its API across all processes. A call without a turn is not made: an order ends
 * `unreachable`, a look-up without an answer.
 */
export function paceProvider<Adapter extends Provider>(
  adapter: Adapter,
  pace: NonNullable<ProviderCapabilities['pace']>,
  takeTurn: TakeTurn,
): Adapter {
  return new Proxy(adapter, {
    get(target, name, receiver) {
      const method: unknown = Reflect.get(target, name, receiver)
      if (typeof method !== 'function' || !isPacedCall(name)) return method
      const { kind, type } = PACED_CALLS[name]
      const callPace = pace[kind]
      if (!callPace) return method
      return async (...args: unknown[]) => {
        const startedAtMs = performance.now()
        const waitMs = await takeTurn(kind, callPace, MAX_WAIT_MS[type])
        if (waitMs === null) return PACED_RESULTS[type]
        if (waitMs > 0) await sleep(waitMs)
        if (type === 'order' && performance.now() - startedAtMs > MAX_ORDER_DELAY_MS)
          return PACED_RESULTS[type]
        return method.apply(target, args)
      }
    },
  })
}
