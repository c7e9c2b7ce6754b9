import { raw } from '@mikro-orm/core'
import type { EntityManager } from '../../db/client/orm.ts'
import { ProviderNotification } from '../../db/entities/provider-notification.ts'
import { redactError } from '../../db/redact-error.ts'
import { listUnappliedDecisions } from '../../db/repositories/approvals.ts'
import { routeNotification } from '../../provider-notifications/route-notification.ts'
import { signalApprovalDecided } from '../../temporal/signals.ts'
import { wakeBatchWorkflow } from '../../temporal/transfer-batches.ts'
import { isCancellationRequested } from '../runtime/cancellation.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'

/**
 * Number of notifications per sweep, chosen at random: some may wait long, for a row that is missing, and
 * must not delay the others.
 */
const MAX_PER_SWEEP = 500
/** Minimum age of a swept notification: a younger one is still being routed by the API request that received it. */
const MIN_NOTIFICATION_AGE_MS = 10_000
/** Longest wait for Temporal to take the signal of a batch. */
const WAKE_LIMIT_MS = 5_000

/**
 * Routes stored notifications that have reached no workflow yet, and signals workflows what persons have decided about their transfers
 * and batches.
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
    await signalUnappliedDecisions({ temporal, log }, em, limit)
    return { waiting: notifications.length, routedCount }
  }
}

/** Signals the workflows of transfers and batches that wait though persons have decided: the signal of the request was lost. */
async function signalUnappliedDecisions(
  { temporal, log }: Pick<ActivityDependencies, 'temporal' | 'log'>,
  em: EntityManager,
  limit: number,
): Promise<void> {
  const ageMs = MIN_NOTIFICATION_AGE_MS / temporal.timeScale
  for (const { subject, subjectUuid: uuid } of await listUnappliedDecisions(em, ageMs, limit)) {
    if (isCancellationRequested()) return
    const signal =
      subject === 'batch'
        ? wakeBatchWorkflow(temporal, { uuid, waitMs: WAKE_LIMIT_MS })
        : signalApprovalDecided(temporal, uuid)
    // One that cannot be signalled must not delay the others.
    await signal.catch(error =>
      log.warn(
        { error: redactError(error), [subject]: uuid },
        'decision not signalled; the next sweep signals it',
      ),
    )
  }
}
