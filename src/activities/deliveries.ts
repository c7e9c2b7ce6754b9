import { Delivery, DeliveryTry, Event, Webhook } from '../db/entities/webhook.ts'
import type { EntityManager } from '../db/orm.ts'
import { shownInstant } from '../domain/time.ts'
import { scaled } from '../domain/waits.ts'
import { DISABLE_AFTER_MS, waitBeforeNextTry } from '../domain/webhook.ts'
import type { Sealer } from '../sealing.ts'
import type { Tried } from '../webhooks/dial.ts'
import { signatureHeaders } from '../webhooks/signature.ts'
import type { Dependencies } from './dependencies.ts'

export type DeliveryOrder = { deliveryUuid: string; timeScale: number }
export type NextTry =
  | { kind: 'over'; outcome: 'DELIVERED' | 'FAILED' | 'CANCELLED' }
  /** Before `TRILHO_TIME_SCALE`. */
  | { kind: 'again'; waitMs: number }

/** Tries a delivery once, keeps the try, and says what comes next (SPEC §8). */
export function deliver({ orm, sealer, webhooks, timeScale }: Dependencies) {
  return async ({ deliveryUuid }: DeliveryOrder): Promise<NextTry> => {
    const em = orm.em.fork()
    const delivery = await em.findOneOrFail(Delivery, deliveryUuid)
    if (delivery.status !== 'PENDING') return { kind: 'over', outcome: delivery.status }
    const endpoint = await em.findOneOrFail(Webhook, delivery.webhookUuid)
    const event = await em.findOneOrFail(Event, delivery.eventUuid)
    if (endpoint.deletedAt || endpoint.status !== 'ACTIVE') return cancel(em, delivery)
    const at = new Date()
    const tried = await webhooks.postSigned(signed({ endpoint, event, sealer, at }))
    return em.transactional(tx => keep(tx, { delivery, endpoint, tried, at, timeScale }))
  }
}

async function cancel(em: EntityManager, delivery: Delivery): Promise<NextTry> {
  delivery.status = 'CANCELLED'
  delivery.nextTryAt = null
  await em.flush()
  return { kind: 'over', outcome: 'CANCELLED' }
}

/** The body an endpoint gets, and its Standard Webhooks signature; during a rotation the old token signs as well. */
function signed({
  endpoint,
  event,
  sealer,
  at,
}: {
  endpoint: Webhook
  event: Event
  sealer: Sealer
  at: Date
}) {
  const body = JSON.stringify({
    id: event.uuid,
    type: event.type,
    timestamp: shownInstant(event.createdAt),
    data: event.body,
  })
  const secrets = [sealer.open<string>(endpoint.sealedToken)]
  if (endpoint.sealedPreviousToken && endpoint.previousTokenUntil && endpoint.previousTokenUntil > at)
    secrets.push(sealer.open<string>(endpoint.sealedPreviousToken))
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Trilho-Webhooks/1',
    'x-request-id': event.requestId,
    ...signatureHeaders({ id: event.uuid, at, body, secrets }),
  }
  return { url: endpoint.url, body, headers }
}

type Kept = { delivery: Delivery; endpoint: Webhook; tried: Tried; at: Date; timeScale: number }

async function keep(em: EntityManager, kept: Kept): Promise<NextTry> {
  const { delivery, endpoint, tried, at } = kept
  delivery.tries += 1
  em.create(DeliveryTry, {
    deliveryUuid: delivery.uuid,
    number: delivery.tries,
    statusCode: tried.kind === 'answered' ? tried.status : null,
    failure: tried.kind === 'answered' ? null : tried.kind,
    durationMs: tried.durationMs,
    answer: tried.kind === 'answered' ? tried.answer : '',
    at,
  })
  if (tried.kind === 'answered' && tried.status >= 200 && tried.status < 300) {
    delivery.status = 'DELIVERED'
    delivery.nextTryAt = null
    endpoint.lastSuccessAt = at
    endpoint.failingSince = null
    return { kind: 'over', outcome: 'DELIVERED' }
  }
  endpoint.failingSince ??= at
  disableIfDead(kept)
  const waitMs = waitBeforeNextTry(
    delivery.tries,
    Math.random(),
    tried.kind === 'answered' ? tried.retryAfterMs : 0,
  )
  if (waitMs === null || endpoint.status === 'DISABLED') {
    delivery.status = 'FAILED'
    delivery.nextTryAt = null
    return { kind: 'over', outcome: 'FAILED' }
  }
  delivery.nextTryAt = new Date(at.getTime() + waitMs)
  return { kind: 'again', waitMs }
}

function disableIfDead({ endpoint, tried, at, timeScale }: Kept): void {
  const gone = tried.kind === 'answered' && tried.status === 410
  const failingMs = endpoint.failingSince ? at.getTime() - endpoint.failingSince.getTime() : 0
  const silent = failingMs >= scaled(DISABLE_AFTER_MS, timeScale)
  if (!gone && !silent) return
  endpoint.status = 'DISABLED'
  endpoint.disabledReason = gone ? 'the endpoint answered 410 Gone' : 'no success for five days'
}
