import type { AttemptOperation } from '../../db/entities/attempt.ts'
import type { Connection } from '../../db/entities/connection.ts'

/** It never left: the next candidate may be tried, and the same one later. */
const UNREACHABLE = { state: 'unreachable', finality: null } as const
const PAUSED = { ...UNREACHABLE, code: 'paused', message: 'paused by an operator' } as const
const BLOCKED = { ...UNREACHABLE, code: 'account_blocked', message: 'the account is blocked' } as const
const INACTIVE = {
  ...UNREACHABLE,
  code: 'provider_inactive',
  message: 'the connection is not ACTIVE',
} as const

/** What a connection begins only while it is ACTIVE (SPEC §6); what gives back money that came through it goes on. */
const ACTIVE_ONLY_OPERATIONS: readonly AttemptOperation[] = ['issue', 'transfer', 'create_key']

/** What an operator has decided: read again for every call, because an order may wait long between its request and its call. */
type OperatorBlocks = { isPaused: boolean; isAccountBlocked?: boolean }

/** Why nothing new may begin through a connection now (SPEC §6, §9). */
export function blockedReason(operation: AttemptOperation, { status }: Connection, held: OperatorBlocks) {
  return ACTIVE_ONLY_OPERATIONS.includes(operation) && status !== 'ACTIVE'
    ? INACTIVE
    : operatorBlockedReason(operation, held)
}

/** Why an operator lets nothing leave; a blocked account sends no transfer, and gives back what was ordered before. */
export function operatorBlockedReason(
  operation: AttemptOperation,
  { isPaused, isAccountBlocked = false }: OperatorBlocks,
) {
  if (operation === 'transfer' && isAccountBlocked) return BLOCKED
  return isPaused ? PAUSED : null
}
