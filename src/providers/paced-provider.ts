import { setTimeout as sleep } from 'node:timers/promises'
import type { Pace, PaceKind, ProviderCapabilities } from '../domain/providers/capabilities.ts'
import {
  type AwaitedTurn,
  type NoAnswerResult,
  PACED,
  type TurnRank,
  type UnreachableResult,
} from '../domain/providers/provider.ts'
import type { Provider } from './port.ts'
import type { SharedAccess } from './shared-access.ts'

/**
 * How a call waits for its turn and ends without one. `order`: it waits, then it is `unreachable`; one with an `AwaitedTurn` has a place
 * among those that wait. `lookUp`: it has no answer, at once: its workflow repeats it. `repeat`: it waits as an order and ends as a
 * look-up.
 */
type PacedCallType = 'order' | 'lookUp' | 'repeat'
type PacedCall = { kind: PaceKind; type: PacedCallType; turn?: AwaitedTurn | undefined }

/**
 * The calls that have a pace. Cancelling and revising a charge, and cancelling a recurrence, are repeated as look-ups are. The other calls are rare: lists of a period, keys, and
 * what onboarding calls.
 */
const PACED_CALLS: { [Call in keyof Provider]?: PacedCall } = {
  issueCharge: { kind: 'charge', type: 'order' },
  findCharge: { kind: 'charge', type: 'lookUp' },
  cancelCharge: { kind: 'charge', type: 'lookUp' },
  reviseCharge: { kind: 'charge', type: 'lookUp' },
  createRecurrence: { kind: 'charge', type: 'order' },
  findRecurrence: { kind: 'charge', type: 'lookUp' },
  requestConsent: { kind: 'charge', type: 'order' },
  cancelRecurrence: { kind: 'charge', type: 'lookUp' },
  findPayment: { kind: 'charge', type: 'lookUp' },
  prepareRefund: { kind: 'refund', type: 'order' },
  refund: { kind: 'refund', type: 'order' },
  findRefund: { kind: 'refund', type: 'lookUp' },
  prepareTransfer: { kind: 'send', type: 'order' },
  sendTransfer: { kind: 'send', type: 'order' },
  findTransfer: { kind: 'lookUp', type: 'lookUp' },
  findReceipt: { kind: 'lookUp', type: 'lookUp' },
}

/** Gets the turn that a call of `PACED_CALLS` takes. A transfer that is looked up by sending it again is a sending. */
function getPacedCall(name: string | symbol, args: unknown[]): PacedCall | undefined {
  const call = PACED_CALLS[name as keyof Provider]
  if (call?.type === 'order') return { ...call, turn: (args[0] as { turn?: AwaitedTurn }).turn }
  if (name !== 'findTransfer') return call
  const [{ handle, order }] = args as Parameters<Provider['findTransfer']>
  return order && !handle ? { kind: 'send', type: 'repeat' } : call
}

/** Longest wait for a turn in milliseconds: a local activity that issues a charge has two seconds. */
const MAX_WAIT_MS: Record<PacedCallType, number> = { order: 1_500, repeat: 1_500, lookUp: 0 }

/**
 * Longest wait, within its call, of an order that has waited for its place before: longer than that of all other calls, so that they
 * do not send it to the end of those that wait.
 */
const MAX_WAIT_AT_PLACE_MS = 2_000

/** Longest wait of an item of a batch within its call: a turn that it waits for is one that no other order gets. */
const MAX_ITEM_WAIT_MS = 200

/** How long before its expected turn an order is called again, in milliseconds: the call waits for the rest, and no turn passes unused. */
const PLACE_LEAD_MS = 750

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
 * `unreachable`, with the time of its next call where it may wait for its turn; a look-up ends without an answer.
 */
export function paceProvider<Adapter extends Provider>(
  adapter: Adapter,
  pace: NonNullable<ProviderCapabilities['pace']>,
  { takeTurn, takePlace }: Pick<ReturnType<SharedAccess>, 'takeTurn' | 'takePlace'>,
): Adapter {
  return new Proxy(adapter, {
    get(target, name, receiver) {
      const method: unknown = Reflect.get(target, name, receiver)
      if (typeof method !== 'function' || !Object.hasOwn(PACED_CALLS, name)) return method
      return async (...args: unknown[]) => {
        const call = getPacedCall(name, args)
        const callPace = call && pace[call.kind]
        if (callPace && !(await awaitTurn(call, callPace)))
          return call.type === 'order' ? refuseOrder(call, callPace) : PACED_LOOK_UP
        return method.apply(target, args)
      }
    },
  })

  /** Waits for the turn of a call; false where it has none in time. */
  async function awaitTurn({ kind, type, turn }: PacedCall, callPace: Pace): Promise<boolean> {
    const startedAtMs = performance.now()
    const waitMs = await takeTurn(kind, callPace, getMaxWaitMs(type, turn), getTurnRank(turn))
    if (waitMs === null) return false
    if (waitMs > 0) await sleep(waitMs)
    return performance.now() - startedAtMs <= MAX_DELAY_MS
  }

  async function refuseOrder({ kind, turn }: PacedCall, callPace: Pace): Promise<UnreachableResult> {
    const waitMs = turn ? await takePlace(kind, callPace, turn.maxWaitMs, turn.isBatchItem) : null
    if (waitMs === null) return PACED_ORDER
    const leadMs = turn?.isBatchItem ? 0 : PLACE_LEAD_MS
    return { ...PACED_ORDER, retryAfterMs: Math.max(1, Math.round(waitMs - leadMs)) }
  }
}

function getMaxWaitMs(type: PacedCallType, turn: AwaitedTurn | undefined): number {
  if (turn?.isBatchItem) return MAX_ITEM_WAIT_MS
  return turn?.hasWaited ? MAX_WAIT_AT_PLACE_MS : MAX_WAIT_MS[type]
}

function getTurnRank(turn: AwaitedTurn | undefined): TurnRank {
  if (turn?.isBatchItem) return turn.hasWaited ? 'waitingItem' : 'item'
  return turn === undefined || turn.hasWaited ? 'first' : 'order'
}
