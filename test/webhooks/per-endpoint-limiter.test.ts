import { expect, test } from '@jest/globals'
import { createPerEndpointLimiter } from '../../src/webhook-client/per-endpoint-limiter.ts'
import { openWebhookClientFixture } from './support/webhook-client-fixture.ts'

test('a slow endpoint delays no other endpoint, not even its neighbour on the same host', async () => {
  const held = Promise.withResolvers<void>()
  const { post } = await openWebhookClientFixture(
    async (request, response) => {
      if (request.url === '/slow') await held.promise
      response.end()
    },
    { timeoutMs: 30_000, endpointLimits: { maxRequests: 4, maxWaitMs: 30_000 } },
  )
  let hasOneEnded = false
  const slow = Promise.all(
    Array.from({ length: 40 }, async () => {
      const tried = await post({ path: '/slow' })
      hasOneEnded = true
      return tried
    }),
  )
  const fast = await Promise.all(Array.from({ length: 8 }, () => post({ path: '/fast' })))
  expect(fast.map(tried => tried.kind)).toEqual(Array(8).fill('answered'))
  expect(hasOneEnded).toBe(false)

  held.resolve()
  expect((await slow).map(tried => tried.kind)).toEqual(Array(40).fill('answered'))
})

test('an attempt that gets no slot in time is turned away', async () => {
  const { post } = await openWebhookClientFixture(() => {}, {
    timeoutMs: 4_000,
    endpointLimits: { maxRequests: 4, maxWaitMs: 1_000 },
  })
  const kinds = (await Promise.all(Array.from({ length: 40 }, () => post()))).map(tried => tried.kind)
  expect(kinds.filter(kind => kind === 'timeout')).toHaveLength(4)
  expect(kinds.filter(kind => kind === 'busy')).toHaveLength(36)
})

test('an endpoint that only fails gets few concurrent requests, and no attempt queues for it', async () => {
  const { dialer, port } = await openWebhookClientFixture(() => {}, {
    timeoutMs: 1_000,
    endpointLimits: { maxRequests: 4, maxRequestsWhenFailing: 2, maxWaitMs: 30_000 },
  })
  const post = { url: `https://hooks.test:${port}/`, body: '{}', headers: {}, isFailing: true }
  const tried = await Promise.all(Array.from({ length: 50 }, () => dialer.postSigned(post)))
  const kinds = tried.map(one => one.kind)
  expect(kinds.filter(kind => kind === 'timeout')).toHaveLength(2)
  expect(kinds.filter(kind => kind === 'busy')).toHaveLength(48)
})

test('a busy endpoint gets a few concurrent requests at a time until all are sent', async () => {
  let now = 0
  let most = 0
  const { post } = await openWebhookClientFixture(
    (_, response) => {
      most = Math.max(most, ++now)
      setTimeout(() => response.end(() => now--), 20)
    },
    { endpointLimits: { maxRequests: 3, maxWaitMs: 60_000 }, timeoutMs: 60_000 },
  )
  const tried = await Promise.all(Array.from({ length: 30 }, () => post()))
  expect(tried.every(({ kind }) => kind === 'answered')).toBe(true)
  expect(most).toBeLessThanOrEqual(3)
})

test('attempts that were turned away return one after another, at the endpoint’s rate', async () => {
  let nowMs = 0
  const { acquire: enter } = createPerEndpointLimiter({ maxRequests: 2, maxWaitMs: 0 }, () => nowMs)
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
    () => 0,
  )
  for (let one = 0; one < 50; one++) await enter('well again', { isFailing: true })
  for (let one = 0; one < 2; one++) await enter('well again')
  expect(await enter('well again')).toEqual({ retryInMs: 1_250 })
  expect(await enter('well again', { isFailing: true })).toEqual({ retryInMs: 122_500 })
})

test('attempts return within five minutes, however many there are, and not all at once', async () => {
  const { acquire: enter } = createPerEndpointLimiter({ maxRequests: 1, maxWaitMs: 0 }, () => 0)
  await enter('crowded')
  const away: number[] = []
  for (let one = 0; one < 600; one++) {
    const entered = await enter('crowded')
    if ('retryInMs' in entered) away.push(entered.retryInMs)
  }
  expect(Math.max(...away)).toBe(300_000)
  const times = Object.values(Object.groupBy(away, ms => ms)).map(same => same!.length)
  expect([away.length, Math.max(...times)]).toEqual([600, 19])
  // Once all slots are booked, no attempt returns immediately.
  expect(Math.min(...away.slice(60))).toBe(155_000)
})
