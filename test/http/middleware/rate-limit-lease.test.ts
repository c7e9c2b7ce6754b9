import { describe, expect, test } from '@jest/globals'
import {
  buildRateLimitHeaders,
  computeRetryAfterS,
  computeShareSize,
  consumeLease,
  openLease,
  type RateLease,
} from '../../../src/api/middleware/rate-limit.ts'

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
