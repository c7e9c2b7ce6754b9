import type { EntityManager } from './client/orm.ts'

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

/** Counts the rows of a list: its `total`. */
export async function countRows(
  em: EntityManager,
  table: 'charge' | 'transfer' | 'dispute',
  { sql, values }: SqlCondition,
): Promise<number> {
  const [row]: { total: number }[] = await em.execute(
    `select count(*)::int as total from ${table} where ${sql}`,
    values,
  )
  return row!.total
}

/** Builds the condition that a row has one of these states; no state matches no row. */
export function hasAnyState(states: readonly string[]): OptionalSqlCondition {
  return ['state = any(?::text[])', formatTextArray(states)]
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
