/** Conditions of a statement that is written by hand, with their values in order. */
export type SqlCondition = { sql: string; values: unknown[] }

/** A condition and its values, or nothing where it is not asked for. */
export type OptionalSqlCondition = readonly [sql: string, ...values: unknown[]] | false | undefined

/** All of them together; at least one is asked for. */
export function joinConditions(...conditions: OptionalSqlCondition[]): SqlCondition {
  const asked = conditions.filter(condition => condition !== false && condition !== undefined)
  return {
    sql: asked.map(([sql]) => `(${sql})`).join(' and '),
    values: asked.flatMap(([, ...values]) => values),
  }
}

/** Texts as PostgreSQL reads an array of them, for `= any(?)`; none of them matches nothing. */
export function formatTextArray(names: readonly string[]): string {
  return `{${names.map(name => JSON.stringify(name)).join(',')}}`
}
