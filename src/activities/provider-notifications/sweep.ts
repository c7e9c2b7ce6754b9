import { raw } from '@mikro-orm/core'
import type { EntityManager } from '../../db/client/orm.ts'
import { ProviderNotification } from '../../db/entities/provider-notification.ts'
import { redactError } from '../../db/redact-error.ts'
import { listUnappliedDecisions } from '../../db/repositories/approvals.ts'
import { routeNotification } from '../../provider-notifications/route-notification.ts'
import { signalApprovalDecided } from '../../temporal/signals.ts'
import type { TemporalContext } from '../../temporal/workflow-options.ts'
import { isCancellationRequested } from '../runtime/cancellation.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'

/**
 * Number of notifications per sweep, chosen at random: some may wait long, for a row that is missing, and
 * must not delay the others.
 */
const MAX_PER_SWEEP = 500
/** Minimum age of a swept notification: a younger one is still being routed by the API request that received it. */
const MIN_NOTIFICATION_AGE_MS = 10_000

/**
 * Routes stored notifications that have reached no workflow yet, and tells workflows what persons have decided about their transfers.
 * Returns how many it read and routed.
 */
export function sweepProviderNotifications(
  { orm, log, temporal }: ActivityDependencies,
  limit = MAX_PER_SWEEP,
) {
  return async (): Promise<{ waiting: number; routedCount: number }> => {
    const em = orm.em.fork()
    const notifications = await em.find(
      ProviderNotification,
      {
        routedAt: null,
        receivedAt: { $lt: new Date(Date.now() - MIN_NOTIFICATION_AGE_MS / temporal.timeScale) },
      },
      { orderBy: { [raw('random()')]: 'asc' }, limit },
    )
    let routedCount = 0
    for (const notification of notifications) {
      if (isCancellationRequested()) break
      // A notification that cannot be routed must not delay the others.
      const isRouted = await routeNotification(temporal, em, notification).catch(error =>
        log.warn(
          { error: redactError(error), notification: notification.uuid },
          'provider notification not routed; the next sweep routes it',
        ),
      )
      if (isRouted) routedCount += 1
    }
    await signalUnappliedDecisions(temporal, em, limit)
    return { waiting: notifications.length, routedCount }
  }
}

/** Signals the workflows of transfers that wait though persons have decided: the signal of the request was lost. */
async function signalUnappliedDecisions(
  temporal: TemporalContext,
  em: EntityManager,
  limit: number,
): Promise<void> {
  const ageMs = MIN_NOTIFICATION_AGE_MS / temporal.timeScale
  for (const uuid of await listUnappliedDecisions(em, ageMs, limit)) {
    if (isCancellationRequested()) return
    await signalApprovalDecided(temporal, uuid)
  }
}
