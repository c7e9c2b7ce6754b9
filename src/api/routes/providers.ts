import { z } from 'zod'
import {
  defaultsAnswer,
  providerAnswer,
  providerPage,
  providersQuery,
  replaceDefaults,
} from '../../wire/provider.ts'
import type { Routes } from '../app.ts'
import { alsoUnfit, replaceDefaultProviders } from '../providers/defaults.ts'
import { defaultProviders, listProviders, providerOf } from '../providers/find.ts'
import { route } from '../route.ts'

/** api-document.txt, Providers. A bound token sees its own provider only. */
export const providerRoutes: Routes = router => {
  route(router, {
    method: 'get',
    path: '/api/v1/providers',
    summary: 'List the providers of the account',
    query: providersQuery,
    answers: { 200: providerPage },
    async handle({ query, token, em }) {
      return { body: await listProviders(em, token, query) }
    },
  })

  route(router, {
    method: 'get',
    path: '/api/v1/providers/defaults',
    summary: 'Read the default providers',
    description: 'In their order of priority; a bound token sees itself where it is one of them.',
    answers: { 200: defaultsAnswer },
    async handle({ token, em }) {
      return { body: { data: { PIX: await defaultProviders(em, token) } } }
    },
  })

  route(router, {
    method: 'put',
    path: '/api/v1/providers/defaults',
    summary: 'Replace the default providers',
    description: 'Providers that are absent from the list are defaults no more.',
    tokens: 'global_only',
    body: replaceDefaults,
    alsoWrong: alsoUnfit,
    answers: { 200: z.object({ message: z.string() }) },
    async handle({ body, token, em }) {
      await replaceDefaultProviders(em, token, body.provider_uuids)
      return { body: { message: 'The default providers were replaced.' } }
    },
  })

  route(router, {
    method: 'get',
    path: '/api/v1/providers/:uuid',
    summary: 'Read a provider',
    answers: { 200: providerAnswer },
    async handle({ params, token, em }) {
      return { body: { data: await providerOf(em, token, params.uuid) } }
    },
  })
}
