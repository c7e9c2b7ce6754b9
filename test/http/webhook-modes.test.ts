import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { announceCharge } from '../../src/activities/announce.ts'
import { lockCharge } from '../../src/activities/move.ts'
import { recoverDeliveries } from '../../src/activities/recovery.ts'
import { deliveryRoutes } from '../../src/api/routes/deliveries.ts'
import { eventRoutes } from '../../src/api/routes/events.ts'
import { webhookRoutes } from '../../src/api/routes/webhooks.ts'
import { inTransaction } from '../../src/db/orm.ts'
import { foldTallies } from '../../src/db/tallies.ts'
import { type Authority, authority, farSide } from '../webhooks/far-side.ts'
import { openWorld, type World } from './support/world.ts'

/** A shop must never send goods for what a simulator has paid: endpoints hear of what their tokens may touch. */

const PATH = '/api/v1/webhooks'

let world: World
let ca: Authority
let shop: Awaited<ReturnType<typeof farSide>>
let account: string
const tokens = { live: '', test: '' }
const connections = { live: '', test: '' }
const webhooks = { live: '', test: '', both: '' }
beforeAll(async () => {
  ca = await authority()
  shop = await farSide(ca, { names: ['127.0.0.1', 'localhost'] }, (_, response) => response.end())
  world = await openWorld(
    [webhookRoutes({ ca: [ca.pem], handshakeMs: 30_000 }), deliveryRoutes, eventRoutes],
    {
      TRILHO_LOOPBACK_WEBHOOKS: 'true',
    },
  )
  account = await world.account()
  for (const mode of ['live', 'test'] as const) {
    tokens[mode] = await world.token({ accountUuid: account, mode })
    connections[mode] = await world.connection(account, { isSimulated: mode === 'test' })
    webhooks[mode] = await created(tokens[mode])
  }
  webhooks.both = await created(tokens.live)
  await sql('update webhook set mode = null where uuid = ?', [webhooks.both]) // As one that is older than modes.
})
afterAll(() => Promise.all([world?.close(), shop?.close()]))

async function created(token: string): Promise<string> {
  const body = { url: `https://127.0.0.1:${shop.port}/${randomUUID()}` }
  const { status, body: answer } = await world.call('POST', PATH, { token, body })
  expect(status).toBe(201)
  return answer.data.uuid
}

const sql = <Row extends object>(query: string, values: unknown[]) =>
  world.orm.em.fork().execute<Row[]>(query, values)

/** A charge of one mode that tells of itself. */
async function announced(mode: 'live' | 'test'): Promise<string> {
  const uuid = await world.charge(connections[mode])
  await sql(`update charge set state = 'failed' where uuid = ?`, [uuid])
  await inTransaction(world.orm, async em =>
    announceCharge(em, await lockCharge(em, uuid), { at: new Date() }),
  )
  return uuid
}

async function hearing(charge: string): Promise<string[]> {
  const rows = await sql<{ webhook_uuid: string }>(
    'select webhook_uuid from delivery d join event e on e.uuid = d.event_uuid where e.subject_uuid = ?',
    [charge],
  )
  return rows.map(row => row.webhook_uuid).sort()
}

test.each(['live', 'test'] as const)(
  'what is %s is told to endpoints of that mode, and to those that are older than modes',
  async mode => {
    expect(await hearing(await announced(mode))).toEqual([webhooks[mode], webhooks.both].sort())
  },
)

test('recovery brings an endpoint what is of its mode', async () => {
  const [live, tried] = [await announced('live'), await announced('test')]
  await sql('delete from delivery where webhook_uuid = any(array[?]::uuid[])', [Object.values(webhooks)])
  const client = async () => ({ workflow: { signalWithStart: async () => {} } })
  const engine = { client, taskQueue: 't', timeScale: 1 }
  const recover = recoverDeliveries({ orm: world.orm } as never, engine as never)
  const since = new Date(Date.now() - 60_000).toISOString()
  for (const webhookUuid of Object.values(webhooks))
    await recover({ webhookUuid, since, until: new Date().toISOString() })
  expect(await hearing(live)).toEqual([webhooks.live, webhooks.both].sort())
  expect(await hearing(tried)).toEqual([webhooks.test, webhooks.both].sort())
})

test('a token sees the endpoints of its mode, and touches no other', async () => {
  for (const [mode, other] of [
    ['live', 'test'],
    ['test', 'live'],
  ] as const) {
    const by = { token: tokens[mode] }
    const { body } = await world.call('GET', PATH, by)
    expect(body.data.map((one: { uuid: string }) => one.uuid).sort()).toEqual(
      [webhooks[mode], webhooks.both].sort(),
    )
    expect(body.meta.total).toBe(2)
    const foreign = `${PATH}/${webhooks[other]}`
    const since = new Date().toISOString()
    const answers = [
      await world.call('GET', foreign, by),
      await world.call('PATCH', foreign, { ...by, body: { status: 'DISABLED' } }),
      await world.call('POST', `${foreign}/rotate`, by),
      await world.call('POST', `${foreign}/test`, by),
      await world.call('GET', `${foreign}/deliveries`, by),
      await world.call('POST', `${foreign}/recover`, { ...by, body: { since } }),
      await world.call('POST', `${foreign}/deliveries/${randomUUID()}/resend`, by),
      await world.call('DELETE', foreign, by),
    ]
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404))
    expect((await world.call('GET', `${PATH}/${webhooks.both}`, by)).status).toBe(200)
  }
  const rows = await sql('select from webhook where account_uuid = ? and status = ? and deleted_at is null', [
    account,
    'ACTIVE',
  ])
  expect(rows).toHaveLength(3)
})

test('a token sees the tests of the endpoints of its mode', async () => {
  const tested = async (token: string, webhook: string): Promise<string> =>
    (await world.call('POST', `${PATH}/${webhook}/test`, { token })).body.data.event.id
  const both = await tested(tokens.live, webhooks.both)
  const tests = {
    live: await tested(tokens.live, webhooks.live),
    test: await tested(tokens.test, webhooks.test),
  }
  for (const [mode, other] of [
    ['live', 'test'],
    ['test', 'live'],
  ] as const) {
    const get = (path: string) => world.call('GET', `/api/v1/events${path}`, { token: tokens[mode] })
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
    await foldTallies(world.orm)
  }
})
