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
const PARTIAL_ANSWER_CODES = ['payment_not_listed', 'payment_unidentified']

/** Whether a call or an attempt ended without a useful answer. Look-ups have further kinds, all of them answers. */
export function isWithoutAnswer({ kind, code }: { kind: string; code?: string | null | undefined }): boolean {
  return JUDGEMENTS[kind] === 'without_answer' && !PARTIAL_ANSWER_CODES.includes(code ?? '')
}

/** Lists the states of attempts that one of these judgements fits. */
export function listJudgedStates(...judgements: AnswerJudgement[]): string[] {
  return Object.keys(JUDGEMENTS).filter(state => judgements.includes(JUDGEMENTS[state]!))
}
