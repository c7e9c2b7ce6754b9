import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from 'koa'
import type { Account } from './accounts.ts'
import { type Fate, SETTLES } from './events.ts'
import type { CallFault, Operation, Taken } from './faults.ts'
import { type Pace, WAITS } from './pace.ts'
import type { View } from './views.ts'

/** What a provider says to a call. */
export type Answer = { status: number; body?: unknown; headers?: Record<string, string> }

/** One call to a provider, authenticated, its body parsed. */
export type Call = {
  account: Account
  params: Record<string, string>
  query: URLSearchParams
  body: unknown
  /** How a list is to be shown. */
  view: View
}

/** One thing a provider can be asked. Everything it does, it does in `act`, in one transaction. */
export type CallRoute = {
  operation: Operation
  /** A fault the call itself asks for: a magic recipient key. */
  magicOf?(call: Call): Taken<CallFault> | null
  act(call: Call, fate: Fate): Answer
  /** How its body is read where that is no JSON. */
  bodyOf?(ctx: Context): Promise<unknown>
}

/** How a dialect words the failures that are the same everywhere. */
export type FailureWords = {
  /** A documented 4xx whose cause is the provider's: another provider may help. */
  refused(operation: Operation): Answer
  tooManyRequests(): Answer
  internalError(): Answer
  /** What it answers where it has no such route. */
  unknownRoute(): Answer
  /** 4xx that its documentation does not name, in an order that repeats. */
  unlistedRefusals: readonly Answer[]
}

/** The rail's code of a sending or devolução that is rejected after it was accepted. */
const LATE_REJECTION = 'AB03'

type Playing = {
  fault: Taken<CallFault> | null
  act: (fate: Fate) => Answer
  words: FailureWords
  operation: Operation
  pace: Pace
  /** Counts the refusals that were taken from the dialect's list. */
  turn: () => number
  /** Ends a silence early: the caller left, or the simulator stops. */
  gone: () => AbortSignal
}

/** Answers a call as its fault demands; null is silence: the connection is dropped without an answer. */
export async function played(playing: Playing): Promise<Answer | null> {
  const { fault, act, words, operation } = playing
  if (fault === null) return act(SETTLES)
  switch (fault.fault) {
    case 'slow':
      await waited(playing, WAITS.slow)
      return act(SETTLES)
    case 'refused':
      return words.refused(operation)
    case 'http_429':
      return words.tooManyRequests()
    case 'http_500':
      return words.internalError()
    case 'timeout_then_done':
      act(SETTLES)
      await waited(playing, WAITS.silence)
      return null
    case 'timeout_then_absent':
      await waited(playing, WAITS.silence)
      return null
    case 'accepted_then_silent':
      return act({ kind: 'silent', forMs: fault.delayMs ?? playing.pace(WAITS.silentSettlement) })
    case 'accepted_then_rejected':
      return act({ kind: 'rejected', code: LATE_REJECTION })
    case 'broken_body':
      return { ...act(SETTLES), body: '{"status":"EM_PROC' }
    case 'done_then_unlisted_refusal':
      act(SETTLES)
      return unlistedRefusal(playing)
    case 'unlisted_refusal':
      return unlistedRefusal(playing)
    case 'unknown_route':
      return words.unknownRoute()
    case 'order_left':
      return act({ kind: 'left' })
    default:
      return fault.fault satisfies never
  }
}

/** The answer that the fault names, or the dialect's next one. */
function unlistedRefusal({ fault, words, turn }: Playing): Answer {
  const { status, body } = fault!
  if (status === null || status === undefined)
    return words.unlistedRefusals[turn() % words.unlistedRefusals.length]!
  const text = body ?? ''
  return { status, body: text, headers: { 'content-type': contentTypeOf(text) } }
}

export function contentTypeOf(text: string): string {
  if (/^\s*[{["]/.test(text)) return 'application/json'
  return text.startsWith('<') ? 'text/html' : 'text/plain'
}

async function waited({ fault, pace, gone }: Playing, usualMs: number): Promise<void> {
  await sleep(fault?.delayMs ?? pace(usualMs), undefined, { signal: gone() }).catch(() => undefined)
}
