import { expect, jest, test } from '@jest/globals'

const MINUTE_MS = 60_000
/** The module of a worker that has just started. */
async function startClock() {
  jest.resetModules()
  return import('../../../src/workflows/shared/worker-clock.ts')
}

test.each([
  ['no task yet', [], 12_000],
  ['prompt tasks', [40, 8, 900], 12_000],
  ['a busy machine', [4_000, 9_000], 12_000],
  ['a clock that is an hour ahead', [3_600_040, 3_600_008], -3_588_008],
  ['a clock that is a minute behind', [-59_900, -59_992], 71_992],
])('an age of 12 s after %s', async (_, ages, corrected) => {
  const { correctTaskAge, observeTaskAge } = await startClock()
  for (const age of ages) observeTaskAge(age, 0)
  expect(correctTaskAge(12_000)).toBe(corrected)
})

test('a clock that is set forward counts as such after two windows', async () => {
  const { correctTaskAge, observeTaskAge } = await startClock()
  observeTaskAge(10, 0)
  observeTaskAge(60_010, 1)
  expect(correctTaskAge(60_020)).toBe(60_020)
  observeTaskAge(60_010, 16 * MINUTE_MS)
  observeTaskAge(60_010, 32 * MINUTE_MS)
  expect(correctTaskAge(60_020)).toBe(10)
})
