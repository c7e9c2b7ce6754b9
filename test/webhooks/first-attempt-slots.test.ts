import { expect, test } from '@jest/globals'
import {
  type ActivitySlots,
  createFirstAttemptSlots,
  type FirstAttemptSpeed,
} from '../../src/activities/webhooks/first-attempt-slots.ts'

/** Which deliveries get a first attempt within a workflow task. */

let nowMs = 0
const openSlots = (limits = {}) => {
  nowMs = 0
  const enter = createFirstAttemptSlots(limits, () => nowMs)
  return {
    enter,
    /** One first attempt of an activity of its own; false where its delivery is left to a workflow. */
    async attempt(endpoint: string, speed?: FirstAttemptSpeed): Promise<boolean> {
      const activity = enter()
      const slot = await activity.acquire(endpoint)
      slot?.release(speed)
      activity.leave()
      return slot !== undefined
    },
  }
}
const acquireMany = async (activity: ActivitySlots, endpoint: string, count: number) => {
  const slots = await Promise.all(Array.from({ length: count }, () => activity.acquire(endpoint)))
  return slots.filter(slot => slot !== undefined)
}

test('an endpoint is on probation until it has answered fast: one attempt at a time', async () => {
  const { enter, attempt } = openSlots()
  const probe = (await enter().acquire('new'))!
  expect(await attempt('new')).toBe(false)
  probe.release('late')
  const second = (await enter().acquire('new'))!
  expect(await attempt('new')).toBe(false)
  second.release('fast')
  expect(await acquireMany(enter(), 'new', 3)).toHaveLength(3)
})

test.each([
  ['fast', true],
  ['late', false],
  ['silent', false],
] as const)('an activity’s further attempts at an endpoint wait for its probe: %s', async (speed, isMade) => {
  const { enter } = openSlots()
  const activity = enter()
  const probe = (await activity.acquire('new'))!
  const second = activity.acquire('new')
  nowMs = 300
  probe.release(speed)
  expect((await second)?.waitedMs).toBe(isMade ? 300 : undefined)
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

test('a fast endpoint that becomes slow is on probation, whatever earlier attempts at it answer later', async () => {
  const { enter, attempt } = openSlots()
  await attempt('endpoint', 'fast')
  const activity = enter()
  const [slow, fast] = await acquireMany(activity, 'endpoint', 2)
  slow!.release('silent')
  fast!.release('fast')
  expect(await attempt('endpoint')).toBe(false)
})

test('an attempt that makes no request says nothing about its endpoint', async () => {
  const { enter, attempt } = openSlots()
  await attempt('endpoint')
  expect(await acquireMany(enter(), 'endpoint', 1)).toHaveLength(1)
  expect(await attempt('endpoint')).toBe(false)
})

test('attempts that wait for their turn are left to workflows when their endpoint is found slow', async () => {
  const { enter, attempt } = openSlots({ maxAttempts: 1 })
  await attempt('endpoint', 'fast')
  const activity = enter()
  const first = (await activity.acquire('endpoint'))!
  const second = activity.acquire('endpoint')
  first.release('silent')
  expect(await second).toBeUndefined()
  // Its slot is free again.
  await attempt('other', 'fast')
  expect(await acquireMany(activity, 'other', 1)).toHaveLength(1)
})

test('few local activities wait for endpoints that are not fast, and each counts once', async () => {
  const { enter, attempt } = openSlots({ maxWaitingActivities: 2 })
  await attempt('fast', 'fast')
  const [first, second, third] = [enter(), enter(), enter()]
  expect(await acquireMany(first, 'a', 1)).toHaveLength(1)
  expect(await acquireMany(first, 'b', 1)).toHaveLength(1)
  // A fast endpoint needs no such permission, until its answer is late.
  expect(await acquireMany(second, 'fast', 1)).toHaveLength(1)
  expect(second.waitLonger()).toBe(true)
  expect(await acquireMany(third, 'c', 1)).toEqual([])
  expect(await acquireMany(third, 'fast', 1)).toHaveLength(1)
  expect(third.waitLonger()).toBe(false)
  first.leave()
  expect(third.waitLonger()).toBe(true)
})
