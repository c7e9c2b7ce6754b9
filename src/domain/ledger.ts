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
export type Bucket = (typeof BUCKETS)[number]

/** One leg of a movement; positive adds to the bucket. */
export type Posting = { accountUuid: string; bucket: Bucket; cents: number }

/** Moves `cents` from one bucket to another, of one account or of two. */
export type Leg = {
  cents: number
  from: { accountUuid: string; bucket: Bucket }
  to: { accountUuid: string; bucket: Bucket }
}

/** The postings of some legs, one per bucket touched, zero ones left out; they always add up to zero. */
export function postingsOf(legs: Leg[]): Posting[] {
  const sums = new Map<string, Posting>()
  const add = (at: { accountUuid: string; bucket: Bucket }, cents: number) => {
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

/** A payment that begins: the money is seen on its way in. */
export function paymentStarted(accountUuid: string, cents: number): Leg[] {
  return [{ cents, from: { accountUuid, bucket: 'outside' }, to: { accountUuid, bucket: 'pending' } }]
}

/** A payment confirmed: the owner's; fee and shares leave from there, as movements of their own. */
export function paymentConfirmed(accountUuid: string, cents: number): Leg[] {
  return [{ cents, from: { accountUuid, bucket: 'pending' }, to: { accountUuid, bucket: 'available' } }]
}

/** A payment that fails after it began: the money never came. */
export function paymentFailed(accountUuid: string, cents: number): Leg[] {
  return [{ cents, from: { accountUuid, bucket: 'pending' }, to: { accountUuid, bucket: 'outside' } }]
}

/** A PIX that names no charge of ours. */
export function deposited(accountUuid: string, cents: number): Leg[] {
  return [{ cents, from: { accountUuid, bucket: 'outside' }, to: { accountUuid, bucket: 'available' } }]
}

/** An unmatched PIX under the policy `keep`. */
export function unmatchedKept(accountUuid: string, cents: number): Leg[] {
  return [{ cents, from: { accountUuid, bucket: 'pending' }, to: { accountUuid, bucket: 'available' } }]
}

/** Sending an unmatched PIX back: held, gone, or back where it was. */
export function returnHeld(accountUuid: string, cents: number): Leg[] {
  return [{ cents, from: { accountUuid, bucket: 'pending' }, to: { accountUuid, bucket: 'provisioned' } }]
}
export function returnSettled(accountUuid: string, cents: number): Leg[] {
  return [{ cents, from: { accountUuid, bucket: 'provisioned' }, to: { accountUuid, bucket: 'outside' } }]
}
export function returnFailed(accountUuid: string, cents: number): Leg[] {
  return [{ cents, from: { accountUuid, bucket: 'provisioned' }, to: { accountUuid, bucket: 'pending' } }]
}
