import type { RejectedResult } from '../../domain/providers/provider.ts'

/**
 * The answers outside 2xx that a provider's published documents explain, as tables that its adapter reads and its
 * page under docs/providers/ shows. An answer counts only for the call it is listed for, by its exact HTTP status and
 * name. Any other answer proves nothing: `unknown` for a call that changes something, `no_answer` for a look-up.
 */

/**
 * What a listed answer proves. `refused`: the provider did not do what the call asked for. `not_found`: the subject
 * of the call does not exist there. `duplicate`: the provider has something under our id, possibly this very order.
 */
export type AnswerMeaning = RefusalMeaning | { kind: 'not_found' } | { kind: 'duplicate' }
export type RefusalMeaning = {
  kind: 'refused'
  /** Our code: a rail code or a name of docs/errors.md. */
  code: string
  finality: RejectedResult['finality']
  /** The rail's code in the answer, if there is one, replaces `code` and decides the finality. */
  isByRail?: true
}

export type DocumentedAnswer = {
  status: number
  /** The provider's name of the answer: a code, a type or a whole sentence. */
  name: string
  meaning: AnswerMeaning
  /** Published page and section. */
  source: string
}

/** A list of documented answers for each call of an adapter. */
export type DocumentedAnswers<Call extends string = string> = Readonly<
  Record<Call, readonly DocumentedAnswer[]>
>

/** An error in its provider's documented shape: its name, its text for people, and the rail's code. */
export type NamedError = { name: string; message: string; railCode?: string | undefined }

export const absentMeaning: AnswerMeaning = { kind: 'not_found' }
export const duplicateMeaning: AnswerMeaning = { kind: 'duplicate' }

/** Refusal with a cause at this provider: another one may still execute the order. */
export function refusalByProvider(code: string): RefusalMeaning {
  return { kind: 'refused', code, finality: 'other_may_help' }
}

/** Refusal with a cause in the payment itself: every provider would refuse it. */
export function refusalByEveryProvider(code: string): RefusalMeaning {
  return { kind: 'refused', code, finality: 'final' }
}

/** Refusal by the rail: its code decides cause and finality; `code` applies if the answer has none. */
export function refusalByRail(code: string): RefusalMeaning {
  return { kind: 'refused', code, finality: 'final', isByRail: true }
}

/** A line of an adapter's table: the fields of a `DocumentedAnswer` in the order of the page's columns. */
export type AnswerRow = readonly [status: number, name: string, meaning: AnswerMeaning, source: string]

/** What a document lists for one operation. */
export type ListedAnswer = readonly [status: number, name: string, meaning: AnswerMeaning]

/** Creates a function that builds the lines of what `document` lists for one operation, which is their source. */
export function createAnswerLister(document: string) {
  return (operation: string, ...answers: ListedAnswer[]): AnswerRow[] =>
    answers.map(([status, name, meaning]) => [status, name, meaning, `${document}: ${operation} (${status})`])
}

/** Builds an adapter's table from its lines by call. */
export function documentAnswers<Call extends string>(table: Record<Call, readonly AnswerRow[]>) {
  const calls = Object.entries<readonly AnswerRow[]>(table).map(([call, rows]) => [
    call,
    rows.map(([status, name, meaning, source]): DocumentedAnswer => ({ status, name, meaning, source })),
  ])
  return Object.fromEntries(calls) as DocumentedAnswers<Call>
}
