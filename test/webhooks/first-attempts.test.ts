import { expect, test } from '@jest/globals'
import { createFirstAttemptSlots, type EndpointSpeed } from '../../src/activities/webhooks/first-attempts.ts'

/** Which deliveries get a first attempt within a workflow task. */

let nowMs = 0
const openSlots = (limits = {}) => {
  nowMs = 0
  const acquire = createFirstAttemptSlots(limits, () => nowMs)
  return {
    acquire,
    /** One first attempt; false where its delivery is left to a workflow. */
    async attempt(endpoint: string, speed?: EndpointSpeed): Promise<boolean> {
      const slot = await acquire(endpoint)
      slot?.release(speed)
      return slot !== undefined
    },
    async acquireMany(endpoint: string, count: number) {
      const slots = await Promise.all(Array.from({ length: count }, () => acquire(endpoint)))
      return slots.filter(slot => slot !== undefined)
    },
  }
}

test('an endpoint is probed until it has answered fast: one attempt at a time', async () => {
  const { acquire, attempt, acquireMany } = openSlots()
  const probe = (await acquire('new'))!
  expect(probe.isProbe).toBe(true)
  expect(await attempt('new')).toBe(false)
  probe.release('late')
  const second = (await acquire('new'))!
  expect(await attempt('new')).toBe(false)
  second.release('fast')
  const slots = await acquireMany('new', 3)
  expect(slots.map(slot => slot.isProbe)).toEqual([false, false, false])
})

test('a silent endpoint gets no first attempt for a minute, then one', async () => {
  const { attempt } = openSlots()
  expect(await attempt('hangs', 'silent')).toBe(true)
  nowMs = 59_999
  expect(await attempt('hangs')).toBe(false)
  nowMs = 60_000
  expect(await attempt('hangs', 'silent')).toBe(true)
  expect(await attempt('hangs')).toBe(false)
})

test('a fast endpoint that becomes slow is probed, whatever earlier attempts at it answer later', async () => {
  const { acquire, attempt, acquireMany } = openSlots()
  await attempt('endpoint', 'fast')
  const [slow, slowToo, fast] = await acquireMany('endpoint', 3)
  slow!.release('silent')
  const probe = (await acquire('endpoint'))!
  expect(probe.isProbe).toBe(true)
  slowToo!.release('silent')
  fast!.release('fast')
  expect(await attempt('endpoint')).toBe(false)
  probe.release('fast')
  expect(await acquireMany('endpoint', 2)).toHaveLength(2)
})

test('an attempt that makes no request says nothing about its endpoint', async () => {
  const { attempt, acquireMany } = openSlots()
  await attempt('endpoint')
  expect(await acquireMany('endpoint', 2)).toHaveLength(1)
  const known = openSlots()
  await known.attempt('endpoint', 'fast')
  await known.attempt('endpoint')
  expect(await known.acquireMany('endpoint', 2)).toHaveLength(2)
})

test('attempts that wait for their turn are left to workflows when their endpoint is found slow', async () => {
  const { acquire, attempt, acquireMany } = openSlots({ maxAttempts: 1 })
  await attempt('endpoint', 'fast')
  const first = (await acquire('endpoint'))!
  const second = acquire('endpoint')
  first.release('silent')
  expect(await second).toBeUndefined()
  // Its slot is free again.
  await attempt('other', 'fast')
  expect(await acquireMany('other', 1)).toHaveLength(1)
})

test('an attempt that waited for its turn says how long: its rows may be old', async () => {
  const { acquire, attempt } = openSlots({ maxAttempts: 1 })
  await attempt('endpoint', 'fast')
  const first = (await acquire('endpoint'))!
  expect(first.waitedMs).toBe(0)
  const second = acquire('endpoint')
  nowMs = 300
  first.release('fast')
  expect((await second)!.waitedMs).toBe(300)
})

test('few endpoints are probed at once, and a fast one needs no probe', async () => {
  const { acquire, attempt } = openSlots({ maxProbes: 2 })
  await attempt('fast', 'fast')
  const [first, second] = [(await acquire('a'))!, (await acquire('b'))!]
  expect(await attempt('c')).toBe(false)
  expect(await attempt('fast', 'fast')).toBe(true)
  first.release('silent')
  expect(await attempt('c')).toBe(true)
  second.release()
  expect(await attempt('b', 'fast')).toBe(true)
})
