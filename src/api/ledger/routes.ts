import { ledgerLineSchema, ledgerQuery } from '../../contract/ledger/ledger-line.ts'
import { pageResponse } from '../../contract/shared/fields.ts'
import type { RouteRegistrar } from '../app.ts'
import { registerRoute } from '../http/route.ts'
import { listLedgerLines } from '../operations/ledger.ts'

/** Registers the ledger route: the movements of an account with the running balance (SPEC §7). */
export const ledgerRoutes: RouteRegistrar = router => {
  registerRoute(router, 'get', '/api/v1/ledger', {
    operationId: 'listLedgerLines',
    summary: 'List what changed the available balance, with the balance after each line',
    query: ledgerQuery,
    responses: { 200: pageResponse(ledgerLineSchema) },
    handle: async ({ em, token, query }) => ({ body: await listLedgerLines(em, token, query) }),
  })
}
