import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { pino } from 'pino'
import { isReachedByOtherWorker, recordProviderProbes } from '../../../src/db/repositories/provider-reach.ts'
import { createProviderWatch } from '../../../src/startup/provider-watch.ts'
import { waitUntil } from '../../../src/startup/wait-until.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

/** A worker whose network reaches no provider ends, or does not begin to poll, if another worker reaches one. */

const A = 'https://a.provider.test'
const B = 'https://b.provider.test:8443'

let fixture: ApiFixture
beforeAll(async () => {
  fixture = await openApiFixture([])
  const account = await fixture.insertAccount()
  for (const baseUrl of [`${A}/v2`, `${A}/v2`, B]) {
    const uuid = await fixture.insertConnection(account)
    await fixture.orm.em.fork().execute('update connection set base_url = ? where uuid = ?', [baseUrl, uuid])
  }
  await fixture.insertConnection(account, { status: 'INACTIVE' })
})
afterAll(() => fixture?.close())
beforeEach(() => fixture.orm.em.fork().execute('delete from provider_reach'))

/** A worker that reaches what is in `reachable`, which a test may change. */
const workerReaching = (...origins: string[]) => startWorkerReaching(origins)

/** The same, which probes again so often while it reaches a provider. */
function startWorkerReaching(origins: string[], probeIntervalMs?: number) {
  const reachable = new Set(origins)
  const worker = randomUUID()
  const probed: string[] = []
  const watch = createProviderWatch({
    orm: fixture.orm,
    worker,
    log: pino({ level: 'silent' }),
    ...(probeIntervalMs && { probeIntervalMs }),
    async canConnect(origin) {
      probed.push(origin)
      return reachable.has(origin)
    },
  })
  return { ...watch, worker, reachable, probed }
}

/** Another worker's probes of now, or of so many seconds ago. */
async function otherWorkerReaches(reached: string[], secondsAgo = 0) {
  const em = fixture.orm.em.fork()
  await recordProviderProbes(em, { worker: 'other', origins: [A, B], reached })
  await em.execute(
    `update provider_reach set reached_at = reached_at - ? * interval '1 second' where worker = 'other'`,
    [secondsAgo],
  )
}

const isDone = async (promise: Promise<unknown>, withinMs: number) => {
  const late = sleep(withinMs, false, { ref: false })
  return Promise.race([promise.then(() => true), late])
}

test('each provider of an active connection is probed once, at its origin', async () => {
  const { probed, waitUntilReachable } = workerReaching(A, B)
  await waitUntilReachable()
  expect(probed.sort()).toEqual([A, B])
})

describe('a request that could not connect is left to other workers', () => {
  test.each([
    { here: [], other: [A], secondsAgo: 0, isLeft: true, when: 'this worker reaches none, another one this' },
    {
      here: [],
      other: [A],
      secondsAgo: 31,
      isLeft: false,
      when: 'another worker reached it half a minute ago',
    },
    { here: [], other: [B], secondsAgo: 0, isLeft: false, when: 'other workers reach another provider only' },
    { here: [], other: [], secondsAgo: 0, isLeft: false, when: 'no worker reaches a provider' },
    { here: [B], other: [A], secondsAgo: 0, isLeft: true, when: 'this worker reaches another provider only' },
    {
      here: [B],
      other: [A],
      secondsAgo: 10,
      isLeft: false,
      when: 'this worker reaches another provider, and another one has not reached this since its last probes',
    },
    { here: [A], other: [A], secondsAgo: 0, isLeft: false, when: 'this worker reaches it' },
  ])('$isLeft where $when', async ({ here, other, secondsAgo, isLeft }) => {
    await otherWorkerReaches(other, secondsAgo)
    expect(await workerReaching(...here).isReachedByOthersOnly(`${A}/v2`)).toBe(isLeft)
  })

  test('false where there is no other worker, without a probe', async () => {
    const { probed, isReachedByOthersOnly } = workerReaching()
    expect(await isReachedByOthersOnly(A)).toBe(false)
    expect(probed).toEqual([])
  })

  test('by a probe of now, whatever was reached a moment ago', async () => {
    const { reachable, waitUntilReachable, isReachedByOthersOnly } = workerReaching(A, B)
    await waitUntilReachable()
    await otherWorkerReaches([A])
    reachable.clear()
    expect(await Promise.all([isReachedByOthersOnly(A), isReachedByOthersOnly(A)])).toEqual([true, true])
  })
})

describe('a running worker', () => {
  test('ends once it has reached no provider three times, and another worker has reached one since', async () => {
    const { watch, close } = workerReaching()
    await otherWorkerReaches([A, B])
    const lost = watch()
    expect(await isDone(lost, 4_000)).toBe(false) // The other worker's probes are older than the first failure.
    await otherWorkerReaches([B])
    expect(await isDone(lost, 15_000)).toBe(true)
    expect(await lost).toBe(true)
    await close()
  })

  test.each([
    { here: [], other: [], when: 'no other worker reaches a provider' },
    { here: [B], other: [A, B], when: 'it reaches one provider itself' },
  ])('goes on where $when', async ({ here, other }) => {
    const { watch, close } = workerReaching(...here)
    const lost = watch()
    const probing = setInterval(() => void otherWorkerReaches(other), 1_000)
    expect(await isDone(lost, 5_000)).toBe(false)
    clearInterval(probing)
    await close()
    expect(await lost).toBe(false)
  })
})

test('a running worker probes before its time where another one reaches none', async () => {
  const { probed, waitUntilReachable, watch, close } = startWorkerReaching([A, B], 3_600_000)
  await waitUntilReachable()
  await otherWorkerReaches([A])
  const lost = watch()
  expect(await isDone(lost, 2_500)).toBe(false)
  expect(probed).toHaveLength(2)
  await otherWorkerReaches([])
  await waitUntil(() => probed.length > 2, { description: 'It does not probe', limitMs: 60_000 })
  await close()
  expect(await lost).toBe(false)
})

describe('a worker that starts', () => {
  test('waits while only other workers reach a provider, and begins once it reaches one', async () => {
    await otherWorkerReaches([A])
    const { reachable, waitUntilReachable } = workerReaching()
    const waited = waitUntilReachable()
    expect(await isDone(waited, 2_500)).toBe(false)
    reachable.add(B)
    expect(await isDone(waited, 15_000)).toBe(true)
  })

  test('begins where no other worker has reached a provider within half a minute', async () => {
    await otherWorkerReaches([A], 31)
    expect(await isDone(workerReaching().waitUntilReachable(), 15_000)).toBe(true)
  })
})

test('the probes of a worker that stops are gone', async () => {
  const { worker, waitUntilReachable, close } = workerReaching(A)
  const seen = () =>
    isReachedByOtherWorker(fixture.orm.em.fork(), { worker: 'me', origins: [A], withinMs: 30_000 })
  await waitUntilReachable()
  expect(await seen()).toBe(true)
  expect(
    await isReachedByOtherWorker(fixture.orm.em.fork(), { worker, origins: [A], withinMs: 30_000 }),
  ).toBe(false)
  await close()
  expect(await seen()).toBe(false)
})

test('simulators are not probed where there is a real provider', async () => {
  const uuid = await fixture.insertConnection(await fixture.insertAccount(), { isSimulated: false })
  const em = fixture.orm.em.fork()
  await em.execute("update connection set base_url = 'https://live.provider.test/v1' where uuid = ?", [uuid])
  const { probed, waitUntilReachable } = workerReaching()
  await waitUntilReachable()
  expect(probed).toEqual(['https://live.provider.test'])
})
