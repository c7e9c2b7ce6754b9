import type { Connection } from '../db/entities/connection.ts'
import type { EntityManager } from '../db/orm.ts'
import { type MoneyDirection, pausedAmong } from '../db/pauses.ts'
import { refuse } from './errors.ts'
import { PAUSED_RETRY_S } from './limits.ts'

/** The candidates through which something new may begin; 503 where all of them are paused (SPEC §9). */
export async function unpaused(
  em: EntityManager,
  candidates: Pick<Connection, 'uuid'>[],
  direction: MoneyDirection,
): Promise<string[]> {
  const uuids = candidates.map(connection => connection.uuid)
  const paused = await pausedAmong(em, uuids, direction)
  const left = uuids.filter(uuid => !paused.has(uuid))
  if (left.length === 0) refuse('paused', { retryAfterS: PAUSED_RETRY_S })
  return left
}
