import { EXHAUSTED_LEASE_MS, RATE_LEASE_MS } from '../../limits.ts'

/** The arithmetic of the limit per token (SPEC §1): every process holds a share of the token's bucket for a while. */

export type RateLimitPolicy = { perSecond: number; burst: number }

/** A share of a token's bucket in one process; requests counted here need no round trip. */
export type RateLease = {
  /** Requests that it still covers. */
  remainingRequests: number
  /** What the bucket held when this share was cut from it. */
  bucketLeft: number
  endsAtMs: number
  /** The bucket had nothing to give: until the end nobody asks again. */
  isExhausted: boolean
}

/** How many requests a process asks for at once: few round trips, yet no process starves the others. */
export function computeShareSize({ burst }: RateLimitPolicy): number {
  return Math.max(1, Math.ceil(burst / 8))
}

export function openLease(granted: number, bucketLeft: number, nowMs: number): RateLease {
  const isDry = granted === 0
  return {
    remainingRequests: granted,
    bucketLeft,
    isExhausted: isDry,
    endsAtMs: nowMs + (isDry ? EXHAUSTED_LEASE_MS : RATE_LEASE_MS),
  }
}

/** One request out of a share: covered, refused, or to be asked for anew. */
export function consumeLease(
  lease: RateLease | undefined,
  nowMs: number,
): { kind: 'accepted'; lease: RateLease } | { kind: 'refused'; lease: RateLease } | { kind: 'ask' } {
  if (!lease || nowMs >= lease.endsAtMs) return { kind: 'ask' }
  if (lease.remainingRequests >= 1)
    return { kind: 'accepted', lease: { ...lease, remainingRequests: lease.remainingRequests - 1 } }
  return lease.isExhausted ? { kind: 'refused', lease } : { kind: 'ask' }
}

/** Whole seconds until the bucket covers one more request. */
export function computeRetryAfterS({ bucketLeft }: RateLease, { perSecond }: RateLimitPolicy): number {
  return Math.max(1, Math.ceil((1 - bucketLeft) / perSecond))
}

/**
 * `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers): the quota is the burst, its window the
 * time in which an empty bucket fills. What other processes hold of the bucket is not counted.
 */
export function buildRateLimitHeaders(
  lease: RateLease,
  { perSecond, burst }: RateLimitPolicy,
): Record<string, string> {
  const remaining = Math.floor(lease.remainingRequests + lease.bucketLeft)
  const fullInS = Math.max(0, Math.ceil((burst - remaining) / perSecond))
  return {
    'RateLimit-Policy': `"token";q=${Math.floor(burst)};w=${Math.max(1, Math.ceil(burst / perSecond))}`,
    RateLimit: `"token";r=${remaining};t=${fullInS}`,
  }
}
