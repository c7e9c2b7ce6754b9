import type { PayoutConditions } from '../../db/repositories/pauses.ts'
import { failureOf } from '../../domain/errors/error-catalogue.ts'
import type { RejectedResult } from '../../domain/providers/provider.ts'

/** The deadline of an order without an idempotency key, whose client may have read that it does not exist (docs/crash-semantics.md). */
export type AcceptableOrder = { acceptBefore?: Date | null | undefined }

/**
 * Refusal of an order committed after its acceptance deadline: the API may have answered so, and no provider is called
 * (SPEC §4).
 */
export const ACCEPTANCE_TIMEOUT: RejectedResult = {
  kind: 'rejected',
  finality: 'final',
  refusedBy: 'service',
  ...failureOf('not_started'),
}

/**
 * Returns the latest time at which the commit may be acknowledged, on the clock of `performance.now()`. PostgreSQL
 * starts the transaction no earlier than the worker requests it, so a worker that pauses in between gets an earlier
 * deadline, never a later one.
 */
export function getAcceptanceDeadline(
  order: AcceptableOrder | undefined,
  { transactionStartedAtMs }: PayoutConditions,
  requestedAtMs: number,
): number {
  if (!order?.acceptBefore) return Number.POSITIVE_INFINITY
  return requestedAtMs + order.acceptBefore.getTime() - transactionStartedAtMs
}
