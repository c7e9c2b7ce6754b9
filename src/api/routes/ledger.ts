import { ledgerPage, ledgerQuery } from '../../wire/ledger.ts'
import type { Routes } from '../app.ts'
import { listLedger } from '../ledger/find.ts'
import { route } from '../route.ts'

/** SPEC §7: the movements of an account with the running balance. */
export const ledgerRoutes: Routes = router => {
  route(router, {
    method: 'get',
    path: '/api/v1/ledger',
    summary: 'List what changed the available balance, with the balance after each line',
    query: ledgerQuery,
    answers: { 200: ledgerPage },
    async handle({ em, token, query }) {
      return { body: await listLedger(em, token, query) }
    },
  })
}
