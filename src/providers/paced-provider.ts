import { setTimeout as sleep } from 'node:timers/promises'
import {
  type NoAnswerResult,
  PACED,
  type Pace,
  type PaceKind,
  type ProviderCapabilities,
  type UnreachableResult,
} from '../domain/providers/provider.ts'
import type { Provider } from './port.ts'
import type { TakeTurn } from './shared-access.ts'

/**
 * How a call waits for its turn and ends without one. `order`: it waits, then it is `unreachable`. `lookUp`: it has no answer, at once:
 * its workflow repeats it. `repeat`: it waits as an order and ends as a look-up.
 */
type PacedCallType = 'order' | 'lookUp' | 'repeat'
type PacedCall = { kind: PaceKind; type: PacedCallType }

/**
 * The calls that have a pace. Cancelling a charge is repeated as look-ups are. The other calls are rare: lists of a period, keys, and
 * what onboarding calls.
 */
const PACED_CALLS: { [Call in keyof Provider]?: PacedCall } = {
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
}

/** Gets the turn that a call of `PACED_CALLS` takes. A transfer that is looked up by sending it again is a sending. */
function getPacedCall(name: string | symbol, args: unknown[]): PacedCall | undefined {
  if (name !== 'findTransfer') return PACED_CALLS[name as keyof Provider]
  const [{ handle, order }] = args as Parameters<Provider['findTransfer']>
  return order && !handle ? { kind: 'send', type: 'repeat' } : PACED_CALLS.findTransfer
}

/** Longest wait for a turn in milliseconds: a local activity that issues a charge has two seconds. */
const MAX_WAIT_MS: Record<PacedCallType, number> = { order: 1_500, repeat: 1_500, lookUp: 0 }

/**
 * After this time in milliseconds a call that waited is not made any more, whatever kept its process: the workflow may soon poll the
 * outcome of an order (src/activities/payouts/send.ts).
 */
const MAX_DELAY_MS = 3_000

const MESSAGE = 'not called: the pace of the provider leaves no room for it now'
const PACED_ORDER: UnreachableResult = { kind: 'unreachable', code: PACED, message: MESSAGE }
const PACED_LOOK_UP: NoAnswerResult = {
  kind: 'no_answer',
  code: PACED,
  message: MESSAGE,
  isUnprocessed: true,
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
      if (typeof method !== 'function' || !Object.hasOwn(PACED_CALLS, name)) return method
      return async (...args: unknown[]) => {
        const call = getPacedCall(name, args)
        const callPace = call && pace[call.kind]
        if (callPace && !(await awaitTurn(call, callPace)))
          return call.type === 'order' ? PACED_ORDER : PACED_LOOK_UP
        return method.apply(target, args)
      }
    },
  })

  /** Waits for the turn of a call; false where it has none in time. */
  async function awaitTurn({ kind, type }: PacedCall, callPace: Pace): Promise<boolean> {
    const startedAtMs = performance.now()
    const waitMs = await takeTurn(kind, callPace, MAX_WAIT_MS[type])
    if (waitMs === null) return false
    if (waitMs > 0) await sleep(waitMs)
    return performance.now() - startedAtMs <= MAX_DELAY_MS
  }
}
