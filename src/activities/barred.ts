import type { Operation } from '../db/entities/attempt.ts'
import type { Connection } from '../db/entities/connection.ts'
import type { EntityManager } from '../db/orm.ts'
import { pausedAmong } from '../db/pauses.ts'

/** It never left: the next candidate may be tried, and the same one later. */
const BARRED = { state: 'unreachable', finality: null } as const
const PAUSED = { ...BARRED, code: 'paused', message: 'paused by an operator' } as const
const INACTIVE = { ...BARRED, code: 'provider_inactive', message: 'the connection is not ACTIVE' } as const

/**
 * Why nothing may leave through a connection now; asked again here, because an order may wait long between its request
 * and its sending (SPEC §9). What gives back money that came through it goes on where it is not ACTIVE any more (§6).
 */
export async function whyBarred(em: EntityManager, operation: Operation, connection: Connection) {
  if (operation === 'transfer' && connection.status !== 'ACTIVE') return INACTIVE
  return (await isPaused(em, connection)) ? PAUSED : null
}

export async function isPaused(em: EntityManager, { uuid }: Connection): Promise<boolean> {
  return (await pausedAmong(em, [uuid], 'out')).size > 0
}
