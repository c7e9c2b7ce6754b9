import type { Call, CallOptions, Filters, Page, Query } from '../call.ts'
import type { ListedRefund } from '../openapi/types.ts'
import { iterateList } from '../pages.ts'

/** Refunds of all charges. */
export const createRefunds = (call: Call) => ({
  /** Lists refunds, a page of them. */
  list: (query?: Query<'listRefunds'>, options?: CallOptions): Promise<Page<ListedRefund>> =>
    call('listRefunds', { query }, options),
  /** Iterates over all refunds that match. */
  listAll: (query?: Filters<'listRefunds'>, options?: CallOptions): AsyncGenerator<ListedRefund> =>
    iterateList('listRefunds', query, page => call('listRefunds', { query: page }, options)),
})
export type Refunds = ReturnType<typeof createRefunds>
