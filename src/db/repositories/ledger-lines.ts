import type { EntityManager } from '../client/orm.ts'
import { buildKeysQuery, countRows, joinConditions, type OptionalSqlCondition } from '../sql-conditions.ts'
import { type LedgerLine, selectLinesSql } from './ledger-line-columns.ts'
import {
  buildLineAlternatives,
  buildLineConditions,
  buildScopeConditions,
  type LedgerLineFilter,
  type LedgerScope,
} from './ledger-line-conditions.ts'
import { readListCounter } from './list-counters.ts'

/** Reads and counts the lines of an account's statement. */

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
