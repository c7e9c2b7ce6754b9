import { z } from 'zod'
import { Delivery, Webhook } from '../../db/entities/webhook.ts'
import type { EntityManager } from '../../db/orm.ts'
import { EVENT_TYPES } from '../../domain/webhook.ts'
import type { Sealer } from '../../sealing.ts'
import { addressPolicy } from '../../webhooks/addresses.ts'
import { type InspectionOptions, inspectEndpoint } from '../../webhooks/endpoint.ts'
import { isUsableSecret, maskedSecret, newSecret } from '../../webhooks/signature.ts'
import {
  type CreateWebhook,
  createWebhook,
  showCreatedWebhook,
  showWebhook,
  webhookAnswer,
  webhookPage,
  webhooksQuery,
} from '../../wire/webhook.ts'
import type { Routes } from '../app.ts'
import { refuse } from '../errors.ts'
import { fingerprintOf, operationUuid, REPLAYED, requireSameRequest } from '../idempotency.ts'
import { newestFirst, pageOf } from '../pagination.ts'
import { route } from '../route.ts'

const PATH = '/api/v1/webhooks'
const UNUSABLE_TOKEN = 'must not be empty, and after whsec_ must be proper base64'

/** api-document.txt, Webhooks. Bound tokens have no business here. */
export const webhookRoutes =
  (inspection: InspectionOptions = {}): Routes =>
  (router, { sealer, config }) => {
    const policy = addressPolicy({ loopback: config.loopbackWebhooks })

    route(router, {
      method: 'post',
      path: PATH,
      summary: 'Register a webhook',
      description: 'The endpoint must complete a TLS handshake. The token is shown whole only here.',
      tokens: 'global_only',
      body: createWebhook,
      answers: { 201: webhookAnswer, errors: ['webhook_limit', 'idempotency_key_reused'] },
      async handle({ body, token, idempotencyKey: key, em }) {
        const { accountUuid, connectionUuid } = token
        const uuid = operationUuid({ accountUuid, method: 'post', path: PATH, key })
        const fingerprint = fingerprintOf({ body, connectionUuid })
        const earlier = key === null ? null : await em.findOne(Webhook, { uuid, accountUuid })
        if (earlier) return replayed(earlier, fingerprint, sealer)

        const endpoint = await inspectEndpoint(body.url, policy, inspection)
        const errors = {
          ...(endpoint.kind === 'refused' && { url: [endpoint.message] }),
          ...(body.token !== undefined && !isUsableSecret(body.token) && { token: [UNUSABLE_TOKEN] }),
        }
        if (Object.keys(errors).length > 0) refuse('validation_failed', { errors })

        const order = { uuid, accountUuid, fingerprint, body, secret: body.token ?? newSecret() }
        const { webhook, isOurs } = await stored(em, sealer, order)
        if (!isOurs) return replayed(webhook, fingerprint, sealer)
        return { body: { data: showCreatedWebhook(webhook, order.secret) } }
      },
    })

    route(router, {
      method: 'get',
      path: PATH,
      summary: 'List the webhooks of the account',
      tokens: 'global_only',
      query: webhooksQuery,
      answers: { 200: webhookPage },
      async handle({ query, token: { accountUuid }, em }) {
        const there = { accountUuid, deletedAt: null }
        const [rows, total] = await em.findAndCount(Webhook, there, newestFirst(query))
        return { body: pageOf({ ...query, total, rows: rows.map(showWebhook) }) }
      },
    })

    route(router, {
      method: 'get',
      path: `${PATH}/:uuid`,
      summary: 'Read a webhook',
      tokens: 'global_only',
      answers: { 200: webhookAnswer },
      async handle({ params: { uuid }, token: { accountUuid }, em }) {
        const webhook = await em.findOne(Webhook, { uuid, accountUuid, deletedAt: null })
        return webhook ? { body: { data: showWebhook(webhook) } } : refuse('not_found')
      },
    })

    route(router, {
      method: 'delete',
      path: `${PATH}/:uuid`,
      summary: 'Remove a webhook',
      description: 'Deliveries that are under way end.',
      tokens: 'global_only',
      answers: { 200: z.object({ message: z.string() }) },
      async handle({ params: { uuid }, token: { accountUuid }, em }) {
        await em.transactional(inner => removed(inner, { uuid, accountUuid }))
        return { body: { message: 'The webhook was removed.' } }
      },
    })
  }

type Order = { uuid: string; accountUuid: string; fingerprint: string; body: CreateWebhook; secret: string }

/** The row, and whether this request wrote it: of parallel ones with the same key one does. */
async function stored(em: EntityManager, sealer: Sealer, order: Order) {
  const { uuid, accountUuid, fingerprint, body, secret } = order
  const webhook = em.create(Webhook, {
    uuid,
    accountUuid,
    fingerprint,
    url: body.url,
    sealedToken: sealer.seal(secret),
    maskedToken: maskedSecret(secret),
    events: body.events ?? [...EVENT_TYPES],
  })
  try {
    await em.persist(webhook).flush()
    return { webhook, isOurs: true }
  } catch (error) {
    const { code, constraint } = Object(error)
    if (constraint !== 'webhook_limit' && code !== '23505') throw error
    // The limit is asked before the key: what took the last place may be this very request.
    const earlier = await em.fork({ clear: true }).findOne(Webhook, { uuid, accountUuid })
    if (earlier) return { webhook: earlier, isOurs: false }
    if (constraint === 'webhook_limit') return refuse('webhook_limit')
    throw error
  }
}

function replayed(webhook: Webhook, fingerprint: string, sealer: Sealer) {
  requireSameRequest(webhook, fingerprint)
  const secret = sealer.open<string>(webhook.sealedToken)
  return { headers: REPLAYED, body: { data: showCreatedWebhook(webhook, secret) } }
}

async function removed(em: EntityManager, where: { uuid: string; accountUuid: string }): Promise<void> {
  const now = new Date()
  const count = await em.nativeUpdate(Webhook, { ...where, deletedAt: null }, { deletedAt: now })
  if (count === 0) refuse('not_found')
  await em.nativeUpdate(
    Delivery,
    { webhookUuid: where.uuid, status: 'PENDING' },
    { status: 'CANCELLED', nextTryAt: null, updatedAt: now },
  )
}
