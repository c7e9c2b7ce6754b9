import { EXHAUSTED_LEASE_MS, RATE_LEASE_MS } from '../../../http/limits.ts'

/** Arithmetic of the rate limit per token (SPEC §1): each process holds a lease on a share of the token's bucket. */

export type RateLimitPolicy = { perSecond: number; burst: number }

/** A leased share of a token's bucket in one process; requests counted against it need no round trip. */
export type RateLease = {
  remainingRequests: number
  /** Level of the bucket after this share was leased. */
  bucketLeft: number
  /** By the limiter's monotonic clock. */
  endsAtMs: number
  /** The bucket was empty: PostgreSQL is not asked again until this lease ends. */
  isExhausted: boolean
}

/** Computes how many requests a process leases at once: few round trips, and no process starves the others. */
export function computeShareSize({ burst }: RateLimitPolicy): number {
  return Math.max(1, Math.ceil(burst / 8))
}

export function openLease(granted: number, bucketLeft: number, nowMs: number): RateLease {
  const isExhausted = granted === 0
  return {
    remainingRequests: granted,
    bucketLeft,
    isExhausted: isExhausted,
    endsAtMs: nowMs + (isExhausted ? EXHAUSTED_LEASE_MS : RATE_LEASE_MS),
  }
}

/** Opens a lease without a bucket, where PostgreSQL is read-only: each process allows the rate by itself. */
export function openReadOnlyLease({ perSecond }: RateLimitPolicy, nowMs: number): RateLease {
  const remainingRequests = Math.max(1, Math.ceil(perSecond))
  return { remainingRequests, bucketLeft: 0, isExhausted: true, endsAtMs: nowMs + RATE_LEASE_MS }
}

/** Takes one request out of a lease: accepted, refused, or a new lease is needed. */
export function consumeLease(
  lease: RateLease | undefined,
  nowMs: number,
): { kind: 'accepted'; lease: RateLease } | { kind: 'refused'; lease: RateLease } | { kind: 'ask' } {
  if (!lease || nowMs >= lease.endsAtMs) return { kind: 'ask' }
  if (lease.remainingRequests >= 1)
    return { kind: 'accepted', lease: { ...lease, remainingRequests: lease.remainingRequests - 1 } }
  return lease.isExhausted ? { kind: 'refused', lease } : { kind: 'ask' }
}

/** Computes the whole seconds until the bucket allows one more request. */
export function computeRetryAfterS({ bucketLeft }: RateLease, { perSecond }: RateLimitPolicy): number {
  return Math.max(1, Math.ceil((1 - bucketLeft) / perSecond))
}

/**
 * Builds `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers): the quota is the burst, its
 * window the time in which an empty bucket refills. Requests leased by other processes are not counted.
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
