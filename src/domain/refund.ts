import { type ChargeState, charge as chargeLife } from './charge.ts'
import { machine } from './machine.ts'

export type RefundStatus = 'PROCESSING' | 'COMPLETED' | 'FAILED'
export type RefundState = 'sending' | 'settling' | 'settled' | 'failed'
export type RefundEvent = 'accepted' | 'refused' | 'settled' | 'rejected' | 'settled_late'

/** SPEC §3: a devolução, sent by the provider that received the PIX and by no other. */
export const refund = machine<RefundState, RefundStatus, RefundEvent>({
  sending: { shows: 'PROCESSING', on: { accepted: 'settling', refused: 'failed' } },
  settling: { shows: 'PROCESSING', on: { settled: 'settled', rejected: 'failed' } },
  settled: { shows: 'COMPLETED', on: {}, over: true },
  failed: { shows: 'FAILED', on: { settled_late: 'settled' }, over: true },
})

/** A devolução must begin within 90 days of the settlement it returns (Res. BCB 103/2021, art. 41-A). */
export const REFUND_PERIOD_MS = 90 * 24 * 60 * 60 * 1_000

export type Refundable = {
  receivedCents: number
  refundedCents: number
  refundingCents: number
  disputedCents: number
}

/** Why a charge cannot be refunded now, by the catalogue's code; null where it can. */
export function whyNotRefundable(
  charge: Refundable & { state: ChargeState; paidAt?: Date | null | undefined },
  now: Date,
): 'refund_med_open' | 'refund_in_progress' | 'charge_not_refundable' | 'refund_period_over' | null {
  if (charge.disputedCents > 0) return 'refund_med_open'
  if (charge.state === 'refunding') return 'refund_in_progress'
  if (!chargeLife.accepts(charge.state, 'refund_requested')) return 'charge_not_refundable'
  return charge.paidAt && now.getTime() - charge.paidAt.getTime() > REFUND_PERIOD_MS
    ? 'refund_period_over'
    : null
}

/** What may still be returned of a charge: what the payer paid, less refunds settled or in flight, less open disputes. */
export function refundableCents(charge: Refundable): number {
  return charge.receivedCents - charge.refundedCents - charge.refundingCents - charge.disputedCents
}

/** A split that was credited, and what settled refunds have asked back of it so far. */
export type CreditedSplit = {
  uuid: string
  accountUuid: string
  creditedCents: number
  askedBackCents: number
}

export type RefundOf = { receivedCents: number; refundedCents: number; valueCents: number }

/**
 * What each split owes of one refund (SPEC §3): its share of all that will then have been refunded, less what was asked
 * before; so any sequence of partial refunds ends at exactly the whole share.
 */
export function owedBySplits(
  splits: CreditedSplit[],
  refunded: RefundOf,
): { split: CreditedSplit; cents: number }[] {
  const total = refunded.refundedCents + refunded.valueCents
  return splits.map(split => ({
    split,
    cents: proportion(split.creditedCents, total, refunded.receivedCents) - split.askedBackCents,
  }))
}

/** ⌊part × of / whole⌋; the product may leave the safe integers, the result does not. */
function proportion(part: number, of: number, whole: number): number {
  return Number((BigInt(part) * BigInt(of)) / BigInt(whole))
}
