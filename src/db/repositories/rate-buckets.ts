import type { EntityManager } from '../client/orm.ts'
import { ASYNC_COMMIT, firstRow, type Query, query, runAsyncCommit } from '../pipeline/query.ts'

/**
 * Requests that each token has left, for all API processes (table `rate_bucket`). Not rate-limiter-flexible 11.4.0: its
 * RateLimiterPostgres runs one statement per request, two with a burst (1,000 requests: 1,000 and 1,121 statements), in a
 * round trip of its own, and counts in fixed windows; a share of 25 requests here goes with the query of the token.
 */

/** Rate at which a bucket fills, its size, and the size of a share. */
type BucketPolicy = { perSecond: number; burst: number; shareSize: number }
/** A token by its uuid, or by its hash in hexadecimal. */
type TokenKey = { uuid: string } | { hash: string }
export type BucketShare = { tokenUuid: string; granted: number; bucketLeft: number }

/**
 * Queries a share: refills the bucket up to now, adds the returned requests and takes a share, as far as there is one.
 * Run with asynchronous commit: a crash of PostgreSQL may lose the latest share, which leaves the bucket a little fuller.
 */
export function queryBucketShare(
  token: TokenKey,
  { perSecond, burst, shareSize }: BucketPolicy,
  returnedRequests: number,
): Query<BucketShare | undefined> {
  const [key, value] =
    'uuid' in token
      ? ['?', token.uuid]
      : [`(select uuid from token where hash = decode(?, 'hex'))`, token.hash]
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
       ) f, ${ASYNC_COMMIT}
       where b.token_uuid = f.token_uuid
       returning b.token_uuid as "tokenUuid", f.granted, b.tokens as "bucketLeft"`,
      [shareSize, burst, returnedRequests, perSecond, value],
      rows => rows as BucketShare[],
    ),
  )
}

/** Takes a share. Creates the token's bucket, full, at its first request; of several processes one inserts it. */
export async function takeBucketShare(
  em: EntityManager,
  uuid: string,
  policy: BucketPolicy,
  returnedRequests: number,
): Promise<BucketShare> {
  const shareQuery = queryBucketShare({ uuid }, policy, returnedRequests)
  const share = await runAsyncCommit(em, shareQuery)
  if (share) return share
  await em.execute(
    `insert into rate_bucket (token_uuid, tokens, filled_at) values (?, ?, clock_timestamp())
     on conflict (token_uuid) do nothing`,
    [uuid, policy.burst],
  )
  const first = await runAsyncCommit(em, shareQuery)
  if (!first) throw new Error('the token has no rate limit bucket')
  return first
}
