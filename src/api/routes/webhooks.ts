import { z } from 'zod'
import type { Engine } from '../../engine/start.ts'
import type { InspectionOptions } from '../../webhooks/endpoint.ts'
import {
  changeWebhook,
  createWebhook,
  rotateWebhook,
  showRotatedWebhook,
  showWebhook,
  webhookAnswer,
  webhookPage,
  webhooksQuery,
} from '../../wire/webhook.ts'
import type { Routes } from '../app.ts'
import { pageOf } from '../pagination.ts'
import { route } from '../route.ts'
import {
  changeWebhook as change,
  listWebhooks,
  removeWebhook,
  rotateToken,
  webhookOf,
} from '../webhooks/change.ts'
import { createWebhook as create, WEBHOOKS_PATH as PATH } from '../webhooks/create.ts'
import { inspector, unusable } from '../webhooks/usable.ts'
import { wakeAllSoon } from '../webhooks/waking.ts'

/** api-document.txt, Webhooks. Bound tokens have no business here. */
export const webhookRoutes =
  (inspection: InspectionOptions = {}): Routes =>
  (router, { sealer, config, temporal }) => {
    const {
      timeScale,
      temporal: { taskQueue },
    } = config
    const engine: Engine = { client: temporal, taskQueue, timeScale }
    const tools = { sealer, timeScale, inspect: inspector(config, inspection) }

    route(router, {
      method: 'post',
      path: PATH,
      isKeyed: true,
      summary: 'Register a webhook',
      description: 'The endpoint must complete a TLS handshake. The token is shown whole only here.',
      tokens: 'global_only',
      body: createWebhook,
      alsoWrong: ({ body }) => unusable(Object(body), tools.inspect),
      answers: { 201: webhookAnswer, errors: ['webhook_limit', 'idempotency_key_reused'] },
      handle: request => create(tools, request),
    })

    route(router, {
      method: 'get',
      path: PATH,
      summary: 'List the webhooks of the account',
      tokens: 'global_only',
      query: webhooksQuery,
      answers: { 200: webhookPage },
      async handle({ query, token, em }) {
        const [rows, total] = await listWebhooks(em, token, query)
        return { body: pageOf({ ...query, total, rows: rows.map(showWebhook) }) }
      },
    })

    route(router, {
      method: 'get',
      path: `${PATH}/:uuid`,
      summary: 'Read a webhook',
      tokens: 'global_only',
      answers: { 200: webhookAnswer },
      async handle({ params: { uuid }, token, em }) {
        return { body: { data: showWebhook(await webhookOf(em, { ...token, uuid })) } }
      },
    })

    route(router, {
      method: 'patch',
      path: `${PATH}/:uuid`,
      summary: 'Change a webhook',
      description:
        'Only what is named changes. Another `url`, and `status` ACTIVE of a disabled one, take a TLS handshake. DISABLED ends what was to be delivered; `recover` brings it back.',
      tokens: 'global_only',
      body: changeWebhook,
      alsoWrong: ({ body }) => unusable(Object(body), tools.inspect),
      answers: { 200: webhookAnswer },
      async handle({ params: { uuid }, token, body, em }) {
        const webhook = await change(em, { ...token, uuid }, body, tools)
        if (body.status === 'DISABLED') await wakeAllSoon(engine)
        const data = body.token === undefined ? showWebhook(webhook) : showRotatedWebhook(webhook, body.token)
        return { body: { data } }
      },
    })

    route(router, {
      method: 'post',
      path: `${PATH}/:uuid/rotate`,
      summary: 'Replace the token of a webhook',
      description:
        'Shows the new token, this once. For 24 hours the old one signs too: `webhook-signature` holds a signature of each.',
      tokens: 'global_only',
      body: rotateWebhook.optional(),
      answers: { 200: webhookAnswer },
      async handle({ params: { uuid }, token, body, em }) {
        const { webhook, token: secret } = await rotateToken(em, { ...token, uuid }, body?.token, tools)
        return { body: { data: showRotatedWebhook(webhook, secret) } }
      },
    })

    route(router, {
      method: 'delete',
      path: `${PATH}/:uuid`,
      summary: 'Remove a webhook',
      description: 'Deliveries that are under way end.',
      tokens: 'global_only',
      answers: { 200: z.object({ message: z.string() }) },
      async handle({ params: { uuid }, token, em }) {
        await removeWebhook(em, { ...token, uuid })
        await wakeAllSoon(engine)
        return { body: { message: 'The webhook was removed.' } }
      },
    })
  }
