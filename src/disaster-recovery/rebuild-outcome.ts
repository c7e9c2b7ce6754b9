import type { EntityManager } from '../db/client/orm.ts'
import { Connection } from '../db/entities/connection.ts'

/** What a rebuild did to a workflow whose row, or whose history, is ahead of the other. */
export type RebuildOutcome =
  | { outcome: 'rebuilt'; row: 'missing' | 'behind' }
  /** No provider was called: it continues as ordered. */
  | { outcome: 'waits'; row: 'missing' | 'behind' }
  /** Its row was set to the result that its history proves. */
  | { outcome: 'restored' }
  /** Its workflow's history is ahead of its row: the provider is polled. */
  | { outcome: 'asked' }
  /** Rebuilt before; it is still polling. */
  | { outcome: 'under_way' }
  /** Its workflow had only its row to continue from, which is missing. */
  | { outcome: 'ended' }
  | { outcome: 'impossible'; why: string }

export const HISTORY_EXPIRED: RebuildOutcome = {
  outcome: 'impossible',
  why: 'the workflow history is past its retention',
}

/** Refuses a rebuild through connections created after the backup: the operator must connect them again first. */
export async function refuseMissingConnections(
  em: EntityManager,
  needed: string[],
): Promise<RebuildOutcome | null> {
  const existing = await em.find(Connection, { uuid: { $in: needed } }, { fields: ['uuid'] })
  const missing = needed.filter(uuid => !existing.some(connection => connection.uuid === uuid))
  if (missing.length === 0) return null
  return { outcome: 'impossible', why: `there is no connection ${missing.join(', ')} any more` }
}
