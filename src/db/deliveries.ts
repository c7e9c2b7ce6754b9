import { DISABLED_BECAUSE } from '../domain/webhook.ts'
import { Webhook } from './entities/webhook.ts'
import type { EntityManager } from './orm.ts'

/**
 * Whoever writes an endpoint and its deliveries locks the endpoint first, so that nobody waits for the other in a circle.
 * The lock lets events of money through, which only refer to the endpoint.
 */
export async function lockedWebhook(
  em: EntityManager,
  where: { uuid: string; accountUuid?: string },
): Promise<Webhook | null> {
  await em.execute('select from webhook where uuid = ? for no key update', [where.uuid])
  return em.findOne(Webhook, { ...where, deletedAt: null }, { refresh: true })
}

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
