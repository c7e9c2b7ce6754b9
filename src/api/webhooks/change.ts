import type { FilterQuery } from '@mikro-orm/core'
import { disable, endPending, lockedWebhook } from '../../db/deliveries.ts'
import { type PreviousToken, Webhook } from '../../db/entities/webhook.ts'
import type { EntityManager } from '../../db/orm.ts'
import { scaled, WAITS } from '../../domain/waits.ts'
import { MOST_PREVIOUS_TOKENS } from '../../domain/webhook.ts'
import { type Sealer, sha256 } from '../../sealing.ts'
import { maskedSecret, newSecret } from '../../webhooks/signature.ts'
import type { ChangeWebhook } from '../../wire/webhook.ts'
import type { Token } from '../auth.ts'
import { refuse, refuseField } from '../errors.ts'
import { newestFirst } from '../pagination.ts'
import { type Inspect, requireUsable } from './usable.ts'

/** One endpoint, and who may see it. */
export type Place = Seer & { uuid: string }
type Seer = Pick<Token, 'accountUuid' | 'reaches'>
type Tools = { sealer: Sealer; inspect: Inspect; timeScale: number }

export function listWebhooks(em: EntityManager, seer: Seer, query: Parameters<typeof newestFirst>[0]) {
  return em.findAndCount(Webhook, seenBy(seer), newestFirst(query))
}

export async function webhookOf(em: EntityManager, place: Place): Promise<Webhook> {
  return (await em.findOne(Webhook, { $and: [{ uuid: place.uuid }, seenBy(place)] })) ?? refuse('not_found')
}

/** The same under its lock, or 404. */
export async function lockedWebhookOf(em: EntityManager, place: Place): Promise<Webhook> {
  return (await lockedWebhook(em, place.uuid, seenBy(place))) ?? refuse('not_found')
}

/** The account's, of the mode that is seen; one that is older than modes is of both. */
function seenBy({ accountUuid, reaches }: Seer): FilterQuery<Webhook> {
  return { accountUuid, deletedAt: null, ...(reaches && { $or: [{ mode: reaches }, { mode: null }] }) }
}

/** Changes what is named. Another URL, and an endpoint that is enabled again, must complete a handshake first. */
export async function changeWebhook(em: EntityManager, place: Place, body: ChangeWebhook, tools: Tools) {
  const before = await webhookOf(em.fork(), place)
  const enables = body.status === 'ACTIVE' && before.status === 'DISABLED'
  await requireUsable(
    { url: body.url ?? (enables ? before.url : undefined), token: body.token },
    tools.inspect,
  )
  return em.transactional(async tx => {
    const webhook = await lockedWebhookOf(tx, place)
    if (body.url !== undefined && body.url !== webhook.url) {
      webhook.url = body.url
      webhook.failingSince = null
    }
    if (body.events) webhook.events = body.events
    if (body.token !== undefined && body.token !== tools.sealer.open(webhook.sealedToken))
      replaceToken(webhook, body.token, tools)
    if (body.status === 'ACTIVE' && webhook.status === 'DISABLED') enable(webhook)
    if (body.status === 'DISABLED' && webhook.status === 'ACTIVE') await disable(tx, webhook, 'asked')
    return webhook
  })
}

function enable(webhook: Webhook): void {
  webhook.status = 'ACTIVE'
  webhook.disabledReason = null
  webhook.failingSince = null
}

/** Gives an endpoint another token; the one before signs as well for a day. */
export async function rotateToken(em: EntityManager, place: Place, given: string | undefined, tools: Tools) {
  await requireUsable({ token: given }, tools.inspect)
  const token = given ?? newSecret()
  return em.transactional(async tx => {
    const webhook = await lockedWebhookOf(tx, place)
    if (token === tools.sealer.open(webhook.sealedToken))
      refuseField('token', 'must differ from the token it replaces')
    replaceToken(webhook, token, tools)
    return { webhook, token }
  })
}

/** The same where the token is still the one of this mark; null where another has taken its place since. */
export function rotateMarked(
  em: EntityManager,
  place: Place,
  mark: string | null,
  tools: Tools,
): Promise<string | null> {
  return em.transactional(async tx => {
    const webhook = await lockedWebhookOf(tx, place)
    if (mark !== markOf(webhook)) return null
    const token = newSecret()
    replaceToken(webhook, token, tools)
    return token
  })
}

/** Tells one token of an endpoint from the next, and nothing of either. */
export function markOf({ sealedToken }: Webhook): string {
  return sha256(sealedToken).toString('base64url')
}

function replaceToken(webhook: Webhook, token: string, { sealer, timeScale }: Tools): void {
  const now = Date.now()
  const until = new Date(now + scaled(WAITS.rotationGrace, timeScale)).toISOString()
  const signsStill = (one: PreviousToken) => Date.parse(one.until) > now && sealer.open(one.sealed) !== token
  webhook.previousTokens = [
    { sealed: webhook.sealedToken, until },
    ...webhook.previousTokens.filter(signsStill),
  ]
    // One that is rotated more often in a day is not used by its old tokens.
    .slice(0, MOST_PREVIOUS_TOKENS)
  webhook.sealedToken = sealer.seal(token)
  webhook.maskedToken = maskedSecret(token)
}

/** Removes an endpoint, and with it what was still to be delivered. */
export function removeWebhook(em: EntityManager, place: Place): Promise<void> {
  return em.transactional(async tx => {
    const webhook = await lockedWebhookOf(tx, place)
    webhook.deletedAt = new Date()
    await tx.flush()
    await endPending(tx, webhook)
  })
}
