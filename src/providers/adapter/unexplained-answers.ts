/**
 * What a provider answered that its published documents do not explain. The outcome of the call is then `unknown` or
 * `no_answer`; the answer itself is recorded for the operator, so that the adapter's tables can grow.
 */
export type UnexplainedAnswer = {
  /** The port's name of the call (src/providers/port.ts). */
  operation: string
  /** Our id that the call was about; null where it was about a list. */
  reference: string | null
  /**
   * `unlisted_refusal`: an answer outside 2xx that no table names. `unreadable_answer`: a 2xx of another shape.
   * `unreadable_item`: one item of a list that is left out of it. `unlisted_value`: a status or type that no list names.
   */
  kind: 'unlisted_refusal' | 'unreadable_answer' | 'unreadable_item' | 'unlisted_value'
  /** The HTTP status; null of a notification. */
  status: number | null
  /** The provider's own name for it, at most 80 of [A-Za-z0-9_.:-]; '' where it names none. */
  name: string
  /** The answer, or the item, as it came: sealed before it is stored, and never logged. */
  body: string
  /** ISO 8601 UTC: the period of the list that an item was left out of, so that it can be listed again. */
  period?: { from: string; to: string }
}

/** Records one such answer. It never throws: an answer that cannot be recorded still has its outcome. */
export type RecordUnexplainedAnswer = (answer: UnexplainedAnswer) => Promise<void>

/** What of a notification no document explains. */
export type UnexplainedNotificationPart = Pick<UnexplainedAnswer, 'kind' | 'name' | 'body'>

/** The record of one such part: it is about no call, and is not listed again. */
export function toUnexplainedAnswer(part: UnexplainedNotificationPart): UnexplainedAnswer {
  return { operation: 'readNotification', reference: null, status: null, ...part }
}
