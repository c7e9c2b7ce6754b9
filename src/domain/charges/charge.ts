import type { PaymentStatus } from '../shared/payment-status.ts'
import { createStateMachine } from '../shared/state-machine.ts'

export type ChargeState =
  | 'issuing'
  | 'pending'
  | 'debiting'
  | 'paying'
  | 'paid'
  | 'refunding'
  | 'partially_refunded'
  | 'refunded'
  | 'failed'
  | 'expired'
  | 'cancelled'

export type ChargeEvent =
  | 'issued'
  | 'debit_started'
  | 'debit_failed'
  | 'no_provider_issued'
  | 'payment_started'
  | 'payment_confirmed'
  | 'payment_failed'
  | 'payment_failed_after_expiry'
  | 'payment_failed_after_cancellation'
  | 'payload_expired'
  | 'cancelled'
  | 'cancelled_before_restore'
  | 'expired_before_restore'
  | 'refund_requested'
  | 'refund_settled_whole'
  | 'refund_settled_in_part'
  | 'refund_failed'
  | 'refund_failed_after_another'

/**
 * State machine of a charge (SPEC §2). PROCESSING is three states inside: debiting, paying and refunding. `debiting`: the day of the debit of
 * a recurrence has come, and its provider has neither reported the PIX nor ended the debit.
 */
export const chargeMachine = createStateMachine<ChargeState, PaymentStatus, ChargeEvent>({
  issuing: {
    status: 'UNDEFINED',
    on: {
      issued: 'pending',
      no_provider_issued: 'failed',
      // Its row was lost by a restore, and its payload is forgotten where it was issued.
      cancelled_before_restore: 'cancelled',
      expired_before_restore: 'expired',
    },
  },
  pending: {
    status: 'PENDING',
    on: {
      payment_started: 'paying',
      payload_expired: 'expired',
      cancelled: 'cancelled',
      debit_started: 'debiting',
      debit_failed: 'failed',
    },
  },
  debiting: {
    status: 'PROCESSING',
    on: {
      payment_started: 'paying',
      payload_expired: 'expired',
      cancelled: 'cancelled',
      debit_failed: 'failed',
    },
  },
  paying: {
    status: 'PROCESSING',
    on: {
      payment_confirmed: 'paid',
      payment_failed: 'pending',
      payment_failed_after_expiry: 'expired',
      payment_failed_after_cancellation: 'cancelled',
    },
  },
  paid: { status: 'PAID', on: { refund_requested: 'refunding' }, isFinal: true },
  refunding: {
    status: 'PROCESSING',
    on: {
      refund_settled_whole: 'refunded',
      refund_settled_in_part: 'partially_refunded',
      refund_failed: 'paid',
      refund_failed_after_another: 'partially_refunded',
    },
    isFinal: true,
  },
  partially_refunded: { status: 'PARTIALLY_REFUNDED', on: { refund_requested: 'refunding' }, isFinal: true },
  refunded: { status: 'REFUNDED', on: {}, isFinal: true },
  failed: { status: 'FAILED', on: {}, isFinal: true },
  expired: { status: 'EXPIRED', on: { payment_started: 'paying' }, isFinal: true },
  cancelled: { status: 'CANCELLED', on: { payment_started: 'paying' }, isFinal: true },
})

/** States whose change writes a PAYMENT event (SPEC §8). */
export const PAYMENT_EVENT_STATES: readonly ChargeState[] = [
  'paid',
  'failed',
  'cancelled',
  'expired',
  'partially_refunded',
  'refunded',
]

/** Whether the state is one that only a paid charge reaches. */
export function isPaidChargeState(state: string | undefined): boolean {
  return state !== undefined && ['paid', 'refunding', 'partially_refunded', 'refunded'].includes(state)
}

/** Whether a provider has issued the charge, so that it can be polled. */
export function isIssuedChargeState(state: ChargeState): boolean {
  return state !== 'issuing' && state !== 'failed'
}

/** Whether the charge waits for its payer or the bank that it debits, so that what it asks may be revised, or a debit be retried. */
export function isRevisableChargeState(state: ChargeState): boolean {
  return state === 'pending' || state === 'debiting'
}
