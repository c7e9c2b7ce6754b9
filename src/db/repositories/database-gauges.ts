import { UNEXPECTED_SETTLEMENTS } from '../../domain/ledger/movement.ts'
import { TRANSIENT_PENDING_REASONS } from '../../domain/reconciliation/panel-pix.ts'
import { PAYOUT_NOUNS } from '../../domain/shared/nouns.ts'
import { MIGRATION_SESSION_NAMES } from '../client/migrate.ts'
import type { EntityManager } from '../client/orm.ts'
import { IS_OPEN_ENTRY_SQL } from './account-entries.ts'
import { IS_UNANSWERED_SQL, IS_UNMATCHED_SQL } from './account-tasks.ts'
import { IS_OPEN_CIRCUIT_SQL } from './circuit-breaker.ts'
import { IS_PAST_EXPIRY_SQL } from './operator-lists.ts'

/** One row per sample: its gauge, the values of its labels if the gauge has labels, and its value. */
export type GaugeSample = { gauge: string; labels: string[] | null; value: number }

/** Age up to which the probe of a worker counts: a few of its intervals. */
const PROBE_MAX_AGE = '30 seconds'

/** Excludes PIX keys: whether a key was created is not worth waking an operator. */
const UNKNOWN_PAYOUT_CONDITION = `a.state = 'unknown' and a.operation in ('${PAYOUT_NOUNS.join("', '")}')`

/** Hours before its deadline from which a dispute whose provider has no reply is urgent. */
const URGENT_DISPUTE_HOURS = 24

/** Providers choose the names of these answers: only the latest have a series. */
const MAX_UNEXPLAINED_NAMES = 100

/** How long a charge past its expiry is counted: no provider ends some of them, and the list keeps these. */
const PAST_EXPIRY_MAX_AGE = '8 days'

const PASSING_WAITS = TRANSIENT_PENDING_REASONS.join(',')

/**
 * Condition: a migration runs, or ran its last statement seconds ago. Meanwhile another session of its process idles in a
 * transaction, which holds the lock of all migrations and no row. Without a running migration, its process has vanished.
 */
const IS_MIGRATING_SQL = `exists (select from pg_stat_activity m where m.datname = current_database()
    and m.application_name = '${MIGRATION_SESSION_NAMES.migrating}'
    and (m.state = 'active' or m.state_change > now() - interval '15 seconds'))`

const GAUGES_QUERY = `
select 'trilho_database_up' as gauge, null::text[] as labels, 1::float8 as value
union all
select 'trilho_database_read_only', null,
  (pg_is_in_recovery() or current_setting('transaction_read_only') = 'on')::int::float8
union all
select 'trilho_database_connections', null, coalesce(sum(numbackends), 0)::float8
  from pg_stat_database where datid <> 0
union all
select 'trilho_database_connections_max', null,
  (current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int)::float8
union all
select 'trilho_clock_offset_seconds', null, extract(epoch from clock_timestamp())::float8
union all
select 'trilho_idle_transaction_oldest_seconds', null, coalesce(extract(epoch from now() - min(state_change)), 0)::float8
  from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'
    and not (application_name = '${MIGRATION_SESSION_NAMES.lock}' and ${IS_MIGRATING_SQL})
union all
select 'trilho_lock_wait_oldest_seconds', null, coalesce(extract(epoch from now() - min(query_start)), 0)::float8
  from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    and application_name <> '${MIGRATION_SESSION_NAMES.lock}'
union all
select 'trilho_worker_without_providers', array[worker], 1
  from provider_reach where probed_at > now() - interval '${PROBE_MAX_AGE}' group by worker
  having coalesce(max(reached_at), '-infinity') < now() - interval '${PROBE_MAX_AGE}'
    and exists (select from provider_reach where reached_at > now() - interval '${PROBE_MAX_AGE}')
union all
select g.gauge, array[u.provider], g.value from (
    select c.provider, count(*)::float8 as count, extract(epoch from now() - min(a.unknown_since))::float8 as age_s,
      sum(coalesce(t.value_cents, r.value_cents, m.value_cents))::float8 as cents
    from attempt a join connection c on c.uuid = a.connection_uuid
    left join transfer t on a.operation = 'transfer' and t.uuid = a.subject_uuid
    left join refund r on a.operation = 'refund' and r.uuid = a.subject_uuid
    left join movement m on a.operation = 'return' and m.uuid = a.subject_uuid
    where ${UNKNOWN_PAYOUT_CONDITION} group by c.provider
  ) u cross join lateral (values ('trilho_unknown_outcomes', u.count), ('trilho_unknown_oldest_seconds', u.age_s),
    ('trilho_unknown_cents', coalesce(u.cents, 0))) as g (gauge, value)
union all
select 'trilho_attempt_oldest_seconds', array[operation], extract(epoch from now() - min(created_at))::float8
  from attempt where state in ('preparing', 'calling', 'accepted', 'unknown') and operation in ('${PAYOUT_NOUNS.join("', '")}')
  group by operation
union all
select 'trilho_charges_past_expiry', array[c.provider], count(*)::float8
  from (select connection_uuid from charge
    where ${IS_PAST_EXPIRY_SQL} and expires_at > now() - interval '${PAST_EXPIRY_MAX_AGE}') overdue
  join connection c on c.uuid = overdue.connection_uuid group by c.provider
union all
select 'trilho_rows_without_workflow', array[noun], lost_count::float8 from workflow_sweep
union all
select 'trilho_workflow_sweep_age_seconds', null, extract(epoch from now() - min(swept_at))::float8
  from workflow_sweep having count(*) > 0
union all
select 'trilho_breakers_open', array[c.provider], count(*)::float8
  from circuit_breaker b join connection c on c.uuid = b.connection_uuid
  where c.status = 'ACTIVE' and ${IS_OPEN_CIRCUIT_SQL} group by c.provider
union all
select 'trilho_provider_notifications_waiting', null, count(*)::float8 from provider_notification where routed_at is null
union all
select 'trilho_provider_notifications_oldest_seconds', null, coalesce(extract(epoch from now() - min(received_at)), 0)::float8
  from provider_notification where routed_at is null
union all
select 'trilho_deliveries_pending', null, count(*)::float8 from delivery where status = 'PENDING'
union all
select 'trilho_deliveries_overdue_seconds', null,
       greatest(0, coalesce(extract(epoch from now() - min(oldest.due)), 0))::float8
  from webhook w cross join lateral (
    select min(coalesce(next_attempt_at, created_at)) as due from delivery
    where webhook_uuid = w.uuid and status = 'PENDING'
  ) oldest where w.status = 'ACTIVE' and w.deleted_at is null and w.failing_since is null
union all
select 'trilho_webhooks_disabled', null, count(*)::float8 from webhook where status = 'DISABLED' and deleted_at is null
union all
select 'trilho_unmatched_held_cents', null, coalesce(sum(value_cents), 0)::float8
  from movement where ${IS_UNMATCHED_SQL}
union all
select 'trilho_unexpected_settlements', array[p.provider], count(*)::float8
  from movement m join provider_account p on p.uuid = m.provider_account_uuid
  where m.reason in ('${UNEXPECTED_SETTLEMENTS.join("', '")}') and m.updated_at > now() - interval '24 hours'
  group by p.provider
union all
select 'trilho_provider_contradictions', array[c.provider], count(*)::float8
  from attempt a join connection c on c.uuid = a.connection_uuid
  where a.contradiction_at > now() - interval '24 hours' group by c.provider
union all
select 'trilho_shortfall_cents', array[p.provider], -sum(b.cents)::float8
  from balance b join provider_account p on p.uuid = b.provider_account_uuid
  where b.bucket = 'shortfall' and b.cents < 0 group by p.provider
union all
select 'trilho_ledger_drift_cents', null, coalesce(sum(cents), 0)::float8 from balance
union all
select 'trilho_reconciliation_differences', array[kind], count(*)::float8 from (
    select kind from difference
    where settled_at is null and closed_at is null and not coalesce(pending_reason = any ('{${PASSING_WAITS}}'), false)
    union all
    select 'unlisted_entry' from account_entry where ${IS_OPEN_ENTRY_SQL} and kind = 'unlisted'
  ) unexplained group by kind
union all
select 'trilho_statement_waiting', array[pending_reason], count(*)::float8 from difference
  where settled_at is null and closed_at is null and pending_reason = any ('{${PASSING_WAITS}}') group by pending_reason
union all
select 'trilho_reconciliation_age_seconds', array[provider, part], extract(epoch from now() - min(since))::float8 from (
    select p.provider, done.part, greatest(done.at, min(c.updated_at)) as since
    from connection c join provider_account p on p.uuid = c.provider_account_uuid
    left join balance_check b on b.provider_account_uuid = p.uuid
    cross join lateral (values ('statement', p.compared_at), ('balance', b.checked_at),
      ('disputes', p.disputes_listed_at)) as done (part, at)
    where c.status = 'ACTIVE' group by p.uuid, p.provider, done.part, done.at
  ) compared group by provider, part
union all
select 'trilho_provider_balance_difference_cents', array[p.provider], sum(abs(b.provider_cents - b.ledger_cents))::float8
  from balance_check b join provider_account p on p.uuid = b.provider_account_uuid
  where b.differs_since is not null group by p.provider
union all
select 'trilho_provider_balance_differs_seconds', array[p.provider], extract(epoch from now() - min(b.differs_since))::float8
  from balance_check b join provider_account p on p.uuid = b.provider_account_uuid
  where b.differs_since is not null group by p.provider
union all
select g.gauge, null, g.value from (
    select count(*)::float8 as count, coalesce(sum(value_cents), 0)::float8 as cents from dispute
    where ${IS_UNANSWERED_SQL} and due_at between now() and now() + interval '${URGENT_DISPUTE_HOURS} hours'
  ) d cross join lateral (values ('trilho_disputes_urgent', d.count), ('trilho_disputes_urgent_cents', d.cents)) as g (gauge, value)
union all
select 'trilho_pauses', null, count(*)::float8 from pause
union all
select 'trilho_quarantined_items', array[c.provider], count(*)::float8
  from unexplained_answer u join connection c on c.uuid = u.connection_uuid
  where u.period_from is not null and u.resolved_at is null group by c.provider
union all
(select 'trilho_unexplained_answers', array[c.provider, u.operation, u.kind, u.name], count(*)::float8
  from unexplained_answer u join connection c on c.uuid = u.connection_uuid
  where u.last_seen_at > now() - interval '1 hour' group by c.provider, u.operation, u.kind, u.name
  order by max(u.last_seen_at) desc limit ${MAX_UNEXPLAINED_NAMES})`

/** Reads all gauges of the database with one query; of the clock offset, PostgreSQL's clock in seconds since 1970. */
export function readDatabaseGauges(em: EntityManager): Promise<GaugeSample[]> {
  return em.execute(GAUGES_QUERY)
}
