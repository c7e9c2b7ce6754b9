import { type Question, question } from '../db/questions.ts'

/**
 * An order without a key of idempotency is taken before its caller hears that nobody took it, or not at all: he has
 * nothing by which to repeat it, and may well order anew (SPEC §4).
 */
export type Timely = { takeBefore?: string | undefined }

/**
 * How many milliseconds are left to take it, none below zero; by PostgreSQL's clock, which the request asked as well, and
 * as of now, not of the beginning of the transaction.
 */
export function timeLeft({ takeBefore }: Timely): Question<number> {
  const sql = 'select extract(epoch from ?::timestamptz - clock_timestamp()) * 1000 as left_ms'
  return question(sql, [takeBefore ?? null], ([row]) =>
    row!.left_ms === null ? Number.POSITIVE_INFINITY : Number(row!.left_ms),
  )
}

/** Whether so many milliseconds are over, by this process's clock, which goes on while a transaction commits. */
export function overIn(leftMs: number): () => boolean {
  const overMs = performance.now() + leftMs
  return () => performance.now() > overMs
}

/** Whatever was waited for since it was stored took longer than was left: all of it is undone, and stored as not taken. */
export class TakenTooLate extends Error {
  override name = 'TakenTooLate'
}
