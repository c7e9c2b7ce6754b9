import { limitsSchema, limitUsageSchema, replaceLimitsBody } from '../../contract/limits/limits.ts'
import { dataResponse } from '../../contract/shared/fields.ts'
import { rotateWebhookBody } from '../../contract/webhooks/webhook.ts'
import type { EndpointInspectionOptions } from '../../webhook-client/endpoint-inspection.ts'
import type { RouteRegistrar } from '../app.ts'
import { registerRoute } from '../http/route.ts'
import { collectCalloutErrors, rotateCalloutToken } from '../operations/callouts.ts'
import { readLimits, readUsedLimits, replaceAccountLimits } from '../operations/limits.ts'
import { createWebhookDependencies } from '../operations/webhooks.ts'

const PATH = '/api/v1/limits'

/** Registers the routes of the limits of an account. They concern all its providers, so a bound token has none of them. */
export const limitRoutes =
  (inspection: EndpointInspectionOptions = {}): RouteRegistrar =>
  (router, dependencies) => {
    const tools = createWebhookDependencies(dependencies, inspection)

    registerRoute(router, 'get', PATH, {
      operationId: 'getLimits',
      scope: 'transfers',
      summary: 'Read the limits of the account',
      description: 'Those in force, and in `pending` what allows more later.',
      tokens: 'global_only',
      responses: { 200: dataResponse(limitsSchema) },
      handle: async ({ em, token }) => ({ body: { data: await readLimits(em, token) } }),
    })

    registerRoute(router, 'put', PATH, {
      operationId: 'replaceLimits',
      scope: 'transfers',
      summary: 'Replace the limits of the account',
      description:
        'What allows less acts at once, what allows more after 24 hours (`pending`). A field that is absent sets no limit. Limits count the transfers and refunds that are sent from their first PUT on. The first `callout_url` must complete a TLS handshake, and `callout_token` is shown whole only then.',
      tokens: 'global_only',
      body: replaceLimitsBody,
      validateSemantics: ({ body }) =>
        collectCalloutErrors(Object(Object(body).approvals).callout_url, tools.inspect),
      responses: { 200: dataResponse(limitsSchema), errors: ['limits_changed', 'not_confirmed'] },
      handle: async ({ em, token, body }) => ({
        body: { data: await replaceAccountLimits(em, token, body, tools) },
      }),
    })

    registerRoute(router, 'post', `${PATH}/callout/rotate`, {
      operationId: 'rotateCalloutToken',
      scope: 'transfers',
      summary: 'Replace the secret that signs call-outs',
      description:
        'Shows the new one in `callout_token`, this once. For 24 hours the old one signs too: `webhook-signature` holds a signature of each.',
      tokens: 'global_only',
      body: rotateWebhookBody.optional(),
      responses: { 200: dataResponse(limitsSchema), errors: ['not_found', 'not_confirmed'] },
      async handle({ em, token, body }) {
        const callout_token = await rotateCalloutToken(em, token, body?.token, tools)
        return { body: { data: { ...(await readLimits(em.fork(), token)), callout_token } } }
      },
    })

    registerRoute(router, 'get', `${PATH}/usage`, {
      operationId: 'getLimitUsage',
      scope: 'transfers',
      summary: 'Read what is used of the limits of the account',
      description: 'Of this day and night in Brasília.',
      tokens: 'global_only',
      responses: { 200: dataResponse(limitUsageSchema) },
      handle: async ({ em, token }) => ({ body: { data: await readUsedLimits(em, token) } }),
    })
  }
