import { afterEach, expect, test } from '@jest/globals'
import { watchStandstill } from '../../src/startup/standstill-watch.ts'

let stopWatch = () => {}
afterEach(() => stopWatch())

/** Blocks this thread, as a stopped process is blocked. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

const nextChecks = () => new Promise(resolve => setTimeout(resolve, 100))

function watch(maxStandstillMs: number): number[] {
  const standstills: number[] = []
  stopWatch = watchStandstill({ onStandstill: ms => standstills.push(ms), maxStandstillMs, checkEveryMs: 20 })
  return standstills
}

test('a standstill beyond the limit is reported once, as soon as the process runs again', async () => {
  const standstills = watch(300)
  await nextChecks()
  standStill(600)
  await nextChecks()
  standStill(600)
  await nextChecks()
  expect(standstills).toHaveLength(1)
  expect(standstills[0]).toBeGreaterThanOrEqual(300)
})

test('a running process gets no report', async () => {
  const standstills = watch(60_000)
  standStill(200)
  await nextChecks()
  expect(standstills).toEqual([])
})
