import type { EntityManager } from '../../db/client/orm.ts'
import type { Attempt } from '../../db/entities/attempt.ts'
import type { Connection } from '../../db/entities/connection.ts'
import { runQuery } from '../../db/pipeline/query.ts'
import { queryPayoutConditions } from '../../db/repositories/pauses.ts'
import { PROVIDER_CAPABILITIES } from '../../domain/providers/capabilities.ts'
import type {
  FindPayoutOutcome,
  PayoutHandle,
  RejectedResult,
  SendPayoutOutcome,
} from '../../domain/providers/provider.ts'
import { scaleWait, WAITS } from '../../domain/shared/intervals.ts'
import type { Sealer } from '../../security/sealing.ts'
import { operatorBlockedReason } from '../shared/attempts.ts'
import { hasSameCredentialsEpoch } from '../shared/provider-client.ts'

/** What a provider calls a payout, as its attempt stores it: sealed, because it may name the receiver. */

/** Opens the stored handle of an attempt; undefined where it has none. */
export function openHandle({ sealedHandle }: Attempt, sealer: Sealer): PayoutHandle | undefined {
  return sealedHandle ? sealer.open<PayoutHandle>(sealedHandle) : undefined
}

/** Stores the handle of a preparation. The caller holds the row lock of the operation and sends the payout after the commit. */
export function storePreparation(attempt: Attempt, handle: PayoutHandle, sealer: Sealer): void {
  attempt.sealedHandle = sealer.seal(handle)
  attempt.providerRef = handle.ref
  attempt.preparedAt = new Date()
  attempt.endToEnd = handle.endToEnd ?? attempt.endToEnd
}

/**
 * Stores by what the provider finds a payout that it has accepted, or that awaits approval there, unless the attempt has a handle.
 * The caller holds the row lock.
 */
export function storeProviderHandle(
  attempt: Attempt,
  answer: SendPayoutOutcome | FindPayoutOutcome,
  sealer: Sealer,
): void {
  const handle = 'payout' in answer ? answer.payout.handle : 'handle' in answer ? answer.handle : undefined
  if (!handle || attempt.sealedHandle) return
  attempt.sealedHandle = sealer.seal(handle)
  attempt.providerRef = handle.ref
}

/** Tells whether nothing may be sent by a handle any more. */
export function isExpiredHandle({ expiresAt }: PayoutHandle): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= Date.now()
}

/**
 * Tells whether the provider may prepare the payout of an attempt, anew where its handle has expired. What may have been sent by
 * one handle is never sent by another, which would be another payment: not after a sending, nor where a look-up after a restore
 * has stored the attempt.
 */
export function mayBePrepared({ sendings, code }: Attempt): boolean {
  return sendings === 0 && code !== 'interrupted'
}

/** Refusal of a payout that is proved absent and whose handle has expired; another provider may still send it. */
export const HANDLE_EXPIRED: RejectedResult = {
  kind: 'rejected',
  finality: 'other_may_help',
  code: 'preparation_expired',
  message: 'What the provider had prepared expired before it could be sent again.',
  refusedBy: 'service',
}

/**
 * Tells whether the same order may be sent again to learn the outcome of a sending, at a provider that has no other look-up: within
 * a few minutes unless the provider keeps the ids of orders, with credentials of the same account, and while no operator's block forbids the call.
 */
export async function mayRepeatToFind(
  em: EntityManager,
  attempt: Attempt,
  connection: Connection,
  timeScale: number,
): Promise<boolean> {
  if (attempt.operation !== 'transfer') return false
  const { transferLookUp, keepsOrderIds } = PROVIDER_CAPABILITIES[connection.dialect]
  if (transferLookUp !== 'repeat') return false
  if (attempt.state !== 'calling' && attempt.state !== 'unknown') return false
  if (!keepsOrderIds && attempt.sealedHandle) return false // It is found by the id that the provider has named.
  const ageMs = Date.now() - (attempt.unknownSince ?? attempt.updatedAt).getTime()
  if (!keepsOrderIds && ageMs > scaleWait(WAITS.repeatToFind, timeScale)) return false
  if (attempt.sendings === 0 || !hasSameCredentialsEpoch(attempt, connection)) return false
  const conditions = await runQuery(em, queryPayoutConditions(connection.uuid))
  return operatorBlockedReason(attempt.operation, conditions) === null
}
