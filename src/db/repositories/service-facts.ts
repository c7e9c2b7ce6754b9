import type { EntityManager } from '../client/orm.ts'
import { IS_OPEN_ENTRY_SQL } from './account-entries.ts'
import { IS_UNANSWERED_SQL } from './account-tasks.ts'
import { DIFFERENCE_CENTS_SQL } from './operator-lists.ts'

/** The state of the whole service that no gauge has, for operators. Amounts in centavos, times as PostgreSQL writes them. */
type ServiceFacts = {
  /** Workers that have probed their providers in the last 30 seconds. */
  workers: number
  /** Of the disputes whose provider has no reply. */
  next_dispute_due_at: string | null
  /** Value of what only a statement or only the ledger has, without what operators have closed. */
  difference_cents: number
}

export async function readServiceFacts(em: EntityManager): Promise<ServiceFacts> {
  const [row] = await em.execute<ServiceFacts[]>(
    `select
       (select count(distinct worker) from provider_reach where probed_at > now() - interval '30 seconds')::int as workers,
       (select min(due_at) from dispute where ${IS_UNANSWERED_SQL} and due_at > now()) as next_dispute_due_at,
       (select coalesce(sum(${DIFFERENCE_CENTS_SQL}), 0)
          from difference where settled_at is null and closed_at is null)::float8
       + (select coalesce(sum(value_cents), 0) from account_entry
          where ${IS_OPEN_ENTRY_SQL} and kind = 'unlisted')::float8 as difference_cents`,
  )
  return row!
}

/** A worker that has probed its providers lately. */
export type WorkerReach = { worker: string; probed_at: string; reached_at: string | null; origins: number }

/** Lists the workers that probed their providers within the last hour, the one that probed last first. */
export function listWorkers(em: EntityManager): Promise<WorkerReach[]> {
  return em.execute(
    `select worker, max(probed_at) as probed_at, max(reached_at) as reached_at, count(*)::int as origins
     from provider_reach where probed_at > now() - interval '1 hour' group by worker order by 2 desc limit 100`,
  )
}
