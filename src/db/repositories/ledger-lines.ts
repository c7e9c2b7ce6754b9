import type { LedgerOperationType, MovementType } from '../../domain/ledger/movement.ts'
import type { Party, ProviderName } from '../../domain/providers/provider.ts'
import type { EntityManager } from '../client/orm.ts'
import type { Movement } from '../entities/movement.ts'
import { selectValue } from '../select-values.ts'
import { formatTextArray, isOfMode, joinConditions, type OptionalSqlCondition } from '../sql-conditions.ts'
import { readListCounter } from './list-counters.ts'

/** Lines of an account's statement: postings that changed its available balance, with their movements. */

export type LedgerLine = Pick<Movement, 'uuid' | 'type' | 'status' | 'reason'> &
  Record<'end_to_end' | 'charge_uuid' | 'transfer_uuid' | 'refund_uuid' | 'dispute_uuid', string | null> &
  Record<'cents' | 'balance_cents', number> & {
    /** Number of the line, by which lines are ordered. */
    id: string
    line_uuid: string
    external_ref: string | null
    counterparty: Pick<Party, 'name' | 'document'> | null
    operation_type: LedgerOperationType
    operation_uuid: string
    connection_uuid: string
    provider: ProviderName
    settled_at: Date | null
    created_at: Date
  }

/** An account's lines: at the provider account of one connection, or at all; of one mode, or of both. */
export type LedgerScope = { accountUuid: string; connectionUuid: string | null; modeScope?: 'live' | 'test' }

export type LedgerLineFilter = {
  days: DayRange | undefined
  types?: readonly MovementType[] | undefined
  operationTypes?: readonly LedgerOperationType[] | undefined
  operationUuid?: string | undefined
}

/** Reads a page of lines, newest first: found by their numbers alone, their movements are joined only then. */
export function readLedgerLines(
  em: EntityManager,
  scope: LedgerScope,
  {
    limit,
    offset,
    afterId,
    ...filter
  }: LedgerLineFilter & { limit: number; offset: number; afterId?: string | undefined },
): Promise<LedgerLine[]> {
  const { sql, values } = joinConditions(
    ...buildLineConditions(scope, filter),
    afterId !== undefined && ['id < ?::bigint', afterId],
  )
  return em.execute(
    `select ${LINE_COLUMNS_SQL}
     from (select id from posting where ${sql} order by id desc limit ? offset ?) page
     join posting p on p.id = page.id ${LINE_JOINS_SQL}
     order by p.id desc`,
    [...values, limit, offset, scope.connectionUuid],
  )
}

/** Numbers of the newest lines by provider account: what is booked later is not in a file that is being written. */
export type LedgerBounds = { provider_account_uuid: string; last_id: string }[]

/** Reads the bounds of a file. At one provider account lines are committed in the order of their numbers. */
export function readLedgerBounds(em: EntityManager, scope: LedgerScope): Promise<LedgerBounds> {
  const { sql, values } = joinConditions(
    ["bucket = 'available'"],
    ...buildScopeConditions(scope, 'provider_account_uuid'),
  )
  return em.execute(
    `select * from (
       select b.provider_account_uuid, (
         select max(p.id) from posting p where p.account_uuid = b.account_uuid
           and p.provider_account_uuid = b.provider_account_uuid and p.bucket = 'available'
       )::text as last_id
       from (select account_uuid, provider_account_uuid from balance where ${sql}) b
     ) bound where last_id is not null`,
    values,
  )
}

/** Reads the lines after the one of a number, up to the bounds, the oldest first. */
export function readLedgerLinesAfter(
  em: EntityManager,
  scope: LedgerScope,
  {
    afterId,
    bounds,
    limit,
    ...filter
  }: LedgerLineFilter & { afterId: string; bounds: LedgerBounds; limit: number },
): Promise<(LedgerLine & { id: string })[]> {
  const { sql, values } = joinConditions(
    ...buildLineConditions(scope, filter),
    ['id > ?::bigint', afterId],
    [
      `id <= case provider_account_uuid ${bounds.map(() => 'when ?::uuid then ?::bigint').join(' ')} end`,
      ...bounds.flatMap(bound => [bound.provider_account_uuid, bound.last_id]),
    ],
  )
  return em.execute(
    `select p.id::text as id, ${LINE_COLUMNS_SQL}
     from (select id from posting where ${sql} order by id limit ?) page
     join posting p on p.id = page.id ${LINE_JOINS_SQL}
     order by p.id`,
    [...values, limit, scope.connectionUuid],
  )
}

/** Counts the lines of a filter: by the list counters, unless it names operations. */
export function countLedgerLines(
  em: EntityManager,
  scope: LedgerScope,
  filter: LedgerLineFilter,
): Promise<number> {
  if (filter.operationTypes || filter.operationUuid) {
    const { sql, values } = joinConditions(...buildLineConditions(scope, filter))
    return selectValue(em, `select count(*)::int from posting where ${sql}`, values)
  }
  const conditions = buildScopeConditions(scope, 'connection_uuid')
  return readListCounter(em, {
    noun: 'posting',
    conditions,
    states: filter.types ?? [],
    created: filter.days,
  })
}

/** The operation of a movement `m`: the most specific of those that it names. */
export const OPERATION_TYPE_SQL = `case
  when m.type = 'SPLIT' then 'SPLIT'
  when m.transfer_uuid is not null then 'TRANSFER'
  when m.refund_uuid is not null then 'REFUND'
  when m.dispute_uuid is not null then 'DISPUTE'
  when m.charge_uuid is not null then 'CHARGE'
  when m.type = 'ADJUSTMENT' then 'ADJUSTMENT'
  when m.reason like 'provider%' or m.reason like 'panel%' then 'PROVIDER_ENTRY'
  when m.type = 'EXTERNAL_REFUND' then 'RETURN'
  else 'DEPOSIT' end`

/** Columns of a line. What belongs to another account's operation, such as its payer, is not shown to this one. */
const LINE_COLUMNS_SQL = `p.id::text as id, m.uuid, p.uuid as line_uuid, p.type, p.cents::float8 as cents, p.balance_cents::float8 as balance_cents,
  m.status, m.end_to_end, m.reason, m.charge_uuid, m.transfer_uuid, m.refund_uuid, m.dispute_uuid,
  ${OPERATION_TYPE_SQL} as operation_type,
  case when m.type = 'SPLIT' then m.charge_uuid
    else coalesce(m.transfer_uuid, m.refund_uuid, m.dispute_uuid, m.charge_uuid, m.uuid) end as operation_uuid,
  coalesce(t.external_ref, h.external_ref) as external_ref,
  case when p.type in ('FEE', 'HOLD', 'ADJUSTMENT') then null
    when a.uuid is not null then jsonb_build_object('name', a.name, 'document', a.document)
    when m.movement_type = 'IN' then m.sender else m.receiver end as counterparty,
  c.uuid as connection_uuid, c.provider, m.settled_at, p.created_at`

/**
 * Selects the account's own connection to the provider account of `p`: of several the one of the scope, else the one
 * that carried the movement, else the oldest.
 */
export const buildConnectionJoin = (carrier = 'null') => `lateral (
    select c.uuid, c.provider, c.virtual_account, c.created_at from connection c
    where c.account_uuid = p.account_uuid and c.provider_account_uuid = p.provider_account_uuid
    order by c.uuid = ? desc, c.uuid = ${carrier} desc, c.created_at limit 1
  ) c on true`

/**
 * Joins what the columns of a line `p` need: its movement; the caller's own charge or transfer; the other account of a
 * split, or the one whose operation this is; and the connection.
 */
const LINE_JOINS_SQL = `join movement m on m.uuid = p.movement_uuid
  left join charge h on h.uuid = m.charge_uuid and h.account_uuid = p.account_uuid
  left join transfer t on t.uuid = m.transfer_uuid and t.account_uuid = p.account_uuid
  left join account a on a.uuid = case
    when m.account_uuid <> p.account_uuid then m.account_uuid
    when m.type = 'SPLIT' then (select q.account_uuid from posting q
      where q.movement_uuid = m.uuid and q.account_uuid <> p.account_uuid limit 1) end
  join ${buildConnectionJoin('m.connection_uuid')}`

function buildLineConditions(
  scope: LedgerScope,
  { days, types, operationTypes, operationUuid }: LedgerLineFilter,
): OptionalSqlCondition[] {
  return [
    ["bucket = 'available'"],
    ...buildScopeConditions(scope, 'provider_account_uuid'),
    ...buildDayConditions(scope, days),
    types && ['type = any(?::text[])', formatTextArray(types)],
    operationUuid !== undefined && [IS_OF_OPERATION_SQL, ...Array.from({ length: 5 }, () => operationUuid)],
    operationTypes && [
      `exists (select from movement m where m.uuid = posting.movement_uuid and ${OPERATION_TYPE_SQL} = any(?::text[]))`,
      formatTextArray(operationTypes),
    ],
  ]
}

/** Finds the movements of an operation by the index of each column. */
const IS_OF_OPERATION_SQL = `movement_uuid in (${[
  'uuid',
  'charge_uuid',
  'transfer_uuid',
  'refund_uuid',
  'dispute_uuid',
]
  .map(column => `select uuid from movement where ${column} = ?`)
  .join(' union ')})`

/** Builds the conditions of account and provider accounts; `column` holds the provider account. */
export function buildScopeConditions(
  { accountUuid, connectionUuid, modeScope }: LedgerScope,
  column: 'provider_account_uuid' | 'connection_uuid',
): OptionalSqlCondition[] {
  return [
    ['account_uuid = ?', accountUuid],
    modeScope &&
      isOfMode(column, 'provider_account_uuid', { accountUuid, isSimulated: modeScope === 'test' }),
    connectionUuid !== null && [
      `${column} = (select k.provider_account_uuid from connection k where k.uuid = ? and k.account_uuid = ?)`,
      connectionUuid,
      accountUuid,
    ],
  ]
}

/** From the first moment up to the last one, exclusive. */
export type DayRange = { $gte?: Date; $lt?: Date }

/**
 * Builds the date conditions. Lines are ordered by number, which is the order of time except for overlapping
 * transactions. PostgreSQL therefore scans only between the numbers possible at the limits of the days, not from
 * today on. (`+ 0` keeps the planner from searching these limits in the order of numbers, from the first line on.)
 */
function buildDayConditions(
  { accountUuid }: LedgerScope,
  { $gte, $lt }: DayRange = {},
): OptionalSqlCondition[] {
  const accountPostings = `from posting where account_uuid = ? and bucket = 'available' and created_at`
  return [
    $gte && ['created_at >= ?', $gte],
    $gte && [
      `id >= (select min(id + 0) ${accountPostings} >= ? and created_at < (select min(created_at) ${accountPostings} >= ?) + ${MAX_TRANSACTION_OVERLAP})`,
      ...[accountUuid, $gte, accountUuid, $gte],
    ],
    $lt && ['created_at < ?', $lt],
    $lt && [
      `id <= (select max(id + 0) ${accountPostings} < ? and created_at > (select max(created_at) ${accountPostings} < ?) - ${MAX_TRANSACTION_OVERLAP})`,
      ...[accountUuid, $lt, accountUuid, $lt],
    ],
  ]
}

/** Upper limit of a transaction's duration. */
export const MAX_TRANSACTION_OVERLAP = `interval '1 day'`
