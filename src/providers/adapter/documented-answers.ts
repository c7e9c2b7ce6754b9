import type { RejectedResult } from '../../domain/providers/provider.ts'

/**
 * The answers outside 2xx that a provider's published documents explain, as tables that its adapter reads and that its page
 * under docs/providers/ shows. An answer counts only for the call it is listed for, by its exact HTTP status and its exact
 * name. Whatever no line names proves nothing: `unknown` for a call that changes something, `no_answer` for a look-up.
 */

/**
 * What a listed answer proves. `refused`: the provider did not do what the call asked for. `absent`: what the call asked
 * for does not exist there. `duplicate`: the provider has something under our id, which may be this very order.
 */
export type AnswerMeaning =
  | {
      kind: 'refused'
      /** Our code: a rail code or a name of docs/errors.md. */
      code: string
      finality: RejectedResult['finality']
      /** The rail's own code, where the answer carries one, takes the place of `code` and decides the finality. */
      isByRail?: true
    }
  | { kind: 'not_found' }
  | { kind: 'duplicate' }

export type DocumentedAnswer = {
  status: number
  /** The provider's own name of it: a code, a type or a whole sentence. */
  name: string
  meaning: AnswerMeaning
  /** The published page and its section. */
  source: string
}

/** One list of answers for each call of an adapter. */
export type DocumentedAnswers<Call extends string = string> = Readonly<
  Record<Call, readonly DocumentedAnswer[]>
>

/** An error in the shape that its provider documents: its name, its text for people, and the rail's code. */
export type NamedError = { name: string; message: string; railCode?: string | undefined }

export const absentMeaning: AnswerMeaning = { kind: 'not_found' }
export const duplicateMeaning: AnswerMeaning = { kind: 'duplicate' }

/** The cause is this provider's: another one may still do it. */
export function refusalByProvider(code: string): AnswerMeaning {
  return { kind: 'refused', code, finality: 'other_may_help' }
}

/** The cause travels with the payment: every provider would refuse it. */
export function refusalByEveryProvider(code: string): AnswerMeaning {
  return { kind: 'refused', code, finality: 'final' }
}

/** The rail refused it: its code says why and whether another provider may help. `code` where the answer carries none. */
export function refusalByRail(code: string): AnswerMeaning {
  return { kind: 'refused', code, finality: 'final', isByRail: true }
}

/** The line of a call's table for a status and a name, or undefined where the documents do not name it. */
export function findDocumentedAnswer(
  answers: readonly DocumentedAnswer[],
  status: number,
  name: string,
): DocumentedAnswer | undefined {
  return answers.find(one => one.status === status && one.name === name)
}
