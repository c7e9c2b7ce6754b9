import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { measureRunningTime } from '../support/running-time.ts'

test('what a process waits for counts, and the time during which it stands still does not', async () => {
  const waited = await measureRunningTime(() => sleep(300, 'slept'))
  expect(waited.result).toBe('slept')
  expect(waited.elapsedMs).toBeGreaterThan(50)
  const stood = await measureRunningTime(async () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000)
  })
  expect(stood.elapsedMs).toBeLessThanOrEqual(100)
})
