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

/** A page of a list: the conditions of its rows, `isFiltered` where more than the token's scope limits them. */
export type RowPage = SqlCondition & { isFiltered: boolean; limit: number; offset: number }

/** Most rows of a page, and the row that tells whether another page follows. */
const MAX_PAGE_ROWS = 101

/**
 * Selects a page of rows, newest first, found by keys alone: a late page is as cheap. `select` builds the statement from
 * the query of the keys, `firstValues` are the values before those of the keys. The first page of an unfiltered list is
 * a prepared statement: one plan, by the index of the list, fits every account. PostgreSQL makes it for the inner limit,
 * a constant, and stops at the outer one. Other pages are planned for their values.
 */
export function selectNewestRows<Row extends object>(
  em: EntityManager,
  table: string,
  { sql, values, isFiltered, limit, offset }: RowPage,
  { select, firstValues = [] }: { select: (keys: string) => string; firstValues?: unknown[] },
): Promise<Row[]> {
  const keys = `select uuid from ${table} where ${sql} order by created_at desc, uuid desc`
  if (isFiltered || offset > 0)
    return em.execute<Row[]>(select(`${keys} limit ? offset ?`), [...firstValues, ...values, limit, offset])
  const firstKeys = `select uuid from (${keys} limit ${MAX_PAGE_ROWS}) newest limit ?`
  return selectRows<Row>(em, select(firstKeys), [...firstValues, ...values, limit])
}

/** Counts the rows of a list: its `total`. */
export function countRows(
  em: EntityManager,
  table: 'charge' | 'transfer' | 'dispute' | 'refund',
  { sql, values }: SqlCondition,
): Promise<number> {
  return selectValue(em, `select count(*)::int from ${table} where ${sql}`, values)
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
