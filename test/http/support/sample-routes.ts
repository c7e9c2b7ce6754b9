import { z } from 'zod'
import type { RouteRegistrar } from '../../../src/api/app.ts'
import { registerRoute } from '../../../src/api/http/route.ts'
import { fail } from '../../../src/http/api-error.ts'

const sampleBody = z.object({
  value: z.number().min(0),
  splits: z.array(z.object({ value: z.number(), name: z.string().max(10).optional() })).default([]),
})
const sampleResource = z.object({ value: z.number(), key: z.string().nullable(), page: z.number() })

/** Sample routes: one that accepts everything, and some that fail in each possible way. */
export const sampleRoutes: RouteRegistrar = (router, { temporal }) => {
  registerRoute(router, 'post', '/api/v1/samples/:uuid', {
    operationId: null,
    scope: 'charges',
    summary: 'Take everything',
    query: z.strictObject({ page: z.coerce.number().int().min(1).default(1), at: z.string().optional() }),
    body: sampleBody,
    responses: { 201: z.object({ data: sampleResource }) },
    async handle({ body, query, idempotencyKey }) {
      return { body: { data: { value: body.value, key: idempotencyKey, page: query.page } } }
    },
  })

  registerRoute(router, 'get', '/api/v1/whoami', {
    operationId: null,
    scope: 'read',
    summary: 'Who calls',
    responses: {
      200: z.object({
        uuid: z.string(),
        accountUuid: z.string(),
        connectionUuid: z.string().nullable(),
        mode: z.string(),
        isAccountBlocked: z.boolean().optional(),
      }),
    },
    handle: async ({ token }) => ({ body: token }),
  })

  registerRoute(router, 'put', '/api/v1/global', {
    operationId: null,
    scope: 'charges',
    summary: 'Only for global tokens',
    tokens: 'global_only',
    body: sampleBody,
    responses: { 200: z.object({}) },
    handle: async () => ({ body: {} }),
  })

  registerRoute(router, 'get', '/failing/:how', {
    operationId: null,
    summary: 'Fail',
    tokens: 'none',
    params: z.object({
      how: z.enum(['bug', 'row', 'answer', 'refusal', 'transaction', 'temporal', 'statement']),
    }),
    responses: { 200: z.object({ value: z.number() }), errors: ['no_provider_available'] },
    async handle({ params, em }) {
      switch (params.how) {
        case 'bug':
          throw new Error('secret internals')
        case 'row':
          await em.execute(
            `insert into account (uuid, name, document, status) values (gen_random_uuid(), 'n', '52998224725', 'NEW')`,
          )
          break
        case 'statement':
          await em.execute('select 1')
          break
        case 'transaction':
          await em.transactional(inner => inner.execute('select 1'))
          break
        case 'temporal':
          await temporal.client()
          break
        case 'refusal':
          fail('no_provider_available', {
            data: { uuid: 'u' },
            retryAfterS: 5,
            headers: { 'X-More': 'yes' },
          })
          break
        default:
      }
      return { body: { value: 'not a number' as unknown as number } }
    },
  })

  registerRoute(router, 'post', '/text', {
    operationId: null,
    summary: 'Take a text as it is',
    tokens: 'none',
    body: 'text',
    responses: { 200: 'text/plain' },
    handle: async ({ body }) => ({ body }),
  })
}
