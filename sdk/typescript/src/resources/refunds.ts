import type { Call, CallOptions, Filters } from '../call.ts'
import type { ListedRefund } from '../openapi/types.ts'
import { defineList, iterateList } from '../pages.ts'

/** Refunds of all charges. */
export const createRefunds = (call: Call) => ({
  /** Lists refunds, a page of them. */
  list: defineList<'listRefunds', ListedRefund>((query, options) => call('listRefunds', { query }, options)),
  /** Iterates over all refunds that match. */
  listAll: (query?: Filters<'listRefunds'>, options?: CallOptions): AsyncGenerator<ListedRefund> =>
    iterateList(query, page => call('listRefunds', { query: page }, options)),
})
export type Refunds = ReturnType<typeof createRefunds>
