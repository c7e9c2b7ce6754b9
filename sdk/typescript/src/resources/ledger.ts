import type { Call, CallOptions, Filters, Page, Query } from '../call.ts'
import type { LedgerLine } from '../openapi/types.ts'
import { iterateList } from '../pages.ts'

/** What changed the available balance, with the balance after each line. */
export const createLedger = (call: Call) => ({
  /** Lists lines, a page of them. */
  list: (query?: Query<'listLedgerLines'>, options?: CallOptions): Promise<Page<LedgerLine>> =>
    call('listLedgerLines', { query }, options),
  /** Iterates over all lines that match. */
  listAll: (query?: Filters<'listLedgerLines'>, options?: CallOptions): AsyncGenerator<LedgerLine> =>
    iterateList('listLedgerLines', query, page => call('listLedgerLines', { query: page }, options)),
})
export type Ledger = ReturnType<typeof createLedger>
