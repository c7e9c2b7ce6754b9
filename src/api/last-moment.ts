import type { EntityManager } from '../db/orm.ts'
import { rowsOf } from '../db/questions.ts'
import { NOT_STORED_MS } from './limits.ts'

/** What is stored at the last moment is committed a little later, before the request looks for it. */
const COMMITTED_MS = 500

/** Until when a life may take an order without a key; by PostgreSQL's clock, because another machine's life compares with it. */
export async function lastMoment(em: EntityManager): Promise<string> {
  const [row] = await rowsOf<{ at: Date }>(
    em,
    `select now() + interval '${NOT_STORED_MS - COMMITTED_MS} milliseconds' as at`,
    [],
  )
  return new Date(row!.at).toISOString()
}
