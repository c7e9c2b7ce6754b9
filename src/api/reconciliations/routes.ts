import {
  differenceSchema,
  differencesQuery,
  reconciliationSchema,
  reconciliationsQuery,
} from '../../contract/reconciliation/reconciliation.ts'
import { dataResponse, pageResponse } from '../../contract/shared/fields.ts'
import type { RouteRegistrar } from '../app.ts'
import { registerRoute } from '../http/route.ts'
import { listDifferences, listReconciliations, readReconciliation } from '../operations/reconciliations.ts'

const PATH = '/api/v1/reconciliations'

/** Registers the routes of the reconciliation with providers, which are read-only (SPEC §6). */
export const reconciliationRoutes: RouteRegistrar = router => {
  registerRoute(router, 'get', PATH, {
    operationId: 'listReconciliations',
    scope: 'read',
    summary: 'List what the reconciliation has found at each provider',
    description: 'Of NOMINAL providers: the account of a POOL belongs to several accounts.',
    query: reconciliationsQuery,
    responses: { 200: pageResponse(reconciliationSchema) },
    handle: async ({ em, token, query }) => ({ body: await listReconciliations(em, token, query) }),
  })

  registerRoute(router, 'get', `${PATH}/:uuid`, {
    operationId: 'getReconciliation',
    scope: 'read',
    summary: 'Read what the reconciliation has found at a provider',
    responses: { 200: dataResponse(reconciliationSchema) },
    handle: async ({ em, token, params: { uuid } }) => ({
      body: { data: await readReconciliation(em, token, uuid) },
    }),
  })

  registerRoute(router, 'get', `${PATH}/:uuid/differences`, {
    operationId: 'listReconciliationDifferences',
    scope: 'read',
    summary: 'List the PIX on which a provider and the ledger differ',
    description: 'Newest first, with those that were settled or closed.',
    query: differencesQuery,
    responses: { 200: pageResponse(differenceSchema) },
    handle: async ({ em, token, params: { uuid }, query }) => ({
      body: await listDifferences(em, token, { uuid, query }),
    }),
  })
}
