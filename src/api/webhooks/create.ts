import { type Creation, Webhook } from '../../db/entities/webhook.ts'
import type { EntityManager } from '../../db/orm.ts'
import { SUBSCRIBED_TYPES } from '../../domain/webhook.ts'
import type { Sealer } from '../../sealing.ts'
import { maskedSecret, newSecret } from '../../webhooks/signature.ts'
import { type CreateWebhook, showCreatedWebhook } from '../../wire/webhook.ts'
import type { Token } from '../auth.ts'
import { refuse } from '../errors.ts'
import { fingerprintOf, operationUuid, REPLAYED, requireSameRequest } from '../idempotency.ts'
import { type Inspect, requireUsable } from './usable.ts'

export const WEBHOOKS_PATH = '/api/v1/webhooks'

type CreateRequest = { body: CreateWebhook; token: Token; em: EntityManager; idempotencyKey: string | null }

/** Registers an endpoint, or answers again what the same key registered before. */
export async function createWebhook(
  { sealer, inspect }: { sealer: Sealer; inspect: Inspect },
  { body, token, idempotencyKey: key, em }: CreateRequest,
) {
  const { accountUuid, connectionUuid } = token
  const uuid = operationUuid({ by: token, method: 'post', path: WEBHOOKS_PATH, key })
  const fingerprint = fingerprintOf({ body, connectionUuid })
  const earlier = key === null ? null : await registered(em, { uuid, accountUuid })
  if (earlier) return replayed(earlier, fingerprint, sealer)

  await requireUsable(body, inspect)
  const creation: Creation = {
    url: body.url,
    events: body.events ?? [...SUBSCRIBED_TYPES],
    token: body.token ?? newSecret(),
  }
  const order = { uuid, accountUuid, mode: token.mode, fingerprint, creation }
  const { webhook, isOurs } = await stored(em, sealer, order)
  if (!isOurs) return replayed(webhook, fingerprint, sealer)
  return { body: { data: showCreatedWebhook(webhook, creation) } }
}

function registered(em: EntityManager, where: { uuid: string; accountUuid: string }) {
  return em.findOne(Webhook, where, { populate: ['sealedCreation'] })
}

type Order = {
  uuid: string
  accountUuid: string
  mode: Token['mode']
  fingerprint: string
  creation: Creation
}

/** The row, and whether this request wrote it: of parallel ones with the same key one does. */
async function stored(em: EntityManager, sealer: Sealer, { creation, ...order }: Order) {
  const webhook = em.create(Webhook, {
    ...order,
    url: creation.url,
    events: creation.events,
    sealedToken: sealer.seal(creation.token),
    maskedToken: maskedSecret(creation.token),
    sealedCreation: sealer.seal(creation),
  })
  try {
    await em.persist(webhook).flush()
    return { webhook, isOurs: true }
  } catch (error) {
    const { code, constraint } = Object(error)
    if (constraint !== 'webhook_limit' && code !== '23505') throw error
    // The limit is asked before the key: what took the last place may be this very request.
    const { uuid, accountUuid } = order
    const earlier = await registered(em.fork({ clear: true }), { uuid, accountUuid })
    if (earlier) return { webhook: earlier, isOurs: false }
    if (constraint === 'webhook_limit') return refuse('webhook_limit')
    throw error
  }
}

function replayed(webhook: Webhook, fingerprint: string, sealer: Sealer) {
  requireSameRequest(webhook, fingerprint)
  const { url, events, sealedToken, sealedCreation } = webhook
  const creation = sealedCreation
    ? sealer.open<Creation>(sealedCreation)
    : { url, events, token: sealer.open<string>(sealedToken) }
  return { headers: REPLAYED, body: { data: showCreatedWebhook(webhook, creation) } }
}
