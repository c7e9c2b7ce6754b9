import { pruneLimitUsage } from '../../db/repositories/account-limits.ts'
import { pruneApiRequests } from '../../db/repositories/api-requests.ts'
import { pruneAuthCodes } from '../../db/repositories/auth-codes.ts'
import { pruneCodeReadings } from '../../db/repositories/code-readings.ts'
import { deleteOldEvents } from '../../db/repositories/events.ts'
import { pruneKeyLookups } from '../../db/repositories/key-lookups.ts'
import { pruneProviderNotifications } from '../../db/repositories/provider-notifications.ts'
import { pruneUnexplainedAnswers } from '../../db/repositories/unexplained-answers.ts'
import { eventRetentionStartOf } from '../../domain/webhooks/webhook.ts'
import { startTimeBudget } from '../runtime/cancellation.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'

/** Number of events deleted in one transaction; small, so that it does not delay the writing of events. */
const PRUNE_BATCH_SIZE = 500
/** Time budget of one run, within the activity's ten minutes; the next run continues. */
const MAX_PRUNING_MS = 8 * 60_000

/**
 * Deletes events older than thirty days with their deliveries and attempts, the oldest first. An event stays while a
 * delivery of it is pending or due to be signalled to its workflow, or while its movement is held for a return.
 * Unexplained answers of providers (src/db/repositories/unexplained-answers.ts), expired auth codes
 * (src/db/repositories/auth-codes.ts), routed notifications of providers (src/db/repositories/provider-notifications.ts),
 * counters of limits (src/db/repositories/account-limits.ts), look-ups of keys (src/db/repositories/key-lookups.ts) and
 * readings of codes (src/db/repositories/code-readings.ts) are deleted after the same time, the log of API requests after seven
 * days (src/db/repositories/api-requests.ts).
 */
export function pruneEvents({ orm }: ActivityDependencies) {
  return async (): Promise<{ deleted: number }> => {
    const hasTimeLeft = startTimeBudget(MAX_PRUNING_MS)
    const before = eventRetentionStartOf(new Date())
    let deleted = 0
    for (;;) {
      const count = await deleteOldEvents(orm.em.fork(), before, PRUNE_BATCH_SIZE)
      deleted += count
      if (count < PRUNE_BATCH_SIZE || !hasTimeLeft()) break
    }
    for (const prune of [
      pruneUnexplainedAnswers,
      pruneAuthCodes,
      pruneProviderNotifications,
      pruneLimitUsage,
      pruneKeyLookups,
      pruneCodeReadings,
    ])
      while (hasTimeLeft() && (await prune(orm.em.fork(), PRUNE_BATCH_SIZE)) === PRUNE_BATCH_SIZE);
    await pruneApiRequests(orm.em.fork())
    return { deleted }
  }
}
