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

/** One leg of a movement; positive adds to the bucket. A fee has postings of its own, a line of the statement each. */
export type Posting = BalanceBucket & { cents: number; isFee: boolean }

/** Moves `cents` from one bucket to another, of one account or of two. */
export type Leg = { cents: number; from: BalanceBucket; to: BalanceBucket; isFee?: boolean }
type BalanceBucket = { accountUuid: string; bucket: Bucket }

/**
 * The postings of some legs, one per bucket touched by the value and one by the fee, zero ones left out. Those of the
 * value add up to zero, and so do those of the fee.
 */
export function postingsOf(legs: Leg[]): Posting[] {
  const sums = new Map<string, Posting>()
  const add = (at: BalanceBucket, { isFee = false }: Leg, cents: number) => {
    const key = `${at.accountUuid}/${at.bucket}/${isFee}`
    const posting = sums.get(key) ?? { ...at, cents: 0, isFee }
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
function moveBetween(from: Bucket, to: Bucket) {
  return (accountUuid: string, cents: number): Leg[] => [
    { cents, from: { accountUuid, bucket: from }, to: { accountUuid, bucket: to } },
  ]
}

/** The fee of a payout is held, earned or released with its value. */
function moveFeeBetween(from: Bucket, to: Bucket) {
  const legsOf = moveBetween(from, to)
  return (accountUuid: string, cents: number) =>
    legsOf(accountUuid, cents).map(leg => ({ ...leg, isFee: true }))
}
export const feeHeldLegs = moveFeeBetween('available', 'provisioned')
const feeEarnedLegs = moveFeeBetween('provisioned', 'fee')
export const feeReleasedLegs = moveFeeBetween('provisioned', 'available')

/** A payment that begins: the money is seen on its way in. */
export const paymentStartedLegs = moveBetween('outside', 'pending')

/** A payment confirmed: the owner's; fee and shares leave from there, as movements of their own. */
export const paymentConfirmedLegs = moveBetween('pending', 'available')

/** A payment that fails after it began: the money never came. */
export const paymentFailedLegs = moveBetween('pending', 'outside')

/** A PIX that names no charge of ours. */
export const depositLegs = moveBetween('outside', 'available')

/** An unmatched PIX under the policy `keep`. */
export const unmatchedKeptLegs = moveBetween('pending', 'available')

/** Sending an unmatched PIX back: held, gone, or back where it was. */
export const returnHeldLegs = moveBetween('pending', 'provisioned')
export const returnSettledLegs = moveBetween('provisioned', 'outside')
export const returnFailedLegs = moveBetween('provisioned', 'pending')

const valueHeldLegs = moveBetween('available', 'provisioned')
const valueReleasedLegs = moveBetween('provisioned', 'available')

type TransferCents = { valueCents: number; feeCents: number }

/** Money held for a transfer: value and fee leave `available` before anyone is called. */
export function transferHeldLegs(accountUuid: string, { valueCents, feeCents }: TransferCents): Leg[] {
  return [...valueHeldLegs(accountUuid, valueCents), ...feeHeldLegs(accountUuid, feeCents)]
}
/** The value is outside, the fee the service's. */
export function transferSettledLegs(accountUuid: string, { valueCents, feeCents }: TransferCents): Leg[] {
  return [...returnSettledLegs(accountUuid, valueCents), ...feeEarnedLegs(accountUuid, feeCents)]
}
/** The fee first: the value may be less than the shortfall that it repays, and no line shows a balance below zero. */
export function transferReleasedLegs(accountUuid: string, { valueCents, feeCents }: TransferCents): Leg[] {
  return [...feeReleasedLegs(accountUuid, feeCents), ...valueReleasedLegs(accountUuid, valueCents)]
}

/** Money that is gone though nothing held it: what `available` covers, and the rest as the service's shortfall. */
export function uncoveredOutflowLegs(
  accountUuid: string,
  { cents, availableCents }: { cents: number; availableCents: number },
): Leg[] {
  const covered = Math.min(cents, availableCents)
  return [
    ...moveBetween('available', 'outside')(accountUuid, covered),
    ...moveBetween('shortfall', 'outside')(accountUuid, cents - covered),
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
  return moveBetween('available', 'shortfall')(accountUuid, Math.min(cents, -shortfallCents))
}

/** What the service lends so that an account can pay `cents` out of `available`; the next inflows repay it (SPEC §7). */
export function shortfallAdvancedLegs(
  accountUuid: string,
  { cents, availableCents }: { cents: number; availableCents: number },
): Leg[] {
  return moveBetween('shortfall', 'available')(accountUuid, Math.max(0, cents - availableCents))
}

/** What a provider blocked, outside disputes, is available again. */
export const entryUnblockedLegs = moveBetween('blocked', 'available')

/** What a dispute claims is blocked when it opens, or kept of a later inflow; over, it is the account's again. */
export const disputeHeldLegs = moveBetween('available', 'blocked')
export const disputeRetainedLegs = moveBetween('available', 'retained')
export function disputeReleasedLegs(
  accountUuid: string,
  { heldCents, retainedCents }: { heldCents: number; retainedCents: number },
): Leg[] {
  return [
    ...entryUnblockedLegs(accountUuid, heldCents),
    ...moveBetween('retained', 'available')(accountUuid, retainedCents),
  ]
}
/** The provider has returned a disputed PIX: out of what was blocked, then retained, then whatever there is. */
export function disputeReturnedLegs(
  accountUuid: string,
  outflow: { cents: number; heldCents: number; retainedCents: number; availableCents: number },
): Leg[] {
  const heldCents = Math.min(outflow.cents, outflow.heldCents)
  const retainedCents = Math.min(outflow.cents - heldCents, outflow.retainedCents)
  const cents = outflow.cents - heldCents - retainedCents
  return [
    ...moveBetween('blocked', 'outside')(accountUuid, heldCents),
    ...moveBetween('retained', 'outside')(accountUuid, retainedCents),
    ...uncoveredOutflowLegs(accountUuid, { cents, availableCents: outflow.availableCents }),
  ]
}

/**
 * One account's part of a refund. Negative only for the charge's owner, where the splits owe more than this refund because
 * earlier parts were rounded: the owner gets back what it had advanced, once the refund has settled.
 */
export type RefundShare = { accountUuid: string; cents: number }

/** A part of a refund that settles: what the account pays, and what was held of it when the refund was opened. */
export type SettledRefundShare = RefundShare & { heldCents: number }

export function refundHeldLegs(parts: RefundShare[]): Leg[] {
  return heldShares(parts).flatMap(part => valueHeldLegs(part.accountUuid, part.cents))
}
/** What was held leaves, up to what is paid; the rest of the hold is released. What is paid beyond it has legs of its own. */
export function refundSettledLegs(parts: SettledRefundShare[], fee: RefundShare): Leg[] {
  const valueLegs = parts.flatMap(({ accountUuid, cents, heldCents }) =>
    cents >= 0
      ? [
          ...returnSettledLegs(accountUuid, Math.min(cents, heldCents)),
          ...valueReleasedLegs(accountUuid, Math.max(0, heldCents - cents)),
        ]
      : depositLegs(accountUuid, -cents),
  )
  return [...valueLegs, ...feeEarnedLegs(fee.accountUuid, fee.cents)]
}
export function refundReleasedLegs(parts: RefundShare[]): Leg[] {
  return heldShares(parts).flatMap(part => valueReleasedLegs(part.accountUuid, part.cents))
}

/** The shares whose money is held until the refund ends: a negative one is paid to the owner only once it has settled. */
export function heldShares(parts: RefundShare[]): RefundShare[] {
  return parts.filter(({ cents }) => cents >= 0)
}
