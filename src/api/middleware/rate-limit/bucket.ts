import type { Orm } from '../../../db/client/orm.ts'
import { mapQuery, noQuery, type Query } from '../../../db/pipeline/query.ts'
import { type BucketShare, queryBucketShare, takeBucketShare } from '../../../db/repositories/rate-buckets.ts'
import { fail } from '../../../http/api-error.ts'
import { MAX_CACHED_TOKENS } from '../../../http/limits.ts'
import { isReadOnlyRefusal } from '../../../http/outage.ts'
import { evictOldest } from '../../authorization/authenticate.ts'
import {
  buildRateLimitHeaders,
  computeRetryAfterS,
  computeShareSize,
  consumeLease,
  openLease,
  openReadOnlyLease,
  type RateLease,
  type RateLimitPolicy,
} from './lease.ts'

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
