import { PACED } from './provider.ts'

/**
 * Judges whether a call to a provider brought who ordered it a useful answer. Statistics, circuit breakers and the metrics
 * of alerts use this judgement, so that a provider is never healthy in one of them and failing in another.
 */

/** What a call came to: `accepted`; `refused`, with a documented reason; or without an answer that is of use. */
export type AnswerJudgement = 'accepted' | 'refused' | 'without_answer'

/**
 * The judgement of each outcome of a call and of each state of an attempt whose call has ended. `orphan` and `closed`: the
 * charge has no payload of this provider, because its answer was unknown or too late.
 */
const JUDGEMENTS: Record<string, AnswerJudgement> = {
  accepted: 'accepted',
  settled: 'accepted',
  duplicate: 'accepted',
  rejected: 'refused',
  unreachable: 'without_answer',
  no_answer: 'without_answer',
  unknown: 'without_answer',
  orphan: 'without_answer',
  closed: 'without_answer',
}

/** Codes of outcomes whose answer leaves the result open: the provider did respond, and what it said is of use. */
const PARTIAL_ANSWER_CODES = ['payment_not_listed', 'payment_unidentified', 'debit_not_made']

/** Codes of a look-up that its provider refused because there were too many. */
const THROTTLED_LOOK_UP_CODES = ['http_429', 'rate_limited']

/**
 * Whether a call says nothing about its provider's health: it was not made, because of the provider's pace, or it is a look-up that
 * the provider refused because there were too many. Neither a failure nor an answer to a circuit breaker.
 */
export function isThrottled({ kind, code }: { kind: string; code?: string | null | undefined }): boolean {
  return code === PACED || (kind === 'no_answer' && THROTTLED_LOOK_UP_CODES.includes(code ?? ''))
}

/** Whether a call or an attempt ended without a useful answer. Look-ups have further kinds, all of them answers. */
export function isWithoutAnswer(outcome: { kind: string; code?: string | null | undefined }): boolean {
  const isUnanswered = JUDGEMENTS[outcome.kind] === 'without_answer' && !isThrottled(outcome)
  return isUnanswered && !PARTIAL_ANSWER_CODES.includes(outcome.code ?? '')
}

/** Lists the states of attempts that one of these judgements fits. */
export function listJudgedStates(...judgements: AnswerJudgement[]): string[] {
  return Object.keys(JUDGEMENTS).filter(state => judgements.includes(JUDGEMENTS[state]!))
}
