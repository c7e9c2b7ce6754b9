import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from 'koa'
import type { SimulatedAccount } from './accounts.ts'
import type { CallFault, ConsumedFault, ProviderOperation } from './faults.ts'
import { SIMULATOR_WAITS_MS, type WaitScaler } from './latency.ts'
import { type ScriptedOutcome, SETTLED_OUTCOME } from './rail-events.ts'
import type { ListView } from './view-faults.ts'

/** What a provider says to a call. */
export type SimulatedResponse = { status: number; body?: unknown; headers?: Record<string, string> }

/** One call to a provider, authenticated, its body parsed. */
export type SimulatedCall = {
  account: SimulatedAccount
  params: Record<string, string>
  query: URLSearchParams
  body: unknown
  /** How a list is to be shown. */
  view: ListView
}

/** One thing a provider can be asked. Everything it does, it does in `act`, in one transaction. */
export type SimulatedCallRoute = {
  operation: ProviderOperation
  /** A fault the call itself asks for: a magic recipient key. */
  findMagicFault?(call: SimulatedCall): ConsumedFault<CallFault> | null
  handle(call: SimulatedCall, fate: ScriptedOutcome): SimulatedResponse
  /** How its body is read where that is no JSON. */
  readBody?(ctx: Context): Promise<unknown>
}

/** How a dialect words the failures that are the same everywhere. */
export type FailureResponses = {
  /** A documented 4xx whose cause is the provider's: another provider may help. */
  documentedRefusal(operation: ProviderOperation): SimulatedResponse
  tooManyRequests(): SimulatedResponse
  internalError(): SimulatedResponse
  /** What it answers where it has no such route. */
  unknownRoute(): SimulatedResponse
  /** 4xx that its documentation does not name, in an order that repeats. */
  unlistedRefusals: readonly SimulatedResponse[]
}

/** The rail's code of a sending or devolução that is rejected after it was accepted. */
const LATE_REJECTION_CODE = 'AB03'

type FaultedCall = {
  fault: ConsumedFault<CallFault> | null
  handle: (fate: ScriptedOutcome) => SimulatedResponse
  failures: FailureResponses
  operation: ProviderOperation
  scaleWaitMs: WaitScaler
  /** Counts the refusals that were taken from the dialect's list. */
  nextIndex: () => number
  /** Ends a silence early: the caller left, or the simulator stops. */
  abortSignal: () => AbortSignal
}

/** Answers a call as its fault demands; null is silence: the connection is dropped without an answer. */
export async function respondUnderFault(playing: FaultedCall): Promise<SimulatedResponse | null> {
  const { fault, handle: act, failures: words, operation } = playing
  if (fault === null) return act(SETTLED_OUTCOME)
  switch (fault.fault) {
    case 'slow':
      await waitForFault(playing, SIMULATOR_WAITS_MS.slow)
      return act(SETTLED_OUTCOME)
    case 'refused':
      return words.documentedRefusal(operation)
    case 'http_429':
      return words.tooManyRequests()
    case 'http_500':
      return words.internalError()
    case 'timeout_then_done':
      act(SETTLED_OUTCOME)
      await waitForFault(playing, SIMULATOR_WAITS_MS.silence)
      return null
    case 'timeout_then_absent':
      await waitForFault(playing, SIMULATOR_WAITS_MS.silence)
      return null
    case 'accepted_then_silent':
      return act({
        kind: 'silent',
        forMs: fault.delayMs ?? playing.scaleWaitMs(SIMULATOR_WAITS_MS.silentSettlement),
      })
    case 'accepted_then_rejected':
      return act({ kind: 'rejected', code: LATE_REJECTION_CODE })
    case 'broken_body':
      return { ...act(SETTLED_OUTCOME), body: '{"status":"EM_PROC' }
    case 'done_then_unlisted_refusal':
      act(SETTLED_OUTCOME)
      return buildUnlistedRefusal(playing)
    case 'unlisted_refusal':
      return buildUnlistedRefusal(playing)
    case 'unknown_route':
      return words.unknownRoute()
    case 'order_left':
      return act({ kind: 'left' })
    case 'order_removed':
      return act({
        kind: 'left_then_removed',
        afterMs: fault.delayMs ?? playing.scaleWaitMs(SIMULATOR_WAITS_MS.orderRemoval),
      })
    case 'accepted_then_told_removed':
      return act({
        kind: 'told_removed',
        forMs: fault.delayMs ?? playing.scaleWaitMs(SIMULATOR_WAITS_MS.silentSettlement),
      })
    case 'txid_differs':
      return act({ kind: 'own_txid' })
    default:
      return fault.fault satisfies never
  }
}

/** The answer that the fault names, or the dialect's next one. */
function buildUnlistedRefusal({ fault, failures: words, nextIndex: turn }: FaultedCall): SimulatedResponse {
  const { status, body } = fault!
  if (status === null || status === undefined)
    return words.unlistedRefusals[turn() % words.unlistedRefusals.length]!
  const text = body ?? ''
  return { status, body: text, headers: { 'content-type': detectContentType(text) } }
}

export function detectContentType(text: string): string {
  if (/^\s*[{["]/.test(text)) return 'application/json'
  return text.startsWith('<') ? 'text/html' : 'text/plain'
}

async function waitForFault(
  { fault, scaleWaitMs: pace, abortSignal: gone }: FaultedCall,
  usualMs: number,
): Promise<void> {
  await sleep(fault?.delayMs ?? pace(usualMs), undefined, { signal: gone() }).catch(() => undefined)
}
