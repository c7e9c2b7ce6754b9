import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { recordChargeEvent } from '../../../src/activities/events/record-event.ts'
import { lockCharge } from '../../../src/activities/shared/transition.ts'
import { replayMissedEvents } from '../../../src/activities/webhooks/sweep-deliveries.ts'
import { eventRoutes } from '../../../src/api/events/routes.ts'
import { deliveryRoutes, webhookRoutes } from '../../../src/api/webhooks/routes.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { foldListCounters } from '../../../src/db/repositories/list-counters.ts'
import {
  type CertificateAuthority,
  createAuthority,
  startMerchantServer,
} from '../../webhooks/support/merchant-server.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

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
  shop = await startMerchantServer(ca, { names: ['127.0.0.1', 'localhost'] }, (_, response) => response.end())
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
    expect(await listReceivingWebhooks(await announced(mode))).toEqual([webhooks[mode], webhooks.both].sort())
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
  const rows = await sql('select from webhook where account_uuid = ? and status = ? and deleted_at is null', [
    account,
    'ACTIVE',
  ])
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
