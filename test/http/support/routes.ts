import { z } from 'zod'
import type { Routes } from '../../../src/api/app.ts'
import { refuse } from '../../../src/api/errors.ts'
import { route } from '../../../src/api/route.ts'

const order = z.object({
  value: z.number().min(0),
  splits: z.array(z.object({ value: z.number(), name: z.string().max(10).optional() })).default([]),
})
const shown = z.object({ value: z.number(), key: z.string().nullable(), page: z.number() })

/** Routes that stand for all: one that takes everything, and some that fail in every way there is. */
export const sampleRoutes: Routes = (router, { temporal }) => {
  route(router, {
    method: 'post',
    path: '/api/v1/samples/:uuid',
    summary: 'Take everything',
    query: z.strictObject({ page: z.coerce.number().int().min(1).default(1), at: z.string().optional() }),
    body: order,
    answers: { 201: z.object({ data: shown }) },
    async handle({ body, query, idempotencyKey }) {
      return { body: { data: { value: body.value, key: idempotencyKey, page: query.page } } }
    },
  })

  route(router, {
    method: 'get',
    path: '/api/v1/whoami',
    summary: 'Who calls',
    answers: {
      200: z.object({
        uuid: z.string(),
        accountUuid: z.string(),
        connectionUuid: z.string().nullable(),
        mode: z.string(),
      }),
    },
    handle: async ({ token }) => ({ body: token }),
  })

  route(router, {
    method: 'put',
    path: '/api/v1/global',
    summary: 'Only for global tokens',
    tokens: 'global_only',
    body: order,
    answers: { 200: z.object({}) },
    handle: async () => ({ body: {} }),
  })

  route(router, {
    method: 'get',
    path: '/failing/:how',
    summary: 'Fail',
    tokens: 'none',
    params: z.object({
      how: z.enum(['bug', 'row', 'answer', 'refusal', 'transaction', 'engine', 'statement']),
    }),
    answers: { 200: z.object({ value: z.number() }), errors: ['no_provider_available'] },
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
        case 'engine':
          await temporal()
          break
        case 'refusal':
          refuse('no_provider_available', {
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

  route(router, {
    method: 'post',
    path: '/text',
    summary: 'Take a text as it is',
    tokens: 'none',
    body: 'text',
    answers: { 200: 'text/plain' },
    handle: async ({ body }) => ({ body }),
  })
}
