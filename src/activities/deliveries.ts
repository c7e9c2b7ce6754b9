import { z } from 'zod'
import { disable, endingOf, lockedWebhook } from '../db/deliveries.ts'
import { Delivery, DeliveryTry, Event, Webhook } from '../db/entities/webhook.ts'
import { ALONE } from '../db/lock.ts'
import { type EntityManager, inTransaction, type Orm } from '../db/orm.ts'
import { scaled, WAITS } from '../domain/waits.ts'
import { DISABLE_AFTER_MS, waitBeforeNextTry } from '../domain/webhook.ts'
import type { WebhookTry } from '../metrics/worker.ts'
import type { Sealer } from '../sealing.ts'
import type { Tried } from '../webhooks/dial.ts'
import { signatureHeaders } from '../webhooks/signature.ts'
import { eventShown, showEvent } from '../wire/event.ts'
import type { Dependencies } from './dependencies.ts'

export type DeliveryOrder = { deliveryUuid: string; timeScale: number }
export type NextTry =
  | { kind: 'over'; outcome: 'DELIVERED' | 'FAILED' | 'CANCELLED' }
  /** Before `TRILHO_TIME_SCALE`. */
  | { kind: 'again'; waitMs: number }

/** Tolerance for clocks of two machines: an attempt may be made so much earlier than it is due. */
const EARLY_MS = 1_000
/** The event was pruned, and the delivery with it. */
const FORGOTTEN: NextTry = { kind: 'over', outcome: 'CANCELLED' }

/** Makes one delivery attempt, where it is due, stores it, and returns what comes next (SPEC §8). */
export function deliver({ orm, sealer, webhooks, timeScale, tried: tell }: Dependencies) {
  return async ({ deliveryUuid }: DeliveryOrder): Promise<NextTry> => {
    const em = orm.em.fork()
    const delivery = await em.findOne(Delivery, deliveryUuid)
    if (!delivery) return FORGOTTEN
    if (delivery.status !== 'PENDING') return { kind: 'over', outcome: delivery.status }
    // Signalled early: an attempt is made before its time only where the row was made due.
    const dueInMs = (delivery.nextTryAt?.getTime() ?? 0) - Date.now()
    if (dueInMs > EARLY_MS) return { kind: 'again', waitMs: dueInMs * timeScale }

    const endpoint = await em.findOneOrFail(Webhook, delivery.webhookUuid)
    const ending = endingOf(endpoint)
    if (ending) return giveUp(orm, delivery, ending)
    const event = await em.findOneOrFail(Event, delivery.eventUuid)
    const at = new Date()
    const isFailing = endpoint.failingSince != null
    const tried = await webhooks.postSigned({ ...signed({ endpoint, event, sealer, at }), isFailing })
    if (tried.kind === 'busy') return comeBack(orm, delivery, { ...tried, timeScale })
    tell?.(webhookTry(tried, event))
    return inTransaction(orm, tx => keep(tx, { before: delivery, url: endpoint.url, tried, at, timeScale }))
  }
}

/** As the metrics want it; the lag is that of the clock that wrote the event. */
function webhookTry(tried: Made, event: Event): WebhookTry {
  if (tried.kind !== 'answered') return { outcome: 'no_answer', lagSeconds: null }
  if (!isTaken(tried)) return { outcome: 'refused', lagSeconds: null }
  return { outcome: 'delivered', lagSeconds: Math.max(0, Date.now() - event.createdAt.getTime()) / 1000 }
}

/** Ends a delivery whose endpoint was disabled or removed. */
async function giveUp(orm: Orm, { uuid }: Delivery, outcome: 'FAILED' | 'CANCELLED'): Promise<NextTry> {
  await orm.em.fork().execute(
    `update delivery set status = ?, next_try_at = null, wake_at = null, updated_at = now()
       where uuid = ? and status = 'PENDING'`,
    [outcome, uuid],
  )
  return { kind: 'over', outcome }
}

/** Postpones an attempt because the endpoint has too many requests open. The sweep finds it if its workflow is lost. */
async function comeBack(
  orm: Orm,
  { uuid, nextTryAt }: Delivery,
  { comeBackInMs, timeScale }: { comeBackInMs: number; timeScale: number },
): Promise<NextTry> {
  const forgottenAt = new Date(Date.now() + comeBackInMs + scaled(WAITS.deliveryForgotten, timeScale))
  await orm.em.fork().execute(
    `update delivery set wake_at = ? where uuid = ? and status = 'PENDING'
       and date_trunc('milliseconds', next_try_at) is not distinct from ?::timestamptz`,
    [forgottenAt, uuid, nextTryAt],
  )
  // The pace of real sockets, which no time scale divides.
  return { kind: 'again', waitMs: comeBackInMs * timeScale }
}

type Signing = { endpoint: Webhook; event: Event; sealer: Sealer; at: Date }

/** Builds body and Standard Webhooks signature; replaced signing secrets sign as well until they expire. */
function signed({ endpoint, event, sealer, at }: Signing) {
  const body = JSON.stringify(z.encode(eventShown, showEvent(event)))
  const previous = endpoint.previousTokens.filter(({ until }) => Date.parse(until) > at.getTime())
  const sealed = [endpoint.sealedToken, ...previous.map(token => token.sealed)]
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Trilho-Webhooks/1',
    'x-request-id': event.requestId,
    ...signatureHeaders({ id: event.uuid, at, body, secrets: sealed.map(one => sealer.open<string>(one)) }),
  }
  return { url: endpoint.url, body, headers }
}

type Made = Exclude<Tried, { kind: 'busy' }>
/** `before`: the delivery as it was when the attempt began; `url`: the address that was called. */
type Kept = { before: Delivery; url: string; tried: Made; at: Date; timeScale: number }

async function keep(em: EntityManager, kept: Kept): Promise<NextTry> {
  const { before, tried, at, timeScale } = kept
  await judge(em, kept)
  const delivery = await em.findOne(Delivery, before.uuid, ALONE)
  if (!delivery) return FORGOTTEN
  delivery.tries += 1
  em.create(DeliveryTry, tryOf(delivery, tried, at))
  if (isTaken(tried)) return ended(delivery, 'DELIVERED')
  if (delivery.status !== 'PENDING') return ended(delivery, delivery.status)
  // Another attempt was requested during this one.
  if (delivery.nextTryAt?.getTime() !== before.nextTryAt?.getTime()) return { kind: 'again', waitMs: 0 }
  const retryAfterMs = tried.kind === 'answered' ? tried.retryAfterMs : 0
  const waitMs = waitBeforeNextTry(delivery.tries - delivery.roundFrom, Math.random(), retryAfterMs)
  if (waitMs === null) return ended(delivery, 'FAILED')
  delivery.nextTryAt = new Date(at.getTime() + scaled(waitMs, timeScale))
  delivery.wakeAt = new Date(delivery.nextTryAt.getTime() + scaled(WAITS.deliveryForgotten, timeScale))
  return { kind: 'again', waitMs }
}

/**
 * Updates the endpoint's health from an attempt, unless its address has changed since. Called before the delivery is locked:
 * endpoints are locked first.
 */
async function judge(em: EntityManager, { before, url, tried, at, timeScale }: Kept): Promise<void> {
  const uuid = before.webhookUuid
  if (isTaken(tried)) {
    await em.execute(
      `update webhook set last_success_at = ?, failing_since = null where uuid = ? and url = ?
         and (failing_since is not null or last_success_at is null or last_success_at < ?)`,
      [at, uuid, url, new Date(at.getTime() - 60_000)],
    )
    return
  }
  const endpoint = await lockedWebhook(em, uuid)
  if (endpoint?.status !== 'ACTIVE' || endpoint.url !== url) return
  endpoint.failingSince ??= at
  const isGone = tried.kind === 'answered' && tried.status === 410
  const isSilent = at.getTime() - endpoint.failingSince.getTime() >= scaled(DISABLE_AFTER_MS, timeScale)
  if (isGone || isSilent) await disable(em, endpoint, isGone ? 'gone' : 'silent')
  else await em.flush()
}

function tryOf({ uuid, tries }: Delivery, tried: Made, at: Date) {
  const answered = tried.kind === 'answered'
  return {
    deliveryUuid: uuid,
    number: tries,
    statusCode: answered ? tried.status : null,
    failure: answered ? null : tried.kind,
    durationMs: tried.durationMs,
    answer: answered ? tried.answer : '',
    at,
  }
}

function ended(delivery: Delivery, status: 'DELIVERED' | 'FAILED' | 'CANCELLED'): NextTry {
  delivery.status = status
  delivery.nextTryAt = null
  delivery.wakeAt = null
  return { kind: 'over', outcome: status }
}

/** SPEC §8: only 2xx succeeds. */
function isTaken(tried: Tried): boolean {
  return tried.kind === 'answered' && tried.status >= 200 && tried.status < 300
}
