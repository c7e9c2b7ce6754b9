import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createAuthenticator } from '../../../src/api/authorization/authenticate.ts'
import {
  buildRateLimitHeaders,
  computeRetryAfterS,
  computeShareSize,
  consumeLease,
  createRateLimiter,
  openLease,
  type RateLease,
  type RateLimitPolicy,
} from '../../../src/api/middleware/rate-limit.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { openCapturedOrm } from '../support/postgres-messages.ts'
import { sampleRoutes } from '../support/sample-routes.ts'

describe('rate limit', () => {
  /** So slow that no bucket refills during a test. */
  const SLOW = 0.001

  let fixture: ApiFixture
  beforeAll(async () => {
    fixture = await openApiFixture([sampleRoutes], { TRILHO_RATE_LIMIT: '0.01', TRILHO_RATE_BURST: '3' })
  })
  afterAll(() => fixture?.close())

  describe('over HTTP', () => {
    test('a token has its burst, then 429 until the bucket refills', async () => {
      const token = await fixture.insertToken({ accountUuid: await fixture.insertAccount() })
      const answers = []
      const began = Date.now()
      for (let index = 0; index < 4; index += 1)
        answers.push(await fixture.call('GET', '/api/v1/whoami', { token }))
      expect(answers.map(answer => answer.status)).toEqual([200, 200, 200, 429])
      expect(answers.map(answer => answer.headers.get('ratelimit-policy'))).toEqual(
        Array(4).fill('"token";q=3;w=300'),
      )
      const lastedS = Math.ceil((Date.now() - began) / 1_000)
      const [left, resetsS] = /^"token";r=(\d);t=(\d+)$/.exec(answers[3]!.headers.get('ratelimit')!)!.slice(1)
      expect(answers[0]?.headers.get('ratelimit')).toBe('"token";r=2;t=100')
      expect(left).toBe('0')
      expect(answers[3]?.body.code).toBe('rate_limited')
      for (const [saidS, wholeS] of [
        [Number(resetsS), 300],
        [Number(answers[3]?.headers.get('retry-after')), 100],
      ] as const) {
        expect(saidS).toBeLessThanOrEqual(wholeS)
        expect(saidS).toBeGreaterThanOrEqual(wholeS - lastedS)
      }
    })

    test('one token uses up neither another token’s limit nor its account’s', async () => {
      const accountUuid = await fixture.insertAccount()
      const [one, two] = [
        await fixture.insertToken({ accountUuid }),
        await fixture.insertToken({ accountUuid }),
      ]
      for (let index = 0; index < 4; index += 1) await fixture.call('GET', '/api/v1/whoami', { token: one })
      expect((await fixture.call('GET', '/api/v1/whoami', { token: two })).status).toBe(200)
    })

    test('requests without a token are not counted', async () => {
      expect((await fixture.call('GET', '/nowhere')).headers.get('ratelimit')).toBeNull()
    })
  })

  /** Processes that share one token's limit, and how many of their requests passed. */
  async function sendFromManyProcesses(processes: number, requests: number, policy: RateLimitPolicy) {
    const tokenUuid = await newTokenRow()
    const limiters = Array.from({ length: processes }, () => createRateLimiter(fixture.orm, policy))
    const outcomes = await Promise.all(
      limiters.flatMap(({ countRequest: count }) =>
        Array.from({ length: requests }, () => count(tokenUuid).then(() => true, refused)),
      ),
    )
    return { tokenUuid, limiters, passed: outcomes.filter(Boolean).length }
  }

  function refused(error: { code?: string }): false {
    if (error.code !== 'rate_limited') throw error
    return false
  }

  async function newTokenRow(): Promise<string> {
    await fixture.insertToken({ accountUuid: await fixture.insertAccount() })
    const [row] = await fixture.orm.em.execute<{ uuid: string }[]>(
      'select uuid from token order by created_at desc limit 1',
    )
    return row?.uuid ?? randomUUID()
  }

  const bucketOf = async (tokenUuid: string) => {
    const [row] = await fixture.orm.em.execute<{ tokens: number }[]>(
      'select tokens from rate_bucket where token_uuid = ?',
      [tokenUuid],
    )
    return row?.tokens ?? Number.NaN
  }

  describe('across processes', () => {
    test.each([
      { processes: 1, requests: 300, burst: 200 },
      { processes: 4, requests: 100, burst: 200 },
      { processes: 8, requests: 50, burst: 17 },
      { processes: 3, requests: 10, burst: 1 },
    ])(
      '$processes with $requests requests each pass a burst of $burst, no more',
      async ({ processes, requests, burst }) => {
        const { passed } = await sendFromManyProcesses(processes, requests, { perSecond: SLOW, burst })
        expect(passed).toBe(burst)
      },
    )

    test('fewer requests than the burst all pass, in few round trips', async () => {
      const { passed, tokenUuid } = await sendFromManyProcesses(2, 90, { perSecond: SLOW, burst: 200 })
      expect(passed).toBe(180)
      expect(await bucketOf(tokenUuid)).toBeLessThanOrEqual(20)
    })

    test('an empty bucket fills at its rate', async () => {
      const policy = { perSecond: 100, burst: 10 }
      const { tokenUuid, limiters } = await sendFromManyProcesses(1, 20, policy)
      await pause(500)
      const { countRequest: count } = limiters[0]!
      const began = Date.now()
      const later = await Promise.all(
        Array.from({ length: 30 }, () => count(tokenUuid).then(() => true, refused)),
      )
      const passed = later.filter(Boolean).length
      expect(passed).toBeGreaterThanOrEqual(10)
      // The bucket keeps refilling meanwhile, and a lease is counted by the millisecond.
      expect(passed).toBeLessThanOrEqual(11 + Math.ceil(((Date.now() - began) / 1_000) * policy.perSecond))
    })

    test('a lease that is not used within a second is returned', async () => {
      let nowMs = 0
      const policy = { perSecond: SLOW, burst: 80 }
      const { countRequest: count } = createRateLimiter(fixture.orm, policy, () => nowMs)
      const tokenUuid = await newTokenRow()
      await count(tokenUuid)
      expect(await bucketOf(tokenUuid)).toBeCloseTo(70, 0)
      nowMs = 1_000
      await count(tokenUuid)
      expect(await bucketOf(tokenUuid)).toBeCloseTo(69, 0)
    })

    test('a token unused for a second is loaded together with its lease in one round trip', async () => {
      const { orm, captured: wire, close } = await openCapturedOrm(fixture.config.databaseUrl)
      let nowMs = 0
      const now = () => nowMs
      const limiter = createRateLimiter(orm, { perSecond: SLOW, burst: 80 }, now)
      const authenticate = createAuthenticator(orm, { batchedQuery: limiter.queryShare, now })
      const token = await fixture.insertToken({ accountUuid: await fixture.insertAccount() })
      const one = async () => {
        wire.forget()
        const { uuid } = (await authenticate(`Bearer ${token}`)).caller
        await limiter.countRequest(uuid)
        return { said: wire.messages.length, left: await bucketOf(uuid) }
      }
      expect(await one()).toEqual({ said: 4, left: expect.closeTo(70, 0) }) // Its bucket had yet to be created.
      expect(await one()).toEqual({ said: 0, left: expect.closeTo(70, 0) })
      nowMs = 1_000
      expect(await one()).toEqual({ said: 1, left: expect.closeTo(68, 0) })
      nowMs = 1_999
      for (let n = 0; n < 9; n += 1) expect(await one()).toEqual({ said: 0, left: expect.closeTo(68, 0) })
      expect(await one()).toEqual({ said: 1, left: expect.closeTo(58, 0) }) // Its lease is used up, and its token still cached.
      nowMs = 2_000
      expect(await one()).toEqual({ said: 1, left: expect.closeTo(58, 0) }) // The rest of its lease is not reduced again.
      await close()
    })

    test('two concurrent lookups get one lease', async () => {
      const policy = { perSecond: SLOW, burst: 80 }
      const now = () => 0
      const limiter = createRateLimiter(fixture.orm, policy, now)
      const token = await fixture.insertToken({ accountUuid: await fixture.insertAccount() })
      const authenticate = createAuthenticator(fixture.orm, { batchedQuery: limiter.queryShare })
      const { uuid } = (await authenticate(`Bearer ${token}`)).caller
      await limiter.countRequest(uuid)
      const again = createAuthenticator(fixture.orm, { batchedQuery: limiter.queryShare })
      await again(`Bearer ${token}`)
      expect(await bucketOf(uuid)).toBeCloseTo(60, 0)
      for (let n = 0; n < 19; n += 1) await limiter.countRequest(uuid)
      expect(await bucketOf(uuid)).toBeCloseTo(60, 0)
    })
  })
})

describe('rate limit lease', () => {
  const policy = { perSecond: 100, burst: 200 }
  const lease = (more: Partial<RateLease> = {}): RateLease => ({
    remainingRequests: 3,
    bucketLeft: 100,
    isExhausted: false,
    endsAtMs: 1_000,
    ...more,
  })

  describe('a process requests', () => {
    test.each([
      { burst: 200, share: 25 },
      { burst: 8, share: 1 },
      { burst: 9, share: 2 },
      { burst: 1, share: 1 },
      { burst: 0.5, share: 1 },
    ])('$share of a burst of $burst', ({ burst, share }) => {
      expect(computeShareSize({ perSecond: 1, burst })).toBe(share)
    })
  })

  describe('a lease', () => {
    test.each([
      { granted: 25, is: 'kept for a second', isDry: false, endsAtMs: 6_000 },
      { granted: 1, is: 'kept for a second', isDry: false, endsAtMs: 6_000 },
      { granted: 0, is: 'asked for again soon', isDry: true, endsAtMs: 5_100 },
    ])('of $granted is $is', ({ granted, isDry, endsAtMs }) => {
      expect(openLease(granted, 7, 5_000)).toEqual({
        remainingRequests: granted,
        bucketLeft: 7,
        isExhausted: isDry,
        endsAtMs,
      })
    })

    test.each([
      { name: 'there is no lease', lease: undefined, at: 0, kind: 'ask' },
      { name: 'some of it remains', lease: lease(), at: 999, kind: 'accepted' },
      { name: 'its second has passed', lease: lease(), at: 1_000, kind: 'ask' },
      { name: 'it is used up', lease: lease({ remainingRequests: 0 }), at: 0, kind: 'ask' },
      {
        name: 'the bucket was empty',
        lease: lease({ remainingRequests: 0, isExhausted: true }),
        at: 999,
        kind: 'refused',
      },
      {
        name: 'the bucket may have filled',
        lease: lease({ remainingRequests: 0, isExhausted: true }),
        at: 1_000,
        kind: 'ask',
      },
    ])('answers $kind where $name', ({ lease, at, kind }) => {
      expect(consumeLease(lease, at).kind).toBe(kind)
    })

    test('shrinks with each request', () => {
      expect(consumeLease(lease(), 0)).toEqual({ kind: 'accepted', lease: lease({ remainingRequests: 2 }) })
    })
  })

  describe('a refused caller waits', () => {
    test.each([
      { bucketLeft: 0, perSecond: 100, seconds: 1 },
      { bucketLeft: 0, perSecond: 0.25, seconds: 4 },
      { bucketLeft: 0.5, perSecond: 0.25, seconds: 2 },
      { bucketLeft: 0.99, perSecond: 100, seconds: 1 },
    ])('$seconds s with $bucketLeft in the bucket at $perSecond/s', ({ bucketLeft, perSecond, seconds }) => {
      expect(computeRetryAfterS(lease({ bucketLeft }), { perSecond, burst: 1 })).toBe(seconds)
    })
  })

  describe('the headers show', () => {
    test.each([
      { left: 24, bucketLeft: 175, policy, limit: '"token";r=199;t=1', rule: '"token";q=200;w=2' },
      { left: 0, bucketLeft: 0.7, policy, limit: '"token";r=0;t=2', rule: '"token";q=200;w=2' },
      { left: 25, bucketLeft: 175, policy, limit: '"token";r=200;t=0', rule: '"token";q=200;w=2' },
      {
        left: 0,
        bucketLeft: 0,
        policy: { perSecond: 100, burst: 5 },
        limit: '"token";r=0;t=1',
        rule: '"token";q=5;w=1',
      },
    ])(
      '$limit with $left leased and $bucketLeft in the bucket',
      ({ left, bucketLeft, policy, limit, rule }) => {
        expect(buildRateLimitHeaders(lease({ remainingRequests: left, bucketLeft }), policy)).toEqual({
          RateLimit: limit,
          'RateLimit-Policy': rule,
        })
      },
    )
  })
})
