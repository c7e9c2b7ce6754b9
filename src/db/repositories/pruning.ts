import type { EntityManager } from '../client/orm.ts'
import { PRUNED_TABLES, type TableName } from '../retention.ts'

/** Deletes rows of a table that are older than it keeps them, the oldest first. Returns how many, at most `limit`. */
export async function pruneTable(em: EntityManager, table: TableName, limit: number): Promise<number> {
  const { days, after, only } = PRUNED_TABLES.get(table)!
  const rows = await em.execute<object[]>(
    `delete from ${table} where ctid in (
       select kept.ctid from ${table} kept where kept.${after} < now() - interval '${days} days'
         and ${only?.condition ?? 'true'} order by kept.${after} limit ? for update of kept skip locked) returning 1 as deleted`,
    [limit],
  )
  return rows.length
}
