import { expect, test } from '@jest/globals'
import {
  createPerEndpointLimiter,
  type EndpointAdmission,
} from '../../src/webhook-client/per-endpoint-limiter.ts'
import { openWebhookClientFixture } from './support/webhook-client-fixture.ts'

test('a slow endpoint delays no other endpoint, not even its neighbour on the same host', async () => {
  const held = Promise.withResolvers<void>()
  const { postInSlot } = await openLimitedClient(
    async (request, response) => {
      if (request.url === '/slow') await held.promise
      response.end()
    },
    { timeoutMs: 30_000, endpointLimits: { maxRequests: 4, maxWaitMs: 30_000 } },
  )
  let hasOneEnded = false
  const slow = Promise.all(
    Array.from({ length: 40 }, async () => {
      const tried = await postInSlot('/slow')
      hasOneEnded = true
      return tried
    }),
  )
  const fast = await Promise.all(Array.from({ length: 8 }, () => postInSlot('/fast')))
  expect(fast.map(tried => tried.kind)).toEqual(Array(8).fill('answered'))
  expect(hasOneEnded).toBe(false)

  held.resolve()
  expect((await slow).map(tried => tried.kind)).toEqual(Array(40).fill('answered'))
})

test('an attempt that gets no slot in time is turned away', async () => {
  const { postInSlot } = await openLimitedClient(() => {}, {
    timeoutMs: 4_000,
    endpointLimits: { maxRequests: 4, maxWaitMs: 1_000 },
  })
  const kinds = (await Promise.all(Array.from({ length: 40 }, () => postInSlot()))).map(tried => tried.kind)
  expect(kinds.filter(kind => kind === 'timeout')).toHaveLength(4)
  expect(kinds.filter(kind => kind === 'busy')).toHaveLength(36)
})

test('an endpoint that only fails gets few concurrent requests, and no attempt queues for it', async () => {
  const { postInSlot } = await openLimitedClient(() => {}, {
    timeoutMs: 1_000,
    endpointLimits: { maxRequests: 4, maxRequestsWhenFailing: 2, maxWaitMs: 30_000 },
  })
  const tried = await Promise.all(Array.from({ length: 50 }, () => postInSlot('/', { failingForMs: 0 })))
  const kinds = tried.map(one => one.kind)
  expect(kinds.filter(kind => kind === 'timeout')).toHaveLength(2)
  expect(kinds.filter(kind => kind === 'busy')).toHaveLength(48)
})

test('a busy endpoint gets a few concurrent requests at a time until all are sent', async () => {
  let now = 0
  let most = 0
  const { postInSlot } = await openLimitedClient(
    (_, response) => {
      most = Math.max(most, ++now)
      setTimeout(() => {
        now--
        response.end()
      }, 20)
    },
    { endpointLimits: { maxRequests: 3, maxWaitMs: 60_000 }, timeoutMs: 60_000 },
  )
  const tried = await Promise.all(Array.from({ length: 30 }, () => postInSlot()))
  expect(tried.every(({ kind }) => kind === 'answered')).toBe(true)
  expect(most).toBeLessThanOrEqual(3)
})

test('attempts that were turned away return one after another, at the endpoint’s rate', async () => {
  let nowMs = 0
  const { acquire: enter } = createPerEndpointLimiter({ maxRequests: 2, maxWaitMs: 0 }, { now: () => nowMs })
  const [first] = [await enter('slow'), await enter('slow')]
  nowMs = 10_000
  if (first && 'release' in first) first.release() // A request was expected to last 5 s; now it is 6.25 s.
  await enter('slow')
  const turnedAway = []
  for (let one = 0; one < 4; one++) turnedAway.push(await enter('slow'))
  expect(turnedAway).toEqual([3_125, 6_250, 9_375, 12_500].map(retryInMs => ({ retryInMs })))
  expect(await enter('another')).toHaveProperty('release')
})

test('an attempt returns no sooner than after a second, however fast the endpoint is', async () => {
  const { acquire: enter } = createPerEndpointLimiter({ maxRequests: 100, maxWaitMs: 0 })
  for (let one = 0; one < 100; one++) await enter('fast')
  expect(await enter('fast')).toEqual({ retryInMs: 1_000 })
})

test('an endpoint that works again is not limited by the bookings made while it failed', async () => {
  const { acquire: enter } = createPerEndpointLimiter(
    { maxRequests: 4, maxRequestsWhenFailing: 2, maxWaitMs: 0 },
    { now: () => 0 },
  )
  for (let one = 0; one < 50; one++) await enter('well again', { failingForMs: 0 })
  for (let one = 0; one < 2; one++) await enter('well again')
  expect(await enter('well again')).toEqual({ retryInMs: 1_250 })
  expect(await enter('well again', { failingForMs: 0 })).toEqual({ retryInMs: 122_500 })
})

test('attempts return within five minutes, however many there are, and not all at once', async () => {
  const { acquire: enter } = createPerEndpointLimiter({ maxRequests: 1, maxWaitMs: 0 }, { now: () => 0 })
  await enter('crowded')
  const away = await turnAway(600, () => enter('crowded'))
  expect(away.slice(0, 60)).toEqual(Array.from({ length: 60 }, (_, place) => (place + 1) * 5_000))
  // Once all slots are booked, no attempt returns immediately.
  expect(Math.min(...away.slice(60))).toBeGreaterThanOrEqual(150_000)
  expect(Math.max(...away)).toBeLessThanOrEqual(300_000)
  expect(new Set(away.slice(60)).size).toBeGreaterThan(400)
})

test.each([
  ['a minute', 60_000, 300_000],
  ['half an hour', 1_800_000, 900_000],
  ['two hours', 7_200_000, 3_600_000],
  ['four days', 345_600_000, 3_600_000],
])('an endpoint that has failed for %s: the longest wait', async (_, failingForMs, longestMs) => {
  const limits = { maxRequests: 16, maxRequestsWhenFailing: 2, maxWaitMs: 0 }
  const { acquire } = createPerEndpointLimiter(limits, { now: () => 0, random: () => 1 })
  const away = await turnAway(3_000, () => acquire('hangs', { failingForMs }))
  expect(Math.max(...away)).toBe(longestMs)
})

test('a backlog of two days at an endpoint that hangs causes few activities', async () => {
  let nowMs = 0
  const limits = { maxRequests: 16, maxRequestsWhenFailing: 2, maxWaitMs: 0 }
  const { acquire } = createPerEndpointLimiter(limits, { now: () => nowMs })
  const hourMs = 3_600_000
  const backlog = 17_280
  const dueAtMs = Array<number>(backlog).fill(0)
  let activities = 0
  // Two slots are in use all the time; each delivery returns when its wait has ended.
  await acquire('hangs', { failingForMs: 0 })
  await acquire('hangs', { failingForMs: 0 })
  for (; nowMs < 4 * hourMs; nowMs += 60_000)
    for (let one = 0; one < backlog; one++) {
      if (dueAtMs[one]! > nowMs) continue
      const admission = await acquire('hangs', { failingForMs: 48 * hourMs + nowMs })
      if ('retryInMs' in admission) dueAtMs[one] = nowMs + admission.retryInMs
      if (nowMs >= hourMs) activities += 1
    }
  // 0.13 attempts a second are possible; with waits of at most five minutes there were 73 activities a second.
  expect(activities / (3 * 3_600)).toBeLessThan(8)
})

/** A client of a server, each path of which is an endpoint. */
async function openLimitedClient(...input: Parameters<typeof openWebhookClientFixture>) {
  const { dialer, post } = await openWebhookClientFixture(...input)
  return {
    async postInSlot(path = '/', health: { failingForMs?: number } = {}) {
      const slot = await dialer.acquireSlot(path, health)
      if ('retryInMs' in slot) return { kind: 'busy' } as const
      try {
        return await post({ path })
      } finally {
        slot.release()
      }
    },
  }
}

async function turnAway(count: number, acquire: () => Promise<EndpointAdmission>): Promise<number[]> {
  const away: number[] = []
  for (let one = 0; one < count; one++) {
    const admission = await acquire()
    if ('retryInMs' in admission) away.push(admission.retryInMs)
  }
  return away
}
