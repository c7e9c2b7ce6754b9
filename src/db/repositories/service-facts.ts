import type { EntityManager } from '../client/orm.ts'
import { UNKNOWN_PAYOUT_CONDITION } from './database-gauges.ts'

/** Hours before its deadline from which an open dispute is urgent. */
const URGENT_DISPUTE_HOURS = 24

/** The state of the whole service, for operators. Amounts in centavos. */
type ServiceFacts = {
  /** Workers that have probed their providers in the last 30 seconds. */
  workers: number
  pauses: number
  unknown_count: number
  unknown_cents: number
  unknown_since: Date | null
  /** Open disputes that expire within 24 hours. */
  urgent_disputes: number
  urgent_dispute_cents: number
  /** The least recent comparison of a provider account's balance with the ledger. */
  balances_checked_at: Date | null
}

export async function readServiceFacts(em: EntityManager): Promise<ServiceFacts> {
  const [row] = await em.execute<ServiceFacts[]>(
    `select
       (select count(distinct worker) from provider_reach where probed_at > now() - interval '30 seconds')::int as workers,
       (select count(*) from pause)::int as pauses,
       u.count::int as unknown_count, u.cents::float8 as unknown_cents, u.since as unknown_since,
       d.count::int as urgent_disputes, d.cents::float8 as urgent_dispute_cents,
       (select min(checked_at) from balance_check) as balances_checked_at
     from (
       select count(*) as count, coalesce(sum(coalesce(t.value_cents, r.value_cents, m.value_cents)), 0) as cents,
         min(a.unknown_since) as since
       from attempt a
       left join transfer t on a.operation = 'transfer' and t.uuid = a.subject_uuid
       left join refund r on a.operation = 'refund' and r.uuid = a.subject_uuid
       left join movement m on a.operation = 'return' and m.uuid = a.subject_uuid
       where ${UNKNOWN_PAYOUT_CONDITION}
     ) u, (
       select count(*) as count, coalesce(sum(value_cents), 0) as cents from dispute
       where state = 'open' and due_at between now() and now() + interval '${URGENT_DISPUTE_HOURS} hours'
     ) d`,
  )
  return row!
}
