import type { Operation } from '../db/entities/attempt.ts'
import type { Connection } from '../db/entities/connection.ts'

/** It never left: the next candidate may be tried, and the same one later. */
const BARRED = { state: 'unreachable', finality: null } as const
const PAUSED = { ...BARRED, code: 'paused', message: 'paused by an operator' } as const
const INACTIVE = { ...BARRED, code: 'provider_inactive', message: 'the connection is not ACTIVE' } as const

/** What a connection begins only while it is ACTIVE (SPEC §6); what gives back money that came through it goes on. */
const NEW: readonly Operation[] = ['issue', 'transfer', 'create_key']

/**
 * Why nothing may leave through a connection now; `paused` is asked again for it, because an order may wait long between
 * its request and its call (SPEC §9).
 */
export function whyBarred(operation: Operation, { status }: Connection, { paused }: { paused: boolean }) {
  if (NEW.includes(operation) && status !== 'ACTIVE') return INACTIVE
  return paused ? PAUSED : null
}
