import type { EntityManager } from './client/orm.ts'

/** Reads the only column of every row. */
export async function selectValues<Value>(
  em: EntityManager,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Value[]> {
  const rows: Record<string, Value>[] = await em.execute(sql, values)
  return rows.map(row => Object.values(row)[0]!)
}

/** Reads the only value of a statement that returns one row, such as an aggregate. */
export async function selectValue<Value>(
  em: EntityManager,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Value> {
  return (await selectValues<Value>(em, sql, values))[0]!
}
