import { machine } from './machine.ts'

/** api-document.txt, Charge status. `UNDEFINED` finds charges still being issued. */
export const CHARGE_STATUSES = [
  'UNDEFINED',
  'PENDING',
  'PAID',
  'FAILED',
  'REFUNDED',
  'PARTIALLY_REFUNDED',
  'CANCELLED',
  'EXPIRED',
  'PROCESSING',
] as const
export type ChargeStatus = (typeof CHARGE_STATUSES)[number]

export type ChargeState =
  | 'issuing'
  | 'pending'
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
  | 'nobody_could_issue'
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

/** State machine of a charge (SPEC §2). PROCESSING is two states inside: paying and refunding. */
export const charge = machine<ChargeState, ChargeStatus, ChargeEvent>({
  issuing: {
    shows: 'UNDEFINED',
    on: {
      issued: 'pending',
      nobody_could_issue: 'failed',
      // Its row was lost by a restore, and its payload is forgotten where it was issued.
      cancelled_before_restore: 'cancelled',
      expired_before_restore: 'expired',
    },
  },
  pending: {
    shows: 'PENDING',
    on: { payment_started: 'paying', payload_expired: 'expired', cancelled: 'cancelled' },
  },
  paying: {
    shows: 'PROCESSING',
    on: {
      payment_confirmed: 'paid',
      payment_failed: 'pending',
      payment_failed_after_expiry: 'expired',
      payment_failed_after_cancellation: 'cancelled',
    },
  },
  paid: { shows: 'PAID', on: { refund_requested: 'refunding' }, over: true },
  refunding: {
    shows: 'PROCESSING',
    on: {
      refund_settled_whole: 'refunded',
      refund_settled_in_part: 'partially_refunded',
      refund_failed: 'paid',
      refund_failed_after_another: 'partially_refunded',
    },
    over: true,
  },
  partially_refunded: { shows: 'PARTIALLY_REFUNDED', on: { refund_requested: 'refunding' }, over: true },
  refunded: { shows: 'REFUNDED', on: {}, over: true },
  failed: { shows: 'FAILED', on: {}, over: true },
  expired: { shows: 'EXPIRED', on: { payment_started: 'paying' }, over: true },
  cancelled: { shows: 'CANCELLED', on: { payment_started: 'paying' }, over: true },
})

/** States whose change writes a PAYMENT event (SPEC §8). */
export const ANNOUNCED: readonly ChargeState[] = [
  'paid',
  'failed',
  'cancelled',
  'expired',
  'partially_refunded',
  'refunded',
]

/** Whether the state is one that only a paid charge reaches. */
export function wasPaid(state: string | undefined): boolean {
  return state !== undefined && ['paid', 'refunding', 'partially_refunded', 'refunded'].includes(state)
}

/** Whether a provider has issued the charge, so that it can be polled. */
export function isCarried(state: ChargeState): boolean {
  return state !== 'issuing' && state !== 'failed'
}
