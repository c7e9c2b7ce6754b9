import { z } from 'zod'
import { dataResponse, pageResponse } from '../../contract/shared/fields.ts'
import {
  createWebhookBody,
  rotateWebhookBody,
  showRotatedWebhook,
  showWebhook,
  updateWebhookBody,
  webhookSchema,
  webhooksQuery,
} from '../../contract/webhooks/webhook.ts'
import {
  deliveriesQuery,
  deliverySchema,
  recoverDeliveriesBody,
  startedDeliveryResponse,
} from '../../contract/webhooks/webhook-delivery.ts'
import { fail, failField } from '../../http/api-error.ts'
import type { EndpointInspectionOptions } from '../../webhook-client/endpoint-inspection.ts'
import type { RouteRegistrar } from '../app.ts'
import { registerRoute } from '../http/route.ts'
import { mapPage } from '../operations/pagination.ts'
import {
  createTestDelivery,
  listDeliveries,
  resendDelivery,
  signalOpenDelivery,
  startDeliverySweepIfUp,
  startRecovery,
} from '../operations/webhook-deliveries.ts'
import {
  collectEndpointErrors,
  createWebhook,
  createWebhookDependencies,
  listWebhooks,
  removeWebhook,
  requireVisibleWebhook,
  rotateSigningSecret,
  updateWebhook,
  WEBHOOKS_PATH,
} from '../operations/webhooks.ts'

/** Registers the webhook routes (api-document.txt, Webhooks). Provider-bound tokens are refused. */
export const webhookRoutes =
  (inspection: EndpointInspectionOptions = {}): RouteRegistrar =>
  (router, dependencies) => {
    const { temporal } = dependencies
    const tools = createWebhookDependencies(dependencies, inspection)

    registerRoute(router, 'post', WEBHOOKS_PATH, {
      isIdempotent: true,
      operationId: 'createWebhook',
      scope: 'webhooks',
      summary: 'Register a webhook',
      description: 'The endpoint must complete a TLS handshake. The token is shown whole only here.',
      tokens: 'global_only',
      body: createWebhookBody,
      validateSemantics: ({ body }) => collectEndpointErrors(Object(body), tools.inspect),
      responses: { 201: dataResponse(webhookSchema), errors: ['webhook_limit', 'not_confirmed'] },
      handle: request => createWebhook(tools, request),
    })

    registerRoute(router, 'get', WEBHOOKS_PATH, {
      operationId: 'listWebhooks',
      scope: 'webhooks',
      summary: 'List the webhooks of the account',
      description: 'Newest first; tokens are masked.',
      tokens: 'global_only',
      query: webhooksQuery,
      responses: { 200: pageResponse(webhookSchema) },
      async handle({ query, token, em }) {
        return { body: mapPage(await listWebhooks(em, token, query), showWebhook) }
      },
    })

    registerRoute(router, 'get', `${WEBHOOKS_PATH}/:uuid`, {
      operationId: 'getWebhook',
      scope: 'webhooks',
      summary: 'Read a webhook',
      description: 'Its token is masked.',
      tokens: 'global_only',
      responses: { 200: dataResponse(webhookSchema) },
      async handle({ params: { uuid }, token, em }) {
        return { body: { data: showWebhook(await requireVisibleWebhook(em, { ...token, uuid })) } }
      },
    })

    registerRoute(router, 'patch', `${WEBHOOKS_PATH}/:uuid`, {
      operationId: 'updateWebhook',
      scope: 'webhooks',
      summary: 'Change a webhook',
      description:
        'Only what is named changes. Another `url`, and `status` ACTIVE of a disabled one, take a TLS handshake. DISABLED ends what was to be delivered; `recover` brings it back.',
      tokens: 'global_only',
      body: updateWebhookBody,
      validateSemantics: ({ body }) => collectEndpointErrors(Object(body), tools.inspect),
      responses: { 200: dataResponse(webhookSchema), errors: ['not_confirmed'] },
      async handle({ params: { uuid }, token, body, em }) {
        const { webhook, isDisabled } = await updateWebhook(em, { ...token, uuid }, body, tools)
        if (isDisabled) await startDeliverySweepIfUp(temporal, token.accountUuid)
        const data = body.token === undefined ? showWebhook(webhook) : showRotatedWebhook(webhook, body.token)
        return { body: { data } }
      },
    })

    registerRoute(router, 'post', `${WEBHOOKS_PATH}/:uuid/rotate`, {
      operationId: 'rotateWebhookToken',
      scope: 'webhooks',
      summary: 'Replace the token of a webhook',
      description:
        'Shows the new token, this once. For 24 hours the old one signs too: `webhook-signature` holds a signature of each.',
      tokens: 'global_only',
      body: rotateWebhookBody.optional(),
      responses: { 200: dataResponse(webhookSchema), errors: ['not_confirmed'] },
      async handle({ params: { uuid }, token, body, em }) {
        const { webhook, token: secret } = await rotateSigningSecret(
          em,
          { ...token, uuid },
          body?.token,
          tools,
        )
        return { body: { data: showRotatedWebhook(webhook, secret) } }
      },
    })

    registerRoute(router, 'delete', `${WEBHOOKS_PATH}/:uuid`, {
      operationId: 'deleteWebhook',
      scope: 'webhooks',
      summary: 'Remove a webhook',
      description: 'Deliveries that are under way end.',
      tokens: 'global_only',
      responses: { 200: z.object({ message: z.string() }), errors: ['not_confirmed'] },
      async handle({ params: { uuid }, token, em }) {
        await removeWebhook(em, { ...token, uuid })
        await startDeliverySweepIfUp(temporal, token.accountUuid)
        return { body: { message: 'The webhook was removed.' } }
      },
    })
  }

/** Registers the delivery routes (SPEC §8). Provider-bound tokens are refused. */
export const deliveryRoutes: RouteRegistrar = (router, { temporal }) => {
  registerRoute(router, 'post', `${WEBHOOKS_PATH}/:uuid/test`, {
    operationId: 'testWebhook',
    scope: 'webhooks',
    summary: 'Send a TEST event to a webhook',
    description: 'It is signed, delivered and listed like any other event; `data` is the webhook itself.',
    tokens: 'global_only',
    responses: { 200: startedDeliveryResponse, errors: ['webhook_disabled', 'not_confirmed'] },
    async handle({ params: { uuid }, token, requestId, em }) {
      const data = await createTestDelivery(em, { ...token, uuid }, { requestId })
      await signalOpenDelivery(temporal, data.uuid)
      return { body: { message: 'A test event is on its way.', data } }
    },
  })

  registerRoute(router, 'get', `${WEBHOOKS_PATH}/:uuid/deliveries`, {
    operationId: 'listWebhookDeliveries',
    scope: 'webhooks',
    summary: 'List the deliveries of a webhook, with each attempt',
    description: 'Newest first.',
    tokens: 'global_only',
    query: deliveriesQuery,
    responses: { 200: pageResponse(deliverySchema) },
    handle: async ({ params: { uuid }, token, query, em }) => ({
      body: await listDeliveries(em, { ...token, uuid }, query),
    }),
  })

  registerRoute(router, 'post', `${WEBHOOKS_PATH}/:uuid/deliveries/:delivery/resend`, {
    operationId: 'resendWebhookDelivery',
    scope: 'webhooks',
    summary: 'Send an event again',
    description:
      'Whatever came of it before: at once, and then on the schedule from its beginning. Refused while an attempt is due.',
    tokens: 'global_only',
    responses: {
      200: startedDeliveryResponse,
      errors: ['webhook_disabled', 'resend_in_progress', 'not_confirmed'],
    },
    async handle({ params: { uuid, delivery }, token, em }) {
      const data = await resendDelivery(
        em,
        { ...token, uuid },
        { deliveryUuid: delivery, timeScale: temporal.timeScale },
      )
      await signalOpenDelivery(temporal, data.uuid)
      return { body: { message: 'The event is on its way again.', data } }
    },
  })

  registerRoute(router, 'post', `${WEBHOOKS_PATH}/:uuid/recover`, {
    operationId: 'recoverWebhook',
    scope: 'webhooks',
    summary: 'Send the events that a webhook has missed',
    description:
      'Sends again every subscribed event since then that was not delivered: failed, still failing, or never sent. Refused while an earlier recovery of the webhook runs.',
    tokens: 'global_only',
    body: recoverDeliveriesBody,
    responses: {
      200: z.object({ message: z.string() }),
      errors: ['webhook_disabled', 'recovery_in_progress', 'not_confirmed'],
    },
    async handle({ params: { uuid }, token, body: { since }, em }) {
      const reference = { ...token, uuid }
      const webhook = await requireVisibleWebhook(em, reference)
      if (webhook.status !== 'ACTIVE') fail('webhook_disabled')
      if (since > new Date()) failField('since', 'must not be in the future')
      await startRecovery(temporal, { em, reference, since })
      return { body: { message: 'What the webhook has missed is on its way.' } }
    },
  })
}
