import { type ChargeState, chargeMachine } from '../charges/charge.ts'
import { createStateMachine } from '../shared/state-machine.ts'

export const REFUND_STATUSES = ['PROCESSING', 'COMPLETED', 'FAILED'] as const
export type RefundStatus = (typeof REFUND_STATUSES)[number]
export type RefundState = 'sending' | 'settling' | 'settled' | 'failed'
export type RefundEvent = 'accepted' | 'refused' | 'settled' | 'rejected' | 'settled_late'

/** SPEC §3: a devolução, sent by the provider that received the PIX and by no other. */
export const refundMachine = createStateMachine<RefundState, RefundStatus, RefundEvent>({
  sending: { status: 'PROCESSING', on: { accepted: 'settling', refused: 'failed' } },
  settling: { status: 'PROCESSING', on: { settled: 'settled', rejected: 'failed' } },
  settled: { status: 'COMPLETED', on: {}, isFinal: true },
  failed: { status: 'FAILED', on: { settled_late: 'settled' }, isFinal: true },
})

/** A devolução must begin within 90 days of the settlement it returns (Res. BCB 103/2021, art. 41-A). */
export const REFUND_PERIOD_MS = 90 * 24 * 60 * 60 * 1_000

export type RefundableCharge = {
  receivedCents: number
  refundedCents: number
  refundingCents: number
  disputedCents: number
}

/** The state of a charge on which the rules of a refund depend. */
export type RefundTerms = RefundableCharge & { state: ChargeState; paidAt?: Date | null | undefined }

/** Why a charge cannot be refunded now, by the catalogue's code; null where it can. */
export function refundErrorCodeOf(
  charge: RefundTerms,
  now: Date,
): 'refund_med_open' | 'refund_in_progress' | 'charge_not_refundable' | 'refund_period_over' | null {
  if (charge.disputedCents > 0) return 'refund_med_open'
  if (charge.state === 'refunding') return 'refund_in_progress'
  if (!chargeMachine.accepts(charge.state, 'refund_requested')) return 'charge_not_refundable'
  return charge.paidAt && now.getTime() - charge.paidAt.getTime() > REFUND_PERIOD_MS
    ? 'refund_period_over'
    : null
}

/** What may still be returned of a charge: what the payer paid, less refunds settled or in flight, less open disputes. */
export function computeRefundableCents(charge: RefundableCharge): number {
  return charge.receivedCents - charge.refundedCents - charge.refundingCents - charge.disputedCents
}

/** A split that was credited, and what settled refunds have asked back of it so far. */
export type CreditedSplit = {
  uuid: string
  accountUuid: string
  creditedCents: number
  returnRequestedCents: number
}

export type RefundProgress = { receivedCents: number; refundedCents: number; valueCents: number }

/**
 * What each split owes of one refund (SPEC §3): its share of all that will then have been refunded, less what was asked
 * before; so any sequence of partial refunds ends at exactly the whole share.
 */
export function computeSplitRefunds(
  splits: CreditedSplit[],
  refunded: RefundProgress,
): { split: CreditedSplit; cents: number }[] {
  const total = refunded.refundedCents + refunded.valueCents
  return splits.map(split => ({
    split,
    cents: proportion(split.creditedCents, total, refunded.receivedCents) - split.returnRequestedCents,
  }))
}

/** ⌊part × of / whole⌋; the product may leave the safe integers, the result does not. */
function proportion(part: number, factor: number, total: number): number {
  return Number((BigInt(part) * BigInt(factor)) / BigInt(total))
}
