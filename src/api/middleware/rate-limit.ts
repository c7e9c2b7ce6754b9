import type { Orm } from '../../db/client/orm.ts'
import { mapQuery, noQuery, type Query } from '../../db/pipeline/query.ts'
import { type BucketShare, queryBucketShare, takeBucketShare } from '../../db/repositories/rate-buckets.ts'
import { fail } from '../../http/api-error.ts'
import { EXHAUSTED_LEASE_MS, MAX_CACHED_TOKENS, RATE_LEASE_MS } from '../../http/limits.ts'
import { isReadOnlyRefusal } from '../../http/outage.ts'
import { evictOldest } from '../authorization/authenticate.ts'

export type RateLimiter = {
  /** Counts a request of a token: returns the rate limit headers, or fails with 429. */
  countRequest: (tokenUuid: string) => Promise<Record<string, string>>
  /**
   * Query that leases a share for a token known only by its hash, to be sent with the token lookup; no query where
   * the lease of `tokenUuid` still suffices.
   */
  queryShare: (hash: string, tokenUuid: string | undefined) => Query<unknown>
}

/**
 * Creates the rate limiter: one limit per token across all API processes (SPEC §1), which lease shares of it. `now` is a
 * monotonic clock in ms: a step of the wall clock neither extends nor ends a lease.
 */
export function createRateLimiter(
  orm: Orm,
  policy: RateLimitPolicy,
  now: () => number = () => performance.now(),
): RateLimiter {
  const bucketPolicy = { ...policy, shareSize: computeShareSize(policy) }
  const leases = new Map<string, RateLease>()
  const pendingLeases = new Map<string, Promise<void>>()

  /** Leases a new share; concurrent requests wait for the same statement. */
  function leaseShare(tokenUuid: string): Promise<void> {
    const pending = pendingLeases.get(tokenUuid)
    if (pending) return pending
    const lease = takeBucketShare(orm.em.fork(), tokenUuid, bucketPolicy, removeLease(tokenUuid))
      .then(addShare)
      .catch(error => {
        if (!isReadOnlyRefusal(error)) throw error
        leases.set(tokenUuid, openReadOnlyLease(policy, now()))
      })
      .finally(() => pendingLeases.delete(tokenUuid))
    pendingLeases.set(tokenUuid, lease)
    return lease
  }

  /** Removes the lease and returns its unused requests, so that they are given back once even if that fails. */
  function removeLease(tokenUuid: string): number {
    const unusedRequests = leases.get(tokenUuid)?.remainingRequests ?? 0
    leases.delete(tokenUuid)
    return unusedRequests
  }

  /** Opens a lease, adding what a concurrent statement has leased meanwhile. */
  function addShare({ tokenUuid, granted, bucketLeft }: BucketShare): void {
    const unusedRequests = leases.get(tokenUuid)?.remainingRequests ?? 0
    leases.delete(tokenUuid) // Keeps the map ordered by time of leasing, for eviction.
    leases.set(tokenUuid, openLease(granted + unusedRequests, bucketLeft, now()))
    evictOldest(leases, MAX_CACHED_TOKENS)
  }

  function needsShare(tokenUuid: string): boolean {
    return !pendingLeases.has(tokenUuid) && consumeLease(leases.get(tokenUuid), now()).kind === 'ask'
  }

  function queryShare(hash: string, tokenUuid: string | undefined): Query<unknown> {
    if (tokenUuid !== undefined && !needsShare(tokenUuid)) return noQuery
    const returnedRequests = tokenUuid === undefined ? 0 : removeLease(tokenUuid)
    const share = queryBucketShare({ hash }, bucketPolicy, returnedRequests)
    return mapQuery(share, leasedShare => leasedShare && addShare(leasedShare)) // `leaseShare` creates a missing bucket.
  }

  async function countRequest(tokenUuid: string): Promise<Record<string, string>> {
    for (;;) {
      const outcome = consumeLease(leases.get(tokenUuid), now())
      switch (outcome.kind) {
        case 'accepted':
          leases.set(tokenUuid, outcome.lease)
          return buildRateLimitHeaders(outcome.lease, policy)
        case 'refused':
          return fail('rate_limited', {
            retryAfterS: computeRetryAfterS(outcome.lease, policy),
            headers: buildRateLimitHeaders(outcome.lease, policy),
          })
        case 'ask':
          await leaseShare(tokenUuid)
      }
    }
  }

  return { countRequest, queryShare }
}

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
    isExhausted,
    endsAtMs: nowMs + (isExhausted ? EXHAUSTED_LEASE_MS : RATE_LEASE_MS),
  }
}

/** Opens a lease without a bucket, where PostgreSQL is read-only: each process allows the rate by itself. */
function openReadOnlyLease({ perSecond }: RateLimitPolicy, nowMs: number): RateLease {
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
