import type { FilterQuery } from '@mikro-orm/core'
import { DISABLED_REASONS } from '../../domain/webhooks/webhook.ts'
import type { EntityManager } from '../client/orm.ts'
import { Webhook } from '../entities/webhook.ts'

/**
 * Whoever writes an endpoint and its deliveries locks the endpoint first, so that nobody waits for the other in a circle.
 * The lock lets events of money through, which only refer to the endpoint.
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
 * Whether an endpoint `w` hears of what the connection `k` carried, as a condition of SQL: of its own mode only, so that
 * no shop sends goods for what a simulator has paid. What no connection carried is of either mode.
 */
export const MATCHES_ENDPOINT_MODE = `(w.mode is null or k.uuid is null or k.is_simulated = (w.mode = 'test'))`

/** What becomes of what is still to be delivered to an endpoint: null while it is called. */
export function getUndeliveredStatus({ deletedAt, status }: Webhook): 'FAILED' | 'CANCELLED' | null {
  if (deletedAt) return 'CANCELLED'
  return status === 'ACTIVE' ? null : 'FAILED'
}

/** Each of them writes two changes of tallies as well, and a request has seconds. */
const MAX_ENDED_DELIVERIES = 1_000

/**
 * Ends what is still to be delivered to an endpoint that is not called any more, under its lock; the sweep tells their
 * lives. At most so many at once that no backlog keeps an endpoint from being disabled or removed: of the rest, and of
 * what another transaction holds just now, nothing is sent, and the sweep ends it. Answers whether there may be a rest.
 */
export async function endPendingDeliveries(em: EntityManager, webhook: Webhook): Promise<boolean> {
  const ended: unknown[] = await em.execute(
    `update delivery set status = ?, next_try_at = null, wake_at = now(), updated_at = now()
     where uuid in (select uuid from delivery where webhook_uuid = ? and status = 'PENDING' limit ? for update skip locked)
     returning uuid`,
    [getUndeliveredStatus(webhook), webhook.uuid, MAX_ENDED_DELIVERIES],
  )
  return ended.length === MAX_ENDED_DELIVERIES
}

/** Disables an endpoint under its lock: nothing is sent to it until its owner enables it again. */
export async function disableWebhook(
  em: EntityManager,
  webhook: Webhook,
  why: keyof typeof DISABLED_REASONS,
): Promise<void> {
  webhook.status = 'DISABLED'
  webhook.disabledReason = DISABLED_REASONS[why]
  await em.flush()
  await endPendingDeliveries(em, webhook)
}
