import type { ChargeState } from '../../domain/charges/charge.ts'
import type { TransferState } from '../../domain/transfers/transfer.ts'

/** Details of a workflow in each state, for the operator (`setCurrentDetails`). */

export const CHARGE_STATUS_DETAILS: Record<ChargeState, string> = {
  issuing: 'Being issued: the candidates are asked in order',
  pending: 'Issued: waiting for the payer',
  paying: 'A payment is on its way; the provider is asked until it is settled',
  paid: 'Paid',
  refunding: 'A refund is on its way',
  partially_refunded: 'Paid, and refunded in part',
  refunded: 'Refunded whole',
  failed: 'No provider could issue it',
  expired: 'Expired: the provider says that it was not paid',
  cancelled: 'Cancelled',
}

export const TRANSFER_STATUS_DETAILS: Record<TransferState, string> = {
  created: 'Stored: the candidates are tried in order',
  sending: 'Being sent',
  settling: 'Accepted by the provider: waiting for the settlement',
  paid: 'Settled',
  partially_refunded: 'Settled, and returned in part by its recipient',
  refunded: 'Returned whole by its recipient',
  failed: 'Failed: nothing moved',
  cancelled: 'Cancelled before it was sent',
  expired: 'Could not be sent within a day of its time',
}

/** Details while the outcome of a payout is unknown. */
export const UNKNOWN_OUTCOME_DETAILS =
  'Not known whether the provider took it: it is asked, and no other is tried'
