import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { pino } from 'pino'
import type { Orm } from '../../../src/db/client/orm.ts'
import { takePaceTurn } from '../../../src/db/repositories/provider-paces.ts'
import {
  type PaceKind,
  PROVIDER_CAPABILITIES,
  type ProviderCapabilities,
} from '../../../src/domain/providers/capabilities.ts'
import { createWorkerMetrics } from '../../../src/metrics/worker-metrics.ts'
import { createSharedAccess } from '../../../src/provider-access/shared-access.ts'
import { logFailedCall } from '../../../src/providers/call-observer.ts'
import { paceProvider } from '../../../src/providers/paced-provider.ts'
import type { Provider } from '../../../src/providers/port.ts'
import { createProviderRegistry } from '../../../src/providers/registry.ts'
import { cobOf, credentials, okReply, REFERENCE } from '../../providers/support/efi-fixture.ts'
import { startScriptedProvider } from '../../providers/support/scripted-provider.ts'
import { openTestOrm } from '../../support/orm.ts'
import { startTcpProxy } from '../../support/tcp-proxy.ts'
import { keyDestination } from '../../support/transfer-destinations.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { openCapturedOrm } from '../support/postgres-messages.ts'

/** Paces of providers that all workers keep together (src/provider-access). */

type Paces = NonNullable<ProviderCapabilities['pace']>

const SLOW = 0.001
const SENT = { kind: 'unknown', code: 'sent', message: '' } as const
const FOUND = { kind: 'not_found' } as const
const order = { id: 'a1', cents: 100, destination: keyDestination('maria@example.com'), payerKey: null }
const lines: string[] = []
const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })

let fixture: ApiFixture
let providerAccountUuid: string
let callTimes: number[]
beforeAll(async () => {
  fixture = await openApiFixture([])
})
afterAll(() => fixture?.close())
beforeEach(async () => {
  lines.length = 0
  callTimes = []
  providerAccountUuid = await fixture.insertProviderAccount()
})

/** The adapter of one worker, whose provider records when it is called. */
function startWorker(pace: Paces, orm: Orm = fixture.orm): Provider {
  const record = <Outcome>(outcome: Outcome) => {
    return async (): Promise<Outcome> => {
      callTimes.push(performance.now())
      return outcome
    }
  }
  const provider = {
    sendTransfer: record(SENT),
    findTransfer: record(FOUND),
    findCharge: record(FOUND),
    issueCharge: record(SENT),
    refund: record(SENT),
    balances: record({ kind: 'found', balance: { availableCents: 1, blockedCents: 0 } }),
  } as unknown as Provider
  const access = createSharedAccess({
    orm,
    sealer: fixture.dependencies.sealer,
    log,
    timeScale: 1,
  })({
    providerAccountUuid,
    tokenPace: undefined,
    timeoutMs: 1_000,
  })
  return paceProvider(provider, pace, access)
}
const startTen = (pace: Paces) => Array.from({ length: 10 }, () => startWorker(pace))
const findTransfer = (worker: Provider) => worker.findTransfer({ id: 'a1' })

describe('ten workers', () => {
  test('look up no more often than the pace allows; the other look-ups have no answer, at once', async () => {
    const workers = startTen({ lookUp: { perSecond: SLOW, burst: 7 } })
    const outcomes = await Promise.all([...workers, ...workers].map(findTransfer))
    expect(callTimes).toHaveLength(7)
    const paced = outcomes.filter(({ kind }) => kind === 'no_answer')
    expect(paced).toHaveLength(13)
    expect(paced[0]).toMatchObject({ code: 'paced', isUnprocessed: true })
  })

  test('send one after the other at the pace; what has no turn in time is proved not to be sent', async () => {
    const workers = startTen({ send: { perSecond: 5, burst: 1 } })
    const began = performance.now()
    const outcomes = await Promise.all([...workers, ...workers].map(worker => worker.sendTransfer(order)))
    const paced = outcomes.filter(({ kind }) => kind === 'unreachable')
    expect(paced[0]).toMatchObject({ code: 'paced' })
    expect(paced.length + callTimes.length).toBe(20)
    // The first at once, then one each 200 ms for the 1.5 s that a sending waits; a slow machine takes turns later.
    expect(callTimes.length).toBeGreaterThanOrEqual(8)
    expect(callTimes.length).toBeLessThanOrEqual(Math.ceil((performance.now() - began) / 200) + 1)
    const waits = callTimes.sort((a, b) => a - b).map(time => time - began)
    for (const [index, waitMs] of waits.entries()) expect(waitMs).toBeGreaterThan(index * 200 - 50)
  })

  test('have a burst again after an idle time, and never more', async () => {
    const workers = startTen({ lookUp: { perSecond: 20, burst: 3 } })
    await Promise.all(workers.map(findTransfer))
    const first = callTimes.length
    await new Promise(resolve => setTimeout(resolve, 600))
    const began = performance.now()
    await Promise.all(workers.map(findTransfer))
    expect(first).toBeGreaterThanOrEqual(3)
    expect(callTimes.length - first).toBeGreaterThanOrEqual(3)
    expect(callTimes.length - first).toBeLessThanOrEqual(3 + Math.ceil((performance.now() - began) / 50))
  })
})

test('ten workers that call as often as they can stay within what Inter publishes per minute', async () => {
  const timeScale = 12
  const minuteMs = 60_000 / timeScale
  const shareAccess = createSharedAccess({
    orm: fixture.orm,
    sealer: fixture.dependencies.sealer,
    log,
    timeScale,
  })
  const until = performance.now() + 1.5 * minuteMs
  const callAtMost = async (kind: PaceKind, perMinute: number) => {
    /** When each turn was asked for, and when it was known to be taken: in between it was taken. */
    const turns: { from: number; to: number }[] = []
    const keepCalling = async () => {
      const { takeTurn } = shareAccess({ providerAccountUuid, tokenPace: undefined, timeoutMs: 1_000 })
      while (performance.now() < until) {
        const from = performance.now()
        if ((await takeTurn(kind, PROVIDER_CAPABILITIES.inter.pace![kind]!, 0)) === 0)
          turns.push({ from, to: performance.now() })
        await new Promise(resolve => setTimeout(resolve, 10))
      }
    }
    await Promise.all(Array.from({ length: 10 }, keepCalling))
    const mostInAMinute = Math.max(
      ...turns.map(({ from }) => turns.filter(turn => turn.from >= from && turn.to - from < minuteMs).length),
    )
    expect(mostInAMinute).toBeLessThanOrEqual(perMinute)
    expect(turns.length).toBeGreaterThan(perMinute * 0.6)
  }
  await Promise.all([
    callAtMost('lookUp', 20),
    callAtMost('token', 5),
    callAtMost('charge', 120),
    callAtMost('send', 60),
  ])
})

test('each kind, and each provider account, has a pace of its own', async () => {
  const pace = { perSecond: SLOW, burst: 1 }
  const worker = startWorker({ lookUp: pace, charge: pace, send: pace })
  const callAll = async () => [
    await findTransfer(worker),
    await worker.findCharge('r'),
    await worker.sendTransfer(order),
  ]
  expect((await callAll()).map(({ kind }) => kind)).toEqual(['not_found', 'not_found', 'unknown'])
  expect((await callAll()).map(({ kind }) => kind)).toEqual(['no_answer', 'no_answer', 'unreachable'])
  providerAccountUuid = await fixture.insertProviderAccount()
  expect(await findTransfer(startWorker({ lookUp: pace }))).toMatchObject({ kind: 'not_found' })
})

test('a transfer that is looked up by sending it again has the turn of a sending, waits for it, and ends as a look-up', async () => {
  const worker = startWorker({ send: { perSecond: 4, burst: 1 }, lookUp: { perSecond: SLOW, burst: 1 } })
  const repeat = () => worker.findTransfer({ id: 'a1', order })
  const began = performance.now()
  expect([await repeat(), await repeat()]).toEqual([FOUND, FOUND])
  expect(performance.now() - began).toBeGreaterThan(200)
  const outcomes = await Promise.all(Array.from({ length: 20 }, repeat))
  expect(outcomes.find(({ kind }) => kind !== 'not_found')).toMatchObject({
    kind: 'no_answer',
    code: 'paced',
  })
  expect(await worker.findTransfer({ id: 'a1', order, handle: { ref: 'r' } })).toEqual(FOUND)
})

test('an order that is refused for the pace takes no turn from the next one', async () => {
  const pace = { perSecond: 2, burst: 1 }
  const take = (maxWaitMs: number) =>
    takePaceTurn(fixture.orm.em.fork(), { providerAccountUuid, kind: 'send', pace, maxWaitMs })
  expect(await take(0)).toBe(0)
  for (let times = 0; times < 5; times += 1) expect(await take(0)).toBeNull()
  expect(await take(1_500)).toBeLessThanOrEqual(500)
})

describe('an order that may wait outside its call', () => {
  const MAX_WAIT_MS = 3_600_000
  const sendWaiting = (worker: Provider, hasWaited: boolean, maxWaitMs = MAX_WAIT_MS) =>
    worker.sendTransfer({ ...order, turn: { maxWaitMs, hasWaited, isBatchItem: false } })
  const placesOf = (outcomes: Awaited<ReturnType<typeof sendWaiting>>[]) =>
    outcomes.flatMap(outcome => ('retryAfterMs' in outcome ? [outcome.retryAfterMs!] : []))

  test('has a place after those that wait, one interval after the other, and takes no turn', async () => {
    const worker = startWorker({ send: { perSecond: 0.5, burst: 1 } })
    const outcomes = []
    for (let times = 0; times < 5; times += 1) outcomes.push(await sendWaiting(worker, false))
    expect(outcomes.map(({ kind }) => kind)).toEqual(['unknown', ...Array(4).fill('unreachable')])
    const places = placesOf(outcomes)
    expect(places).toHaveLength(4)
    for (const [index, place] of places.entries()) {
      // Called 750 ms before its turn; each statement takes a moment.
      expect(place).toBeLessThanOrEqual((index + 1) * 2_000 - 750)
      expect(place).toBeGreaterThan((index + 1) * 2_000 - 750 - 1_000)
    }
  })

  test('waits no longer than it may: beyond that it has no place, and is unreachable', async () => {
    const worker = startWorker({ send: { perSecond: 0.1, burst: 1 } })
    await sendWaiting(worker, false)
    const outcomes = [await sendWaiting(worker, false, 15_000), await sendWaiting(worker, false, 15_000)]
    expect(outcomes).toEqual([
      { kind: 'unreachable', code: 'paced', message: expect.any(String), retryAfterMs: expect.any(Number) },
      { kind: 'unreachable', code: 'paced', message: expect.any(String) },
    ])
    expect(callTimes).toHaveLength(1)
  })

  test('goes at its place before orders that have not waited; calls that cannot wait still find turns', async () => {
    const worker = startWorker({ send: { perSecond: 1, burst: 1 } })
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => sendWaiting(worker, false)))
    const [nextPlaceMs] = placesOf(outcomes).sort((a, b) => a - b)
    await new Promise(resolve => setTimeout(resolve, nextPlaceMs))
    expect(await sendWaiting(worker, false)).toMatchObject({
      code: 'paced',
      retryAfterMs: expect.any(Number),
    })
    expect(await sendWaiting(worker, true)).toEqual(SENT)
    expect(await worker.findTransfer({ id: 'a1', order })).toEqual(FOUND)
  })

  test.each(['refund', 'charge'] as const)('of another kind is not kept back: %s', async kind => {
    const worker = startWorker({
      refund: { perSecond: SLOW, burst: 1 },
      charge: { perSecond: SLOW, burst: 1 },
    })
    const turn = { maxWaitMs: MAX_WAIT_MS * 10, hasWaited: false, isBatchItem: false }
    const refund = () => worker.refund({ id: 'b1', endToEnd: 'E', cents: 1, turn })
    const issue = () =>
      worker.issueCharge({ reference: 'r', totalCents: 1, expiresInSeconds: 60, collectionKey: null })
    const [call, other] = kind === 'refund' ? [refund, issue] : [issue, refund]
    expect([await call(), await call()]).toEqual([SENT, expect.objectContaining({ code: 'paced' })])
    expect(await other()).toEqual(SENT)
  })
})

describe('an item of a batch', () => {
  const sendItem = (worker: Provider, hasWaited = false) =>
    worker.sendTransfer({ ...order, turn: { maxWaitMs: 3_600_000, hasWaited, isBatchItem: true } })
  const sendSingle = (worker: Provider) =>
    worker.sendTransfer({ ...order, turn: { maxWaitMs: 3_600_000, hasWaited: false, isBatchItem: false } })
  const PLACED = { kind: 'unreachable', code: 'paced', retryAfterMs: expect.any(Number) }

  test('takes none of the burst, which other orders find whole', async () => {
    const worker = startWorker({ send: { perSecond: 0.2, burst: 5 } })
    expect(await sendItem(worker)).toEqual(SENT)
    expect(await sendItem(worker)).toMatchObject(PLACED)
    for (let times = 0; times < 4; times += 1) expect(await sendSingle(worker)).toEqual(SENT)
  })

  test('has no turn while other orders wait for theirs, also at its place', async () => {
    const worker = startWorker({ send: { perSecond: 2, burst: 1 } })
    // Four have a turn within 1.5 s, the others places after them.
    await Promise.all(Array.from({ length: 8 }, () => sendSingle(worker)))
    expect(await sendItem(worker, true)).toMatchObject(PLACED)
  })

  test('takes no place before orders, and has its own after those of other items', async () => {
    const worker = startWorker({ send: { perSecond: 0.5, burst: 1 } })
    await sendSingle(worker)
    const places = []
    for (let times = 0; times < 3; times += 1)
      places.push((await sendItem(worker)) as { retryAfterMs: number })
    const [first, second, third] = places.map(one => one.retryAfterMs)
    expect(second! - first!).toBeGreaterThan(1_500)
    expect(third! - second!).toBeGreaterThan(1_500)
    // An order that is no item has the first place, whatever waits.
    const single = (await sendSingle(worker)) as { retryAfterMs: number }
    expect(single.retryAfterMs).toBeLessThan(first!)
  })

  test('is sent at its place where no other order waits', async () => {
    const worker = startWorker({ send: { perSecond: 4, burst: 3 } })
    expect(await sendItem(worker)).toEqual(SENT)
    const placed = (await sendItem(worker)) as { retryAfterMs?: number }
    if (placed.retryAfterMs) {
      await new Promise(resolve => setTimeout(resolve, placed.retryAfterMs! + 20))
      expect(await sendItem(worker, true)).toEqual(SENT)
    } else expect(placed).toEqual(SENT)
  })
})

describe('PostgreSQL', () => {
  test('has one statement in one round trip for a call with a pace, and none for the others', async () => {
    const { orm, captured, close } = await openCapturedOrm(fixture.config.databaseUrl)
    const worker = startWorker({ lookUp: { perSecond: 100, burst: 100 } }, orm)
    await findTransfer(worker)
    captured.forget()
    await findTransfer(worker)
    expect(captured.messages).toHaveLength(1)
    expect(captured.statements).toHaveLength(1)
    captured.forget()
    await worker.findCharge('r')
    await worker.sendTransfer(order)
    await worker.balances()
    expect(captured.statements).toEqual([])
    await close()
  })

  test.each(['reset', 'silent'] as const)('that is away (%s) keeps no call from being made', async kind => {
    const target = new URL(fixture.config.databaseUrl)
    const proxy = await startTcpProxy({ host: target.hostname, port: Number(target.port) })
    target.hostname = '127.0.0.1'
    target.port = String(proxy.port)
    const orm = await openTestOrm({ databaseUrl: target.href, poolSize: 1 })
    const worker = startWorker({ send: { perSecond: SLOW, burst: 1 } }, orm)
    await worker.sendTransfer(order)
    proxy.injectFault({ kind })
    expect(await worker.sendTransfer(order)).toEqual(SENT)
    expect(lines).not.toEqual([])
    proxy.clearFault()
    proxy.close()
    await orm.close()
  })
})

test('an order whose process was kept from sending it for too long is not sent', async () => {
  const stopMs = 3_100
  const provider = { sendTransfer: () => Promise.reject(new Error('sent')) } as unknown as Provider
  const takeTurn = async () => {
    const until = performance.now() + stopMs
    while (performance.now() < until) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
    return 0
  }
  const worker = paceProvider(
    provider,
    { send: { perSecond: 1, burst: 1 } },
    { takeTurn, takePlace: async () => null },
  )
  expect(await worker.sendTransfer(order)).toMatchObject({ kind: 'unreachable', code: 'paced' })
})

describe('an adapter of the registry', () => {
  const { pace } = PROVIDER_CAPABILITIES.efi
  afterEach(() => {
    PROVIDER_CAPABILITIES.efi.pace = pace
  })

  test('keeps the pace of its API; calls that are not made are counted apart, and not logged as failures', async () => {
    PROVIDER_CAPABILITIES.efi.pace = { charge: { perSecond: SLOW, burst: 2 } }
    await using cleanup = new AsyncDisposableStack()
    const scripted = await startScriptedProvider()
    cleanup.defer(() => scripted.close())
    scripted.scriptReplies(`GET /v2/cob/${REFERENCE}`, okReply(cobOf()))
    const { sealer } = fixture.dependencies
    const metrics = createWorkerMetrics('w')
    const registry = createProviderRegistry({
      openCredentials: sealer.open,
      timeoutMs: 30_000,
      ca: scripted.ca,
      sharedAccess: createSharedAccess({ orm: fixture.orm, sealer, log, timeScale: 1 }),
      observeCall(call) {
        metrics.recordProviderCall(call)
        logFailedCall(log, call)
      },
    })
    cleanup.defer(() => registry.close())
    const connection = {
      uuid: randomUUID(),
      providerAccountUuid,
      provider: 'PROVIDER_A',
      dialect: 'efi',
      baseUrl: scripted.url,
      sealedCredentials: sealer.seal(credentials),
    }
    // Two connections to one provider account share its pace.
    const other = { ...connection, uuid: randomUUID() }
    const find = (one: typeof connection) => registry.providerFor(one).findCharge(REFERENCE)
    const outcomes = [await find(connection), await find(other), await find(connection)]
    expect(outcomes.map(({ kind }) => kind)).toEqual(['found', 'found', 'no_answer'])
    expect(scripted.calls()).toHaveLength(2)
    expect(scripted.countTokenRequests()).toBe(1)
    const text = await metrics.registry.metrics()
    expect(text).toMatch(/^trilho_provider_paced_total\{provider="PROVIDER_A",operation="findCharge".*\} 1$/m)
    expect(text).toMatch(/^trilho_provider_call_seconds_count\{.*outcome="found".*\} 2$/m)
    expect(text).not.toMatch(/outcome="no_answer"|^trilho_provider_failures_total\{/m)
    expect(lines).toEqual([])
    // Credentials that are not stored have no pace.
    const { providerAccountUuid: _, ...unstored } = connection
    expect(await registry.providerFor(unstored).findCharge(REFERENCE)).toMatchObject({ kind: 'found' })
  })
})
