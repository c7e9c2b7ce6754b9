import type { FilterQuery } from '@mikro-orm/core'
import type { DeliveryEvent } from '../../domain/webhooks/delivery.ts'
import { DISABLED_REASONS } from '../../domain/webhooks/webhook.ts'
import type { EntityManager } from '../client/orm.ts'
import { Webhook } from '../entities/webhook.ts'
import { buildDeliveryTransition } from './delivery-status.ts'

/**
 * Locks an endpoint's row. Writers of an endpoint and its deliveries lock the endpoint first, so that they never
 * deadlock. `FOR NO KEY UPDATE`: transactions of money that insert deliveries do not wait.
 */
export async function lockWebhook(
  em: EntityManager,
  uuid: string,
  where: FilterQuery<Webhook> = { deletedAt: null },
): Promise<Webhook | null> {
  await em.execute('select from webhook where uuid = ? for no key update', [uuid])
  return em.findOne(Webhook, { $and: [{ uuid }, where] }, { refresh: true })
}

/**
 * SQL condition: endpoint `w` receives events of connection `k`, which must be of the endpoint's mode, so that no
 * shop ships goods for a simulated payment. Events without a connection match either mode.
 */
export const MATCHES_ENDPOINT_MODE = `(w.mode is null or k.uuid is null or k.is_simulated = (w.mode = 'test'))`

/** Event by which an endpoint ends its pending deliveries. */
export type EndpointEndingEvent = Extract<DeliveryEvent, 'endpoint_deleted' | 'endpoint_disabled'>

/** Returns the event that ends an endpoint's pending deliveries; null while the endpoint is active. */
export function getEndingEvent({ deletedAt, status }: Webhook): EndpointEndingEvent | null {
  if (deletedAt) return 'endpoint_deleted'
  return status === 'ACTIVE' ? null : 'endpoint_disabled'
}

/** Limit of deliveries ended in one request, which has seconds; each writes two counter changes as well. */
const MAX_ENDED_DELIVERIES = 1_000

/**
 * Ends pending deliveries of an endpoint that is disabled or deleted, under its row lock; the sweep signals their
 * workflows. Bounded, so that no backlog prevents disabling or deleting an endpoint: the rest, and rows that another
 * transaction has locked, are not sent and are ended by the sweep. Returns whether some may remain.
 */
export async function endPendingDeliveries(em: EntityManager, webhook: Webhook): Promise<boolean> {
  const event = getEndingEvent(webhook)
  if (event === null) return false
  const { set, isAccepted } = buildDeliveryTransition(event)
  const endedRows: unknown[] = await em.execute(
    `update delivery set ${set}, sweep_at = now()
     where uuid in (select uuid from delivery where webhook_uuid = ? and ${isAccepted} limit ? for update skip locked)
     returning uuid`,
    [webhook.uuid, MAX_ENDED_DELIVERIES],
  )
  return endedRows.length === MAX_ENDED_DELIVERIES
}

/** Disables an endpoint under its row lock: no delivery is sent to it until its merchant enables it again. */
export async function disableWebhook(
  em: EntityManager,
  webhook: Webhook,
  why: keyof typeof DISABLED_REASONS,
): Promise<void> {
  webhook.status = 'DISABLED'
  webhook.disabledReason = DISABLED_REASONS[why]
  await endPendingDeliveries(em, webhook)
}
