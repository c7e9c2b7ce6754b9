import type { PaymentStatus } from '../shared/payment-status.ts'
import { createStateMachine } from '../shared/state-machine.ts'

export type TransferState =
  | 'created'
  | 'held'
  | 'approved'
  | 'sending'
  | 'settling'
  | 'paid'
  | 'partially_refunded'
  | 'refunded'
  | 'failed'
  | 'cancelled'
  | 'expired'

export type TransferEvent =
  | 'approval_requested'
  | 'approved'
  | 'possibly_sent'
  | 'sending_started'
  | 'postponed'
  | 'accepted'
  | 'refused'
  | 'settled'
  | 'rejected'
  | 'not_started'
  | 'cancelled'
  | 'never_sent'
  | 'settled_late'
  | 'returned_in_part'
  | 'returned_whole'

/** SPEC §4. After one provider has accepted, `rejected` ends it: no other is tried. */
export const transferMachine = createStateMachine<TransferState, PaymentStatus, TransferEvent>({
  created: {
    status: 'PENDING',
    on: {
      approval_requested: 'held',
      sending_started: 'sending',
      refused: 'failed',
      not_started: 'failed',
      cancelled: 'cancelled',
      never_sent: 'expired',
    },
  },
  // Waits for persons who have not ordered it; its money is held unless it is scheduled. Possibly sent: before its database was
  // restored to a time at which it still waited.
  held: {
    status: 'PENDING',
    on: {
      approved: 'approved',
      possibly_sent: 'sending',
      refused: 'failed',
      cancelled: 'cancelled',
      never_sent: 'expired',
    },
  },
  approved: {
    status: 'PENDING',
    on: { sending_started: 'sending', refused: 'failed', cancelled: 'cancelled', never_sent: 'expired' },
  },
  // Put off: a scheduled transfer that no provider could carry out now waits again, unsent.
  sending: { status: 'PROCESSING', on: { accepted: 'settling', refused: 'failed', postponed: 'created' } },
  settling: { status: 'PROCESSING', on: { settled: 'paid', rejected: 'failed' } },
  paid: {
    status: 'PAID',
    on: { returned_in_part: 'partially_refunded', returned_whole: 'refunded' },
    isFinal: true,
  },
  partially_refunded: {
    status: 'PARTIALLY_REFUNDED',
    on: { returned_in_part: 'partially_refunded', returned_whole: 'refunded' },
    isFinal: true,
  },
  refunded: { status: 'REFUNDED', on: {}, isFinal: true },
  // The ledger follows the money: a settlement after the end makes the transfer paid, with an alert.
  failed: { status: 'FAILED', on: { settled_late: 'paid' }, isFinal: true },
  cancelled: { status: 'CANCELLED', on: { settled_late: 'paid' }, isFinal: true },
  expired: { status: 'EXPIRED', on: { settled_late: 'paid' }, isFinal: true },
})

/** Whether the state is one that only a settled transfer reaches. */
export function isSettledTransferState(state: string | undefined): boolean {
  return state === 'paid' || state === 'partially_refunded' || state === 'refunded'
}
