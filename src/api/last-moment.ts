import { type Question, question } from '../db/questions.ts'
import { NOT_STORED_MS } from './limits.ts'

/** What is stored at the last moment is committed a little later, before the request looks for it. */
const COMMITTED_MS = 500

/** Until when a life may take an order without a key; by PostgreSQL's clock, because another machine's life compares with it. */
export const LAST_MOMENT: Question<string> = question(
  `select now() + interval '${NOT_STORED_MS - COMMITTED_MS} milliseconds' as at`,
  [],
  ([row]) => new Date(row!.at as string | Date).toISOString(),
)
