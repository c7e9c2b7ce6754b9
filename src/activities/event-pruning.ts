import { pruneUnexplained } from '../db/unexplained.ts'
import { eventsKeptSince } from '../domain/webhook.ts'
import type { Dependencies } from './dependencies.ts'
import { goingOnFor } from './ending.ts'

/** Small enough that no transaction holds up the writing of events. */
const BATCH = 500
/** Well within the activity's ten minutes; the next run goes on. */
const LONGEST_MS = 8 * 60_000

/**
 * Deletes events older than thirty days, and with them their deliveries and tries, the oldest first. What is still being
 * delivered stays, and what its life is still to be told of, and so does what tells a life of money that it has to send
 * back. Unexplained answers of providers are deleted after the same time (src/db/unexplained.ts).
 */
export function pruneEvents({ orm }: Dependencies) {
  return async (): Promise<{ forgotten: number }> => {
    const mayGoOn = goingOnFor(LONGEST_MS)
    const before = eventsKeptSince(new Date())
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
        [before, BATCH],
      )
      forgotten += rows.length
      if (rows.length < BATCH || !mayGoOn()) break
    }
    while (mayGoOn() && (await pruneUnexplained(orm.em.fork(), BATCH)) === BATCH);
    return { forgotten }
  }
}
