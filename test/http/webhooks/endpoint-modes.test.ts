import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { recordChargeEvent } from '../../../src/activities/events/record-event.ts'
import { lockCharge } from '../../../src/activities/shared/transition.ts'
import { attemptDelivery } from '../../../src/activities/webhooks/deliver.ts'
import { replayMissedEvents } from '../../../src/activities/webhooks/sweep-deliveries.ts'
import { eventRoutes } from '../../../src/api/events/routes.ts'
import { deliveryRoutes, webhookRoutes } from '../../../src/api/webhooks/routes.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { foldListCounters } from '../../../src/db/repositories/list-counters.ts'
import { pollUntil } from '../../api/support/poll-until.ts'
import { openTestOrm } from '../../support/orm.ts'
import {
  type CertificateAuthority,
  createAuthority,
  startMerchantServer,
} from '../../webhooks/support/merchant-server.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { setUpEndpointSuite } from '../support/endpoint-suite.ts'

describe('endpoint modes', () => {
  /** A merchant must never ship for a simulated payment: endpoints receive the events of their own mode. */

  const PATH = '/api/v1/webhooks'

  let fixture: ApiFixture
  let ca: CertificateAuthority
  let shop: Awaited<ReturnType<typeof startMerchantServer>>
  let account: string
  const tokens = { live: '', test: '' }
  const connections = { live: '', test: '' }
  const webhooks = { live: '', test: '', both: '' }
  beforeAll(async () => {
    ca = await createAuthority()
    shop = await startMerchantServer(ca, { names: ['127.0.0.1', 'localhost'] }, (_, response) =>
      response.end(),
    )
    fixture = await openApiFixture(
      [webhookRoutes({ ca: [ca.pem], handshakeTimeoutMs: 30_000 }), deliveryRoutes, eventRoutes],
      {
        TRILHO_LOOPBACK_WEBHOOKS: 'true',
      },
    )
    account = await fixture.insertAccount()
    for (const mode of ['live', 'test'] as const) {
      tokens[mode] = await fixture.insertToken({ accountUuid: account, mode })
      connections[mode] = await fixture.insertConnection(account, { isSimulated: mode === 'test' })
      webhooks[mode] = await created(tokens[mode])
    }
    webhooks.both = await created(tokens.live)
    await sql('update webhook set mode = null where uuid = ?', [webhooks.both]) // Like an endpoint created before modes existed.
  })
  afterAll(() => Promise.all([fixture?.close(), shop?.close()]))

  async function created(token: string): Promise<string> {
    const body = { url: `https://127.0.0.1:${shop.port}/${randomUUID()}` }
    const { status, body: answer } = await fixture.call('POST', PATH, { token, body })
    expect(status).toBe(201)
    return answer.data.uuid
  }

  const sql = <Row extends object>(query: string, values: unknown[]) =>
    fixture.orm.em.fork().execute<Row[]>(query, values)

  /** A charge of one mode with its event. */
  async function announced(mode: 'live' | 'test'): Promise<string> {
    const uuid = await fixture.insertCharge(connections[mode])
    await sql(`update charge set state = 'failed' where uuid = ?`, [uuid])
    await runInTransaction(fixture.orm, async em =>
      recordChargeEvent(em, await lockCharge(em, uuid), { at: new Date() }),
    )
    return uuid
  }

  async function listReceivingWebhooks(charge: string): Promise<string[]> {
    const rows = await sql<{ webhook_uuid: string }>(
      'select webhook_uuid from delivery d join event e on e.uuid = d.event_uuid where e.subject_uuid = ?',
      [charge],
    )
    return rows.map(row => row.webhook_uuid).sort()
  }

  test.each(['live', 'test'] as const)(
    'what is %s is sent to endpoints of that mode, and to endpoints created before modes existed',
    async mode => {
      expect(await listReceivingWebhooks(await announced(mode))).toEqual(
        [webhooks[mode], webhooks.both].sort(),
      )
    },
  )

  test('recovery sends an endpoint the events of its mode', async () => {
    const [live, tried] = [await announced('live'), await announced('test')]
    await sql('delete from delivery where webhook_uuid = any(array[?]::uuid[])', [Object.values(webhooks)])
    const client = async () => ({ workflow: { signalWithStart: async () => {} } })
    const temporal = { client, taskQueue: 't', timeScale: 1 }
    const recover = replayMissedEvents({ orm: fixture.orm, temporal } as never)
    const since = new Date(Date.now() - 60_000).toISOString()
    for (const webhookUuid of Object.values(webhooks))
      await recover({ webhookUuid, since, until: new Date().toISOString() })
    expect(await listReceivingWebhooks(live)).toEqual([webhooks.live, webhooks.both].sort())
    expect(await listReceivingWebhooks(tried)).toEqual([webhooks.test, webhooks.both].sort())
  })

  test('a token reads the endpoints of its mode, and changes no other', async () => {
    for (const [mode, other] of [
      ['live', 'test'],
      ['test', 'live'],
    ] as const) {
      const by = { token: tokens[mode] }
      const { body } = await fixture.call('GET', PATH, by)
      expect(body.data.map((one: { uuid: string }) => one.uuid).sort()).toEqual(
        [webhooks[mode], webhooks.both].sort(),
      )
      expect(body.meta.total).toBe(2)
      const foreign = `${PATH}/${webhooks[other]}`
      const since = new Date().toISOString()
      const answers = [
        await fixture.call('GET', foreign, by),
        await fixture.call('PATCH', foreign, { ...by, body: { status: 'DISABLED' } }),
        await fixture.call('POST', `${foreign}/rotate`, by),
        await fixture.call('POST', `${foreign}/test`, by),
        await fixture.call('GET', `${foreign}/deliveries`, by),
        await fixture.call('POST', `${foreign}/recover`, { ...by, body: { since } }),
        await fixture.call('POST', `${foreign}/deliveries/${randomUUID()}/resend`, by),
        await fixture.call('DELETE', foreign, by),
      ]
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404))
      expect((await fixture.call('GET', `${PATH}/${webhooks.both}`, by)).status).toBe(200)
    }
    const rows = await sql(
      'select from webhook where account_uuid = ? and status = ? and deleted_at is null',
      [account, 'ACTIVE'],
    )
    expect(rows).toHaveLength(3)
  })

  test('a token reads the test events of the endpoints of its mode', async () => {
    const tested = async (token: string, webhook: string): Promise<string> =>
      (await fixture.call('POST', `${PATH}/${webhook}/test`, { token })).body.data.event.id
    const both = await tested(tokens.live, webhooks.both)
    const tests = {
      live: await tested(tokens.live, webhooks.live),
      test: await tested(tokens.test, webhooks.test),
    }
    for (const [mode, other] of [
      ['live', 'test'],
      ['test', 'live'],
    ] as const) {
      const get = (path: string) => fixture.call('GET', `/api/v1/events${path}`, { token: tokens[mode] })
      const idsOf = (data: { id: string }[]) => data.map(({ id }) => id).sort()
      const { data, meta } = (await get('?type=TEST')).body
      expect([idsOf(data), meta.total]).toEqual([[tests[mode], both].sort(), 2])
      const all = (await get('?per_page=100')).body
      expect(idsOf(all.data)).toEqual(expect.arrayContaining([tests[mode], both]))
      expect(idsOf(all.data)).not.toContain(tests[other])
      expect(all.meta.total).toBe(all.data.length)
      expect((await get('?type=PAYMENT')).body.meta.total).toBe(all.data.length - 2)
      expect((await get(`/${tests[other]}`)).status).toBe(404)
      expect((await get(`/${tests[mode]}`)).status).toBe(200)
      await foldListCounters(fixture.orm)
    }
  })
})

describe('unrecorded attempts', () => {
  /** Attempts whose outcome PostgreSQL does not store, as their activity makes and Temporal repeats them. */

  const MINUTE_MS = 60_000

  const { getFixture, closeAfterTest, openEndpoint: endpoint } = setUpEndpointSuite()

  /** PostgreSQL answers reads and takes no writes, as a standby does. */
  async function openReadOnlyOrm() {
    const role = `reader_${randomUUID().replaceAll('-', '')}`
    await getFixture()
      .orm.em.fork()
      .execute(
        `create role ${role} login password 'a' in role pg_read_all_data;
     alter role ${role} set default_transaction_read_only = on`,
      )
    const url = Object.assign(new URL(getFixture().config.databaseUrl), { username: role, password: 'a' })
    const orm = await openTestOrm({ databaseUrl: url.href, poolSize: 2 })
    closeAfterTest(() => orm.close())
    return orm
  }

  /** Refuses what records an attempt, until the test has ended; the row of the delivery can be written. */
  async function refuseRecords() {
    const alter = (change: string) =>
      getFixture().orm.em.fork().execute(`alter table delivery_attempt ${change}`)
    await alter('add constraint refuses check (number < 0) not valid')
    closeAfterTest(async () => void (await alter('drop constraint refuses')))
  }

  test('while PostgreSQL takes no writes, nothing is sent, however often the attempt is repeated', async () => {
    const hook = await endpoint()
    const delivery = await hook.createEvent()
    const readOnly = attemptDelivery({ ...hook.dependencies, orm: await openReadOnlyOrm() })
    for (let repeat = 0; repeat < 3; repeat++)
      await expect(readOnly({ deliveryUuid: delivery })).rejects.toMatchObject({ code: '25006' })
    expect(hook.received).toEqual([])
    expect(await hook.deliver(delivery)).toEqual({ kind: 'closed', outcome: 'DELIVERED' })
    expect(hook.received).toHaveLength(1)
    expect(await hook.readDelivery(delivery)).toMatchObject({ attempt_count: 1 })
  })

  test('an attempt is claimed before it is sent, and stays due, so that another worker repeats it after a crash', async () => {
    const hook = await endpoint()
    const delivery = await hook.createEvent()
    await hook.updateDelivery(delivery, `sweep_at = now(), next_attempt_at = now()`)
    const before = await hook.readDelivery(delivery)
    const claimed = Promise.withResolvers<Record<string, unknown>>()
    hook.scriptResponses({
      status: 200,
      meanwhile: async () => claimed.resolve(await hook.readDelivery(delivery)),
    })
    await hook.deliver(delivery)
    const { sweep_at, ...row } = await claimed.promise
    expect(row).toMatchObject({ status: 'PENDING', next_attempt_at: before.next_attempt_at })
    expect(Date.parse(String(sweep_at)) - Date.parse(String(before.sweep_at))).toBeGreaterThanOrEqual(
      5 * MINUTE_MS,
    )
  })

  test.each([
    ['a success', { status: 200 }, 0, 4_500, 5_500],
    ['a failure', { status: 500 }, 0, 4_500, 5_500],
    [
      'a failure with Retry-After',
      { status: 503, headers: { 'retry-after': '3600' } },
      0,
      3_600_000,
      3_600_000,
    ],
    ['the last failure', { status: 500 }, 9, 0.9 * 1_440 * MINUTE_MS, 1.1 * 1_440 * MINUTE_MS],
  ])(
    '%s that cannot be stored is repeated after a wait, as any failure',
    async (_, answer, attemptCount, leastMs, mostMs) => {
      const hook = await endpoint()
      const delivery = await hook.createEvent()
      await hook.updateDelivery(delivery, `attempt_count = ${attemptCount}`)
      await refuseRecords()
      hook.scriptResponses(answer)
      const result = await hook.deliver(delivery)
      expect(result).toEqual({ kind: 'again', waitMs: expect.any(Number) })
      const { waitMs } = result as { waitMs: number }
      expect(waitMs).toBeGreaterThanOrEqual(leastMs)
      expect(waitMs).toBeLessThanOrEqual(mostMs)
      expect(hook.received).toHaveLength(1)
      expect(await hook.readDelivery(delivery)).toMatchObject({
        status: 'PENDING',
        attempt_count: attemptCount,
      })
      expect(getFixture().lines.join('')).toContain('the outcome of a webhook delivery attempt is not stored')
    },
  )

  test('a first attempt that cannot be stored is not repeated at once either', async () => {
    const hook = await endpoint({ firstAttempts: { fastMs: 20_000, probeMs: 40_000 } })
    const delivery = await hook.createEvent()
    await refuseRecords()
    const { open } = await hook.deliverFirst([delivery])
    expect(open).toEqual([{ deliveryUuid: delivery, firstWaitMs: expect.any(Number) }])
    expect(open[0]!.firstWaitMs).toBeGreaterThanOrEqual(4_500)
  })

  test('a delivery that is ended while its attempt waits for a slot is not sent', async () => {
    const hook = await endpoint({ endpointLimits: { maxRequests: 1, maxWaitMs: 60_000 } })
    const [first, second] = [await hook.createEvent(), await hook.createEvent()]
    const answered = Promise.withResolvers<void>()
    hook.scriptResponses({ status: 200, meanwhile: () => answered.promise })
    const one = hook.deliver(first)
    await pollUntil(
      async () => hook.received.length,
      count => count === 1,
    )
    const waits = Promise.withResolvers<void>()
    const { acquireSlot } = hook.dependencies.webhooks
    const webhooks: typeof hook.dependencies.webhooks = {
      ...hook.dependencies.webhooks,
      acquireSlot(...input) {
        const slot = acquireSlot(...input)
        waits.resolve()
        return slot
      },
    }
    const two = attemptDelivery({ ...hook.dependencies, webhooks })({ deliveryUuid: second })
    await waits.promise
    await hook.updateDelivery(second, `status = 'CANCELLED'`)
    answered.resolve()
    expect(await one).toEqual({ kind: 'closed', outcome: 'DELIVERED' })
    expect(await two).toEqual({ kind: 'again', waitMs: 0 })
    expect(hook.received).toHaveLength(1)
    expect(await hook.deliver(second)).toEqual({ kind: 'closed', outcome: 'CANCELLED' })
  })
})
