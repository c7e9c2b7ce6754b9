import type { EntityManager } from '../client/orm.ts'

/** How long the reading of a code is stored. */
const RETENTION_DAYS = 30

/** Deletes readings of codes that are older than thirty days. Returns how many, at most `limit`. */
export async function pruneCodeReadings(em: EntityManager, limit: number): Promise<number> {
  const rows = await em.execute<object[]>(
    `delete from code_reading where uuid in (select uuid from code_reading
       where created_at < now() - interval '${RETENTION_DAYS} days' order by created_at limit ?) returning uuid`,
    [limit],
  )
  return rows.length
}
