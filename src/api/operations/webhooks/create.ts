import { type CreateWebhookBody, showCreatedWebhook } from '../../../contract/webhooks/webhook.ts'
import type { EntityManager } from '../../../db/client/orm.ts'
import { Webhook, type WebhookCreation } from '../../../db/entities/webhook.ts'
import { SUBSCRIBABLE_EVENT_TYPES } from '../../../domain/webhooks/webhook.ts'
import { fail } from '../../../http/api-error.ts'
import type { Sealer } from '../../../security/sealing.ts'
import { generateSigningSecret, maskSigningSecret } from '../../../webhook-client/signature.ts'
import type { CallerToken } from '../../authorization/authenticate.ts'
import type { CreateRequest } from '../create-operation.ts'
import {
  deriveOperationUuid,
  fingerprintRequest,
  REPLAYED_HEADERS,
  requireSameRequest,
} from '../idempotency.ts'
import { type EndpointInspector, requireUsableEndpoint } from './validate-endpoint.ts'

export const WEBHOOKS_PATH = '/api/v1/webhooks'

/**
 * Creates a webhook, or replays the response of the same Idempotency-Key. Not by `createOperation`: no workflow starts,
 * the row is inserted here, and its outcome is certain when the statement returns.
 */
export async function createWebhook(
  { sealer, inspect }: { sealer: Sealer; inspect: EndpointInspector },
  { body, token, idempotencyKey: key, em }: Omit<CreateRequest<CreateWebhookBody>, 'requestId'>,
) {
  const { accountUuid, connectionUuid } = token
  const uuid = deriveOperationUuid({ owner: token, method: 'post', path: WEBHOOKS_PATH, key })
  const fingerprint = fingerprintRequest({ body, connectionUuid })
  const earlier = key === null ? null : await findRegisteredWebhook(em, { uuid, accountUuid })
  if (earlier) return respondWithReplay(earlier, fingerprint, sealer)

  await requireUsableEndpoint(body, inspect)
  const creation: WebhookCreation = {
    url: body.url,
    events: body.events ?? [...SUBSCRIBABLE_EVENT_TYPES],
    token: body.token ?? generateSigningSecret(),
  }
  const order = { uuid, accountUuid, mode: token.mode, fingerprint, creation }
  const { webhook, isOurs } = await storeWebhook(em, sealer, order)
  if (!isOurs) return respondWithReplay(webhook, fingerprint, sealer)
  return { body: { data: showCreatedWebhook(webhook, creation) } }
}

function findRegisteredWebhook(em: EntityManager, where: { uuid: string; accountUuid: string }) {
  return em.findOne(Webhook, where, { populate: ['sealedCreation'] })
}

type WebhookRegistration = Pick<CallerToken, 'uuid' | 'accountUuid' | 'mode'> & {
  fingerprint: string
  creation: WebhookCreation
}

/** Stores the webhook and returns the row; `isOurs` is false where a parallel request with the same key inserted it. */
async function storeWebhook(em: EntityManager, sealer: Sealer, { creation, ...order }: WebhookRegistration) {
  const webhook = em.create(Webhook, {
    ...order,
    url: creation.url,
    events: creation.events,
    sealedSecret: sealer.seal(creation.token),
    maskedSecret: maskSigningSecret(creation.token),
    sealedCreation: sealer.seal(creation),
  })
  try {
    await em.persist(webhook).flush()
    return { webhook, isOurs: true }
  } catch (error) {
    const { code, constraint } = Object(error)
    if (constraint !== 'webhook_limit' && code !== '23505') throw error
    // PostgreSQL checks the limit before the key: the last free place may have been used by a parallel request with
    // the same key.
    const { uuid, accountUuid } = order
    const earlier = await findRegisteredWebhook(em.fork({ clear: true }), { uuid, accountUuid })
    if (earlier) return { webhook: earlier, isOurs: false }
    if (constraint === 'webhook_limit') return fail('webhook_limit')
    throw error
  }
}

function respondWithReplay(webhook: Webhook, fingerprint: string, sealer: Sealer) {
  requireSameRequest(webhook, fingerprint)
  const { url, events, sealedSecret, sealedCreation } = webhook
  const creation = sealedCreation
    ? sealer.open<WebhookCreation>(sealedCreation)
    : { url, events, token: sealer.open<string>(sealedSecret) }
  return { headers: REPLAYED_HEADERS, body: { data: showCreatedWebhook(webhook, creation) } }
}
