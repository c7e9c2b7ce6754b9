import type { EntityManager, Orm } from '../../../db/client/orm.ts'
import { firstRow, mapQuery, noQuery, type Query, query, runAsyncCommit } from '../../../db/pipeline/query.ts'
import { fail } from '../../http/api-error.ts'
import { MAX_CACHED_TOKENS } from '../../limits.ts'
import {
  buildRateLimitHeaders,
  computeRetryAfterS,
  computeShareSize,
  consumeLease,
  openLease,
  type RateLease,
  type RateLimitPolicy,
} from './lease.ts'

export type RateLimiter = {
  /** Counts a request of a token: answers the headers that say where it stands, or refuses with 429. */
  countRequest: (tokenUuid: string) => Promise<Record<string, string>>
  /** A share for the requests of a token that is looked up by its hash, and by which uuid it was known, where it needs one. */
  queryShare: (hash: string, tokenUuid: string | undefined) => Query<unknown>
}

/** What was cut off the bucket of a token. */
type BucketShare = { tokenUuid: string; granted: number; bucketLeft: number }

/** SPEC §1: one limit per token across all API processes, each leasing its share from PostgreSQL. */
export function createRateLimiter(
  orm: Orm,
  policy: RateLimitPolicy,
  now: () => number = Date.now,
): RateLimiter {
  const leases = new Map<string, RateLease>()
  const asking = new Map<string, Promise<void>>()

  /** Requests of the same moment wait for one answer of the bucket. */
  function ask(tokenUuid: string): Promise<void> {
    const under = asking.get(tokenUuid)
    if (under) return under
    const answered = takeBucketShare(orm.em.fork(), tokenUuid, policy, givenBack(tokenUuid))
      .then(open)
      .finally(() => asking.delete(tokenUuid))
    asking.set(tokenUuid, answered)
    return answered
  }

  /** What is left of a share, given back once, whatever becomes of the question. */
  function givenBack(tokenUuid: string): number {
    const left = leases.get(tokenUuid)?.remainingRequests ?? 0
    leases.delete(tokenUuid)
    return left
  }

  /** With what another question has brought meanwhile. */
  function open({ tokenUuid, granted, bucketLeft }: BucketShare): void {
    const had = leases.get(tokenUuid)?.remainingRequests ?? 0
    leases.delete(tokenUuid) // So that the map stays in the order of opening.
    leases.set(tokenUuid, openLease(granted + had, bucketLeft, now()))
    evictOldestLeases(leases)
  }

  function needsShare(tokenUuid: string): boolean {
    return !asking.has(tokenUuid) && consumeLease(leases.get(tokenUuid), now()).kind === 'ask'
  }

  function shareBeside(hash: string, tokenUuid: string | undefined): Query<unknown> {
    if (tokenUuid !== undefined && !needsShare(tokenUuid)) return noQuery
    const returned = tokenUuid === undefined ? 0 : givenBack(tokenUuid)
    const share = queryBucketShare(policy, returned, { key: TOKEN_UUID_BY_HASH, value: hash })
    return mapQuery(share, found => found && open(found)) // A bucket that is not there yet is opened where one is needed.
  }

  async function count(tokenUuid: string): Promise<Record<string, string>> {
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
          await ask(tokenUuid)
      }
    }
  }

  return { countRequest: count, queryShare: shareBeside }
}

const TOKEN_UUID_BY_HASH = `(select uuid from token where hash = decode(?, 'hex'))`

/** Fills the bucket up to now, takes back what was not used, and cuts off as much of a share as there is; a crash fills it a little. */
function queryBucketShare(
  policy: RateLimitPolicy,
  returned: number,
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
      [computeShareSize(policy), policy.burst, returned, policy.perSecond, value],
      rows => rows as BucketShare[],
    ),
  )
}

async function takeBucketShare(
  em: EntityManager,
  tokenUuid: string,
  policy: RateLimitPolicy,
  returned: number,
): Promise<BucketShare> {
  const share = queryBucketShare(policy, returned, { key: '?', value: tokenUuid })
  const found =
    (await runAsyncCommit(em, share)) ??
    (await createBucket(em, tokenUuid, policy).then(() => runAsyncCommit(em, share)))
  if (!found) throw new Error('a token without a bucket')
  return found
}

/** A token's first request finds its bucket full; of several processes one opens it. */
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
