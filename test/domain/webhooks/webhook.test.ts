import { describe, expect, test } from '@jest/globals'
import { DISABLE_AFTER_MS, RETRY_SCHEDULE_MS, retryDelayMs } from '../../../src/domain/webhooks/webhook.ts'

const SECOND = 1_000
const HOUR = 3_600_000
const TRIES = RETRY_SCHEDULE_MS.length

test('the retry schedule is SPEC §8: nine waits, 75 h 35 min 5 s in all', () => {
  expect(RETRY_SCHEDULE_MS.map(wait => wait / SECOND)).toEqual([
    5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400,
  ])
  const total = RETRY_SCHEDULE_MS.reduce((sum, wait) => sum + wait, 0)
  expect(total).toBe(75 * HOUR + 35 * 60 * SECOND + 5 * SECOND)
})

test('an endpoint is not disabled before a delivery has had all of its attempts', () => {
  const longest = RETRY_SCHEDULE_MS.reduce((sum, wait) => sum + wait * 1.1, 0)
  expect(longest).toBeLessThan(DISABLE_AFTER_MS)
})

describe('the wait after each attempt', () => {
  test.each(RETRY_SCHEDULE_MS.map((wait, index) => [index + 1, wait]))(
    'attempt %d: %d ms, spread over a fifth of it',
    (tries, wait) => {
      expect(retryDelayMs(tries, 0)).toBe(Math.round(wait * 0.9))
      expect(retryDelayMs(tries, 0.5)).toBe(wait)
      const most = retryDelayMs(tries, 0.999_999)!
      expect(most).toBeGreaterThan(wait * 1.09)
      expect(most).toBeLessThanOrEqual(wait * 1.1)
    },
  )

  test('there is none after the last', () => {
    expect(retryDelayMs(TRIES + 1, 0.5)).toBeNull()
    expect(retryDelayMs(TRIES + 1, 0.5, HOUR)).toBeNull()
  })
})

describe('Retry-After', () => {
  test.each([
    ['more than the schedule is honoured', 1, HOUR, HOUR],
    ['less than the schedule changes nothing', 4, SECOND, 2 * HOUR],
    ['more than a day is a day', 1, 1_000 * HOUR, 24 * HOUR],
    ['none', 1, 0, 5 * SECOND],
  ])('%s', (_, tries, retryAfterMs, waitMs) => {
    expect(retryDelayMs(tries, 0.5, retryAfterMs)).toBe(waitMs)
  })
})
