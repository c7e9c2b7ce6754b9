import type { Connection } from '../../db/entities/connection.ts'
import type { PreflightCode } from '../../domain/payouts/unsent-code.ts'
import type { AttemptOperation } from '../../domain/providers/attempt.ts'
import type { UnreachableResult } from '../../domain/providers/provider.ts'

const PAUSED = unsent('paused', 'paused by an operator')
const BLOCKED = unsent('account_blocked', 'the account is blocked')
const INACTIVE = unsent('provider_inactive', 'the connection is not ACTIVE')

/** Builds the result of a request that was not sent: the next candidate may be tried now, and the same one later. */
function unsent(code: PreflightCode, message: string): UnreachableResult & { code: PreflightCode } {
  return { kind: 'unreachable', code, message }
}

/** Operations that need an ACTIVE connection (SPEC §6). Refunds and returns of money received through it need none. */
const ACTIVE_ONLY_OPERATIONS: readonly AttemptOperation[] = ['issue', 'transfer', 'create_key']

/** Blocks set by an operator. They are read before every call, because a call may come long after its request. */
type OperatorBlocks = { isPaused: boolean; isAccountBlocked?: boolean }

/** Returns why a connection may start no new attempt now, or null (SPEC §6, §9). */
export function blockedReason(operation: AttemptOperation, { status }: Connection, blocks: OperatorBlocks) {
  return ACTIVE_ONLY_OPERATIONS.includes(operation) && status !== 'ACTIVE'
    ? INACTIVE
    : operatorBlockedReason(operation, blocks)
}

/** Returns which operator block forbids a call, or null. A blocked account sends no transfer; refunds go on. */
export function operatorBlockedReason(
  operation: AttemptOperation,
  { isPaused, isAccountBlocked = false }: OperatorBlocks,
) {
  if (operation === 'transfer' && isAccountBlocked) return BLOCKED
  return isPaused ? PAUSED : null
}
