import { pruneUnexplainedAnswers } from '../../db/repositories/unexplained-answers.ts'
import { eventRetentionStartOf } from '../../domain/webhooks/webhook.ts'
import { startTimeBudget } from '../runtime/cancellation.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'

/** Small enough that no transaction holds up the writing of events. */
const PRUNE_BATCH_SIZE = 500
/** Well within the activity's ten minutes; the next run goes on. */
const MAX_PRUNING_MS = 8 * 60_000

/**
 * Deletes events older than thirty days, and with them their deliveries and tries, the oldest first. What is still being
 * delivered stays, and what its life is still to be told of, and so does what tells a life of money that it has to send
 * back. Unexplained answers of providers are deleted after the same time (src/db/repositories/unexplained-answers.ts).
 */
export function pruneEvents({ orm }: ActivityDependencies) {
  return async (): Promise<{ forgotten: number }> => {
    const mayGoOn = startTimeBudget(MAX_PRUNING_MS)
    const before = eventRetentionStartOf(new Date())
    let forgotten = 0
    for (;;) {
      const rows: unknown[] = await orm.em.fork().execute(
        `delete from event where uuid in (
           select e.uuid from event e where e.created_at < ?
             and not exists (select from delivery d where d.event_uuid = e.uuid
               and (d.status = 'PENDING' or d.wake_at is not null))
             and not exists (select from movement m where m.uuid = e.subject_uuid and m.disposition = 'held')
           order by e.created_at limit ?
         ) returning uuid`,
        [before, PRUNE_BATCH_SIZE],
      )
      forgotten += rows.length
      if (rows.length < PRUNE_BATCH_SIZE || !mayGoOn()) break
    }
    while (
      mayGoOn() &&
      (await pruneUnexplainedAnswers(orm.em.fork(), PRUNE_BATCH_SIZE)) === PRUNE_BATCH_SIZE
    );
    return { forgotten }
  }
}
