import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import type { ActivityDependencies } from '../../../src/activities/runtime/dependencies.ts'
import { attemptDelivery, createDeliveryAttempt } from '../../../src/activities/webhooks/deliver.ts'
import { loadDeliveries } from '../../../src/db/repositories/deliveries.ts'
import { pollUntil } from '../../api/support/poll-until.ts'
import { setUpEndpointSuite } from '../support/endpoint-suite.ts'

/** One attempt of a delivery after another, as its activity makes them: what is stored, and what comes next. */

const DAY_MS = 86_400_000

const { getFixture, openEndpoint: endpoint } = setUpEndpointSuite()

const deliveryEnded = (outcome: string) => ({ kind: 'closed', outcome })
const timeOf = (at: unknown) => new Date(at as string).getTime()
const isPassed = (at: unknown) => timeOf(at) <= Date.now()

describe('an attempt', () => {
  test('that succeeds completes the delivery, and updates the endpoint’s health', async () => {
    const hook = await endpoint()
    const delivery = await hook.createEvent('PAYMENT', { b: 1, a: { z: 'ação', y: null }, sequence: 3 })
    hook.scriptResponses({ status: 204 })
    await hook.updateEndpoint(`failing_since = now()`)
    expect(await hook.deliver(delivery)).toEqual(deliveryEnded('DELIVERED'))
    expect(await hook.readDelivery(delivery)).toMatchObject({
      status: 'DELIVERED',
      attempt_count: 1,
      sweep_at: null,
    })
    expect(await hook.readEndpoint()).toMatchObject({
      failing_since: null,
      last_success_at: expect.anything(),
    })
    const [{ headers, body }] = hook.received as [(typeof hook.received)[0]]
    const event = new Webhook(hook.secret).verify(body, headers as Record<string, string>)
    expect(event).toMatchObject({ type: 'PAYMENT', data: { sequence: 3 } })
    expect(body).toContain('"data":{"b":1,"a":{"z":"ação","y":null},"sequence":3}}')
    expect(headers['x-request-id']).toBe('the request')
    expect(await hook.deliver(delivery)).toEqual(deliveryEnded('DELIVERED'))
    expect(hook.received).toHaveLength(1)
  })

  test.each([
    ['a server error', { status: 500, body: 'broken' }, 500],
    ['a refusal', { status: 404 }, 404],
    ['a redirect, which is not followed', { status: 307, headers: { location: 'https://hooks.test/' } }, 307],
  ])('that meets %s is repeated', async (_, answer, status) => {
    const hook = await endpoint()
    const delivery = await hook.createEvent()
    hook.scriptResponses(answer)
    const next = await hook.deliver(delivery)
    expect(next).toMatchObject({ kind: 'again', waitMs: expect.any(Number) })
    expect(await hook.readAttempts(delivery)).toMatchObject([
      { number: 1, status_code: status, failure: null },
    ])
    expect(hook.received).toHaveLength(1)
    expect((await hook.readEndpoint()).failing_since).not.toBeNull()
  })

  test('stores at most a kilobyte of the response', async () => {
    const hook = await endpoint()
    const delivery = await hook.createEvent()
    hook.scriptResponses({ status: 500, body: 'é'.repeat(4_000) })
    await hook.deliver(delivery)
    expect((await hook.readAttempts(delivery))[0]!.answer).toBe('é'.repeat(512))
  })

  test.each([
    ['turns to a private address', async () => ['10.0.0.1'], 'refused_address'],
    ['has a private address among others', async () => ['127.0.0.1', '10.0.0.1'], 'refused_address'],
    ['turns to the metadata service', async () => ['169.254.169.254'], 'refused_address'],
    ['does not resolve', () => Promise.reject(new Error('ENOTFOUND')), 'no_connection'],
  ])('sends nothing where the endpoint’s name %s', async (_, resolve, failure) => {
    const hook = await endpoint({ resolve })
    const delivery = await hook.createEvent()
    expect(await hook.deliver(delivery)).toMatchObject({ kind: 'again' })
    expect(await hook.readAttempts(delivery)).toMatchObject([{ status_code: null, failure, answer: '' }])
    expect(hook.server.seen.connections).toBe(0)
  })

  test('sends nothing to an http URL, however it came to be stored', async () => {
    const hook = await endpoint()
    await hook.updateEndpoint(`url = replace(url, 'https:', 'http:')`)
    const delivery = await hook.createEvent()
    await hook.deliver(delivery)
    expect(await hook.readAttempts(delivery)).toMatchObject([{ failure: 'no_connection' }])
    expect(hook.server.seen.connections).toBe(0)
  })

  test('waits as Retry-After says, measured by the clock of its process', async () => {
    const hook = await endpoint({ timeScale: 1_000 })
    const delivery = await hook.createEvent()
    hook.scriptResponses({ status: 429, headers: { 'retry-after': '3600' } })
    const before = Date.now()
    expect(await hook.deliver(delivery)).toEqual({ kind: 'again', waitMs: 3_600_000 })
    const { next_attempt_at, sweep_at } = await hook.readDelivery(delivery)
    const next = new Date(next_attempt_at as string).getTime()
    expect(next).toBeGreaterThanOrEqual(before + 3_600)
    expect(next).toBeLessThanOrEqual(Date.now() + 3_600)
    expect(new Date(sweep_at as string).getTime() - new Date(next_attempt_at as string).getTime()).toBe(300)
  })

  test('before its due time sends nothing, and returns the remaining wait', async () => {
    const hook = await endpoint()
    const delivery = await hook.createEvent()
    await hook.updateDelivery(delivery, `next_attempt_at = now() + interval '1 hour'`)
    const next = await hook.deliver(delivery)
    expect(next).toEqual({ kind: 'again', waitMs: expect.any(Number) })
    expect((next as { waitMs: number }).waitMs).toBeGreaterThan(3_500_000)
    expect(hook.received).toEqual([])
  })

  test('is the last of ten; a resent delivery has ten more', async () => {
    const hook = await endpoint()
    const delivery = await hook.createEvent()
    hook.scriptResponses(...Array(12).fill({ status: 500 }))
    await hook.updateDelivery(delivery, 'attempt_count = 9')
    expect(await hook.deliver(delivery)).toEqual(deliveryEnded('FAILED'))
    await hook.updateDelivery(delivery, `status = 'PENDING', attempts_before_run = 10`)
    expect(await hook.deliver(delivery)).toMatchObject({ kind: 'again' })
    await hook.updateDelivery(delivery, 'attempt_count = 19, next_attempt_at = null')
    expect(await hook.deliver(delivery)).toEqual(deliveryEnded('FAILED'))
  })

  test('at a crowded endpoint is not counted, and is due again when there is capacity', async () => {
    const hook = await endpoint({ endpointLimits: { maxRequests: 1, maxWaitMs: 0 }, timeScale: 50 })
    const [first, second] = [await hook.createEvent(), await hook.createEvent()]
    let isIn = () => {}
    const inside = new Promise<void>(done => {
      isIn = done
    })
    let goOn = () => {}
    const meanwhile = () => {
      isIn()
      return new Promise<void>(done => {
        goOn = done
      })
    }
    hook.scriptResponses({ status: 200, meanwhile })
    const one = hook.deliver(first)
    await inside
    await hook.updateDelivery(second, 'next_attempt_at = now(), sweep_at = now()')
    const beforeMs = Date.now()
    expect(await hook.deliver(second)).toEqual({ kind: 'again', waitMs: 5_000 * 50 })
    // No sweep wakes it before its due time, nor in the five minutes of this clock after it.
    const { sweep_at } = await hook.readDelivery(second)
    expect(new Date(sweep_at as string).getTime()).toBeGreaterThanOrEqual(beforeMs + 5_000 + 300_000 / 50)
    goOn()
    expect(await one).toEqual(deliveryEnded('DELIVERED'))
    expect(await hook.readAttempts(second)).toEqual([])
    expect((await hook.readEndpoint()).failing_since).toBeNull()
  })
})

test('another account’s endpoint of the same URL uses none of an endpoint’s request slots', async () => {
  const limits = { endpointLimits: { maxRequests: 1, maxRequestsWhenFailing: 1, maxWaitMs: 0 } }
  const [crowded, live] = [await endpoint(limits), await endpoint()]
  await live.updateEndpoint('url = ?, failing_since = now()', [(await crowded.readEndpoint()).url])
  const [first, second] = [await crowded.createEvent(), await live.createEvent()]
  const answered = Promise.withResolvers<void>()
  crowded.scriptResponses({ status: 200, meanwhile: () => answered.promise })
  const one = crowded.deliver(first)
  await pollUntil(
    async () => crowded.received.length,
    count => count === 1,
  )
  const { webhooks } = crowded.dependencies
  const attempt = attemptDelivery({ ...live.dependencies, webhooks })
  expect(await attempt({ deliveryUuid: second })).toEqual(deliveryEnded('DELIVERED'))
  answered.resolve()
  expect(await one).toEqual(deliveryEnded('DELIVERED'))
})

describe('during an attempt', () => {
  test('the endpoint is removed: the delivery stays cancelled', async () => {
    const hook = await endpoint()
    const delivery = await hook.createEvent()
    const meanwhile = () => hook.updateDelivery(delivery, `status = 'CANCELLED'`)
    hook.scriptResponses({ status: 500, meanwhile })
    expect(await hook.deliver(delivery)).toEqual(deliveryEnded('CANCELLED'))
    expect(await hook.readAttempts(delivery)).toHaveLength(1)
  })

  test('the endpoint is removed, and the attempt succeeds: the delivery is completed', async () => {
    const hook = await endpoint()
    const delivery = await hook.createEvent()
    hook.scriptResponses({
      status: 200,
      meanwhile: () => hook.updateDelivery(delivery, `status = 'CANCELLED'`),
    })
    expect(await hook.deliver(delivery)).toEqual(deliveryEnded('DELIVERED'))
  })

  test('the delivery is resent: the next attempt follows immediately', async () => {
    const hook = await endpoint()
    const delivery = await hook.createEvent()
    const meanwhile = () =>
      hook.updateDelivery(delivery, `attempts_before_run = attempt_count, next_attempt_at = now()`)
    hook.scriptResponses({ status: 500, meanwhile })
    expect(await hook.deliver(delivery)).toEqual({ kind: 'again', waitMs: 0 })
    expect(await hook.deliver(delivery)).toEqual(deliveryEnded('DELIVERED'))
  })

  test.each([
    ['410', 410],
    ['a failure', 500],
  ])(
    'the endpoint’s URL changes: %s of the old URL does not count against the new one',
    async (_, status) => {
      const hook = await endpoint()
      const [delivery, waiting] = [await hook.createEvent(), await hook.createEvent()]
      const meanwhile = () => hook.updateEndpoint(`url = 'https://hooks.test/new'`)
      hook.scriptResponses({ status, meanwhile })
      expect(await hook.deliver(delivery)).toMatchObject({ kind: 'again' })
      expect(await hook.readAttempts(delivery)).toMatchObject([{ status_code: status }])
      expect(await hook.readEndpoint()).toMatchObject({ status: 'ACTIVE', failing_since: null })
      expect(await hook.readDelivery(waiting)).toMatchObject({ status: 'PENDING' })
    },
  )

  test('the endpoint’s URL changes: a success of the old URL does not count for the new one', async () => {
    const hook = await endpoint()
    const meanwhile = () => hook.updateEndpoint(`url = 'https://hooks.test/new', failing_since = now()`)
    hook.scriptResponses({ status: 200, meanwhile })
    expect(await hook.deliver(await hook.createEvent())).toEqual(deliveryEnded('DELIVERED'))
    expect(await hook.readEndpoint()).toMatchObject({
      last_success_at: null,
      failing_since: expect.anything(),
    })
  })
})

describe('a delivery that was pruned with its event', () => {
  const forget = (hook: Awaited<ReturnType<typeof endpoint>>, delivery: string) =>
    hook.sql('delete from event where uuid = (select event_uuid from delivery where uuid = ?)', [delivery])

  test('before its workflow was signalled ends', async () => {
    const hook = await endpoint()
    const delivery = await hook.createEvent()
    await forget(hook, delivery)
    expect(await hook.deliver(delivery)).toEqual(deliveryEnded('CANCELLED'))
    expect(hook.received).toEqual([])
  })

  test('during an attempt ends', async () => {
    const hook = await endpoint()
    const delivery = await hook.createEvent()
    hook.scriptResponses({ status: 500, meanwhile: () => forget(hook, delivery) })
    expect(await hook.deliver(delivery)).toEqual(deliveryEnded('CANCELLED'))
    expect(await hook.readAttempts(delivery)).toEqual([])
  })
})

describe('a replaced signing secret', () => {
  const inMs = (ms: number) => new Date(Date.now() + ms).toISOString()
  const headersOf = (hook: Awaited<ReturnType<typeof endpoint>>) => hook.received[0]!

  test('signs next to the current one until it expires', async () => {
    const hook = await endpoint()
    const seal = (secret: string) => getFixture().dependencies.sealer.seal(secret)
    const previous = [
      { sealed: seal('the one before'), until: inMs(60_000) },
      { sealed: seal('the one before that'), until: inMs(30_000) },
      { sealed: seal('one of long ago'), until: inMs(-1) },
    ]
    await hook.updateEndpoint('previous_secrets = ?', [JSON.stringify(previous)])
    await hook.deliver(await hook.createEvent())
    const { headers, body } = headersOf(hook)
    expect(String(headers['webhook-signature']).split(' ')).toHaveLength(3)
    const verifies = (secret: string | Uint8Array) => {
      const raw = typeof secret === 'string' ? undefined : { format: 'raw' as const }
      try {
        return Boolean(new Webhook(secret, raw).verify(body, headers as Record<string, string>))
      } catch {
        return false
      }
    }
    const bytes = (text: string) => new TextEncoder().encode(text)
    expect([
      verifies(hook.secret),
      verifies(bytes('the one before')),
      verifies(bytes('the one before that')),
      verifies(bytes('one of long ago')),
    ]).toEqual([true, true, true, false])
  })
})

describe('an endpoint', () => {
  test('that answers 410 is disabled, and nothing more is sent to it', async () => {
    const hook = await endpoint()
    const [first, second, done] = [
      await hook.createEvent(),
      await hook.createEvent(),
      await hook.createEvent(),
    ]
    await hook.deliver(done)
    hook.scriptResponses({ status: 410 })
    expect(await hook.deliver(first)).toEqual(deliveryEnded('FAILED'))
    expect(await hook.readEndpoint()).toMatchObject({
      status: 'DISABLED',
      disabled_reason: 'the endpoint answered 410 Gone',
    })
    const ended = await hook.readDelivery(second)
    expect(ended).toMatchObject({ status: 'FAILED', attempt_count: 0 })
    expect(isPassed(ended.sweep_at)).toBe(true) // Its workflow is signalled.
    expect(await hook.deliver(second)).toEqual(deliveryEnded('FAILED'))
    expect((await hook.readDelivery(done)).status).toBe('DELIVERED')
    expect(hook.received).toHaveLength(2)
  })

  test.each([
    ['for five days', 'DISABLED', 5 * DAY_MS + 1_000],
    ['for not quite five days', 'ACTIVE', 5 * DAY_MS - 60_000],
  ])('that has failed %s and fails now is then %s', async (_, status, ms) => {
    const hook = await endpoint()
    await hook.updateEndpoint('failing_since = ?', [new Date(Date.now() - ms)])
    hook.scriptResponses({ status: 500 })
    await hook.deliver(await hook.createEvent())
    expect((await hook.readEndpoint()).status).toBe(status)
  })

  test('that has failed for five days and succeeds now stays active', async () => {
    const hook = await endpoint()
    await hook.updateEndpoint('failing_since = ?', [new Date(Date.now() - 6 * DAY_MS)])
    await hook.deliver(await hook.createEvent())
    expect(await hook.readEndpoint()).toMatchObject({ status: 'ACTIVE', failing_since: null })
  })

  test.each([
    [`deleted_at = now()`, 'CANCELLED'],
    [`status = 'DISABLED', disabled_reason = 'so'`, 'FAILED'],
    [`status = 'DISABLED', disabled_reason = 'so', deleted_at = now()`, 'CANCELLED'],
  ])('with %s receives no event written meanwhile', async (columns, outcome) => {
    const hook = await endpoint()
    const delivery = await hook.createEvent()
    await hook.updateEndpoint(columns)
    expect(await hook.deliver(delivery)).toEqual(deliveryEnded(outcome))
    expect(await hook.readDelivery(delivery)).toMatchObject({
      status: outcome,
      attempt_count: 0,
      sweep_at: null,
    })
    expect(hook.received).toEqual([])
  })
})

test.each([
  ['enabled', `status = 'ACTIVE', disabled_reason = null`],
  ['deleted', 'deleted_at = now()'],
])('a delivery is not ended by a disabled endpoint that was %s since it was read', async (_, columns) => {
  const hook = await endpoint()
  const delivery = await hook.createEvent()
  await hook.updateEndpoint(`status = 'DISABLED', disabled_reason = 'asked'`)
  const { orm } = getFixture()
  const em = orm.em.fork()
  await loadDeliveries(em, [delivery])
  await hook.updateEndpoint(columns)
  const attempt = createDeliveryAttempt({ orm, timeScale: 1, webhooks: {} } as ActivityDependencies)
  expect(await attempt({ deliveryUuid: delivery }, { em })).toEqual({ kind: 'again', waitMs: 0 })
  expect((await hook.readDelivery(delivery)).status).toBe('PENDING')
})

test('an attempt that fails after another one of its delivery succeeded leaves the endpoint’s health', async () => {
  const hook = await endpoint()
  const delivery = await hook.createEvent()
  const succeeded = Promise.withResolvers<void>()
  hook.scriptResponses({ status: 500, meanwhile: () => succeeded.promise }, { status: 200 })
  const failing = hook.deliver(delivery)
  await pollUntil(
    async () => hook.received.length,
    count => count === 1,
  )
  expect(await hook.deliver(delivery)).toEqual(deliveryEnded('DELIVERED'))
  succeeded.resolve()
  expect(await failing).toEqual(deliveryEnded('DELIVERED'))
  expect(await hook.readEndpoint()).toMatchObject({ failing_since: null, status: 'ACTIVE' })
  expect(await hook.readDelivery(delivery)).toMatchObject({ status: 'DELIVERED', attempt_count: 2 })
})

test.each([['FAILED'], ['CANCELLED']])(
  'PostgreSQL refuses that a delivered delivery becomes %s',
  async status => {
    const hook = await endpoint()
    const delivery = await hook.createEvent()
    await hook.deliver(delivery)
    await expect(hook.updateDelivery(delivery, `status = '${status}'`)).rejects.toMatchObject({
      constraint: 'delivery_transition',
    })
    expect((await hook.readDelivery(delivery)).status).toBe('DELIVERED')
  },
)

describe('first attempts within a workflow task', () => {
  /** Waits for answers that do come, on a machine that may be busy. */
  const PATIENT = { fastMs: 20_000, probeMs: 40_000 }

  test('leave the failed ones open, with the wait of the schedule', async () => {
    const hook = await endpoint({ firstAttempts: PATIENT })
    const [delivered, failed] = [await hook.createEvent(), await hook.createEvent()]
    expect(await hook.deliverFirst([delivered])).toEqual({ open: [] })
    hook.scriptResponses({ status: 500 })
    const { open } = await hook.deliverFirst([failed])
    expect(open).toEqual([{ deliveryUuid: failed, firstWaitMs: expect.any(Number) }])
    expect(open[0]!.firstWaitMs).toBeGreaterThan(0)
    expect(await hook.readDelivery(failed)).toMatchObject({ status: 'PENDING', attempt_count: 1 })
  })

  test('skip an endpoint that is failing: its deliveries have workflows', async () => {
    const hook = await endpoint()
    const delivery = await hook.createEvent()
    await hook.updateEndpoint('failing_since = now()')
    expect(await hook.deliverFirst([delivery])).toEqual({
      open: [{ deliveryUuid: delivery, firstWaitMs: 0 }],
    })
    expect(hook.received).toEqual([])
  })

  test('leave one that fails on our side to its workflow, and attempt no other twice', async () => {
    const [broken, hook] = [await endpoint(), await endpoint({ firstAttempts: PATIENT })]
    await broken.updateEndpoint(`sealed_secret = 'unreadable'`)
    const [unsigned, delivered] = [await broken.createEvent(), await hook.createEvent()]
    await hook.becomeFast()
    expect(await hook.deliverFirst([unsigned, delivered])).toEqual({
      open: [{ deliveryUuid: unsigned, firstWaitMs: 0 }],
    })
    expect(hook.received).toHaveLength(2)
    expect(await broken.readDelivery(unsigned)).toMatchObject({ status: 'PENDING', attempt_count: 0 })
  })

  test('at a fast endpoint wait for their turn in a burst, so that none becomes slow', async () => {
    const hook = await endpoint({ firstAttempts: { ...PATIENT, maxAttempts: 1, maxTurnMs: 30_000 } })
    await hook.becomeFast()
    const deliveries = [await hook.createEvent(), await hook.createEvent()]
    const seen: string[] = []
    const meanwhile = async () => {
      seen.push('received')
      await sleep(50)
      seen.push('answered')
    }
    hook.scriptResponses({ status: 200, meanwhile }, { status: 200, meanwhile })
    expect(await hook.deliverFirst(deliveries)).toEqual({ open: [] })
    expect(seen).toEqual(['received', 'answered', 'received', 'answered'])
  })

  test('whose turn does not come in time are left to their workflows, and made by nobody else', async () => {
    const hook = await endpoint({ firstAttempts: { ...PATIENT, maxAttempts: 1, maxTurnMs: 200 } })
    await hook.becomeFast()
    const [made, left] = [await hook.createEvent(), await hook.createEvent()]
    const answered = Promise.withResolvers<void>()
    hook.scriptResponses({ status: 200, meanwhile: () => answered.promise })
    const making = hook.deliverFirst([made])
    await pollUntil(
      async () => hook.received.length,
      count => count === 2,
    )
    expect(await hook.deliverFirst([left])).toEqual({ open: [{ deliveryUuid: left, firstWaitMs: 0 }] })
    answered.resolve()
    expect(await making).toEqual({ open: [] })
    expect(hook.received).toHaveLength(2)
    expect(await hook.readDelivery(left)).toMatchObject({ status: 'PENDING', attempt_count: 0 })
  })

  test('that waited read their rows again: nothing is sent to an endpoint that was disabled meanwhile', async () => {
    const hook = await endpoint({ firstAttempts: { ...PATIENT, maxAttempts: 1, maxTurnMs: 30_000 } })
    await hook.becomeFast()
    const [made, late] = [await hook.createEvent(), await hook.createEvent()]
    const meanwhile = async () => {
      await hook.updateEndpoint(`status = 'DISABLED', disabled_reason = 'asked'`)
      await sleep(400)
    }
    hook.scriptResponses({ status: 200, meanwhile })
    expect(await hook.deliverFirst([made, late])).toEqual({ open: [] })
    expect(hook.received).toHaveLength(2)
    expect(await hook.readDelivery(late)).toMatchObject({ status: 'FAILED', attempt_count: 0 })
  })

  test('of an endpoint that was not fast are left to workflows at once, and no other endpoint waits for it', async () => {
    const hook = await endpoint({ firstAttempts: { probeMs: 4_000 } })
    const other = await endpoint()
    const answered = Promise.withResolvers<void>()
    const meanwhile = () => answered.promise
    hook.scriptResponses({ status: 200, meanwhile }, { status: 200, meanwhile })
    const [first, second, third] = [
      await hook.createEvent(),
      await hook.createEvent(),
      await hook.createEvent(),
    ]
    const probe = hook.deliverFirst([first])
    await pollUntil(
      async () => hook.received.length,
      count => count === 1,
    )
    // Its answer is still due: no other first attempt is made at this endpoint, and none waits for it.
    expect(await hook.deliverFirst([second])).toEqual({ open: [{ deliveryUuid: second, firstWaitMs: 0 }] })
    const healthy = await other.createEvent()
    expect(await hook.deliverFirst([third, healthy])).toEqual({
      open: [{ deliveryUuid: third, firstWaitMs: 0 }],
    })
    expect((await other.readDelivery(healthy)).status).toBe('DELIVERED')
    expect(await probe).toEqual({ open: [{ deliveryUuid: first, firstWaitMs: 20_000 }] })
    // It answers by now, but is left alone for a while.
    answered.resolve()
    await pollUntil(
      () => hook.readDelivery(first),
      ({ status }) => status === 'DELIVERED',
    )
    const late = await hook.createEvent()
    expect(await hook.deliverFirst([late])).toEqual({ open: [{ deliveryUuid: late, firstWaitMs: 0 }] })
    expect(hook.received).toHaveLength(1)
  })

  test('that wait for a request slot hold no local activity, and are not the endpoint’s silence', async () => {
    const hook = await endpoint({ endpointLimits: { maxRequests: 1, maxWaitMs: 60_000 } })
    await hook.becomeFast()
    const slot = await hook.dependencies.webhooks.acquireSlot(hook.uuid)
    const held = await hook.createEvent()
    expect(await hook.deliverFirst([held])).toEqual({ open: [{ deliveryUuid: held, firstWaitMs: 20_000 }] })
    expect(hook.received).toHaveLength(1)
    if ('release' in slot) slot.release()
    await pollUntil(
      () => hook.readDelivery(held),
      ({ status }) => status === 'DELIVERED',
    )
    // More than one at a time: the endpoint is still fast.
    expect(await hook.deliverFirst([await hook.createEvent(), await hook.createEvent()])).toEqual({
      open: [],
    })
  })

  test('leave local activities to everything else, however many endpoints do not answer', async () => {
    const hook = await endpoint({ firstAttempts: { maxProbes: 1, fastMs: 2_000, probeMs: 40_000 } })
    const [slow, unknown] = [await endpoint(), await endpoint()]
    const answered = Promise.withResolvers<void>()
    const meanwhile = () => answered.promise
    await hook.becomeFast()
    slow.scriptResponses({ status: 200, meanwhile })
    hook.scriptResponses({ status: 200, meanwhile })
    const [probed, left, held] = [
      await slow.createEvent(),
      await unknown.createEvent(),
      await hook.createEvent(),
    ]
    const probing = hook.deliverFirst([probed])
    await pollUntil(
      async () => slow.received.length,
      count => count === 1,
    )
    // An activity waits for an endpoint that is probed: another endpoint of that kind gets no first attempt.
    expect(await hook.deliverFirst([left])).toEqual({ open: [{ deliveryUuid: left, firstWaitMs: 0 }] })
    expect(unknown.received).toEqual([])
    // A fast endpoint is attempted, and its late answer is not awaited as long as that of a probe.
    expect(await hook.deliverFirst([held])).toEqual({ open: [{ deliveryUuid: held, firstWaitMs: 20_000 }] })
    answered.resolve()
    expect(await probing).toEqual({ open: [] })
  })

  test('are not made again while the first one is without an answer, and its late failure is retried', async () => {
    const hook = await endpoint()
    const delivery = await hook.createEvent()
    const answered = Promise.withResolvers<void>()
    hook.scriptResponses({ status: 500, meanwhile: () => answered.promise })
    expect(await hook.deliverFirst([delivery])).toEqual({
      open: [{ deliveryUuid: delivery, firstWaitMs: 20_000 }],
    })
    // A second notification of the same payment finds the delivery without an attempt.
    expect((await hook.deliverFirst([delivery])).open).toHaveLength(1)
    expect(await hook.deliver(delivery)).toEqual({ kind: 'again', waitMs: expect.any(Number) })
    expect(hook.received).toHaveLength(1)
    const postponed = await hook.readDelivery(delivery)
    answered.resolve()
    const recorded = await pollUntil(
      () => hook.readDelivery(delivery),
      row => row.attempt_count === 1,
    )
    expect(recorded.status).toBe('PENDING')
    expect(timeOf(recorded.next_attempt_at)).toBeLessThan(timeOf(postponed.next_attempt_at))
  })

  test('do not wait for a slow endpoint, whose answer is recorded when it comes', async () => {
    const hook = await endpoint({ timeScale: 10 })
    const delivery = await hook.createEvent()
    const slow = Promise.withResolvers<void>()
    hook.scriptResponses({ status: 200, meanwhile: () => slow.promise })
    expect(await hook.deliverFirst([delivery])).toEqual({
      open: [{ deliveryUuid: delivery, firstWaitMs: 200_000 }],
    })
    expect(await hook.readDelivery(delivery)).toMatchObject({ status: 'PENDING', attempt_count: 0 })
    slow.resolve()
    const recorded = await pollUntil(
      () => hook.readDelivery(delivery),
      ({ status }) => status !== 'PENDING',
    )
    expect(recorded).toMatchObject({ status: 'DELIVERED', attempt_count: 1 })
  })
})
