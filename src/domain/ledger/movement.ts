import { createStateMachine } from '../shared/state-machine.ts'

export const MOVEMENT_STATUSES = ['PENDING', 'SETTLED', 'FAILED'] as const
export type MovementStatus = (typeof MOVEMENT_STATUSES)[number]
export type MovementEvent = 'settled' | 'failed'

/** State machine of a movement. What has settled stays; what failed may settle late; a repeated report changes nothing. */
export const movementMachine = createStateMachine<MovementStatus, MovementStatus, MovementEvent>({
  PENDING: { status: 'PENDING', on: { settled: 'SETTLED', failed: 'FAILED' } },
  SETTLED: { status: 'SETTLED', on: { settled: 'SETTLED' }, isFinal: true },
  FAILED: { status: 'FAILED', on: { settled: 'SETTLED', failed: 'FAILED' }, isFinal: true },
})

/** SPEC §1: the types of a PIX; the others are seen in `/ledger` only. */
export const PIX_MOVEMENT_TYPES = ['EXTERNAL_TRANSFER', 'EXTERNAL_REFUND'] as const
const MOVEMENT_TYPES = [...PIX_MOVEMENT_TYPES, 'SPLIT', 'FEE', 'HOLD', 'ADJUSTMENT'] as const
export type MovementType = (typeof MOVEMENT_TYPES)[number]

/**
 * Types of the lines of a statement (SPEC §7): that of the movement for its own value, of which an account has one line;
 * another for what is held, shared, reversed, advanced or repaid with it.
 */
export const LEDGER_LINE_TYPES = [...MOVEMENT_TYPES, 'REVERSAL', 'SHORTFALL'] as const
export type LedgerLineType = (typeof LEDGER_LINE_TYPES)[number]

/** Kinds of operations that lines of a statement belong to (SPEC §7). */
export const LEDGER_OPERATION_TYPES = [
  'CHARGE',
  'SPLIT',
  'TRANSFER',
  'REFUND',
  'DISPUTE',
  'DEPOSIT',
  'RETURN',
  'PROVIDER_ENTRY',
  'ADJUSTMENT',
] as const
export type LedgerOperationType = (typeof LEDGER_OPERATION_TYPES)[number]

/** Settlement anomalies: paid twice, or settled after we reported FAILED. Recorded and alerted, never corrected automatically. */
export const UNEXPECTED_SETTLEMENTS = ['duplicate_settlement', 'late_settlement'] as const

/** What sets a movement apart: it is no charge's payment, it settled unexpectedly, or it moved without us. */
export const MOVEMENT_REASONS = [
  'deposit',
  'second_payment',
  'wrong_amount',
  'wrong_payer',
  'unknown_payer',
  'charge_over',
  'code_disabled',
  'orphan',
  ...UNEXPECTED_SETTLEMENTS,
  // Booked from the provider's statement: entries that are no PIX, and PIX sent or returned in the provider's panel.
  'provider_tariff',
  'provider_withdrawal',
  'provider_credit',
  'provider_block',
  'provider_unblock',
  'panel_transfer',
  'panel_return',
  // Booked by operators: the balance that a provider account had when it was connected, and corrections.
  'opening_balance',
  'adjustment',
] as const
export type MovementReason = (typeof MOVEMENT_REASONS)[number]

/** Whether an unmatched PIX is to be returned to its payer, is on its way back, was returned, or stays with the account. */
export type UnmatchedDisposition = 'held' | 'returning' | 'returned' | 'kept' | 'not_returned'

/**
 * Figures of a settlement report, in the order in which a merchant reads them: every line of the statement counts in
 * exactly one, so that the opening balance and all figures add up to the closing balance.
 */
export const SETTLEMENT_FIGURES = [
  'payments',
  'fees',
  'splits',
  'refunds',
  'transfers',
  'disputes',
  'holds',
  'shortfalls',
  'adjustments',
] as const
export type SettlementFigure = (typeof SETTLEMENT_FIGURES)[number]
