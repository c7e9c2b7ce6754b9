import type { Operation } from '../db/entities/attempt.ts'
import type { Connection } from '../db/entities/connection.ts'

/** It never left: the next candidate may be tried, and the same one later. */
const BARRED = { state: 'unreachable', finality: null } as const
const PAUSED = { ...BARRED, code: 'paused', message: 'paused by an operator' } as const
const INACTIVE = { ...BARRED, code: 'provider_inactive', message: 'the connection is not ACTIVE' } as const

/**
 * Why nothing may leave through a connection now; `paused` is asked again for it, because an order may wait long between
 * its request and its sending (SPEC §9). What gives back money that came through it goes on where it is not ACTIVE any
 * more (§6).
 */
export function whyBarred(operation: Operation, { status }: Connection, { paused }: { paused: boolean }) {
  if (operation === 'transfer' && status !== 'ACTIVE') return INACTIVE
  return paused ? PAUSED : null
}
