import {
  type PanelPixPendingReason,
  TRANSIENT_PENDING_REASONS,
} from '../../domain/reconciliation/panel-pix.ts'
import type { EntityManager } from '../client/orm.ts'
import { LedgerAdjustment } from '../entities/reconciliation.ts'
import { selectValue } from '../select-values.ts'
import { IS_OPEN_ENTRY_SQL } from './account-entries.ts'
import { MAX_LISTED_ROWS } from './operator-lists.ts'

/** Lists adjustments with their operators, the newest first; `isOpen`: only those that can still be approved. */
export function listAdjustments(em: EntityManager, { isOpen }: { isOpen: boolean }) {
  return em.find(LedgerAdjustment, isOpen ? { movementUuid: null, expiresAt: { $gt: new Date() } } : {}, {
    populate: ['proposer', 'approver'],
    orderBy: { proposedAt: 'desc' },
    limit: MAX_LISTED_ROWS,
  })
}

/** Lists connections, by account, through whose provider accounts an adjustment can be proposed. */
export function listAdjustableConnections(em: EntityManager) {
  return em.execute(
    `select c.uuid, c.provider_account_uuid as "providerAccountUuid", c.provider, n.name as "accountName"
     from connection c join account n on n.uuid = c.account_uuid
     where exists (select from balance b
       where b.account_uuid = c.account_uuid and b.provider_account_uuid = c.provider_account_uuid)
     order by n.name, c.created_at, c.uuid`,
  )
}

/**
 * Tells whether an adjustment that names no entry may have booked money that moved before its approval. The caller holds the lock
 * of a connection to the provider account.
 */
export function mayBeAdjusted(
  em: EntityManager,
  moved: { providerAccountUuid: string; direction: 'IN' | 'OUT'; cents: number; at: Date },
): Promise<boolean> {
  const { providerAccountUuid, direction, cents, at } = moved
  return selectValue(em, 'select may_be_adjusted(?, ?, ?, ?)', [providerAccountUuid, direction, cents, at])
}

/** Why a PIX is not booked yet that will be booked, once the wait or its dispute is over. */
const WAITS_TO_BE_BOOKED: PanelPixPendingReason[] = [...TRANSIENT_PENDING_REASONS, 'has_overdue_dispute']

/** Money that may be what an adjustment without an entry is about. */
type StatementCounterpart = {
  /** `waiting_pix`: a PIX that a later reconciliation books; `matched`: an entry or PIX that was matched or booked since, or another adjustment. */
  kind: 'open_entry' | 'waiting_pix' | 'matched'
  /** The uuid of the entry or adjustment, or the end-to-end id of the PIX, where it has one. */
  name: string
}

/**
 * Finds what the statement of a provider account has with the value and direction of an adjustment: an open entry, a
 * PIX that waits to be booked, or one of both that was accounted for after `since`; also a PIX of the account that was
 * booked since, which the statement may have listed without a difference, and another adjustment that was. Undefined if
 * there is none.
 */
export async function findStatementCounterpart(
  em: EntityManager,
  sought: {
    accountUuid: string
    providerAccountUuid: string
    direction: 'IN' | 'OUT'
    cents: number
    since: Date | null
  },
): Promise<StatementCounterpart | undefined> {
  const { accountUuid, providerAccountUuid, direction, cents, since } = sought
  const [found] = await em.execute<StatementCounterpart[]>(
    `with sought as (select ?::uuid as owner, ?::uuid as account, ?::text as direction, ?::bigint as cents, ?::timestamptz as since),
     entry as (select e.* from account_entry e, sought s
       where e.provider_account_uuid = s.account and e.value_cents = s.cents
         and (e.kind = 'unlisted' or (e.kind in ('tariff', 'withdrawal', 'block')) = (s.direction = 'OUT'))),
     pix as (select d.* from difference d, sought s
       where d.provider_account_uuid = s.account and d.kind = 'missing_here' and d.movement_type = s.direction
         and (d.detail #>> '{entry,cents}')::bigint = s.cents)
     select 'open_entry' as kind, uuid::text as name from entry where ${IS_OPEN_ENTRY_SQL}
     union all
     select 'waiting_pix', end_to_end from pix where settled_at is null and closed_at is null
       and (pending_reason is null or pending_reason = any(array[?]::text[]))
     union all
     select 'matched', e.uuid::text from sought s, entry e join movement m on m.uuid = e.movement_uuid
       where m.created_at >= s.since
     union all
     select 'matched', end_to_end from sought s, pix where pix.settled_at >= s.since
     union all
     select 'matched', a.uuid::text from sought s, ledger_adjustment a join connection c on c.uuid = a.connection_uuid
       where c.provider_account_uuid = s.account and a.entry_uuid is null and a.movement_type = s.direction
         and a.value_cents = s.cents and a.approved_at >= s.since
     union all
     select 'matched', coalesce(m.end_to_end, m.uuid::text) from sought s, movement m
       where m.account_uuid = s.owner and m.provider_account_uuid = s.account and m.movement_type = s.direction
         and m.value_cents = s.cents and m.type in ('EXTERNAL_TRANSFER', 'EXTERNAL_REFUND') and m.status = 'SETTLED'
         and m.created_at >= s.since - interval '2 days' and m.updated_at >= s.since
     limit 1`,
    [accountUuid, providerAccountUuid, direction, cents, since, WAITS_TO_BE_BOOKED],
  )
  return found
}
