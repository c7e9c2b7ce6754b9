import { machine } from './machine.ts'

/** api-document.txt, Transfer status. `UNDEFINED` is a filter that finds none. */
export const TRANSFER_STATUSES = [
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
export type TransferStatus = (typeof TRANSFER_STATUSES)[number]

export type TransferState =
  | 'created'
  | 'sending'
  | 'settling'
  | 'paid'
  | 'partially_refunded'
  | 'refunded'
  | 'failed'
  | 'cancelled'
  | 'expired'

export type TransferEvent =
  | 'sending_started'
  | 'put_off'
  | 'accepted'
  | 'refused'
  | 'settled'
  | 'rejected'
  | 'not_taken'
  | 'cancelled'
  | 'never_sent'
  | 'settled_late'
  | 'returned_in_part'
  | 'returned_whole'

/** SPEC §4. After one provider has accepted, `rejected` ends it: no other is tried. */
export const transfer = machine<TransferState, TransferStatus, TransferEvent>({
  created: {
    shows: 'PENDING',
    on: {
      sending_started: 'sending',
      refused: 'failed',
      not_taken: 'failed',
      cancelled: 'cancelled',
      never_sent: 'expired',
    },
  },
  // Put off: a scheduled transfer that no provider could carry out now waits again, unsent.
  sending: { shows: 'PROCESSING', on: { accepted: 'settling', refused: 'failed', put_off: 'created' } },
  settling: { shows: 'PROCESSING', on: { settled: 'paid', rejected: 'failed' } },
  paid: {
    shows: 'PAID',
    on: { returned_in_part: 'partially_refunded', returned_whole: 'refunded' },
    over: true,
  },
  partially_refunded: {
    shows: 'PARTIALLY_REFUNDED',
    on: { returned_in_part: 'partially_refunded', returned_whole: 'refunded' },
    over: true,
  },
  refunded: { shows: 'REFUNDED', on: {}, over: true },
  // The ledger follows the money: a settlement after the end makes the transfer paid, with an alert.
  failed: { shows: 'FAILED', on: { settled_late: 'paid' }, over: true },
  cancelled: { shows: 'CANCELLED', on: { settled_late: 'paid' }, over: true },
  expired: { shows: 'EXPIRED', on: { settled_late: 'paid' }, over: true },
})

/** Whether the state is one that only a settled transfer reaches. */
export function hasGone(state: string | undefined): boolean {
  return state === 'paid' || state === 'partially_refunded' || state === 'refunded'
}
