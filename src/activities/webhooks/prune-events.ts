import type { EntityManager } from '../../db/client/orm.ts'
import { pruneApiRequests } from '../../db/repositories/api-requests.ts'
import { deleteOldEvents } from '../../db/repositories/events.ts'
import { pruneKeyLookups } from '../../db/repositories/key-lookups.ts'
import { pruneTable } from '../../db/repositories/pruning.ts'
import { PRUNED_TABLES } from '../../db/retention.ts'
import { eventRetentionStartOf } from '../../domain/webhooks/webhook.ts'
import { startTimeBudget } from '../runtime/cancellation.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'

/** Number of events deleted in one transaction; small, so that it does not delay the writing of events. */
const PRUNE_BATCH_SIZE = 500
/** Time budget of one run, within the activity's ten minutes; the next run continues. */
const MAX_PRUNING_MS = 8 * 60_000

const PRUNERS = [...PRUNED_TABLES.keys()].map(
  table => (em: EntityManager, limit: number) => pruneTable(em, table, limit),
)

/**
 * Deletes events older than thirty days with their deliveries and attempts, the oldest first. An event stays while a
 * delivery of it is pending or due to be signalled to its workflow, or while its movement is held for a return.
 * Rows of other tables are deleted as src/db/retention.ts says.
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
    for (const prune of [pruneKeyLookups, ...PRUNERS])
      while (hasTimeLeft() && (await prune(orm.em.fork(), PRUNE_BATCH_SIZE)) === PRUNE_BATCH_SIZE);
    await pruneApiRequests(orm.em.fork())
    return { deleted }
  }
}
