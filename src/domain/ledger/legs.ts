import type { LedgerLineType } from './movement.ts'

/**
 * SPEC §7: double entry per (account, provider account, bucket). `fee` is what the service earned from that account,
 * `shortfall` what left without cover (never above zero), `outside` the world beyond the provider (the negative of what came in).
 */
export const BUCKETS = [
  'available',
  'pending',
  'provisioned',
  'blocked',
  'retained',
  'fee',
  'shortfall',
  'outside',
] as const
type Bucket = (typeof BUCKETS)[number]

/** What a leg is, where it is not the value of its movement: it has postings, and so lines of the statement, of its own. */
export type LegType = Exclude<LedgerLineType, 'EXTERNAL_TRANSFER' | 'EXTERNAL_REFUND' | 'ADJUSTMENT'>

/** One leg of a movement; positive adds to the bucket. `type` null: that of the movement. */
export type Posting = BalanceBucket & { cents: number; type: LegType | null }

/** Moves `cents` from one bucket to another, of one account or of two. */
export type Leg = { cents: number; from: BalanceBucket; to: BalanceBucket; type?: LegType }
type BalanceBucket = { accountUuid: string; bucket: Bucket }

/**
 * The postings of some legs, one per bucket and type, zero ones left out. Those of each type add up to zero.
 */
export function postingsOf(legs: Leg[]): Posting[] {
  const sums = new Map<string, Posting>()
  const add = (place: BalanceBucket, leg: Leg, cents: number) => {
    const type = leg.type ?? null
    const key = `${place.accountUuid}/${place.bucket}/${type}`
    const posting = sums.get(key) ?? { ...place, cents: 0, type }
    posting.cents += cents
    sums.set(key, posting)
  }
  for (const leg of legs) {
    if (!Number.isSafeInteger(leg.cents) || leg.cents < 0)
      throw new RangeError(`a leg of ${leg.cents} centavos`)
    add(leg.from, leg, -leg.cents)
    add(leg.to, leg, leg.cents)
  }
  return [...sums.values()].filter(posting => posting.cents !== 0)
}

/** Creates the function of the one leg that moves money between two buckets of an account. */
function moveBetween(from: Bucket, to: Bucket, type?: LegType) {
  return (accountUuid: string, cents: number): Leg[] => [
    { cents, from: { accountUuid, bucket: from }, to: { accountUuid, bucket: to }, ...(type && { type }) },
  ]
}

/** The fee of a payout is held, earned or released with its value. */
export const feeHeldLegs = moveBetween('available', 'provisioned', 'FEE')
export const feeEarnedLegs = moveBetween('provisioned', 'fee', 'FEE')
export const feeReleasedLegs = moveBetween('provisioned', 'available', 'FEE')

/** A payment that begins: the money is seen on its way in. */
export const paymentStartedLegs = moveBetween('outside', 'pending')

/** A payment confirmed: the owner's; fee and shares leave from there, as movements of their own. */
export const paymentConfirmedLegs = moveBetween('pending', 'available')

/** A payment that fails after it began: the money never came. */
export const paymentFailedLegs = moveBetween('pending', 'outside')

/** A PIX that names no charge of ours. */
export const depositLegs = moveBetween('outside', 'available')

/** An unmatched PIX of the policy `refund`: received, and held for its return. */
export function unmatchedHeldLegs(accountUuid: string, cents: number): Leg[] {
  return [...depositLegs(accountUuid, cents), ...depositReturnHeldLegs(accountUuid, cents)]
}

/** A deposit whose return its account has ordered: held until it is sent. */
export const depositReturnHeldLegs = moveBetween('available', 'pending', 'HOLD')

/** An unmatched PIX that was held and is kept for its account. */
export const unmatchedKeptLegs = moveBetween('pending', 'available', 'HOLD')

/** What leaves is a line of `available` when it is held, and none when it is gone. */
const valueHeldLegs = moveBetween('available', 'provisioned')
const valueGoneLegs = moveBetween('provisioned', 'outside')
/** An order that never left is reversed; where it settles after all, the reversal is. */
const valueReversedLegs = moveBetween('provisioned', 'available', 'REVERSAL')
const reversalReversedLegs = moveBetween('available', 'provisioned', 'REVERSAL')

/** Sending an unmatched PIX back: out of what is pending, gone, or back where it was. */
export function returnHeldLegs(accountUuid: string, cents: number): Leg[] {
  return [...unmatchedKeptLegs(accountUuid, cents), ...valueHeldLegs(accountUuid, cents)]
}
export const returnSettledLegs = valueGoneLegs
export function returnFailedLegs(accountUuid: string, cents: number): Leg[] {
  return [...valueReversedLegs(accountUuid, cents), ...depositReturnHeldLegs(accountUuid, cents)]
}
/** A return that its account has ordered and that was not made: its money is the account's again. */
export const returnReleasedLegs = valueReversedLegs
/** A return that was reversed as failed and has settled: out of what is pending again. */
export function returnSettledLateLegs(accountUuid: string, cents: number): Leg[] {
  return [...unmatchedKeptLegs(accountUuid, cents), ...settledLateLegs(accountUuid, cents)]
}

/** The value of a payout that was reversed as failed and has settled. `available` covers it, or an advance does. */
function settledLateLegs(accountUuid: string, cents: number): Leg[] {
  return [...reversalReversedLegs(accountUuid, cents), ...valueGoneLegs(accountUuid, cents)]
}

type TransferCents = { valueCents: number; feeCents: number }

/** Money held for a transfer: value and fee leave `available` before anyone is called. */
export function transferHeldLegs(accountUuid: string, { valueCents, feeCents }: TransferCents): Leg[] {
  return [...valueHeldLegs(accountUuid, valueCents), ...feeHeldLegs(accountUuid, feeCents)]
}
/** The value is outside, the fee the service's. */
export function transferSettledLegs(accountUuid: string, { valueCents, feeCents }: TransferCents): Leg[] {
  return [...valueGoneLegs(accountUuid, valueCents), ...feeEarnedLegs(accountUuid, feeCents)]
}
/** The fee first: the value may be less than the shortfall that it repays, and no line shows a balance below zero. */
export function transferReleasedLegs(accountUuid: string, { valueCents, feeCents }: TransferCents): Leg[] {
  return [...feeReleasedLegs(accountUuid, feeCents), ...valueReversedLegs(accountUuid, valueCents)]
}

/** Money that is gone though nothing held it. What `available` does not cover is advanced first, as a shortfall. */
export function uncoveredOutflowLegs(
  accountUuid: string,
  { cents, availableCents }: { cents: number; availableCents: number },
): Leg[] {
  return [
    ...shortfallAdvancedLegs(accountUuid, { cents, availableCents }),
    ...moveBetween('available', 'outside')(accountUuid, cents),
  ]
}

/** The same of a payout whose hold was reversed: it has its line of the statement already. */
export function uncoveredLateLegs(
  accountUuid: string,
  { cents, availableCents }: { cents: number; availableCents: number },
): Leg[] {
  return [
    ...shortfallAdvancedLegs(accountUuid, { cents, availableCents }),
    ...settledLateLegs(accountUuid, cents),
  ]
}

/**
 * Money that comes in where a shortfall is open: it is repaid first, the rest is the account's (SPEC §7).
 * `shortfallCents` is the current balance of the bucket, never above zero.
 */
export function shortfallRepaidLegs(
  accountUuid: string,
  { cents, shortfallCents }: { cents: number; shortfallCents: number },
): Leg[] {
  return moveBetween('available', 'shortfall', 'SHORTFALL')(accountUuid, Math.min(cents, -shortfallCents))
}

/** What the service lends so that an account can pay `cents` out of `available`; the next inflows repay it (SPEC §7). */
export function shortfallAdvancedLegs(
  accountUuid: string,
  { cents, availableCents }: { cents: number; availableCents: number },
): Leg[] {
  return moveBetween('shortfall', 'available', 'SHORTFALL')(accountUuid, Math.max(0, cents - availableCents))
}

/** What a provider blocked, outside disputes, is available again. */
export const entryUnblockedLegs = moveBetween('blocked', 'available', 'HOLD')

/** What a dispute claims is blocked when it opens, or kept of a later inflow; over, it is the account's again. */
export const disputeHeldLegs = moveBetween('available', 'blocked', 'HOLD')
export const disputeRetainedLegs = moveBetween('available', 'retained', 'HOLD')
export function disputeReleasedLegs(
  accountUuid: string,
  { heldCents, retainedCents }: { heldCents: number; retainedCents: number },
): Leg[] {
  return [
    ...entryUnblockedLegs(accountUuid, heldCents),
    ...moveBetween('retained', 'available', 'HOLD')(accountUuid, retainedCents),
  ]
}
/** The provider has returned a disputed PIX: out of what was blocked, then retained, then whatever there is. */
export function disputeReturnedLegs(
  accountUuid: string,
  outflow: { cents: number; heldCents: number; retainedCents: number; availableCents: number },
): Leg[] {
  const heldCents = Math.min(outflow.cents, outflow.heldCents)
  const retainedCents = Math.min(outflow.cents - heldCents, outflow.retainedCents)
  const availableCents = outflow.availableCents + heldCents + retainedCents
  return [
    ...disputeReleasedLegs(accountUuid, { heldCents, retainedCents }),
    ...uncoveredOutflowLegs(accountUuid, { cents: outflow.cents, availableCents }),
  ]
}

/** Part of a refund that a split's recipient pays to the owner of the charge. */
export type SplitPart = { accountUuid: string; cents: number }

type RefundCents = { ownerUuid: string; valueCents: number; splitParts: SplitPart[] }

/**
 * What the splits owe beyond the value of a refund, because earlier parts were rounded: the owner gets back what it had
 * advanced, once the refund has settled, and until then it is held.
 */
export function computeExcessCents({ valueCents, splitParts }: Omit<RefundCents, 'ownerUuid'>): number {
  return Math.max(0, splitParts.reduce((sum, { cents }) => sum + cents, 0) - valueCents)
}

const excessHeldLegs = moveBetween('available', 'provisioned', 'HOLD')
const excessReleasedLegs = moveBetween('provisioned', 'available', 'HOLD')

/** A refund that is held: the recipients pay their parts to the owner, who is debited the whole value. */
export function refundHeldLegs({ ownerUuid, valueCents, splitParts }: RefundCents): Leg[] {
  return [
    ...splitReclaimedLegs(ownerUuid, splitParts),
    ...valueHeldLegs(ownerUuid, valueCents),
    ...excessHeldLegs(ownerUuid, computeExcessCents({ valueCents, splitParts })),
  ]
}

/** A refund that settles: its value leaves, and each recipient gets back what it paid beyond its part (`splitParts`). */
export function refundSettledLegs({
  ownerUuid,
  valueCents,
  splitParts,
  excessCents,
}: RefundCents & { excessCents: number }): Leg[] {
  return [
    ...excessReleasedLegs(ownerUuid, excessCents),
    ...splitGivenBackLegs(ownerUuid, splitParts),
    ...valueGoneLegs(ownerUuid, valueCents),
  ]
}

/** A refund that never left: the owner has its value again, and the recipients their parts. */
export function refundReleasedLegs({ ownerUuid, valueCents, splitParts }: RefundCents): Leg[] {
  return [
    ...excessReleasedLegs(ownerUuid, computeExcessCents({ valueCents, splitParts })),
    ...valueReversedLegs(ownerUuid, valueCents),
    ...splitGivenBackLegs(ownerUuid, splitParts),
  ]
}

/** Shares of a split that go back to the owner of the charge, and those that are paid to their recipients again. */
export function splitReclaimedLegs(ownerUuid: string, parts: SplitPart[]): Leg[] {
  return parts.flatMap(({ accountUuid, cents }) => shareLegs({ from: accountUuid, to: ownerUuid, cents }))
}
export function splitGivenBackLegs(ownerUuid: string, parts: SplitPart[]): Leg[] {
  return parts.flatMap(({ accountUuid, cents }) => shareLegs({ from: ownerUuid, to: accountUuid, cents }))
}

function shareLegs({ from, to, cents }: { from: string; to: string; cents: number }): Leg[] {
  const availableOf = (accountUuid: string) => ({ accountUuid, bucket: 'available' }) as const
  return [{ cents, from: availableOf(from), to: availableOf(to), type: 'SPLIT' }]
}
