import type { Call, CallOptions, Filters } from '../call.ts'
import type { Reconciliation, ReconciliationDifference } from '../openapi/types.ts'
import { defineList, iterateList } from '../pages.ts'

/** What the comparison with the statements and balances of providers has found. */
export const createReconciliations = (call: Call) => ({
  /** Lists the reconciliation of each provider, a page of them. */
  list: defineList<'listReconciliations', Reconciliation>((query, options) =>
    call('listReconciliations', { query }, options),
  ),
  /** Iterates over the reconciliations of all providers. */
  listAll: (query?: Filters<'listReconciliations'>, options?: CallOptions): AsyncGenerator<Reconciliation> =>
    iterateList(query, page => call('listReconciliations', { query: page }, options)),
  /** Reads the reconciliation of a provider. */
  get: (uuid: string, options?: CallOptions): Promise<Reconciliation> =>
    call('getReconciliation', { path: { uuid } }, options),
  /** Lists the PIX on which a provider and the ledger differ, a page of them. */
  listDifferences: defineList<'listReconciliationDifferences', ReconciliationDifference, [uuid: string]>(
    (uuid, query, options) => call('listReconciliationDifferences', { path: { uuid }, query }, options),
  ),
  /** Iterates over all differences of a provider that match. */
  listAllDifferences: (
    uuid: string,
    query?: Filters<'listReconciliationDifferences'>,
    options?: CallOptions,
  ): AsyncGenerator<ReconciliationDifference> =>
    iterateList(query, page =>
      call('listReconciliationDifferences', { path: { uuid }, query: page }, options),
    ),
})
export type Reconciliations = ReturnType<typeof createReconciliations>
