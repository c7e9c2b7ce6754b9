import { z } from 'zod'
import { pageResponse } from '../../contract/shared/fields.ts'
import {
  deliveriesQuery,
  deliverySchema,
  recoverDeliveriesBody,
  startedDeliveryResponse,
} from '../../contract/webhooks/webhook-delivery.ts'
import { fail, failField } from '../../http/api-error.ts'
import type { RouteRegistrar } from '../app.ts'
import { registerRoute } from '../http/route.ts'
import {
  createTestDelivery,
  listDeliveries,
  resendDelivery,
  signalOpenDelivery,
  startRecovery,
} from '../operations/webhook-deliveries.ts'
import { requireVisibleWebhook, WEBHOOKS_PATH } from '../operations/webhooks.ts'

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
