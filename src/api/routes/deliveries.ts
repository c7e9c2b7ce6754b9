import { z } from 'zod'
import { beginRecovery } from '../../engine/deliveries.ts'
import type { Engine } from '../../engine/start.ts'
import { deliveriesQuery, deliveryPage, recoverDeliveries, startedDelivery } from '../../wire/delivery.ts'
import type { Routes } from '../app.ts'
import { requestDeadline } from '../deadline.ts'
import { refuse, refuseField } from '../errors.ts'
import { WAKE_MS } from '../limits.ts'
import { route } from '../route.ts'
import { webhookOf } from '../webhooks/change.ts'
import { WEBHOOKS_PATH as PATH } from '../webhooks/create.ts'
import { listDeliveries, sendAgain, writeTest } from '../webhooks/deliveries.ts'
import { wakeSoon } from '../webhooks/waking.ts'

/** SPEC §8: what went to an endpoint, and what its owner has sent to it. Bound tokens have no business here. */
export const deliveryRoutes: Routes = (router, { config, temporal }) => {
  const {
    timeScale,
    temporal: { taskQueue },
  } = config
  const engine: Engine = { client: temporal, taskQueue, timeScale }

  route(router, {
    method: 'post',
    path: `${PATH}/:uuid/test`,
    summary: 'Send a TEST event to a webhook',
    description: 'It is signed, tried and listed like any other; `data` is the webhook itself.',
    tokens: 'global_only',
    answers: { 200: startedDelivery, errors: ['webhook_disabled'] },
    async handle({ params: { uuid }, token, requestId, em }) {
      const data = await writeTest(em, { ...token, uuid }, requestId)
      await wakeSoon(engine, data.uuid)
      return { body: { message: 'A test event is on its way.', data } }
    },
  })

  route(router, {
    method: 'get',
    path: `${PATH}/:uuid/deliveries`,
    summary: 'List the deliveries of a webhook, with each try',
    tokens: 'global_only',
    query: deliveriesQuery,
    answers: { 200: deliveryPage },
    handle: async ({ params: { uuid }, token, query, em }) => ({
      body: await listDeliveries(em, { ...token, uuid }, query),
    }),
  })

  route(router, {
    method: 'post',
    path: `${PATH}/:uuid/deliveries/:delivery/resend`,
    summary: 'Send an event again',
    description: 'Whatever came of it before: at once, and then on the schedule from its beginning.',
    tokens: 'global_only',
    answers: { 200: startedDelivery, errors: ['webhook_disabled'] },
    async handle({ params: { uuid, delivery }, token, em }) {
      const data = await sendAgain(em, { ...token, uuid }, delivery)
      await wakeSoon(engine, data.uuid)
      return { body: { message: 'The event is on its way again.', data } }
    },
  })

  route(router, {
    method: 'post',
    path: `${PATH}/:uuid/recover`,
    summary: 'Send what a webhook has missed',
    description:
      'Every event since then, of the kinds it hears of, that it has not taken: what failed, what is still failing and what was never sent.',
    tokens: 'global_only',
    body: recoverDeliveries,
    answers: { 200: z.object({ message: z.string() }), errors: ['webhook_disabled'] },
    async handle({ params: { uuid }, token, body: { since }, em }) {
      const webhook = await webhookOf(em, { ...token, uuid })
      if (webhook.status !== 'ACTIVE') refuse('webhook_disabled')
      if (since > new Date()) refuseField('since', 'must not be in the future')
      await beginRecovery(
        engine,
        { webhookUuid: uuid, since: since.toISOString() },
        requestDeadline().stepMs(WAKE_MS),
      )
      return { body: { message: 'What the webhook has missed is on its way.' } }
    },
  })
}
