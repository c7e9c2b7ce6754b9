import { limitsSchema, limitUsageSchema, replaceLimitsBody } from '../../contract/limits/limits.ts'
import { dataResponse } from '../../contract/shared/fields.ts'
import type { RouteRegistrar } from '../app.ts'
import { registerRoute } from '../http/route.ts'
import { readLimits, readUsedLimits, replaceAccountLimits } from '../operations/limits.ts'

/** Registers the routes of the limits of an account. They concern all its providers, so a bound token has none of them. */
export const limitRoutes: RouteRegistrar = router => {
  registerRoute(router, 'get', '/api/v1/limits', {
    operationId: 'getLimits',
    scope: 'transfers',
    summary: 'Read the limits of the account',
    description: 'Those in force, and in `pending` what allows more later.',
    tokens: 'global_only',
    responses: { 200: dataResponse(limitsSchema) },
    handle: async ({ em, token }) => ({ body: { data: await readLimits(em, token) } }),
  })

  registerRoute(router, 'put', '/api/v1/limits', {
    operationId: 'replaceLimits',
    scope: 'transfers',
    summary: 'Replace the limits of the account',
    description:
      'What allows less acts at once, what allows more after 24 hours (`pending`). A field that is absent sets no limit. Limits count the transfers and refunds that are sent from their first PUT on.',
    tokens: 'global_only',
    body: replaceLimitsBody,
    responses: { 200: dataResponse(limitsSchema), errors: ['limits_changed', 'not_confirmed'] },
    handle: async ({ em, token, body }) => ({ body: { data: await replaceAccountLimits(em, token, body) } }),
  })

  registerRoute(router, 'get', '/api/v1/limits/usage', {
    operationId: 'getLimitUsage',
    scope: 'transfers',
    summary: 'Read what is used of the limits of the account',
    description: 'Of this day and night in Brasília.',
    tokens: 'global_only',
    responses: { 200: dataResponse(limitUsageSchema) },
    handle: async ({ em, token }) => ({ body: { data: await readUsedLimits(em, token) } }),
  })
}
