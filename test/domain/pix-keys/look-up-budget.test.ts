import { expect, test } from '@jest/globals'
import {
  type BudgetAt,
  computeBudgetFullAt,
  computeBudgetWaitS,
  refillBudget,
  spendBudget,
} from '../../../src/domain/pix-keys/look-up-budget.ts'

/**
 * The bucket of look-ups, beside a model in whole millitokens: "500 tokens, 20 come back each minute, one is taken by a key that is found
 * and 20 by one that is not, none below 20" (Woovi Developers, Token Bucket).
 */

const at = (left: number, atMs = 0): BudgetAt => ({ capacity: 500, left, refillPerMinute: 20, atMs })

/** Numbers that repeat: a linear congruential generator. */
function createNumbers(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state % below
  }
}

test.each([1, 2, 3, 4])('equals the model over 10,000 events of seed %i', seed => {
  const next = createNumbers(seed)
  let budget = at(500)
  // 20 tokens in 60,000 ms: one third of a millitoken each ms, so that thirds of a millitoken are whole.
  const full = 500_000 * 3
  let [thirds, nowMs, refused] = [full, 0, 0]
  for (let event = 0; event < 10_000; event++) {
    const passedMs = next(4_000)
    nowMs += passedMs
    thirds = Math.min(full, thirds + passedMs)
    if (thirds < 20_000 * 3) {
      refused += 1
      const waitS = computeBudgetWaitS(budget, nowMs)
      const missingS = (20_000 * 3 - thirds) / 1_000
      expect(waitS).toBeGreaterThanOrEqual(missingS - 1e-6)
      expect(waitS).toBeLessThanOrEqual(Math.ceil(missingS + 1e-6))
      expect(refillBudget(budget, nowMs + waitS * 1_000).left).toBeGreaterThanOrEqual(20 - 1e-6)
      continue
    }
    // A millisecond later, because thirds are not whole in the bucket.
    expect(computeBudgetWaitS(budget, nowMs + 1)).toBe(0)
    const cost = next(10) === 0 ? 20 : 1
    thirds -= cost * 3_000
    budget = spendBudget(budget, cost, nowMs)
    expect(budget.left).toBeCloseTo(thirds / 3_000, 6)
  }
  expect(refused).toBeGreaterThan(100)
})

test('is never below zero, above its capacity, or refilled by a clock that was set back', () => {
  expect(spendBudget(at(5), 20, 0).left).toBe(0)
  expect(refillBudget(at(499), 3_600_000).left).toBe(500)
  expect(refillBudget(at(100, 60_000), 0)).toEqual(at(100, 60_000))
})

test('names when it is full again, and the longest wait where nothing is refilled', () => {
  expect(computeBudgetFullAt(at(480, 1_000)).getTime()).toBe(61_000)
  expect(computeBudgetFullAt(at(500, 1_000)).getTime()).toBe(1_000)
  expect(computeBudgetWaitS({ ...at(0), refillPerMinute: 0 }, 0)).toBe(3_600)
  expect(computeBudgetWaitS({ capacity: 10, left: 10, refillPerMinute: 1, atMs: 0 }, 0)).toBe(0)
})
