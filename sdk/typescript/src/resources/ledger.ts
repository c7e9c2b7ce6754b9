import type { Call, CallOptions, Filters, Query } from '../call.ts'
import type { LedgerBalances, LedgerLine } from '../openapi/types.ts'
import { defineList, iterateList } from '../pages.ts'

/** What changed the available balance, with the balance after each line. */
export const createLedger = (call: Call) => ({
  /** Lists lines, a page of them. */
  list: defineList<'listLedgerLines', LedgerLine>((query, options) =>
    call('listLedgerLines', { query }, options),
  ),
  /** Iterates over all lines that match. */
  listAll: (query?: Filters<'listLedgerLines'>, options?: CallOptions): AsyncGenerator<LedgerLine> =>
    iterateList(query, page => call('listLedgerLines', { query: page }, options)),
  /** Reads the balance of each provider before and after a period, and what its lines add and take. */
  getBalances: (query?: Query<'getLedgerBalances'>, options?: CallOptions): Promise<LedgerBalances> =>
    call('getLedgerBalances', { query }, options),
  /** Reads all lines that match as one CSV file. */
  exportCsv: (query?: Query<'exportLedgerCsv'>, options?: CallOptions): Promise<string> =>
    call('exportLedgerCsv', { query }, options),
  /** Reads all lines of a period as one OFX file. */
  exportOfx: (query?: Query<'exportLedgerOfx'>, options?: CallOptions): Promise<string> =>
    call('exportLedgerOfx', { query }, options),
})
export type Ledger = ReturnType<typeof createLedger>
