import type { MovementReason, UnmatchedDisposition } from '../ledger/movement.ts'
import { REFUND_PERIOD_MS } from '../refunds/refund.ts'

/** SPEC §2: the order of a merchant that sends a received PIX which pays no charge back to its payer, in whole. */

/** Reasons of a received PIX that pays no charge: a deposit of the public API. */
export const DEPOSIT_REASONS = [
  'deposit',
  'second_payment',
  'wrong_amount',
  'wrong_payer',
  'unknown_payer',
  'charge_over',
  'code_disabled',
  'orphan',
] as const satisfies readonly MovementReason[]

/** Reasons of a received PIX that a charge does not accept because of its payer. */
export const PAYER_REASONS = ['wrong_payer', 'unknown_payer'] as const satisfies readonly MovementReason[]
export type PayerReason = (typeof PAYER_REASONS)[number]

/** What an account does with a PIX of a wrong payer: return it, or leave the decision to an operator. */
export const WRONG_PAYER_POLICIES = ['return', 'review'] as const
export type WrongPayerPolicy = (typeof WRONG_PAYER_POLICIES)[number]

/**
 * Returns the disposition of a PIX that a charge does not accept because of its payer. The payer of an unknown one is not guessed:
 * it waits for an operator, whatever the policy is.
 */
export function dispositionOfPayerReason(
  reason: PayerReason,
  policy: WrongPayerPolicy,
): Extract<UnmatchedDisposition, 'held' | 'not_returned'> {
  return reason === 'wrong_payer' && policy === 'return' ? 'held' : 'not_returned'
}

/** Tells whether the reason of a movement is one of its payer. */
export function isPayerReason(reason: MovementReason | null | undefined): reason is PayerReason {
  return (PAYER_REASONS as readonly unknown[]).includes(reason)
}

export const RETURN_STATUSES = ['PROCESSING', 'REVIEW', 'COMPLETED', 'FAILED'] as const
export type ReturnStatus = (typeof RETURN_STATUSES)[number]

/** Status of the return of a PIX by its disposition; null where it stays with the account. */
const RETURN_STATUS_BY_DISPOSITION: Record<UnmatchedDisposition, ReturnStatus | null> = {
  held: 'PROCESSING',
  returning: 'PROCESSING',
  returned: 'COMPLETED',
  kept: null,
  not_returned: 'FAILED',
}

/**
 * Returns the status of the return of a PIX, null where it has none; `hasFailed`: the order of its account has a failure. A PIX that
 * an operator decides about because of its payer is in REVIEW.
 */
export function returnStatusOf({
  disposition,
  hasFailed,
  reason,
}: {
  disposition: UnmatchedDisposition | null
  hasFailed: boolean
  reason?: MovementReason | null | undefined
}): ReturnStatus | null {
  if (disposition === 'not_returned' && isPayerReason(reason)) return 'REVIEW'
  const status = disposition === null ? null : RETURN_STATUS_BY_DISPOSITION[disposition]
  return hasFailed && status === null ? 'FAILED' : status
}

/** What decides whether a deposit may be returned. */
export type DepositReturnTerms = {
  disposition: UnmatchedDisposition | null
  settledAt: Date | null
  /** Its provider and its end-to-end id are known. */
  hasRoute: boolean
  /** Anything of it has been returned, or is being returned, by whichever way. */
  hasReturns: boolean
  /** Its provider has refused its return: no provider documents that the id of a refused payout may be used again. */
  isRefused: boolean
  /** A dispute about it is not closed. */
  isDisputed: boolean
  /** The available balance at its provider account is at least its value. */
  isCovered: boolean
}

export type DepositReturnRefusal =
  | 'return_in_progress'
  | 'deposit_not_returnable'
  | 'return_med_open'
  | 'return_period_over'
  | 'insufficient_balance'

/** Why a deposit cannot be returned now, by the catalogue's code; null where it can. */
export function depositReturnErrorCodeOf(
  { disposition, settledAt, hasRoute, hasReturns, isRefused, isDisputed, isCovered }: DepositReturnTerms,
  now: Date,
): DepositReturnRefusal | null {
  const status = returnStatusOf({ disposition, hasFailed: false })
  if (status === 'PROCESSING') return 'return_in_progress'
  if (status !== null || !hasRoute || hasReturns || isRefused) return 'deposit_not_returnable'
  if (isDisputed) return 'return_med_open'
  if (settledAt && now.getTime() - settledAt.getTime() > REFUND_PERIOD_MS) return 'return_period_over'
  return isCovered ? null : 'insufficient_balance'
}
