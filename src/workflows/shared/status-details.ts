import type { ChargeState } from '../../domain/charges/charge.ts'
import type { TransferState } from '../../domain/transfers/transfer.ts'

/** Texts that the Temporal UI shows of a workflow in each state (`setCurrentDetails`). */

export const CHARGE_STATUS_DETAILS: Record<ChargeState, string> = {
  issuing: 'Being issued: candidate providers are called in order',
  pending: 'Issued: waiting for the payer',
  paying: 'Payment in progress: the provider is polled until it settles',
  paid: 'Paid',
  refunding: 'Refund in progress',
  partially_refunded: 'Paid and partially refunded',
  refunded: 'Fully refunded',
  failed: 'Failed: no provider issued the payload',
  expired: 'Expired: the provider confirms that it was not paid',
  cancelled: 'Cancelled',
}

export const TRANSFER_STATUS_DETAILS: Record<TransferState, string> = {
  created: 'Stored: candidate providers are called in order',
  sending: 'Being sent',
  settling: 'Accepted by the provider: waiting for the settlement',
  paid: 'Settled',
  partially_refunded: 'Settled and partially returned by the receiver',
  refunded: 'Fully returned by the receiver',
  failed: 'Failed: no money moved',
  cancelled: 'Cancelled before it was sent',
  expired: 'Expired: not sent within a day of its scheduled time',
}

export const UNKNOWN_OUTCOME_DETAILS =
  'Outcome unknown: the provider is polled, and no other provider is called'
