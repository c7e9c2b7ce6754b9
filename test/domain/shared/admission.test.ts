import { describe, expect, test } from '@jest/globals'
import {
  type AdmissionLimit,
  adjustLimit,
  findOverload,
  INITIAL_LIMIT,
} from '../../../src/domain/shared/admission.ts'

const NORMAL = { limitCount: 100, runningCount: 0, oldestWaitMs: 0, sinceConfirmedMs: 0, taskAgeMs: 0 }
const [FULL, STALLED] = ['too many operations in progress', 'tasks wait for workers']

describe('a new operation', () => {
  test.each([
    ['an idle service', { sinceConfirmedMs: 3_600_000 }, null],
    ['a process that has just started, between old tasks', { taskAgeMs: 60_000 }, null],
    ['operations below the limit', { runningCount: 99, oldestWaitMs: 2_000, sinceConfirmedMs: 10 }, null],
    ['operations at the limit', { runningCount: 100 }, FULL],
    ['a limit with a fraction', { limitCount: 16.9, runningCount: 16 }, FULL],
    [
      'no worker',
      { runningCount: 1, oldestWaitMs: 1_000, sinceConfirmedMs: 1_000, taskAgeMs: 2_000 },
      STALLED,
    ],
    [
      'a slow provider',
      { runningCount: 9, oldestWaitMs: 4_000, sinceConfirmedMs: 4_000, taskAgeMs: 20 },
      null,
    ],
    ['an old task of a removed build, on an idle service', { taskAgeMs: 1e9, sinceConfirmedMs: 1e9 }, null],
    [
      'the same, while others are confirmed',
      { runningCount: 5, oldestWaitMs: 3_000, taskAgeMs: 1e9, sinceConfirmedMs: 30 },
      null,
    ],
  ])('with %s', (_, load, cause) => {
    expect(findOverload({ ...NORMAL, ...load })).toBe(cause)
  })
})

describe('the limit', () => {
  const sample = { isConfirmed: true, waitMs: 500, runningCount: 200, nowMs: 0 }
  const limit: AdmissionLimit = { count: 200, loweredAtMs: -5_000 }

  test.each([
    ['an early confirmation with a nearly full limit raises it', {}, 200.1],
    ['an early confirmation of few does not', { runningCount: 99 }, 200],
    ['a late confirmation with a nearly full limit lowers it a little', { waitMs: 2_501 }, 199.9],
    ['a late confirmation of a slow provider does not', { waitMs: 4_000, runningCount: 99 }, 200],
    ['a lost operation lowers it', { isConfirmed: false, waitMs: 4_500 }, 140],
    ['one that is lost together with another does not', { isConfirmed: false, nowMs: -4_500 }, 200],
  ])('%s', (_, change, count) => {
    expect(adjustLimit(limit, { ...sample, ...change }).count).toBeCloseTo(count)
  })

  test('that was lowered rises again by each early confirmation of few operations', () => {
    const lowered = { count: 40, loweredAtMs: -5_000 }
    expect(adjustLimit(lowered, { ...sample, runningCount: 1 }).count).toBe(41)
    expect(adjustLimit(lowered, { ...sample, runningCount: 40, waitMs: 2_501 }).count).toBe(40)
    expect(adjustLimit(INITIAL_LIMIT, { ...sample, runningCount: 1 })).toEqual(INITIAL_LIMIT)
  })

  test('stays between its bounds', () => {
    let [low, high] = [INITIAL_LIMIT, INITIAL_LIMIT]
    for (let n = 0; n < 20_000; n += 1) {
      low = adjustLimit(low, { ...sample, isConfirmed: false, nowMs: n * 1_000 })
      high = adjustLimit(high, { ...sample, runningCount: high.count })
    }
    expect([low.count, high.count]).toEqual([32, 1_024])
  })

  /**
   * A service that completes so many operations a second in the order of their arrival, three times as many arrive. A
   * request waits 4.5 s; the work of one that has gone stays in the queue.
   */
  test.each([15, 40, 100, 300])(
    'at three times a capacity of %i/s four fifths of it is confirmed in time',
    capacity => {
      const queue: { startedAtMs: number; isLost: boolean }[] = []
      let limit: AdmissionLimit = INITIAL_LIMIT
      let confirmed = 0
      const total = capacity * 120
      for (let tick = 0; tick < total; tick += 1) {
        const nowMs = (tick * 1_000) / capacity
        const waiting = queue.filter(({ isLost }) => !isLost)
        const runningCount = waiting.length
        for (const one of waiting.filter(({ startedAtMs }) => nowMs - startedAtMs > 4_500)) {
          one.isLost = true
          limit = adjustLimit(limit, { isConfirmed: false, waitMs: 4_500, runningCount, nowMs })
        }
        for (let n = 0; n < 3; n += 1)
          if (!findOverload({ ...NORMAL, limitCount: limit.count, runningCount: runningCount + n }))
            queue.push({ startedAtMs: nowMs, isLost: false })
        const { startedAtMs, isLost } = queue.shift()!
        if (isLost) continue
        confirmed += 1
        limit = adjustLimit(limit, { isConfirmed: true, waitMs: nowMs - startedAtMs, runningCount, nowMs })
      }
      expect(confirmed / total).toBeGreaterThan(0.8)
    },
  )
})
