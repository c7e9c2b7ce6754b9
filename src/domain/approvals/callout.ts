import { SECOND, scaleWait, WAITS } from '../shared/intervals.ts'

/**
 * Call-out of an approval: the merchant's server is asked whether an order that waits may go on, beside the persons who approve it
 * (docs/specification.md, "Call-outs").
 */

/** Name of the call-out among those who approve. No person approves by this name. */
export const CALLOUT_APPROVER = 'callout'

/** Most requests of one call-out: after the third without an answer the order is rejected. */
export const MAX_CALLOUT_REQUESTS = 3

/** Limit of one request: look-up of the name, connection, request and answer together. */
export const CALLOUT_TIMEOUT_MS = 5 * SECOND

/** Most bytes of an answer that are read; a longer one is no answer. */
export const MAX_CALLOUT_ANSWER_BYTES = 32 * 1_024

/** Why a call-out does not approve: its server refused, or why the last request has no answer that counts. */
export const CALLOUT_CODES = [
  'callout_refused',
  'callout_timeout',
  'callout_unreachable',
  'callout_bad_status',
  'callout_bad_answer',
  'callout_interrupted',
] as const
type CalloutCode = (typeof CALLOUT_CODES)[number]

/** Why a request has no answer that counts. `callout_interrupted`: the worker ended before it stored the answer. */
export type CalloutFailure = Exclude<CalloutCode, 'callout_refused'>

/**
 * The call-out of an order, which keeps the URL of the moment at which it was ordered. `dueAt`: when the next request may be made, also
 * while one is made. `failure`: why the last one has no answer.
 */
export type ApprovalCallout = {
  url: string
  requestCount: number
  dueAt: Date
  failure: CalloutFailure | null
}

/** Plans the first request of the call-out of an order that is requested at a moment; null where its account has none. */
export function planFirstCallout(
  { calloutUrl }: { calloutUrl: string | null },
  at: Date,
  timeScale = 1,
): Pick<ApprovalCallout, 'url' | 'dueAt'> | null {
  if (!calloutUrl) return null
  return { url: calloutUrl, dueAt: new Date(at.getTime() + scaleWait(WAITS.firstCallout, timeScale)) }
}

/**
 * What a call-out needs next: nothing, a wait, a request, or its end without an answer, because all its requests were made.
 */
export type CalloutStep = { kind: 'none' } | { kind: 'wait'; waitMs: number } | { kind: 'request' | 'end' }

/** What is known of an order that waits, or has waited, with a call-out or without one. */
type CalloutSubject = { callout: ApprovalCallout | null; decision: string | null; expiresAt: Date }

/** Finds what the call-out of an order needs next. `at`: by PostgreSQL's clock, as `dueAt` and `expiresAt` are. */
export function findCalloutStep(
  { callout, decision, expiresAt }: CalloutSubject,
  given: readonly { approver: string }[],
  at: Date,
): CalloutStep {
  const isDecided = decision !== null || at >= expiresAt
  if (!callout || isDecided || given.some(({ approver }) => approver === CALLOUT_APPROVER))
    return { kind: 'none' }
  if (at < callout.dueAt) return { kind: 'wait', waitMs: callout.dueAt.getTime() - at.getTime() }
  return { kind: callout.requestCount < MAX_CALLOUT_REQUESTS ? 'request' : 'end' }
}
