import type { Call, CallOptions, Query } from '../call.ts'
import type { ListedBank } from '../openapi/types.ts'

/** Institutions that a transfer may go to. */
export const createBanks = (call: Call) => ({
  /** Lists the institutions whose name or code matches, or all. */
  list: (query?: Query<'listBanks'>, options?: CallOptions): Promise<ListedBank[]> =>
    call('listBanks', { query }, options),
})
export type Banks = ReturnType<typeof createBanks>
