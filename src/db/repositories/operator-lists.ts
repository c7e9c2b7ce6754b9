import type { ContestState } from '../../domain/disputes/contest.ts'
import { UNEXPECTED_SETTLEMENTS } from '../../domain/ledger/movement.ts'
import type { ProviderName } from '../../domain/providers/provider.ts'
import { PAYOUT_NOUNS } from '../../domain/shared/nouns.ts'
import type { EntityManager } from '../client/orm.ts'
import { IS_UNANSWERED_SQL, IS_UNMATCHED_SQL } from './account-tasks.ts'
import { PENDING_ATTEMPT_STATES } from './attempts.ts'
import { buildUnreturnedSql } from './unmatched-payments.ts'

/** Most rows of an operator list; lists cover all accounts, oldest first, and stay readable. */
export const MAX_LISTED_ROWS = 200
/** Minutes without progress after which a workflow counts as stuck. */
const STUCK_MINUTES = 10
/** Selects charges that can still be paid, or debited, a day after they expired: their provider has given no answer that ends them. */
export const IS_PAST_EXPIRY_SQL = `state in ('pending', 'debiting') and expires_at < now() - interval '1 day'`

/** Joins an attempt to its connection's account, and a movement to its account and provider. */
const ATTEMPT_SQL =
  'attempt a join connection c on c.uuid = a.connection_uuid join account n on n.uuid = c.account_uuid'
const MOVEMENT_SQL = `movement m join account n on n.uuid = m.account_uuid
     join provider_account p on p.uuid = m.provider_account_uuid`

/**
 * Lists payouts that an operator may settle: outcome unknown, or pending without an update from the provider. `number`
 * counts the attempts of the operation, `sending` how often this one was sent.
 */
export function listUnknownOutcomes(em: EntityManager) {
  return em.execute(
    `select a.operation, a.subject_uuid, a.uuid as attempt, a.position + 1 as number, a.sendings as sending,
       n.name as account_name, c.provider, a.state,
       case when a.credentials_epoch = c.credentials_epoch then a.code else 'credentials_changed' end as code, a.message,
       replace(a.subject_uuid::text, '-', '') as reference,
       coalesce(t.value_cents, r.value_cents, m.value_cents) as cents,
       coalesce(a.unknown_since, a.updated_at) as unknown_since, a.next_check_at
     from ${ATTEMPT_SQL}
     left join transfer t on a.operation = 'transfer' and t.uuid = a.subject_uuid
     left join refund r on a.operation = 'refund' and r.uuid = a.subject_uuid
     left join movement m on a.operation = 'return' and m.uuid = a.subject_uuid
     where a.operation in ('${PAYOUT_NOUNS.join("', '")}') and a.state in ('unknown', '${PENDING_ATTEMPT_STATES.join("', '")}')
       and (a.state = 'unknown' or a.updated_at < now() - interval '${STUCK_MINUTES} minutes')
     order by unknown_since limit ${MAX_LISTED_ROWS}`,
  )
}

/** Lists payouts whose provider contradicts the order, or its earlier report of a settlement, the latest first. */
export function listContradictedOutcomes(em: EntityManager) {
  return em.execute(
    `select a.operation, a.subject_uuid, n.name as account_name, c.provider, a.contradiction_code, a.contradiction_at
     from ${ATTEMPT_SQL}
     where a.contradiction_at is not null order by a.contradiction_at desc limit ${MAX_LISTED_ROWS}`,
  )
}

/** Lists workflows that have not left a transient state in time; of a charge past its expiry, since then. */
export function listStuckWorkflows(em: EntityManager) {
  const isStuckSql = `l.updated_at < now() - interval '${STUCK_MINUTES} minutes'`
  return em.execute(
    `select l.*, n.name as account_name from (
       select 'charge' as noun, uuid, '' as part, account_uuid, state, total_cents as cents, updated_at from charge l
         where state in ('issuing', 'paying', 'refunding') and ${isStuckSql}
       union all
       select 'charge', uuid, '', account_uuid, state, total_cents, expires_at from charge where ${IS_PAST_EXPIRY_SQL}
       union all
       select 'transfer', uuid, '', account_uuid, state, value_cents, updated_at from transfer l
         where state in ('created', 'held', 'approved', 'sending', 'settling') and (state in ('sending', 'settling')
           or state in ('created', 'approved') and scheduled_for < now() or state = 'approved' and scheduled_for is null
           or exists (select from approval_request r where r.subject_uuid = l.uuid and l.state = 'held'
             and (r.decision is not null or r.expires_at < now()))
           or exists (select from lost_workflow w where w.noun = 'transfer' and w.subject_uuid = l.uuid)) and ${isStuckSql}
       union all
       select 'refund', uuid, '', account_uuid, state, value_cents, updated_at from refund l
         where state in ('sending', 'settling') and ${isStuckSql}
       union all
       select 'pix-key', uuid, case state when 'removing' then '/removal' else '' end, account_uuid, state, null, updated_at
         from pix_key l where state in ('creating', 'removing') and ${isStuckSql}
     ) l join account n on n.uuid = l.account_uuid order by l.updated_at limit ${MAX_LISTED_ROWS}`,
  )
}

/**
 * Lists webhooks that fail, that have permanently missed events, or that are disabled; disabled ones come last, so
 * that however many there are, they hide no other. `since`: the moment of the earliest missed event, which may be older than
 * its delivery: a recovery creates deliveries of earlier events.
 */
export function listFailingWebhooks(em: EntityManager) {
  return em.execute(
    `select w.uuid, w.account_uuid, n.name as account_name, w.url, w.status, w.disabled_reason, w.failing_since,
       d.failed, coalesce(d.since, w.failing_since, now() - interval '1 day') as since
     from webhook w join account n on n.uuid = w.account_uuid
     cross join lateral (
       select count(*) as failed, min(e.created_at) as since from delivery m join event e on e.uuid = m.event_uuid
       where m.webhook_uuid = w.uuid and m.status in ('FAILED', 'CANCELLED') and m.created_at > now() - interval '30 days'
     ) d
     where w.deleted_at is null and (w.status = 'DISABLED' or w.failing_since is not null or d.failed > 0)
     order by w.status = 'DISABLED', w.failing_since desc nulls last, w.created_at desc limit ${MAX_LISTED_ROWS}`,
  )
}

/** Lists unmatched payments that are neither returned nor kept yet, with the provider's latest message. */
export function listUnmatchedPayments(em: EntityManager) {
  return em.execute(
    `select m.uuid, n.name as account_name, p.provider, ${buildUnreturnedSql('m')} as cents, m.reason,
       m.disposition, m.end_to_end, m.charge_uuid, coalesce(a.sendings, 0) as sending, a.code, m.created_at
     from ${MOVEMENT_SQL}
     left join attempt a on a.operation = 'return' and a.subject_uuid = m.uuid
     where m.${IS_UNMATCHED_SQL} order by m.created_at limit ${MAX_LISTED_ROWS}`,
  )
}

/** Lists settlement anomalies of thirty days (paid twice, or settled after a reported failure), newest first. */
export function listUnexpectedSettlements(em: EntityManager) {
  return em.execute(
    `select m.uuid, m.reason, coalesce(m.transfer_uuid, m.refund_uuid, m.original_uuid) as subject_uuid,
       case when m.transfer_uuid is not null then 'transfer'
         when m.refund_uuid is not null then 'refund' else 'return' end as noun,
       n.name as account_name, p.provider, m.value_cents as cents, m.end_to_end, m.updated_at as reported_at
     from ${MOVEMENT_SQL}
     where m.reason in ('${UNEXPECTED_SETTLEMENTS.join("', '")}') and m.updated_at > now() - interval '30 days'
     order by m.updated_at desc limit ${MAX_LISTED_ROWS}`,
  )
}

/** Value of a difference: of two amounts how far they differ, else the amount of the side that has it. */
export const DIFFERENCE_CENTS_SQL = `case kind
    when 'value_differs' then abs((detail #>> '{entry,cents}')::bigint - (detail #>> '{ours,cents}')::bigint)
    else coalesce(detail #>> '{entry,cents}', detail #>> '{ours,cents}')::bigint end`
const DIFFERENCE_SQL = `select d.uuid, d.kind, d.movement_type, d.end_to_end, p.provider, p.name as holder,
    (${DIFFERENCE_CENTS_SQL})::float8 as cents, (d.detail #>> '{entry,cents}')::float8 as entry_cents, (d.detail #>> '{ours,cents}')::float8 as our_cents,
    d.pending_reason, d.found_at, d.settled_at, d.closed_at, d.closed_as, d.closed_cause, d.closed_reason, d.closed_by
  from difference d join provider_account p on p.uuid = d.provider_account_uuid`

/** Lists the open differences between provider statements and our ledger, the oldest first. */
export function listOpenDifferences(em: EntityManager) {
  return em.execute(
    `${DIFFERENCE_SQL} where d.settled_at is null and d.closed_at is null order by d.found_at limit ${MAX_LISTED_ROWS}`,
  )
}

/** Lists the differences that operators have closed, the latest closing first. */
export function listClosedDifferences(em: EntityManager) {
  return em.execute(
    `${DIFFERENCE_SQL} where d.closed_at is not null order by d.closed_at desc limit ${MAX_LISTED_ROWS}`,
  )
}

/**
 * Lists the disputes of all accounts whose provider has no reply, the next deadline first; `reply_pending_since` where one
 * could not be sent yet.
 */
export function listUnansweredDisputes(em: EntityManager) {
  return em.execute(
    `select d.uuid, n.name as account_name, c.provider, d.value_cents::float8 as cents, d.end_to_end, d.due_at,
       case when d.reply_state = 'pending' then d.replied_at end as reply_pending_since
     from (select * from dispute where ${IS_UNANSWERED_SQL}) d join account n on n.uuid = d.account_uuid join connection c on c.uuid = d.connection_uuid
     order by d.due_at limit ${MAX_LISTED_ROWS}`,
  )
}

export type WaitingContest = {
  uuid: string
  account_name: string
  provider: ProviderName
  provider_dispute_id: string
  end_to_end: string
  returned_cents: number
  state: ContestState
  protocol: string | null
  created_at: Date
}

/** Lists the contests of returns that were not handed to their provider, or not decided there, the oldest first. */
export function listWaitingContests(em: EntityManager): Promise<WaitingContest[]> {
  return em.execute(
    `select d.uuid, n.name as account_name, c.provider, d.provider_dispute_id, d.end_to_end, d.returned_cents::float8,
       w.state, w.protocol, w.created_at
     from contest w join dispute d on d.uuid = w.dispute_uuid join account n on n.uuid = d.account_uuid
       join connection c on c.uuid = d.connection_uuid
     where w.state in ('pending', 'sent') order by w.created_at limit ${MAX_LISTED_ROWS}`,
  )
}

/** Lists the provider notifications that no workflow has processed yet, by connection, the oldest first. */
export function listWaitingNotifications(em: EntityManager) {
  return em.execute(
    `select c.uuid, n.name as account_name, c.provider, w.kind, count(*)::int as count, min(w.received_at) as oldest
     from provider_notification w join connection c on c.uuid = w.connection_uuid join account n on n.uuid = c.account_uuid
     where w.routed_at is null group by c.uuid, n.name, c.provider, w.kind order by oldest limit ${MAX_LISTED_ROWS}`,
  )
}

/** Lists the last comparison of each provider account's balance, those that differ first. */
export function listBalanceChecks(em: EntityManager) {
  return em.execute(
    `select p.provider, p.name as holder, b.provider_cents::float8, b.ledger_cents::float8, b.moving_cents::float8,
       b.checked_at, b.differs_since
     from balance_check b join provider_account p on p.uuid = b.provider_account_uuid
     order by b.differs_since nulls last, b.checked_at limit ${MAX_LISTED_ROWS}`,
  )
}
