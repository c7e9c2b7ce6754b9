import type { FilterQuery } from '@mikro-orm/core'
import { DISABLED_BECAUSE } from '../domain/webhook.ts'
import { Webhook } from './entities/webhook.ts'
import type { EntityManager } from './orm.ts'

/**
 * Whoever writes an endpoint and its deliveries locks the endpoint first, so that nobody waits for the other in a circle.
 * The lock lets events of money through, which only refer to the endpoint.
 */
export async function lockedWebhook(
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
export const HEARS_OF_ITS_MODE = `(w.mode is null or k.uuid is null or k.is_simulated = (w.mode = 'test'))`

/** Ends all that is still to be delivered to an endpoint, under its lock; the sweep tells their lives. */
export async function endPending(
  em: EntityManager,
  webhookUuid: string,
  status: 'FAILED' | 'CANCELLED',
): Promise<void> {
  await em.execute(
    `update delivery set status = ?, next_try_at = null, wake_at = now(), updated_at = now()
     where webhook_uuid = ? and status = 'PENDING'`,
    [status, webhookUuid],
  )
}

/** Disables an endpoint under its lock: nothing is sent to it until its owner enables it again. */
export async function disable(
  em: EntityManager,
  webhook: Webhook,
  why: keyof typeof DISABLED_BECAUSE,
): Promise<void> {
  webhook.status = 'DISABLED'
  webhook.disabledReason = DISABLED_BECAUSE[why]
  await em.flush()
  await endPending(em, webhook.uuid, 'FAILED')
}
