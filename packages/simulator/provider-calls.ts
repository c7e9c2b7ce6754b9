import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from 'koa'
import type { SimulatedAccount } from './accounts.ts'
import type { CallFault, ConsumedFault, ProviderOperation } from './faults.ts'
import { SIMULATOR_WAITS_MS, type WaitScaler } from './latency.ts'
import { type ScriptedOutcome, SETTLED_OUTCOME } from './scripted-outcome.ts'
import type { ListView } from './view-faults.ts'

/** A provider's response to a call. */
export type SimulatedResponse = { status: number; body?: unknown; headers?: Record<string, string> }

/** An authenticated call to a provider with its parsed body. */
export type SimulatedCall = {
  account: SimulatedAccount
  params: Record<string, string>
  query: URLSearchParams
  body: unknown
  /** Changes to lists by a view fault. */
  view: ListView
}

/** What decides which operations a call serves. */
type CallRequest = Pick<SimulatedCall, 'query' | 'body'>
type OperationList = readonly [ProviderOperation, ...ProviderOperation[]]

/** Lists the operations that a call serves, the main one first. */
export function listCallOperations(
  { operation }: Pick<SimulatedCallRoute, 'operation'>,
  request: CallRequest,
): OperationList {
  return typeof operation === 'string' ? [operation] : operation(request)
}

/** A route of a provider API. */
export type SimulatedCallRoute = {
  /**
   * The operations of the provider port that the call serves: one, or several where an adapter needs the same call for each.
   * A fault of any of them applies to it.
   */
  operation: ProviderOperation | ((request: CallRequest) => OperationList)
  /** True: it orders nothing, and faults that script an outcome are left for the call that does. */
  isLookUp?: true
  /** Finds the fault that the call itself causes, by a magic recipient key. */
  findMagicFault?(call: SimulatedCall): ConsumedFault<CallFault> | null
  /** Carries the call out, in one transaction, with the outcome that a fault scripts. */
  handle(call: SimulatedCall, outcome: ScriptedOutcome): SimulatedResponse
  /** Reads a body that is not JSON. */
  readBody?(ctx: Context): Promise<unknown>
}

/** A provider API's responses for failures that every API has. */
export type FailureResponses = {
  /** A documented 4xx with a cause at the provider: another provider may help. */
  documentedRefusal(operation: ProviderOperation): SimulatedResponse
  tooManyRequests(): SimulatedResponse
  internalError(): SimulatedResponse
  /** Absent where tokens are not bound to a certificate. */
  otherCertificate?(): SimulatedResponse
  /** The response for a route that does not exist. */
  unknownRoute(): SimulatedResponse
  /** Undocumented 4xx responses, used in turn. */
  unlistedRefusals: readonly SimulatedResponse[]
}

/** The rail's code of a transfer or devolução that is rejected after it was accepted. */
const LATE_REJECTION_CODE = 'AB03'

type FaultedCall = {
  fault: ConsumedFault<CallFault> | null
  handle: (outcome: ScriptedOutcome) => SimulatedResponse
  failures: FailureResponses
  operation: ProviderOperation
  scaleWaitMs: WaitScaler
  /** Returns the index of the next unlisted refusal and counts it. */
  nextIndex: () => number
  /** Returns the signal that ends a wait early: the caller disconnected, or the simulator stops. */
  abortSignal: () => AbortSignal
}

/** Answers a call with its fault; null: the connection is to be closed without an answer. */
export async function respondUnderFault(call: FaultedCall): Promise<SimulatedResponse | null> {
  const { fault, handle, failures, operation } = call
  if (fault === null) return handle(SETTLED_OUTCOME)
  switch (fault.fault) {
    case 'slow':
      await waitForFault(call, SIMULATOR_WAITS_MS.slow)
      return handle(SETTLED_OUTCOME)
    case 'refused':
      return failures.documentedRefusal(operation)
    case 'http_429':
      return failures.tooManyRequests()
    case 'http_500':
      return failures.internalError()
    case 'timeout_then_done':
      handle(SETTLED_OUTCOME)
      await waitForFault(call, SIMULATOR_WAITS_MS.silence)
      return null
    case 'timeout_then_absent':
      await waitForFault(call, SIMULATOR_WAITS_MS.silence)
      return null
    case 'accepted_then_silent':
      return handle({
        kind: 'silent',
        forMs: fault.delayMs ?? call.scaleWaitMs(SIMULATOR_WAITS_MS.silentSettlement),
      })
    case 'accepted_then_rejected':
      return handle({ kind: 'rejected', code: LATE_REJECTION_CODE })
    case 'rejected_then_done':
      return handle({
        kind: 'rejected_then_done',
        code: LATE_REJECTION_CODE,
        afterMs: fault.delayMs ?? call.scaleWaitMs(SIMULATOR_WAITS_MS.settlementAfterRejection),
      })
    case 'broken_body':
      return { ...handle(SETTLED_OUTCOME), body: '{"status":"EM_PROC' }
    case 'done_then_unlisted_refusal':
      handle(SETTLED_OUTCOME)
      return buildUnlistedRefusal(call)
    case 'unlisted_refusal':
      return buildUnlistedRefusal(call)
    case 'unknown_route':
      return failures.unknownRoute()
    case 'order_left':
      return handle({ kind: 'left' })
    case 'order_removed':
      return handle({
        kind: 'left_then_removed',
        afterMs: fault.delayMs ?? call.scaleWaitMs(SIMULATOR_WAITS_MS.orderRemoval),
      })
    case 'accepted_then_reported_removed':
      return handle({
        kind: 'silent_with_removal_event',
        forMs: fault.delayMs ?? call.scaleWaitMs(SIMULATOR_WAITS_MS.silentSettlement),
      })
    case 'txid_differs':
      return handle({ kind: 'own_txid' })
    case 'revision_lost':
      return handle({ kind: 'revision_lost' })
    case 'draft_expired':
      return handle({ kind: 'draft_expired' })
    case 'certificate_swapped':
      return failures.otherCertificate?.() ?? failures.documentedRefusal(operation)
    default:
      return fault.fault satisfies never
  }
}

/** Builds the response with status and body of the fault, or gets the provider API's next unlisted refusal. */
function buildUnlistedRefusal({ fault, failures, nextIndex }: FaultedCall): SimulatedResponse {
  const { status, body } = fault!
  if (status === null || status === undefined)
    return failures.unlistedRefusals[nextIndex() % failures.unlistedRefusals.length]!
  const text = body ?? ''
  return { status, body: text, headers: { 'content-type': detectContentType(text) } }
}

export function detectContentType(text: string): string {
  if (/^\s*[{["]/.test(text)) return 'application/json'
  return text.startsWith('<') ? 'text/html' : 'text/plain'
}

async function waitForFault(
  { fault, scaleWaitMs, abortSignal }: FaultedCall,
  defaultMs: number,
): Promise<void> {
  const signal = abortSignal()
  await sleep(fault?.delayMs ?? scaleWaitMs(defaultMs), undefined, { signal }).catch(() => undefined)
}
