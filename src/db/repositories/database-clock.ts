import { query } from '../pipeline/query.ts'

/** Reads PostgreSQL's clock in ms since 1970: the moment of the statement, not the transaction's start. */
export const CLOCK_QUERY = query(
  'select extract(epoch from clock_timestamp()) * 1000 as now_ms',
  [],
  ([row]) => Number(row!.now_ms),
)
