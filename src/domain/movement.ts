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

/**
 * Money that moved at the provider without us: entries that are no PIX, and PIX that were sent or returned in the
 * provider's panel. Booked from the provider's statement.
 */
const PROVIDER_REASONS = [
  'provider_tariff',
  'provider_withdrawal',
  'provider_credit',
  'provider_block',
  'provider_unblock',
  'panel_transfer',
  'panel_return',
] as const

/** What operators book: the balance that a provider account had when it was connected, and corrections. */
const OPERATOR_REASONS = ['opening_balance', 'adjustment'] as const

/** What sets a movement apart: it is no charge's payment, it settled unexpectedly, or it moved without us. */
export const MOVEMENT_REASONS = [
  'deposit',
  'second_payment',
  'wrong_amount',
  'charge_over',
  'orphan',
  ...UNEXPECTED_SETTLEMENTS,
  ...PROVIDER_REASONS,
  ...OPERATOR_REASONS,
] as const
export type MovementReason = (typeof MOVEMENT_REASONS)[number]

/** What becomes of money that is not the charge's: it is sent back once, or kept. */
export type Disposition = 'held' | 'returning' | 'returned' | 'kept' | 'not_returned'
