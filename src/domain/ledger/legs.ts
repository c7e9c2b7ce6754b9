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

/** One leg of a movement; positive adds to the bucket. */
export type Posting = BalanceBucket & { cents: number }

/** Moves `cents` from one bucket to another, of one account or of two. */
export type Leg = { cents: number; from: BalanceBucket; to: BalanceBucket }
type BalanceBucket = { accountUuid: string; bucket: Bucket }

/** The postings of some legs, one per bucket touched, zero ones left out; they always add up to zero. */
export function postingsOf(legs: Leg[]): Posting[] {
  const sums = new Map<string, Posting>()
  const add = (at: BalanceBucket, cents: number) => {
    const key = `${at.accountUuid}/${at.bucket}`
    const posting = sums.get(key) ?? { ...at, cents: 0 }
    posting.cents += cents
    sums.set(key, posting)
  }
  for (const leg of legs) {
    if (!Number.isSafeInteger(leg.cents) || leg.cents < 0)
      throw new RangeError(`a leg of ${leg.cents} centavos`)
    add(leg.from, -leg.cents)
    add(leg.to, leg.cents)
  }
  return [...sums.values()].filter(posting => posting.cents !== 0)
}

/** Creates the function of the one leg that moves money between two buckets of an account. */
function moveBetween(from: Bucket, to: Bucket) {
  return (accountUuid: string, cents: number): Leg[] => [
    { cents, from: { accountUuid, bucket: from }, to: { accountUuid, bucket: to } },
  ]
}

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

/** Money held for a transfer: value and fee leave `available` before anyone is called. */
export const transferHeldLegs = moveBetween('available', 'provisioned')
/** The value is outside, the fee the service's. */
export function transferSettledLegs(
  accountUuid: string,
  { valueCents, feeCents }: { valueCents: number; feeCents: number },
): Leg[] {
  return [
    ...returnSettledLegs(accountUuid, valueCents),
    ...moveBetween('provisioned', 'fee')(accountUuid, feeCents),
  ]
}
export const transferReleasedLegs = moveBetween('provisioned', 'available')

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
export function refundHeldLegs(parts: RefundShare[]): Leg[] {
  return parts.filter(isPayingShare).flatMap(part => transferHeldLegs(part.accountUuid, part.cents))
}
export function refundSettledLegs(parts: RefundShare[], fee: RefundShare): Leg[] {
  const valueLegs = parts.flatMap(({ accountUuid, cents }) =>
    cents >= 0 ? returnSettledLegs(accountUuid, cents) : depositLegs(accountUuid, -cents),
  )
  return [...valueLegs, ...moveBetween('provisioned', 'fee')(fee.accountUuid, fee.cents)]
}
export function refundReleasedLegs(parts: RefundShare[]): Leg[] {
  return parts.filter(isPayingShare).flatMap(part => transferReleasedLegs(part.accountUuid, part.cents))
}

function isPayingShare({ cents }: RefundShare): boolean {
  return cents >= 0
}
