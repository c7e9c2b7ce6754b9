import { randomUUID } from 'node:crypto'
import type { EntityManager } from '../db/client/orm.ts'
import { type NotificationOutcome, ProviderNotification } from '../db/entities/provider-notification.ts'
import { runQuery } from '../db/pipeline/query.ts'
import { storeProviderNotifications } from '../db/repositories/provider-notifications.ts'
import type { TemporalContext } from '../temporal/workflow-options.ts'
import { deriveNotificationUuid } from './notification-uuid.ts'
import { routeNotification } from './route-notification.ts'

/** A change that a provider lists; `facts` identify it. */
type ListedChange = Pick<ProviderNotification, 'connectionUuid' | 'kind' | 'reference' | 'endToEnd'> & {
  facts: object
  /** Whether a change that was stored before is routed again. */
  isReroutingKnown: boolean
}

/**
 * Stores a notification of a change that a provider lists, once, and routes it: the provider's own notification was
 * lost, or it sends none. Returns the outcome of a new one; undefined where it was stored before.
 */
export async function notifyOfListedChange(
  temporal: TemporalContext,
  em: EntityManager,
  { facts, isReroutingKnown, ...change }: ListedChange,
): Promise<NotificationOutcome | null | undefined> {
  const body = JSON.stringify({ reconciliation: facts })
  const uuid = deriveNotificationUuid(change.connectionUuid, body)
  const stored = await em.findOne(ProviderNotification, uuid)
  if (stored && isReroutingKnown) await routeNotification(temporal, em, stored)
  if (stored) return undefined
  const { connectionUuid, ...identity } = change
  const received = { ...identity, uuid, requestId: randomUUID(), body }
  // A concurrent reconciliation may store it first.
  const [notification] = await runQuery(em, storeProviderNotifications(em, connectionUuid, [received]))
  return notification && routeNotification(temporal, em, notification)
}
