import type { EntityManager, Orm } from '../db/orm.ts'
import { rowsOfTheMoment } from '../db/questions.ts'
import { refuse } from './errors.ts'
import {
  type Lease,
  openedLease,
  type RatePolicy,
  rateHeaders,
  retryAfterS,
  shareOf,
  takeFrom,
} from './lease.ts'
import { MOST_REMEMBERED_TOKENS } from './limits.ts'

/** Counts a request of a token: answers the headers that say where it stands, or refuses with 429. */
export type CountRequest = (tokenUuid: string) => Promise<Record<string, string>>

/** SPEC §1: one limit per token across all API processes, each leasing its share from PostgreSQL. */
export function rateLimiter(orm: Orm, policy: RatePolicy, now: () => number = Date.now): CountRequest {
  const leases = new Map<string, Lease>()
  const asking = new Map<string, Promise<void>>()

  /** Requests of the same moment wait for one answer of the bucket. */
  function ask(tokenUuid: string): Promise<void> {
    const under = asking.get(tokenUuid)
    if (under) return under
    const returned = leases.get(tokenUuid)?.left ?? 0
    leases.delete(tokenUuid) // Given back once, whatever becomes of the question.
    const answered = lease(orm.em.fork(), tokenUuid, policy, returned)
      .then(({ granted, bucketLeft }) => {
        leases.set(tokenUuid, openedLease(granted, bucketLeft, now()))
        forgetOldest(leases)
      })
      .finally(() => asking.delete(tokenUuid))
    asking.set(tokenUuid, answered)
    return answered
  }

  return async tokenUuid => {
    for (;;) {
      const outcome = takeFrom(leases.get(tokenUuid), now())
      switch (outcome.kind) {
        case 'taken':
          leases.set(tokenUuid, outcome.lease)
          return rateHeaders(outcome.lease, policy)
        case 'refused':
          return refuse('rate_limited', {
            retryAfterS: retryAfterS(outcome.lease, policy),
            headers: rateHeaders(outcome.lease, policy),
          })
        case 'ask':
          await ask(tokenUuid)
      }
    }
  }
}

/** Fills the bucket up to now, takes back what was not used, and cuts off as much of a share as there is; a crash fills it a little. */
async function lease(em: EntityManager, tokenUuid: string, policy: RatePolicy, returned: number) {
  const cut = () =>
    rowsOfTheMoment<{ granted: number; bucket_left: number }>(
      em,
      `update rate_bucket b set tokens = f.level - f.granted, filled_at = greatest(b.filled_at, f.at)
       from (
         select l.token_uuid, l.level, l.at, least(?::float8, floor(l.level)) as granted
         from (
           select token_uuid, clock_timestamp() as at, least(?::float8, tokens + ?::float8 + ?::float8 *
             greatest(0, extract(epoch from clock_timestamp() - filled_at)::float8)) as level
           from rate_bucket where token_uuid = ? for update
         ) l
       ) f
       where b.token_uuid = f.token_uuid
       returning f.granted, b.tokens as bucket_left`,
      [shareOf(policy), policy.burst, returned, policy.perSecond, tokenUuid],
    )
  const row = (await cut())[0] ?? (await openBucket(em, tokenUuid, policy).then(cut))[0]
  if (!row) throw new Error('a token without a bucket')
  return { granted: row.granted, bucketLeft: row.bucket_left }
}

/** A token's first request finds its bucket full; of several processes one opens it. */
async function openBucket(em: EntityManager, tokenUuid: string, { burst }: RatePolicy): Promise<void> {
  await em.execute(
    `insert into rate_bucket (token_uuid, tokens, filled_at) values (?, ?, clock_timestamp())
     on conflict (token_uuid) do nothing`,
    [tokenUuid, burst],
  )
}

function forgetOldest(leases: Map<string, Lease>) {
  for (const tokenUuid of leases.keys()) {
    if (leases.size <= MOST_REMEMBERED_TOKENS) return
    leases.delete(tokenUuid)
  }
}
