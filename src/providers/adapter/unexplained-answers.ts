/**
 * A provider's answer that its published documents do not explain. The outcome of the call is then `unknown` or
 * `no_answer`; the answer itself is recorded for the operator, so that the adapter's tables can grow.
 */
export type UnexplainedAnswer = {
  /** Name of the call in src/providers/port.ts. */
  operation: string
  /** Our id that the call was about; null for a list. */
  reference: string | null
  /**
   * `unlisted_refusal`: an answer outside 2xx that no table names. `unreadable_answer`: a 2xx of another shape.
   * `unreadable_item`: a list item that was left out. `unlisted_value`: a status or type that no list names.
   */
  kind: 'unlisted_refusal' | 'unreadable_answer' | 'unreadable_item' | 'unlisted_value'
  /** HTTP status; null for a notification. */
  status: number | null
  /** The provider's name of it, at most 80 of [A-Za-z0-9_.:-]; '' if there is none. */
  name: string
  /** The raw answer or item: sealed before it is stored, and never logged. */
  body: string
  /** Period of the list that an item was left out of, ISO 8601 UTC, so that it can be requested again. */
  period?: { from: string; to: string }
}

/** Records an unexplained answer. Never throws: an answer that cannot be recorded still has its outcome. */
export type RecordUnexplainedAnswer = (answer: UnexplainedAnswer) => Promise<void>
