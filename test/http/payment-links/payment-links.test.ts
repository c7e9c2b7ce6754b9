import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Client } from '@temporalio/client'
import { chargeRoutes } from '../../../src/api/charges/routes.ts'
import { paymentLinkRoutes } from '../../../src/api/payment-links/routes.ts'
import { dashboardRoutes } from '../../../src/dashboard/routes.ts'
import { TemporalConnectionError } from '../../../src/http/outage.ts'
import type { ChargeInput, ChargeInputDetails } from '../../../src/workflows/contracts/charges.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createBrowser, hiddenFieldOf } from '../support/browser.ts'
import { createFullAccount } from '../support/full-account.ts'

/** Payment links by the API, and the charges that payers ask of them. */

const PATH = '/api/v1/payment-links'
const OTHER_UUID = '0b9c6f1e-5d3a-4e7b-8f20-6a1d4c9e2b35'

let fixture: ApiFixture
let ours: Awaited<ReturnType<typeof createFullAccount>>
let token: string
let payer: ReturnType<typeof createBrowser>
/** Orders of charges whose workflow was started. */
let orders: ChargeInput[]
/** What the workflow of a charge does with its order. */
let carryOut: (order: ChargeInput) => Promise<unknown>

const sql = (statement: string, values: unknown[] = []) => fixture.orm.em.fork().execute(statement, values)

/** Stores the charge of an order as its workflow does once a provider has issued it. */
async function issue({ uuid, candidates, valueCents, details, requestId }: ChargeInput): Promise<void> {
  const { fingerprint, message } = fixture.dependencies.sealer.open<ChargeInputDetails>(details)
  await sql(
    `insert into charge (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, total_cents, message,
       payment_uuid, payload, txid, expires_in_seconds, expires_at, request_id, fingerprint, created_at, updated_at)
     select ?, account_uuid, uuid, provider_account_uuid, 'pending', ?, ?, ?, gen_random_uuid(), ?, ?, 3600,
       now() + interval '1 hour', ?, ?, now(), now() from connection where uuid = ? on conflict do nothing`,
    [
      uuid,
      valueCents,
      valueCents,
      message ?? null,
      `code ${uuid}`,
      uuid,
      requestId,
      fingerprint,
      candidates[0],
    ],
  )
}

beforeAll(async () => {
  const executeUpdateWithStart = (
    _: unknown,
    { startWorkflowOperation: { options } }: { startWorkflowOperation: { options: { args: [ChargeInput] } } },
  ) => {
    orders.push(options.args[0])
    return carryOut(options.args[0])
  }
  const withDeadline = (_: number, work: () => Promise<unknown>) => work()
  const client = { withDeadline, workflow: { executeUpdateWithStart } } as unknown as Client
  fixture = await openApiFixture([paymentLinkRoutes, chargeRoutes, dashboardRoutes], {}, async () => client)
  ours = await createFullAccount(fixture)
  token = await fixture.insertToken({ accountUuid: ours.account })
  payer = createBrowser(fixture, { language: 'en-US' })
})
afterAll(() => fixture?.close())
beforeEach(() => {
  orders = []
  carryOut = issue
})

const post = (body: object, { key, as = token }: { key?: string; as?: string } = {}) =>
  fixture.call('POST', PATH, { token: as, body, headers: key ? { 'idempotency-key': key } : {} })

async function createLink(body: object = {}) {
  const { status, body: answer } = await post({ value: 50, message: 'Sarau', ...body })
  expect(status).toBe(201)
  return { ...answer.data, path: new URL(answer.data.url).pathname }
}
const read = async (uuid: string) => (await fixture.call('GET', `${PATH}/${uuid}`, { token })).body.data
const press = (path: string, once: string = randomUUID()) => payer.call('POST', path, { form: { once } })
const locationOf = ({ headers }: { headers: Headers }) => headers.get('location')

describe('by the API', () => {
  test('a link of a value is created once for a key, listed and revoked', async () => {
    const body = { value: 50, external_ref: 'sarau-1', max_payments: 2, expires_in: 3600 }
    const key = randomUUID()
    const answers = await Promise.all([1, 2, 3].map(() => post(body, { key })))
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
    const { data } = answers[0]!.body
    for (const { body: answer } of answers) expect(answer.data).toEqual(data)
    expect(data).toMatchObject({
      ...body,
      status: 'ACTIVE',
      splits: [],
      payments: { paid: 0, open: 0 },
      url: expect.stringMatching(/^http:\/\/.*\/pay\/[\w-]{32}$/),
    })
    const other = await post({ ...body, value: 51 }, { key })
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused'])
    const list = await fixture.call('GET', `${PATH}?external_ref=sarau-1`, { token })
    expect(list.body.data).toEqual([data])

    const revoke = () => fixture.call('POST', `${PATH}/${data.uuid}/revoke`, { token })
    const revoked = (await revoke()).body.data
    expect(revoked).toMatchObject({ status: 'REVOKED', revoked_at: expect.any(String) })
    expect((await revoke()).body.data).toEqual(revoked)
    expect((await payer.get(new URL(data.url).pathname)).status).toBe(410)
    // A repeat of the creation answers as it did.
    expect((await post(body, { key })).body.data).toEqual(data)
  })

  test('a charge has one link that works, which its page shows', async () => {
    const link = await createLink({ charge_uuid: ours.open, value: undefined })
    expect(link).toMatchObject({ charge_uuid: ours.open, status: 'ACTIVE' })
    expect(link.payments).toBeUndefined()
    expect((await payer.get(link.path)).text).toContain('1,234.56')
    const second = await post({ charge_uuid: ours.open })
    expect([second.status, second.body.code]).toEqual([409, 'payment_link_exists'])
    const found = await fixture.call('GET', `${PATH}?charge_uuid=${ours.open}`, { token })
    expect(found.body.data.map(({ uuid }: { uuid: string }) => uuid)).toEqual([link.uuid])
    await fixture.call('POST', `${PATH}/${link.uuid}/revoke`, { token })
    expect((await post({ charge_uuid: ours.open })).status).toBe(201)
    // Its page has no button.
    expect(locationOf(await press(link.path))).toBe(link.path)
    expect(orders).toEqual([])
  })

  test.each<[object, string]>([
    [{}, 'value'],
    [{ value: 0 }, 'value'],
    [{ value: 50, charge_uuid: OTHER_UUID }, 'value'],
    [{ charge_uuid: OTHER_UUID, max_payments: 2 }, 'max_payments'],
    [{ value: 50, max_payments: 10_001 }, 'max_payments'],
    [{ value: 50, expires_at: '2020-01-01T00:00:00Z' }, 'expires_at'],
    [{ value: 50, expires_at: '2199-01-01T00:00:00Z' }, 'expires_at'],
    [{ value: 50, expires_in: 5 }, 'expires_in'],
    [{ value: 50, message: ' ' }, 'message'],
    [{ value: 50, provider_uuid: OTHER_UUID }, 'provider_uuid'],
    [{ value: 50, splits: [{ type: 'FIXED', value: 60, recipient_account_uuid: OTHER_UUID }] }, 'splits'],
  ])('%j is refused on %s', async (body, field) => {
    const { status, body: answer } = await post(body)
    expect([status, Object.keys(answer.errors ?? {})]).toEqual([
      422,
      expect.arrayContaining([expect.stringContaining(field)]),
    ])
  })

  test('a token sees the links of its account, mode, provider and scope', async () => {
    const link = await createLink()
    const other = await fixture.insertAccount()
    const foreign = await fixture.insertToken({ accountUuid: other })
    const live = await fixture.insertToken({ accountUuid: ours.account, mode: 'live' })
    const connectionUuid = ours.connection
    const bound = await fixture.insertToken({ accountUuid: ours.account, connectionUuid })
    for (const as of [foreign, live, bound])
      for (const [method, path] of [
        ['GET', `${PATH}/${link.uuid}`],
        ['POST', `${PATH}/${link.uuid}/revoke`],
      ] as const)
        expect((await fixture.call(method, path, { token: as })).status).toBe(404)
    expect((await post({ charge_uuid: ours.charge }, { as: foreign })).status).toBe(404)
    const own = await post({ value: 5, provider_uuid: randomUUID() }, { as: bound })
    expect(own.body.data.provider_uuid).toBe(connectionUuid)
    const reader = await fixture.insertToken({ accountUuid: ours.account, scopes: ['read'] })
    expect((await fixture.call('GET', `${PATH}/${link.uuid}`, { token: reader })).status).toBe(200)
    expect((await post({ value: 5 }, { as: reader })).body.code).toBe('insufficient_scope')
  })
})

describe('for payers', () => {
  test('each press is one ordinary charge, however often it is sent', async () => {
    const link = await createLink({ max_payments: 3, external_ref: 'sarau-2' })
    const page = await payer.get(link.path)
    for (const shown of ['50.00', 'Sarau', 'Pay by PIX', 'no money moves']) expect(page.text).toContain(shown)
    const once = hiddenFieldOf(page.text, 'once')!
    const sent = await Promise.all([1, 2, 3].map(() => press(link.path, once)))
    const [address] = new Set(sent.map(locationOf))
    expect(sent.map(answer => [answer.status, locationOf(answer)])).toEqual(sent.map(() => [303, address]))
    expect(address).toMatch(new RegExp(`^${link.path}/[0-9a-f-]{36}$`))
    expect(new Set(orders.map(({ uuid }) => uuid)).size).toBe(1)
    const [uuid] = orders.map(order => order.uuid)
    const shown = await payer.get(address!)
    for (const text of [`code ${uuid}`, 'Sarau', '50.00']) expect(shown.text).toContain(text)
    expect((await payer.get(`${address}/qr.svg`)).headers.get('content-type')).toBe('image/svg+xml')

    expect(locationOf(await press(link.path))).not.toBe(address)
    expect((await read(link.uuid)).payments).toEqual({ paid: 0, open: 2 })
    const charges = await fixture.call('GET', `/api/v1/payments?payment_link_uuid=${link.uuid}`, { token })
    expect(charges.body.data.map(({ uuid: one }: { uuid: string }) => one).toSorted()).toEqual(
      [...new Set(orders.map(order => order.uuid))].toSorted(),
    )
    // A charge that the link has not created has no page there.
    expect((await payer.get(`${link.path}/${ours.open}`)).status).toBe(404)
    expect((await payer.get(`${link.path}/x`)).status).toBe(404)
  })

  test('of many payers at once as many get a charge as there are places, and a charge that ends unpaid frees its own', async () => {
    const link = await createLink({ max_payments: 3 })
    const sent = await Promise.all(Array.from({ length: 6 }, () => press(link.path)))
    const led = sent.map(locationOf).filter(address => address !== link.path)
    expect([led.length, orders.length]).toEqual([3, 3])
    expect(await read(link.uuid)).toMatchObject({ status: 'FULL', payments: { paid: 0, open: 3 } })
    const full = await payer.get(link.path)
    expect([full.status, full.text.includes('No payment left')]).toEqual([200, true])
    await sql(`update charge set state = 'expired' where uuid = ?`, [orders[0]!.uuid])
    expect((await read(link.uuid)).status).toBe('ACTIVE')
    expect((await payer.get(`${link.path}/${orders[0]!.uuid}`)).text).toContain('Create another code')
    expect(locationOf(await press(link.path))).not.toBe(link.path)
    expect((await read(link.uuid)).payments.open).toBe(3)
  })

  test('a paid charge keeps its place', async () => {
    const link = await createLink({ max_payments: 1 })
    await sql(
      'insert into payment_link_charge (charge_uuid, link_uuid, press_key) values (?, ?, gen_random_uuid())',
      [ours.charge, link.uuid],
    )
    expect(await read(link.uuid)).toMatchObject({ status: 'FULL', payments: { paid: 1, open: 0 } })
    expect((await payer.get(link.path)).text).toContain('<h1>Paid</h1>')
  })

  test('a link for one payment is the page of its charge', async () => {
    const link = await createLink()
    const [first, second] = await Promise.all([press(link.path), press(link.path)])
    expect([locationOf(first), locationOf(second), orders.length]).toEqual([link.path, link.path, 1])
    expect((await payer.get(link.path)).text).toContain(`code ${orders[0]!.uuid}`)
  })

  test('a press without an outcome is for the same charge when it is pressed again', async () => {
    const link = await createLink({ max_payments: 2 })
    carryOut = async () => {
      throw new TemporalConnectionError('the answer is lost')
    }
    const once = randomUUID()
    const lost = await press(link.path, once)
    expect([lost.status, hiddenFieldOf(lost.text, 'once')]).toEqual([503, once])
    const page = await payer.get(`${link.path}/${orders[0]!.uuid}`)
    expect(hiddenFieldOf(page.text, 'once')).toBe(once)
    carryOut = issue
    expect(locationOf(await press(link.path, once))).toBe(`${link.path}/${orders[0]!.uuid}`)
    expect(new Set(orders.map(({ uuid }) => uuid)).size).toBe(1)
    expect((await read(link.uuid)).payments).toEqual({ paid: 0, open: 1 })
  })

  test('nothing is created from another site, without a key, after the end, or of a revoked link', async () => {
    const link = await createLink({
      max_payments: 2,
      expires_at: new Date(Date.now() + 60_000).toISOString(),
    })
    const form = { once: randomUUID() }
    const foreign = await payer.call('POST', link.path, { form, headers: { 'sec-fetch-site': 'cross-site' } })
    expect(foreign.status).toBe(403)
    expect((await payer.call('POST', link.path, { form: {} })).status).toBe(422)
    await sql('alter table payment_link disable trigger payment_link_fixed')
    await sql('update payment_link set expires_at = now() where uuid = ?', [link.uuid])
    await sql('alter table payment_link enable trigger payment_link_fixed')
    expect(locationOf(await press(link.path))).toBe(link.path)
    const ended = await payer.get(link.path)
    expect([ended.status, ended.text.includes('Link expired')]).toEqual([410, true])
    await fixture.call('POST', `${PATH}/${link.uuid}/revoke`, { token })
    expect(locationOf(await press(link.path))).toBe(link.path)
    expect(orders).toEqual([])
  })
})

describe('on pages of merchants', () => {
  const statusOf = async (path: string) => {
    const { status, headers, text } = await payer.get(`${path}/status`)
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('cache-control')).toBe('no-store')
    return { code: status, ...JSON.parse(text) }
  }

  test('any site reads what the page of a link shows, and nothing else', async () => {
    const link = await createLink({ max_payments: 2 })
    const offer = { code: 200, status: 'OFFER', amount: 50, message: 'Sarau', is_test: true }
    expect(await statusOf(link.path)).toEqual({ ...offer, merchant: expect.any(String) })
    const address = locationOf(await press(link.path))!
    const [{ uuid }] = orders as [ChargeInput]
    expect(await statusOf(address)).toEqual({
      ...offer,
      status: 'PENDING',
      merchant: expect.any(String),
      payload: `code ${uuid}`,
      expires_at: expect.any(String),
      paid_at: null,
    })
    const picture = await payer.get(`${address}/qr.svg`)
    expect(picture.headers.get('access-control-allow-origin')).toBe('*')
    await sql(`update charge set state = 'cancelled' where uuid = ?`, [uuid])
    expect(await statusOf(address)).toMatchObject({ status: 'CANCELLED', payload: null })
    await fixture.call('POST', `${PATH}/${link.uuid}/revoke`, { token })
    expect(await statusOf(link.path)).toMatchObject({ code: 200, status: 'CLOSED', amount: null })
    expect(await statusOf(`/pay/${'x'.repeat(32)}`)).toMatchObject({ code: 'not_found' })
    for (const path of [link.path, address])
      expect((await payer.get(path)).headers.get('access-control-allow-origin')).toBeNull()
  })

  test('the web component is one script of at most 10 kB, which any site may load', async () => {
    const { status, headers, text } = await payer.get('/embed/v1/trilho-pix.js')
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, '*'])
    expect(headers.get('content-type')).toContain('javascript')
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(10_000)
    expect(text).not.toMatch(/^import\b|import\(|innerHTML|eval\(/m)
    const again = await payer.get('/embed/v1/trilho-pix.js', { 'if-none-match': headers.get('etag')! })
    expect(again.status).toBe(304)
  })
})

test('PostgreSQL keeps a link as it was created, and its places', async () => {
  const link = await createLink({ max_payments: 1 })
  const ask = () =>
    sql(
      'insert into payment_link_charge (charge_uuid, link_uuid, press_key) values (gen_random_uuid(), ?, gen_random_uuid())',
      [link.uuid],
    )
  const change = (set: string) => sql(`update payment_link set ${set} where uuid = ?`, [link.uuid])
  await ask()
  await expect(ask()).rejects.toMatchObject({ constraint: 'payment_link_full' })
  for (const set of ['max_payments = 2', 'value_cents = 1', "expires_at = now() + interval '1 day'"])
    await expect(change(set)).rejects.toMatchObject({ constraint: 'payment_link_fixed' })
  await change('revoked_at = now()')
  await expect(change('revoked_at = null')).rejects.toMatchObject({ constraint: 'payment_link_fixed' })
  await expect(ask()).rejects.toMatchObject({ constraint: 'payment_link_open' })
})
