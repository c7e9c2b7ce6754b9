import {
  type LedgerLineType,
  type LedgerOperationType,
  PIX_MOVEMENT_TYPES,
} from '../../domain/ledger/movement.ts'
import type { Party, ProviderName } from '../../domain/providers/provider.ts'
import type { Movement } from '../entities/movement.ts'
import { OPERATION_TYPE_SQL } from '../ledger/operation-types.ts'

/** A line of an account's statement: a posting that changed its available balance, with its movement. */
export type LedgerLine = Pick<Movement, 'uuid' | 'status' | 'reason'> &
  Record<'end_to_end' | 'charge_uuid' | 'transfer_uuid' | 'refund_uuid' | 'dispute_uuid', string | null> &
  Record<'cents' | 'balance_cents', number> & {
    /** Number of the line, by which lines are ordered. */
    id: string
    line_uuid: string
    type: LedgerLineType
    external_ref: string | null
    counterparty: Pick<Party, 'name' | 'document'> | null
    operation_type: LedgerOperationType
    operation_uuid: string
    connection_uuid: string
    provider: ProviderName
    settled_at: Date | null
    /** When an order that has failed was held and released. */
    held_at: Date | null
    released_at: Date | null
    created_at: Date
  }

/** SQL of a ledger line: posting `p` with its movement `m`, and what belongs to the account whose line it is. */

/** The resource of that operation; a movement that belongs to none is one itself. */
const OPERATION_UUID_SQL = `case when m.type = 'SPLIT' then m.charge_uuid
  else coalesce(m.transfer_uuid, m.refund_uuid, m.dispute_uuid, m.charge_uuid, m.uuid) end`

/** The other party: of a split or another account's operation that account, of a PIX its other end, of a fee none. */
const COUNTERPARTY_SQL = `case when p.type in ('FEE', 'HOLD', 'SHORTFALL', 'ADJUSTMENT') then null
  when p.type = 'SPLIT' and a.uuid is null then null
  when a.uuid is not null then jsonb_build_object('name', a.name, 'document', a.document)
  when m.movement_type = 'IN' then m.sender else m.receiver end`

/** A PIX is found by its end-to-end id on one line, in its own value. */
const END_TO_END_SQL = `case when p.type in ('${PIX_MOVEMENT_TYPES.join("', '")}') then m.end_to_end end`

/** The first or last posting of a movement that has failed; null of all others. */
function buildFailedTimeSql(which: 'min' | 'max'): string {
  return `case when m.status = 'FAILED' then
    (select ${which}(q.created_at) from posting q where q.movement_uuid = m.uuid and q.bucket = 'available') end`
}

/** The expression of each column. What belongs to another account's operation, such as its payer, is not shown to this one. */
const LINE_COLUMNS: Record<keyof LedgerLine, string> = {
  id: 'p.id::text',
  uuid: 'm.uuid',
  line_uuid: 'p.uuid',
  type: 'p.type',
  cents: 'p.cents::float8',
  balance_cents: 'p.balance_cents::float8',
  status: 'm.status',
  end_to_end: END_TO_END_SQL,
  reason: 'm.reason',
  charge_uuid: 'm.charge_uuid',
  transfer_uuid: 'm.transfer_uuid',
  refund_uuid: 'm.refund_uuid',
  dispute_uuid: 'm.dispute_uuid',
  operation_type: OPERATION_TYPE_SQL,
  operation_uuid: OPERATION_UUID_SQL,
  external_ref: 'coalesce(t.external_ref, h.external_ref)',
  counterparty: COUNTERPARTY_SQL,
  connection_uuid: 'c.uuid',
  provider: 'c.provider',
  settled_at: 'm.settled_at',
  held_at: buildFailedTimeSql('min'),
  released_at: buildFailedTimeSql('max'),
  created_at: 'p.created_at',
}
const LINE_COLUMNS_SQL = Object.entries(LINE_COLUMNS)
  .map(([column, expression]) => `${expression} as ${column}`)
  .join(', ')

/**
 * Selects the account's own connection to the provider account of `p`: of several the one of the scope, else the one
 * that carried the movement, else the oldest. Its one value is the connection of the scope.
 */
export const buildConnectionJoin = (carrier = 'null') => `lateral (
    select c.uuid, c.provider, c.virtual_account, c.created_at from connection c
    where c.account_uuid = p.account_uuid and c.provider_account_uuid = p.provider_account_uuid
    order by c.uuid = ? desc, c.uuid = ${carrier} desc, c.created_at limit 1
  ) c on true`

/** The account `a` whose operation a line belongs to where that is another one; of a split the only one on its other side. */
const OTHER_ACCOUNT_SQL = `case
  when m.account_uuid <> p.account_uuid then m.account_uuid
  when p.type = 'SPLIT' then (select case when count(distinct q.account_uuid) = 1 then min(q.account_uuid::text)::uuid end
    from posting q where q.movement_uuid = m.uuid and q.type = 'SPLIT' and q.account_uuid <> p.account_uuid) end`

/** Joins what the columns need: the movement, the caller's own charge or transfer, the other account, the connection. */
const LINE_JOINS_SQL = `join movement m on m.uuid = p.movement_uuid
  left join charge h on h.uuid = m.charge_uuid and h.account_uuid = p.account_uuid
  left join transfer t on t.uuid = m.transfer_uuid and t.account_uuid = p.account_uuid
  left join account a on a.uuid = ${OTHER_ACCOUNT_SQL}
  join ${buildConnectionJoin('m.connection_uuid')}`

/**
 * Selects the lines whose numbers a query returns, in the order of their numbers: found by these alone, their movements
 * are joined only then. Its last value is the connection of the scope.
 */
export function selectLinesSql(numbers: string, order: 'asc' | 'desc'): string {
  return `select ${LINE_COLUMNS_SQL}
    from (${numbers}) page join posting p on p.id = page.id ${LINE_JOINS_SQL}
    order by p.id ${order}`
}
