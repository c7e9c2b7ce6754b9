import type { EntityManager, Orm } from '../../../db/client/orm.ts'
import { firstRow, mapQuery, noQuery, type Query, query, runAsyncCommit } from '../../../db/pipeline/query.ts'
import { fail } from '../../http/api-error.ts'
import { isReadOnlyRefusal } from '../../http/outage.ts'
import { MAX_CACHED_TOKENS } from '../../limits.ts'
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

type BucketShare = { tokenUuid: string; granted: number; bucketLeft: number }

/** Creates the rate limiter: one limit per token across all API processes (SPEC §1), which lease shares of it. */
export function createRateLimiter(
  orm: Orm,
  policy: RateLimitPolicy,
  now: () => number = Date.now,
): RateLimiter {
  const leases = new Map<string, RateLease>()
  const pendingLeases = new Map<string, Promise<void>>()

  /** Leases a new share; concurrent requests wait for the same statement. */
  function leaseShare(tokenUuid: string): Promise<void> {
    const pending = pendingLeases.get(tokenUuid)
    if (pending) return pending
    const lease = takeBucketShare(orm.em.fork(), tokenUuid, policy, removeLease(tokenUuid))
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
    evictOldestLeases(leases)
  }

  function needsShare(tokenUuid: string): boolean {
    return !pendingLeases.has(tokenUuid) && consumeLease(leases.get(tokenUuid), now()).kind === 'ask'
  }

  function queryShare(hash: string, tokenUuid: string | undefined): Query<unknown> {
    if (tokenUuid !== undefined && !needsShare(tokenUuid)) return noQuery
    const returnedRequests = tokenUuid === undefined ? 0 : removeLease(tokenUuid)
    const share = queryBucketShare(policy, returnedRequests, { key: TOKEN_UUID_BY_HASH, value: hash })
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

const TOKEN_UUID_BY_HASH = `(select uuid from token where hash = decode(?, 'hex'))`

/**
 * Queries a share: refills the bucket up to now, adds the returned requests and takes a share, as far as there is one.
 * Run with asynchronous commit: a crash of PostgreSQL may lose the latest share, which leaves the bucket a little fuller.
 */
function queryBucketShare(
  policy: RateLimitPolicy,
  returnedRequests: number,
  { key, value }: { key: string; value: string },
): Query<BucketShare | undefined> {
  return firstRow(
    query(
      `update rate_bucket b set tokens = f.level - f.granted, filled_at = greatest(b.filled_at, f.at)
       from (
         select l.token_uuid, l.level, l.at, least(?::float8, floor(l.level)) as granted
         from (
           select token_uuid, clock_timestamp() as at, least(?::float8, tokens + ?::float8 + ?::float8 *
             greatest(0, extract(epoch from clock_timestamp() - filled_at)::float8)) as level
           from rate_bucket where token_uuid = ${key} for update
         ) l
       ) f
       where b.token_uuid = f.token_uuid
       returning b.token_uuid as "tokenUuid", f.granted, b.tokens as "bucketLeft"`,
      [computeShareSize(policy), policy.burst, returnedRequests, policy.perSecond, value],
      rows => rows as BucketShare[],
    ),
  )
}

async function takeBucketShare(
  em: EntityManager,
  tokenUuid: string,
  policy: RateLimitPolicy,
  returnedRequests: number,
): Promise<BucketShare> {
  const share = queryBucketShare(policy, returnedRequests, { key: '?', value: tokenUuid })
  const leasedShare =
    (await runAsyncCommit(em, share)) ??
    (await createBucket(em, tokenUuid, policy).then(() => runAsyncCommit(em, share)))
  if (!leasedShare) throw new Error('the token has no rate limit bucket')
  return leasedShare
}

/** Creates a token's bucket, full, at its first request; of several processes one inserts it. */
async function createBucket(em: EntityManager, tokenUuid: string, { burst }: RateLimitPolicy): Promise<void> {
  await em.execute(
    `insert into rate_bucket (token_uuid, tokens, filled_at) values (?, ?, clock_timestamp())
     on conflict (token_uuid) do nothing`,
    [tokenUuid, burst],
  )
}

function evictOldestLeases(leases: Map<string, RateLease>) {
  for (const tokenUuid of leases.keys()) {
    if (leases.size <= MAX_CACHED_TOKENS) return
    leases.delete(tokenUuid)
  }
}
