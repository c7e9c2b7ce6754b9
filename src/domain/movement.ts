/** SPEC §1: the first two are what a PIX shows; the others are seen in `/ledger` only. */
export type MovementType =
  | 'EXTERNAL_TRANSFER'
  | 'EXTERNAL_REFUND'
  | 'SPLIT'
  | 'FEE'
  | 'HOLD'
  | 'DEPOSIT'
  | 'ADJUSTMENT'

/** Why a PIX stands alone: it is no charge's payment, or a transfer that settled a second time. */
export const MOVEMENT_REASONS = [
  'deposit',
  'second_payment',
  'wrong_amount',
  'charge_over',
  'orphan',
  'duplicate_settlement',
] as const
export type MovementReason = (typeof MOVEMENT_REASONS)[number]

/** What becomes of money that is not the charge's: it is sent back once, or kept. */
export type Disposition = 'held' | 'returning' | 'returned' | 'kept' | 'not_returned'
