import type { FilterQuery } from '@mikro-orm/core'
import type { Config } from '../../config.ts'
import type { PageQuery } from '../../contract/shared/fields.ts'
import {
  type CreateWebhookBody,
  showCreatedWebhook,
  type UpdateWebhookBody,
} from '../../contract/webhooks/webhook.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { isUniqueViolation } from '../../db/client/transaction.ts'
import {
  type PreviousSigningSecret,
  type SigningSecrets,
  Webhook,
  type WebhookCreation,
} from '../../db/entities/webhook.ts'
import { disableWebhook, endPendingDeliveries, lockWebhook } from '../../db/repositories/webhook-endpoints.ts'
import { scaleWait, WAITS } from '../../domain/shared/intervals.ts'
import { DEFAULT_EVENT_TYPES, MAX_PREVIOUS_SECRETS } from '../../domain/webhooks/webhook.ts'
import { fail, failField } from '../../http/api-error.ts'
import { ResponseTimeoutError } from '../../http/outage.ts'
import { getRequestDeadline } from '../../http/request-deadline.ts'
import { type Sealer, sha256 } from '../../security/sealing.ts'
import { createAddressPolicy } from '../../webhook-client/address-policy.ts'
import {
  type EndpointInspection,
  type EndpointInspectionOptions,
  inspectEndpoint,
} from '../../webhook-client/endpoint-inspection.ts'
import {
  generateSigningSecret,
  isUsableSigningSecret,
  maskSigningSecret,
} from '../../webhook-client/signature.ts'
import type { OrderAuthor } from '../../workflows/contracts/orders.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import type { CreateRequest } from './create-operation.ts'
import {
  deriveOperationUuid,
  fingerprintRequest,
  REPLAYED_HEADERS,
  requireSameRequest,
} from './idempotency.ts'
import { readEntityPage } from './pagination.ts'
import { orderAuthorOf, type UserAct, type UserAction, writeDirectly } from './user-acts.ts'

/** A webhook's UUID and the account and mode of the token that accesses it. */
export type WebhookReference = WebhookViewer & { uuid: string }
type WebhookViewer = Pick<CallerToken, 'accountUuid' | 'modeScope' | 'author'>
export type WebhookDependencies = ReturnType<typeof createWebhookDependencies>

/** Creates what changes of webhooks need; endpoints are inspected by the address rules of the configuration. */
export function createWebhookDependencies(
  {
    sealer,
    config: { timeScale, loopbackWebhooks },
  }: { sealer: Sealer; config: Pick<Config, 'timeScale' | 'loopbackWebhooks'> },
  inspection: EndpointInspectionOptions = {},
) {
  const policy = createAddressPolicy({ canReachLoopback: loopbackWebhooks })
  const inspect: EndpointInspector = url =>
    inspectEndpoint(url, policy, { ...inspection, limitMs: getRequestDeadline().timeoutBeforeStartMs() })
  return { sealer, timeScale, inspect }
}

export type EndpointInspector = (url: string) => Promise<EndpointInspection>

export function listWebhooks(em: EntityManager, viewer: WebhookViewer, query: PageQuery) {
  return readEntityPage(em, Webhook, { name: 'webhook', query, filter: buildWebhookVisibilityFilter(viewer) })
}

export async function requireVisibleWebhook(em: EntityManager, reference: WebhookReference) {
  return (
    (await em.findOne(Webhook, {
      $and: [{ uuid: reference.uuid }, buildWebhookVisibilityFilter(reference)],
    })) ?? fail('not_found')
  )
}

/** Returns whether a webhook of the account was removed. */
export async function isWebhookRemoved(
  em: EntityManager,
  { uuid, accountUuid }: WebhookReference,
): Promise<boolean> {
  return (await em.count(Webhook, { uuid, accountUuid, deletedAt: { $ne: null } })) > 0
}

/** Reads a visible webhook under its row lock, or fails with 404. Needs a transaction. */
export async function lockVisibleWebhook(em: EntityManager, reference: WebhookReference): Promise<Webhook> {
  return (await lockWebhook(em, reference.uuid, buildWebhookVisibilityFilter(reference))) ?? fail('not_found')
}

/** Builds the filter of visible webhooks: of the account and mode; a webhook older than modes belongs to both. */
function buildWebhookVisibilityFilter({ accountUuid, modeScope: mode }: WebhookViewer): FilterQuery<Webhook> {
  return { accountUuid, deletedAt: null, ...(mode && { $or: [{ mode }, { mode: null }] }) }
}

/**
 * Updates the given fields of a webhook, and returns it and whether it was disabled. A new URL, or enabling a disabled webhook,
 * requires a handshake first.
 */
export async function updateWebhook(
  em: EntityManager,
  reference: WebhookReference,
  body: UpdateWebhookBody,
  tools: WebhookDependencies,
) {
  const currentWebhook = await requireVisibleWebhook(em.fork(), reference)
  const enables = body.status === 'ACTIVE' && currentWebhook.status === 'DISABLED'
  await requireUsableEndpoint(
    { url: body.url ?? (enables ? currentWebhook.url : undefined), token: body.token },
    tools.inspect,
  )
  return writeDirectly(em, describeWebhookWrite(reference, 'webhook_change'), async tx => {
    const webhook = await lockVisibleWebhook(tx, reference)
    if (body.url !== undefined && body.url !== webhook.url) {
      webhook.url = body.url
      webhook.failingSince = null
    }
    if (body.events) webhook.events = body.events
    if (body.token !== undefined && body.token !== tools.sealer.open(webhook.sealedSecret))
      replaceSigningSecret(webhook, body.token, tools)
    if (body.status === 'ACTIVE' && webhook.status === 'DISABLED') {
      webhook.status = 'ACTIVE'
      webhook.disabledReason = null
      webhook.failingSince = null
    }
    const isDisabled = body.status === 'DISABLED' && webhook.status === 'ACTIVE'
    if (isDisabled) await disableWebhook(tx, webhook, 'asked')
    return { webhook, isDisabled }
  })
}

/** Replaces the signing secret of a webhook; deliveries are signed by the previous one as well for a day. */
export async function rotateSigningSecret(
  em: EntityManager,
  reference: WebhookReference,
  requested: string | undefined,
  tools: WebhookDependencies,
) {
  await requireUsableEndpoint({ token: requested }, tools.inspect)
  const token = requested ?? generateSigningSecret()
  return writeDirectly(em, describeWebhookWrite(reference, 'webhook_rotate'), async tx => {
    const webhook = await lockVisibleWebhook(tx, reference)
    if (token === tools.sealer.open(webhook.sealedSecret))
      failField('token', 'must differ from the token it replaces')
    replaceSigningSecret(webhook, token, tools)
    return { webhook, token }
  })
}

/** Replaces the signing secret only if its ETag is still `etag`; returns null where it was replaced meanwhile. */
export function rotateSecretIfUnchanged(
  em: EntityManager,
  reference: WebhookReference,
  etag: string | null,
  tools: WebhookDependencies,
): Promise<string | null> {
  const write = {
    ...describeWebhookWrite(reference, 'webhook_rotate'),
    hasChanged: (token: string | null) => token !== null,
  }
  return writeDirectly(em, write, async tx => {
    const webhook = await lockVisibleWebhook(tx, reference)
    if (etag !== computeSecretEtag(webhook)) return null
    const token = generateSigningSecret()
    replaceSigningSecret(webhook, token, tools)
    return token
  })
}

/** Computes an ETag of the signing secret that reveals nothing about it. */
export function computeSecretEtag({ sealedSecret }: Pick<SigningSecrets, 'sealedSecret'>): string {
  return sha256(sealedSecret).toString('base64url')
}

/** Replaces a signing secret, in a row that the caller has locked; the replaced one signs as well for a day. */
export function replaceSigningSecret(
  secrets: SigningSecrets,
  token: string,
  { sealer, timeScale }: Pick<WebhookDependencies, 'sealer' | 'timeScale'>,
): void {
  const now = Date.now()
  const until = new Date(now + scaleWait(WAITS.rotationGrace, timeScale)).toISOString()
  const signsStill = (one: PreviousSigningSecret) =>
    Date.parse(one.until) > now && sealer.open(one.sealed) !== token
  secrets.previousSecrets = [
    { sealed: secrets.sealedSecret, until },
    ...secrets.previousSecrets.filter(signsStill),
  ]
    // A merchant who rotates more often within a day does not depend on the oldest secrets.
    .slice(0, MAX_PREVIOUS_SECRETS)
  secrets.sealedSecret = sealer.seal(token)
  secrets.maskedSecret = maskSigningSecret(token)
}

export function removeWebhook(em: EntityManager, reference: WebhookReference): Promise<void> {
  return writeDirectly(em, describeWebhookWrite(reference, 'webhook_remove'), async tx => {
    const webhook = await lockVisibleWebhook(tx, reference)
    webhook.deletedAt = new Date()
    await endPendingDeliveries(tx, webhook)
  })
}

/** Describes a write of a webhook for `writeDirectly`. */
export function describeWebhookWrite(reference: WebhookReference, action: UserAction) {
  const { uuid } = reference
  const act: UserAct = { token: reference, action, subject: `endpoint/${uuid}` }
  return { ids: { uuid }, act }
}

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
  const earlierWebhook = key === null ? null : await findRegisteredWebhook(em, { uuid, accountUuid })
  if (earlierWebhook) return respondWithReplay(earlierWebhook, fingerprint, sealer)

  await requireUsableEndpoint(body, inspect)
  const creation: WebhookCreation = {
    url: body.url,
    events: body.events ?? [...DEFAULT_EVENT_TYPES],
    token: body.token ?? generateSigningSecret(),
  }
  const author = orderAuthorOf(token)
  const order = { uuid, accountUuid, mode: token.mode, author, fingerprint, creation }
  const act: UserAct = { token, action: 'webhook_create', subject: `endpoint/${uuid}` }
  const { webhook, isOurs } = await storeWebhook(em, sealer, { ...order, act })
  if (!isOurs) return respondWithReplay(webhook, fingerprint, sealer)
  return { body: { data: showCreatedWebhook(webhook, creation) } }
}

function findRegisteredWebhook(em: EntityManager, where: { uuid: string; accountUuid: string }) {
  return em.findOne(Webhook, where, { populate: ['sealedCreation'] })
}

type WebhookRegistration = Pick<CallerToken, 'uuid' | 'accountUuid' | 'mode'> & {
  author: OrderAuthor
  fingerprint: string
  creation: WebhookCreation
  act: UserAct
}

/** Stores the webhook and returns the row; `isOurs` is false where a parallel request with the same key inserted it. */
async function storeWebhook(
  em: EntityManager,
  sealer: Sealer,
  { creation, act, author, ...order }: WebhookRegistration,
) {
  try {
    const webhook = await writeDirectly(em, { ids: { uuid: order.uuid }, act }, async tx =>
      tx.create(Webhook, {
        ...order,
        ...author,
        url: creation.url,
        events: creation.events,
        sealedSecret: sealer.seal(creation.token),
        maskedSecret: maskSigningSecret(creation.token),
        sealedCreation: sealer.seal(creation),
      }),
    )
    return { webhook, isOurs: true }
  } catch (error) {
    const { constraint } = Object(error)
    if (constraint !== 'webhook_limit' && !isUniqueViolation(error)) throw error
    // PostgreSQL checks the limit before the key: the last free place may have been used by a parallel request with
    // the same key.
    const { uuid, accountUuid } = order
    const earlierWebhook = await findRegisteredWebhook(em.fork({ clear: true }), { uuid, accountUuid })
    if (earlierWebhook) return { webhook: earlierWebhook, isOurs: false }
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

const INVALID_SECRET_MESSAGE = 'must have at least 24 bytes, and after whsec_ must be proper base64'

type EndpointInput = { url?: unknown; token?: unknown }

/** Validates URL and secret of an endpoint, as far as either is given; fails with 422 and all errors. */
export async function requireUsableEndpoint(endpoint: EndpointInput, inspect: EndpointInspector) {
  const errors = await collectEndpointErrors(endpoint, inspect)
  if (Object.keys(errors).length > 0) fail('validation_failed', { errors })
}

/** Collects the errors of a body that its schema has rejected, so that all errors are sent at once. */
export async function collectEndpointErrors({ url, token }: EndpointInput, inspect: EndpointInspector) {
  const endpoint = typeof url === 'string' ? await inspect(url) : null
  if (endpoint?.kind === 'unfinished')
    throw new ResponseTimeoutError('the endpoint was not inspected in time', 'endpoint')
  return {
    ...(endpoint?.kind === 'refused' && { url: [endpoint.message] }),
    ...(typeof token === 'string' && !isUsableSigningSecret(token) && { token: [INVALID_SECRET_MESSAGE] }),
  }
}
