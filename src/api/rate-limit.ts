import type { EntityManager, Orm } from '../db/orm.ts'
import { askOfTheMoment, first, heardAs, NOTHING, type Question, question } from '../db/questions.ts'
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

export type RateLimiter = {
  /** Counts a request of a token: answers the headers that say where it stands, or refuses with 429. */
  count: (tokenUuid: string) => Promise<Record<string, string>>
  /** A share for the requests of a token that is looked up by its hash, and by which uuid it was known, where it needs one. */
  shareBeside: (hash: string, tokenUuid: string | undefined) => Question<unknown>
}

/** What was cut off the bucket of a token. */
type Share = { tokenUuid: string; granted: number; bucketLeft: number }

/** SPEC §1: one limit per token across all API processes, each leasing its share from PostgreSQL. */
export function rateLimiter(orm: Orm, policy: RatePolicy, now: () => number = Date.now): RateLimiter {
  const leases = new Map<string, Lease>()
  const asking = new Map<string, Promise<void>>()

  /** Requests of the same moment wait for one answer of the bucket. */
  function ask(tokenUuid: string): Promise<void> {
    const under = asking.get(tokenUuid)
    if (under) return under
    const answered = cut(orm.em.fork(), tokenUuid, policy, givenBack(tokenUuid))
      .then(open)
      .finally(() => asking.delete(tokenUuid))
    asking.set(tokenUuid, answered)
    return answered
  }

  /** What is left of a share, given back once, whatever becomes of the question. */
  function givenBack(tokenUuid: string): number {
    const left = leases.get(tokenUuid)?.left ?? 0
    leases.delete(tokenUuid)
    return left
  }

  /** With what another question has brought meanwhile. */
  function open({ tokenUuid, granted, bucketLeft }: Share): void {
    const had = leases.get(tokenUuid)?.left ?? 0
    leases.delete(tokenUuid) // So that the map stays in the order of opening.
    leases.set(tokenUuid, openedLease(granted + had, bucketLeft, now()))
    forgetOldest(leases)
  }

  function needsShare(tokenUuid: string): boolean {
    return !asking.has(tokenUuid) && takeFrom(leases.get(tokenUuid), now()).kind === 'ask'
  }

  function shareBeside(hash: string, tokenUuid: string | undefined): Question<unknown> {
    if (tokenUuid !== undefined && !needsShare(tokenUuid)) return NOTHING
    const returned = tokenUuid === undefined ? 0 : givenBack(tokenUuid)
    const share = shareOfBucket(policy, returned, { key: HASHED, value: hash })
    return heardAs(share, found => found && open(found)) // A bucket that is not there yet is opened where one is needed.
  }

  async function count(tokenUuid: string): Promise<Record<string, string>> {
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

  return { count, shareBeside }
}

const HASHED = `(select uuid from token where hash = decode(?, 'hex'))`

/** Fills the bucket up to now, takes back what was not used, and cuts off as much of a share as there is; a crash fills it a little. */
function shareOfBucket(
  policy: RatePolicy,
  returned: number,
  { key, value }: { key: string; value: string },
): Question<Share | undefined> {
  return first(
    question(
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
      [shareOf(policy), policy.burst, returned, policy.perSecond, value],
      rows => rows as Share[],
    ),
  )
}

async function cut(
  em: EntityManager,
  tokenUuid: string,
  policy: RatePolicy,
  returned: number,
): Promise<Share> {
  const share = shareOfBucket(policy, returned, { key: '?', value: tokenUuid })
  const found =
    (await askOfTheMoment(em, share)) ??
    (await openBucket(em, tokenUuid, policy).then(() => askOfTheMoment(em, share)))
  if (!found) throw new Error('a token without a bucket')
  return found
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
