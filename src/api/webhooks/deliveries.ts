import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { Delivery, DeliveryTry, Event, type Webhook } from '../../db/entities/webhook.ts'
import { ALONE } from '../../db/lock.ts'
import type { EntityManager } from '../../db/orm.ts'
import { countTallied } from '../../db/tallies.ts'
import { type DeliveriesQuery, showDelivery } from '../../wire/delivery.ts'
import { showWebhook, webhookShown } from '../../wire/webhook.ts'
import { refuse } from '../errors.ts'
import { newestFirst, pageOf } from '../pagination.ts'
import { lockedWebhookOf, type Place, webhookOf } from './change.ts'

/** What went to an endpoint and what came of it, and how its owner has something sent to it. */

/** Of one that was sent again and again, the latest tries. */
const TRIES_SHOWN = 20
/** The request itself wakes the life; where it cannot, the sweep does from then on. */
const WAKE_AFTER_MS = 20_000

export async function listDeliveries(em: EntityManager, place: Place, query: DeliveriesQuery) {
  const webhook = await webhookOf(em, place)
  const { status = [] } = query
  const [rows, total] = await Promise.all([
    em.find(
      Delivery,
      { webhookUuid: webhook.uuid, ...(status.length > 0 && { status: { $in: status } }) },
      newestFirst(query),
    ),
    countTallied(em, {
      noun: 'delivery',
      of: [
        ['account_uuid = ?', webhook.accountUuid],
        ['connection_uuid = ?', webhook.uuid],
      ],
      states: status,
    }),
  ])
  return pageOf({ ...query, total, rows: await shown(em, rows) })
}

/** Deliveries with their events and tries, however many, in two statements more. */
async function shown(em: EntityManager, deliveries: Delivery[]) {
  const uuids = deliveries.map(delivery => delivery.uuid)
  const events = await em.find(
    Event,
    { uuid: { $in: deliveries.map(delivery => delivery.eventUuid) } },
    { fields: ['uuid', 'type'] },
  )
  const latest = deliveries.map(({ uuid, tries }) => ({
    deliveryUuid: uuid,
    number: { $gt: tries - TRIES_SHOWN },
  }))
  const tries =
    uuids.length === 0 ? [] : await em.find(DeliveryTry, { $or: latest }, { orderBy: { number: 'asc' } })
  const eventOf = new Map(events.map(event => [event.uuid, event]))
  const triesOf = Map.groupBy(tries, one => one.deliveryUuid)
  return deliveries.map(delivery =>
    showDelivery({
      delivery,
      event: eventOf.get(delivery.eventUuid)!,
      tries: triesOf.get(delivery.uuid) ?? [],
    }),
  )
}

/** Begins the schedule of a delivery anew, whatever came of it, and tries it at once. */
export function sendAgain(em: EntityManager, place: Place, deliveryUuid: string) {
  return em.transactional(async tx => {
    const webhook = await usable(tx, place)
    const delivery = await tx.findOne(Delivery, { uuid: deliveryUuid, webhookUuid: webhook.uuid }, ALONE)
    if (!delivery) return refuse('not_found')
    delivery.status = 'PENDING'
    delivery.roundFrom = delivery.tries
    delivery.nextTryAt = new Date()
    delivery.wakeAt = new Date(Date.now() + WAKE_AFTER_MS)
    await tx.flush()
    return (await shown(tx, [delivery]))[0]!
  })
}

/** Writes a TEST event, which carries the webhook as its GET shows it, and its one delivery. */
export function writeTest(em: EntityManager, place: Place, requestId: string) {
  return em.transactional(async tx => {
    const webhook = await usable(tx, place)
    webhook.sequence += 1
    const { uuid, accountUuid, sequence } = webhook
    const event = tx.create(Event, {
      uuid: randomUUID(),
      accountUuid,
      connectionUuid: null,
      type: 'TEST',
      subjectUuid: uuid,
      sequence,
      body: { ...z.encode(webhookShown, showWebhook(webhook)), sequence },
      lifeUuid: uuid,
      requestId,
      createdAt: new Date(),
    })
    const delivery = tx.create(Delivery, {
      uuid: randomUUID(),
      webhookUuid: uuid,
      eventUuid: event.uuid,
      wakeAt: new Date(Date.now() + WAKE_AFTER_MS),
    })
    await tx.flush()
    return showDelivery({ delivery, event, tries: [] })
  })
}

/** Nothing is sent to a disabled endpoint: its owner enables it first, with a handshake. */
async function usable(em: EntityManager, place: Place): Promise<Webhook> {
  const webhook = await lockedWebhookOf(em, place)
  return webhook.status === 'ACTIVE' ? webhook : refuse('webhook_disabled')
}
