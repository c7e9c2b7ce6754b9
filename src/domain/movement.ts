/** SPEC §1: the first two are what a PIX shows; the others are seen in `/ledger` only. */
export type MovementType =
  | 'EXTERNAL_TRANSFER'
  | 'EXTERNAL_REFUND'
  | 'SPLIT'
  | 'FEE'
  | 'HOLD'
  | 'DEPOSIT'
  | 'ADJUSTMENT'

/** Money that left a second time, or after it was said that it had not: nothing is done about it, and somebody is told. */
export const UNEXPECTED_SETTLEMENTS = ['duplicate_settlement', 'late_settlement'] as const

/** What sets a PIX apart: it is no charge's payment, or it settled unexpectedly. */
export const MOVEMENT_REASONS = [
  'deposit',
  'second_payment',
  'wrong_amount',
  'charge_over',
  'orphan',
  ...UNEXPECTED_SETTLEMENTS,
] as const
export type MovementReason = (typeof MOVEMENT_REASONS)[number]

/** What becomes of money that is not the charge's: it is sent back once, or kept. */
export type Disposition = 'held' | 'returning' | 'returned' | 'kept' | 'not_returned'
