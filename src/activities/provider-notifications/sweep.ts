import { raw } from '@mikro-orm/core'
import { ProviderNotification } from '../../db/entities/notice.ts'
import { redactError } from '../../db/redact-error.ts'
import { routeNotification } from '../../provider-notifications/route-notification.ts'
import type { WorkflowClientContext } from '../../temporal/workflow-options.ts'
import { isCancellationRequested } from '../runtime/cancellation.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'

/**
 * At most this many at a time, whichever: some may wait long, for the rebuild of a restored database, and are no reason for
 * others to wait behind them.
 */
const MAX_PER_SWEEP = 500
/** A younger notice is still in the hands of the request that brought it. */
const MIN_NOTIFICATION_AGE_MS = 10_000

/** Hands over the notices that no life has taken yet; answers how many it looked at and how many it handed over. */
export function sweepProviderNotifications(
  { orm, log }: ActivityDependencies,
  engine: WorkflowClientContext,
  most = MAX_PER_SWEEP,
) {
  return async (): Promise<{ waiting: number; routedCount: number }> => {
    const em = orm.em.fork()
    const waiting = await em.find(
      ProviderNotification,
      {
        handedAt: null,
        receivedAt: { $lt: new Date(Date.now() - MIN_NOTIFICATION_AGE_MS / engine.timeScale) },
      },
      { orderBy: { [raw('random()')]: 'asc' }, limit: most },
    )
    let routedCount = 0
    for (const notice of waiting) {
      if (isCancellationRequested()) break
      // One that cannot be handed over must not keep the others waiting.
      const isTaken = await routeNotification(engine, em, notice).catch(error =>
        log.warn({ error: redactError(error), notice: notice.uuid }, 'notice not handed over'),
      )
      if (isTaken) routedCount += 1
    }
    return { waiting: waiting.length, routedCount }
  }
}
