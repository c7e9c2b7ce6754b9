import { z } from 'zod'
import {
  defaultProvidersReference,
  defaultProvidersResponse,
  providerDetailsSchema,
  providerSchema,
  providersQuery,
  replaceDefaultProvidersBody,
} from '../../contract/providers/provider.ts'
import { dataResponse, pageResponse } from '../../contract/shared/fields.ts'
import type { RouteRegistrar } from '../app.ts'
import { registerRoute } from '../http/route.ts'
import { readLookupBudget } from '../operations/lookup-budgets.ts'
import {
  collectDefaultProviderErrors,
  listDefaultProviders,
  listProviders,
  readVisibleProvider,
  replaceDefaultProviders,
} from '../operations/providers.ts'

/** Registers the provider routes (api-document.txt, Providers). A provider-scoped token sees its own provider only. */
export const providerRoutes: RouteRegistrar = (router, dependencies) => {
  registerRoute(router, 'get', '/api/v1/providers', {
    operationId: 'listProviders',
    scope: 'transfers',
    summary: 'List the providers of the account',
    description: 'With their balances. A bound token sees its own.',
    query: providersQuery,
    responses: { 200: pageResponse(providerSchema) },
    handle: async ({ query, token, em }) => ({ body: await listProviders(em, token, query) }),
  })

  registerRoute(router, 'get', '/api/v1/providers/defaults', {
    operationId: 'getDefaultProviders',
    scope: 'transfers',
    summary: 'Read the default providers',
    description: 'In their order of priority; a bound token sees itself where it is one of them.',
    responses: { 200: defaultProvidersResponse },
    handle: async ({ token, em }) => ({ body: { data: { PIX: await listDefaultProviders(em, token) } } }),
  })

  registerRoute(router, 'put', '/api/v1/providers/defaults', {
    operationId: 'replaceDefaultProviders',
    scope: 'transfers',
    summary: 'Replace the default providers',
    description: 'Providers that are absent from the list are defaults no more.',
    tokens: 'global_only',
    body: replaceDefaultProvidersBody,
    validateSemantics: collectDefaultProviderErrors,
    responses: {
      200: z.object({ message: z.string() }),
      errors: ['not_confirmed'],
      errorData: { schema: defaultProvidersReference, codes: ['not_confirmed'] },
    },
    async handle({ body, token, em }) {
      await replaceDefaultProviders(em, token, body.provider_uuids)
      return { body: { message: 'The default providers were replaced.' } }
    },
  })

  registerRoute(router, 'get', '/api/v1/providers/:uuid', {
    operationId: 'getProvider',
    scope: 'transfers',
    summary: 'Read a provider',
    description:
      'With its balances and the look-ups of PIX keys that are left there. Another one than that of a bound token is not found.',
    responses: { 200: dataResponse(providerDetailsSchema) },
    async handle({ params, token, em }) {
      const provider = await readVisibleProvider(em, token, params.uuid)
      const lookup_budget = await readLookupBudget(dependencies, em, params.uuid)
      return { body: { data: { ...provider, lookup_budget } } }
    },
  })
}
