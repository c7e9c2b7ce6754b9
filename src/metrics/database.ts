import type { Orm } from '../db/orm.ts'
import { gauge } from './exposition.ts'
import { publishedMetrics } from './published.ts'
import { stateMetrics } from './state.ts'

/** What one database tells every API: what stands there, and what the workers published. */
export async function databaseMetrics(orm: Orm): Promise<string[]> {
  const [state, workers] = await Promise.all([stateMetrics(orm), publishedMetrics(orm)])
  return [...workers, state, databaseUp(true), workersSeen(workers.length)]
}

/** Whoever watches must hear of a database that is away from those who miss it. */
export function databaseUp(isUp: boolean): string {
  return gauge('trilho_database_up', 'Whether PostgreSQL answers this API.', Number(isUp))
}

function workersSeen(count: number): string {
  return gauge('trilho_workers', 'Workers that have published within half a minute.', count)
}
