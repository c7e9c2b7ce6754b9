import type { ListedNoun } from '../domain/shared/nouns.ts'
import type { EntityManager } from './client/orm.ts'
import { selectRows } from './pipeline/query.ts'
import { selectValue } from './select-values.ts'

/** SQL condition of a hand-written statement, with its values in order. */
export type SqlCondition = { sql: string; values: unknown[] }

/** A condition with its values; false or undefined leaves it out. */
export type OptionalSqlCondition = readonly [sql: string, ...values: unknown[]] | false | undefined

/** Joins conditions with `and`; at least one must be present. */
export function joinConditions(...conditions: OptionalSqlCondition[]): SqlCondition {
  const present = conditions.filter(condition => condition !== false && condition !== undefined)
  return {
    sql: present.map(([sql]) => `(${sql})`).join(' and '),
    values: present.flatMap(([, ...values]) => values),
  }
}

/** Order of a list: by a column, then by creation and uuid, all in one direction. */
export type RowOrder = { column: 'created_at' | 'value_cents' | 'scheduled_for'; isAscending: boolean }

export const NEWEST_FIRST: RowOrder = { column: 'created_at', isAscending: false }

/** Formats an order, of the columns of `alias` where there is one. */
export function formatRowOrder({ column, isAscending }: RowOrder, alias?: string): string {
  const columns = [...new Set([column, 'created_at', 'uuid'])]
  return columns.map(one => `${alias ? `${alias}.` : ''}${one} ${isAscending ? 'asc' : 'desc'}`).join(', ')
}

/**
 * A page of a list: the conditions of its rows, `isFiltered` where more than the token's scope limits them. `isSorted`: an
 * index in another order than the list finds the rows, and all of them are sorted. PostgreSQL takes matches for evenly
 * spread in the list, and would read every newer row for a page of days of payment long ago.
 */
export type RowPage = SqlCondition & {
  isFiltered: boolean
  isSorted?: boolean
  /** Newest first where absent. */
  order?: RowOrder | undefined
  limit: number
  offset: number
}

/** Most rows of a page, and the row that tells whether another page follows. */
const MAX_PAGE_ROWS = 101

type PageSelect = {
  /** Builds the statement from the query of the keys, and the order of its rows. */
  select: (keys: string, order: RowOrder) => string
  /** Values before those of the keys. */
  firstValues?: unknown[]
}

/**
 * Selects a page of rows, found by keys alone: a late page is as cheap. The first page of an unfiltered list is
 * a prepared statement: one plan, by the index of the list, fits every account. PostgreSQL makes it for the inner limit,
 * a constant, and stops at the outer one. Other pages are planned for their values.
 */
export function selectPageRows<Row extends object>(
  em: EntityManager,
  table: string,
  page: RowPage,
  { select, firstValues = [] }: PageSelect,
): Promise<Row[]> {
  const { sql, values, isFiltered, isSorted = false, order: rowOrder = NEWEST_FIRST, limit, offset } = page
  const order = formatRowOrder(rowOrder)
  if (isFiltered || offset > 0 || rowOrder !== NEWEST_FIRST) {
    const columns = [...new Set(['uuid', 'created_at', rowOrder.column])].join(', ')
    const keys = isSorted
      ? {
          // With `offset 0` PostgreSQL plans the inner query by itself, without the order.
          sql: `select ${columns} from (select ${columns} from ${table} where ${sql} offset 0) matching
            order by ${order} limit ? offset ?`,
          values: [...values, limit, offset],
        }
      : buildKeysQuery({ table, columns, order }, page)
    return em.execute<Row[]>(select(keys.sql, rowOrder), [...firstValues, ...keys.values])
  }
  const keys = `select uuid from ${table} where ${sql} order by ${order}`
  const firstKeys = `select uuid from (${keys} limit ${MAX_PAGE_ROWS}) newest limit ?`
  return selectRows<Row>(em, select(firstKeys, rowOrder), [...firstValues, ...values, limit])
}

/**
 * Builds the query of the keys of a page. Of `alternatives` each row fulfils exactly one; without any, the conditions are
 * all. Of each alternative it reads at most as many rows as the page ends after, so that an index in the order of the
 * list serves each of them.
 */
export function buildKeysQuery(
  { table, columns, order }: { table: string; columns: string; order: string },
  {
    sql,
    values,
    alternatives = [],
    limit,
    offset,
  }: SqlCondition & { alternatives?: SqlCondition[]; limit: number; offset: number },
): SqlCondition {
  const keys = `select ${columns} from ${table} where ${sql}`
  if (alternatives.length === 0)
    return { sql: `${keys} order by ${order} limit ? offset ?`, values: [...values, limit, offset] }
  const branches = alternatives.map(one => `(${keys} and ${one.sql} order by ${order} limit ?)`)
  return {
    sql: `select ${columns} from (${branches.join(' union all ')}) branch order by ${order} limit ? offset ?`,
    values: [...alternatives.flatMap(one => [...values, ...one.values, limit + offset]), ...[limit, offset]],
  }
}

/** Counts the rows of a list. */
export function countRows(
  em: EntityManager,
  table: ListedNoun | 'posting',
  { sql, values, alternatives = [] }: SqlCondition & { alternatives?: SqlCondition[] },
): Promise<number> {
  if (alternatives.length === 0)
    return selectValue(em, `select count(*)::int from ${table} where ${sql}`, values)
  const branches = alternatives.map(one => `select from ${table} where ${sql} and ${one.sql}`)
  return selectValue(
    em,
    `select count(*)::int from (${branches.join(' union all ')}) branch`,
    alternatives.flatMap(one => [...values, ...one.values]),
  )
}

/** Builds the condition that a row has one of these states; no state matches no row. */
export function hasAnyState(states: readonly string[]): OptionalSqlCondition {
  return ['state = any(?::text[])', formatTextArray(states)]
}

/** Builds the condition that a row has one of these uuids. */
export function hasAnyUuid(uuids: readonly string[]): OptionalSqlCondition {
  return ['uuid = any(?::uuid[])', formatTextArray(uuids)]
}

/** Formats texts as a PostgreSQL array literal for `= any(?)`; an empty array matches nothing. */
export function formatTextArray(names: readonly string[]): string {
  return `{${names.map(name => JSON.stringify(name)).join(',')}}`
}

/** Builds the condition that a column names a connection of the account and mode, or its provider account. */
export function isOfMode(
  column: string,
  key: 'uuid' | 'provider_account_uuid',
  { accountUuid, isSimulated }: { accountUuid: string; isSimulated: boolean },
): OptionalSqlCondition {
  const keys = `select k.${key} from connection k where k.account_uuid = ? and k.is_simulated = ?`
  return [`${column} = any(array(${keys}))`, accountUuid, isSimulated]
}

/** Builds the LIKE pattern of a text's beginning, in lower case. */
export function buildPrefixPattern(beginning: string): string {
  return `${beginning.replaceAll(/[\\%_]/g, '\\$&').toLowerCase()}%`
}
