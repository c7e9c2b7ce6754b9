import {
  type LedgerLineType,
  type LedgerOperationType,
  PIX_MOVEMENT_TYPES,
} from '../../domain/ledger/movement.ts'
import type { Party } from '../../domain/pix/party.ts'
import type { ProviderName } from '../../domain/providers/provider.ts'
import type { EntityManager } from '../client/orm.ts'
import type { Movement } from '../entities/movement.ts'
import { OPERATION_CODES, OPERATION_TYPE_SQL } from '../ledger/operation-types.ts'
import {
  buildKeysQuery,
  countRows,
  formatTextArray,
  isOfMode,
  joinConditions,
  type OptionalSqlCondition,
  type SqlCondition,
} from '../sql-conditions.ts'
import { readListCounter } from './list-counters.ts'

/** The lines of an account's statement: reads and counts, then their conditions, then their columns. */

const LINE_KEYS = { table: 'posting', columns: 'id' }

/** Reads a page of lines, newest first. */
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
  const conditions = joinConditions(
    ...buildLineConditions(scope, filter),
    afterId !== undefined && ['id < ?::bigint', afterId],
  )
  const alternatives = buildLineAlternatives(filter)
  const { sql, values } = buildKeysQuery(
    { ...LINE_KEYS, order: 'id desc' },
    { ...conditions, alternatives, limit, offset },
  )
  return em.execute(selectLinesSql(sql, 'desc'), [...values, scope.connectionUuid])
}

/** Numbers of the newest lines by provider account: what is booked later is not in a file that is being written. */
export type LedgerBounds = { provider_account_uuid: string; last_id: string }[]

/** Newest lines of an account that its bounds are read from. */
const MAX_NEWEST_LINES = 10_000

/**
 * Reads the bounds of a file. At one provider account lines are committed in the order of their numbers. One that has
 * none of the newest lines has the bound before them, and its lines are not searched: no transaction lasts that long.
 */
export function readLedgerBounds(em: EntityManager, scope: LedgerScope): Promise<LedgerBounds> {
  const { sql, values } = joinConditions(
    ["bucket = 'available'"],
    ...buildScopeConditions(scope, 'provider_account_uuid'),
  )
  return em.execute(
    `with newest as materialized (
       select id, provider_account_uuid from posting where account_uuid = ? and bucket = 'available'
       order by id desc limit ${MAX_NEWEST_LINES}
     )
     select b.provider_account_uuid, coalesce(last.id, oldest.id - 1)::text as last_id
     from (select provider_account_uuid from balance where ${sql}) b
     cross join (select min(id) as id from newest) oldest
     left join (select provider_account_uuid, max(id) as id from newest group by provider_account_uuid) last
       using (provider_account_uuid)
     where oldest.id is not null`,
    [scope.accountUuid, ...values],
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
): Promise<LedgerLine[]> {
  const conditions = joinConditions(
    ...buildLineConditions(scope, filter),
    ['id > ?::bigint', afterId],
    isWithinBounds(bounds),
  )
  const alternatives = buildLineAlternatives(filter)
  const { sql, values } = buildKeysQuery(
    { ...LINE_KEYS, order: 'id' },
    { ...conditions, alternatives, limit, offset: 0 },
  )
  return em.execute(selectLinesSql(sql, 'asc'), [...values, scope.connectionUuid])
}

function isWithinBounds(bounds: LedgerBounds): OptionalSqlCondition {
  const limits = bounds.map(() => 'when ?::uuid then ?::bigint').join(' ')
  return [
    `id <= case provider_account_uuid ${limits} end`,
    ...bounds.flatMap(bound => [bound.provider_account_uuid, bound.last_id]),
  ]
}

/** Counts the lines of a filter: by the list counters, unless it names operations or a PIX. */
export function countLedgerLines(
  em: EntityManager,
  scope: LedgerScope,
  filter: LedgerLineFilter,
): Promise<number> {
  if (filter.operationTypes || filter.operationUuid || filter.endToEnd !== undefined) {
    const conditions = joinConditions(...buildLineConditions(scope, filter))
    return countRows(em, 'posting', { ...conditions, alternatives: buildLineAlternatives(filter) })
  }
  const conditions = buildScopeConditions(scope, 'connection_uuid')
  return readListCounter(em, {
    noun: 'posting',
    conditions,
    states: filter.types ?? [],
    created: filter.days,
  })
}

/** From the first moment of a span of days up to the first one after it. */
export type NamedSpan = { name: string; from: Date; before: Date }

/** What the lines of a span add and take, in centavos, neither negative. */
export type LedgerSpanSum = { name: string; inCents: number; outCents: number }

/** Sums the lines of a filter in each span; the days of the filter are those of the spans. */
export function sumLedgerLines(
  em: EntityManager,
  scope: LedgerScope,
  { spans, ...filter }: Omit<LedgerLineFilter, 'days'> & { spans: NamedSpan[] },
): Promise<LedgerSpanSum[]> {
  const { sql, values } = joinConditions(...buildLineConditions(scope, { ...filter, days: undefined }))
  return em.execute(
    `select s.name, sums.* from jsonb_to_recordset(?::jsonb) as s (name text, "from" timestamptz, before timestamptz)
     cross join lateral (
       select coalesce(sum(cents) filter (where cents > 0), 0)::float8 as "inCents",
         coalesce(-sum(cents) filter (where cents < 0), 0)::float8 as "outCents"
       from posting where ${sql} and created_at >= s."from" and created_at < s.before
     ) sums`,
    [JSON.stringify(spans), ...values],
  )
}

/** An account's lines: at the provider account of one connection, or at all; of one mode, or of both. */
export type LedgerScope = { accountUuid: string; connectionUuid: string | null; modeScope?: 'live' | 'test' }

export type LedgerLineFilter = {
  days: DayRange | undefined
  types?: readonly LedgerLineType[] | undefined
  operationTypes?: readonly LedgerOperationType[] | undefined
  operationUuid?: string | undefined
  endToEnd?: string | undefined
  belongsTo?: keyof typeof BELONGING_SQL | undefined
}

/** From the first moment up to the last one, exclusive. */
export type DayRange = { $gte?: Date; $lt?: Date }

/** Upper limit of a transaction's duration. */
export const MAX_TRANSACTION_OVERLAP = `interval '1 day'`

/** Builds the conditions of an account's lines in a scope that pass a filter. */
function buildLineConditions(
  scope: LedgerScope,
  { days, types, operationTypes, operationUuid, endToEnd, belongsTo }: LedgerLineFilter,
): OptionalSqlCondition[] {
  return [
    ["bucket = 'available'"],
    ...buildScopeConditions(scope, 'provider_account_uuid'),
    ...buildDayConditions(scope, days),
    types && ['type = any(?::text[])', formatTextArray(types)],
    operationUuid !== undefined && isOfOperation(operationUuid),
    endToEnd !== undefined && isOfPix(scope, endToEnd),
    operationTypes && hasAnyOperationType(operationTypes),
    belongsTo && [
      `exists (select from movement m where m.uuid = posting.movement_uuid and ${BELONGING_SQL[belongsTo]})`,
    ],
  ]
}

/** What the movement `m` of a posting belongs to, whatever its operation is; a recurrence is of the account whose line it is. */
const BELONGING_SQL = {
  dispute: 'm.dispute_uuid is not null',
  recurrence: `exists (select from charge h
    where h.uuid = m.charge_uuid and h.account_uuid = posting.account_uuid and h.recurrence_uuid is not null)`,
}

/**
 * Builds the conditions of which each line of a filter of operations fulfils one: the operation when it was posted, by
 * which an index finds lines. Those of charges, most of all lines, are found in the order of their numbers.
 */
function buildLineAlternatives({ operationTypes = [] }: LedgerLineFilter): SqlCondition[] {
  if (operationTypes.includes('CHARGE')) return []
  return [...new Set(operationTypes)].map(type => ({
    sql: `operation = '${OPERATION_CODES[type]}'`,
    values: [],
  }))
}

/** Columns of a movement that may name its operation, each with an index. */
const OPERATION_COLUMNS = ['uuid', 'charge_uuid', 'transfer_uuid', 'refund_uuid', 'dispute_uuid']

function isOfOperation(uuid: string): OptionalSqlCondition {
  const movements = OPERATION_COLUMNS.map(column => `select uuid from movement where ${column} = ?`)
  return [`movement_uuid in (${movements.join(' union ')})`, ...OPERATION_COLUMNS.map(() => uuid)]
}

/**
 * The movements that have an end-to-end id at the provider accounts of an account: at most one in each direction. A charge's movement may
 * have it at the end of the provider's name of the PIX (`isPaidByPix`).
 */
export const PIX_UUIDS_SQL = `select uuid from movement
  where provider_account_uuid in (select provider_account_uuid from balance where account_uuid = ?)
    and movement_type in ('IN', 'OUT') and end_to_end = any(array(
      select name from (select ?::text as id) given, lateral (
        select given.id as name union select end_to_end from charge where right(end_to_end, 32) = given.id) named))`

function isOfPix({ accountUuid }: LedgerScope, endToEnd: string): OptionalSqlCondition {
  return [`movement_uuid in (${PIX_UUIDS_SQL})`, accountUuid, endToEnd]
}

/** Only a deposit may belong to another operation later than when it was posted, a charge: its movement names it. */
function hasAnyOperationType(types: readonly LedgerOperationType[]): OptionalSqlCondition {
  const { DEPOSIT } = OPERATION_CODES
  const codes = types.map(type => OPERATION_CODES[type]).filter(code => code !== DEPOSIT)
  const isPosted = `operation = any('{${codes.join(',')}}'::"char"[])`
  if (!types.includes('DEPOSIT') && !types.includes('CHARGE')) return [isPosted]
  return [
    `${isPosted} or operation = '${DEPOSIT}' and exists (
       select from movement m where m.uuid = posting.movement_uuid and ${OPERATION_TYPE_SQL} = any(?::text[]))`,
    formatTextArray(types),
  ]
}

/** Builds the conditions of account, mode and provider account; `column` holds the provider account. */
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

/**
 * Builds the date conditions. Lines are ordered by number, which is the order of time except for overlapping
 * transactions. PostgreSQL therefore scans only between the numbers possible at the limits of the days, not from
 * today on.
 */
function buildDayConditions(
  { accountUuid }: LedgerScope,
  { $gte, $lt }: DayRange = {},
): OptionalSqlCondition[] {
  return [
    $gte && ['created_at >= ?', $gte],
    $gte && [FIRST_NUMBER_SQL, accountUuid, $gte, accountUuid, $gte],
    $lt && ['created_at < ?', $lt],
    $lt && [LAST_NUMBER_SQL, accountUuid, $lt, accountUuid, $lt],
  ]
}

const ACCOUNT_LINES_SQL = `from posting where account_uuid = ? and bucket = 'available' and created_at`

/**
 * The number is not below that of any line within a transaction's duration after the first one of the days. (`+ 0` keeps
 * the planner from searching this limit, and the next, in the order of numbers, from the first line on.)
 */
const FIRST_NUMBER_SQL = `id >= (select min(id + 0) ${ACCOUNT_LINES_SQL} >= ?
  and created_at < (select min(created_at) ${ACCOUNT_LINES_SQL} >= ?) + ${MAX_TRANSACTION_OVERLAP})`

/** The number is not above that of any line within a transaction's duration before the last one of the days. */
const LAST_NUMBER_SQL = `id <= (select max(id + 0) ${ACCOUNT_LINES_SQL} < ?
  and created_at > (select max(created_at) ${ACCOUNT_LINES_SQL} < ?) - ${MAX_TRANSACTION_OVERLAP})`

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
function selectLinesSql(numbers: string, order: 'asc' | 'desc'): string {
  return `select ${LINE_COLUMNS_SQL}
    from (${numbers}) page join posting p on p.id = page.id ${LINE_JOINS_SQL}
    order by p.id ${order}`
}
