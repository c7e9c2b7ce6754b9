import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { listCharges } from '../../../src/api/operations/charges.ts'
import { chargesQuery, showCharge } from '../../../src/contract/charges/charge.ts'
import { pollUntil } from '../support/poll-until.ts'
import { type Merchant, openSharedTestStack, type TestStack } from '../support/test-stack.ts'

/** The list of charges: every filter, its pages, and its number of statements. */

let stack: TestStack
let merchant: Merchant
/** The charges of this test, by the names used in the table below. */
const charges: Record<string, { uuid: string; endToEnd?: string }> = {}

beforeAll(async () => {
  stack = await openSharedTestStack()
  merchant = await stack.createMerchant({ providers: [{}, { provider: 'PROVIDER_C' }] })
  const [first, second] = merchant.connections
  const recipient = await stack.createRecipient(merchant)
  const splits = [{ type: 'PERCENTAGE', value: 10, recipient_account_uuid: recipient.uuid }]
  await made('old', '2026-03-01T00:00:00Z', { value: 1 })
  await made('midnight', '2026-03-01T23:59:59.999Z', { value: 2.5, external_ref: 'pedido 1' })
  await made('next', '2026-03-02T00:00:00Z', { value: 10, external_ref: 'pedido 1', splits })
  await made('cancelled', '2026-03-03T12:00:00Z', { value: 10.01, provider_uuid: second!.uuid })
  await made('paid', '2026-03-04T12:00:00Z', { value: 99, splits })
  await merchant.api.carryOut('POST', `/api/v1/payments/${charges.cancelled!.uuid}/cancel`)
  const { payment } = await merchant.api.readCharge(charges.paid!.uuid)
  charges.paid!.endToEnd = (await stack.simulator.pay({ payload: payment.payload })).end_to_end
  await pollUntil(
    () => merchant.api.readCharge(charges.paid!.uuid),
    charge => charge.status === 'PAID',
  )
  await stack.sql('update charge set paid_at = ? where uuid = ?', [
    '2026-03-10T23:59:59.999Z',
    charges.paid!.uuid,
  ])
  charges.issuing = { uuid: await issuing(first!.uuid, '2026-03-05T12:00:00Z') }
  Object.assign(names, { FIRST: first!.uuid, SECOND: second!.uuid, UNKNOWN: randomUUID() })
  for (const [name, { uuid, endToEnd }] of Object.entries(charges)) {
    names[`UUID_OF_${name}`] = uuid
    names[`TXID_OF_${name}`] = uuid.replaceAll('-', '')
    if (endToEnd) names[`E2E_OF_${name}`] = endToEnd
  }
  names.UPPER_UUID_OF_old = charges.old!.uuid.toUpperCase()
})
afterAll(() => stack.close())

const names: Record<string, string> = {}

/** A charge created on a given day. */
async function made(name: string, at: string, body: object): Promise<void> {
  const { uuid } = await merchant.api.createCharge(body)
  await stack.sql('update charge set created_at = ? where uuid = ?', [at, uuid])
  charges[name] = { uuid }
}

/** A charge of 100 that is not issued yet. */
async function issuing(connection: string, at: string): Promise<string> {
  const uuid = randomUUID()
  await stack.sql(
    `insert into charge (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, total_cents,
       txid, payment_uuid, expires_in_seconds, request_id, fingerprint, created_at, updated_at)
     select ?, account_uuid, uuid, provider_account_uuid, 'issuing', 10000, 10000, ?, ?, 3600, 'r', 'f', ?, ?
     from connection where uuid = ?`,
    [uuid, uuid.replaceAll('-', ''), randomUUID(), at, at, connection],
  )
  return uuid
}

const nameOf = ({ uuid }: { uuid: string }) =>
  Object.keys(charges).find(name => charges[name]!.uuid === uuid) ?? uuid

const ALL = ['issuing', 'paid', 'cancelled', 'next', 'midnight', 'old']

test.each([
  ['', ALL],
  ['uuid=UUID_OF_next', ['next']],
  ['uuid=UPPER_UUID_OF_old', ['old']],
  ['uuid=UNKNOWN', []],
  ['status=PENDING', ['next', 'midnight', 'old']],
  ['status=paid', ['paid']],
  ['status=UNDEFINED', ['issuing']],
  ['status=PAID,Cancelled', ['paid', 'cancelled']],
  ['status=PAID&status=CANCELLED', ['paid', 'cancelled']],
  ['status=PAID&status=CANCELLED,PENDING', ['paid', 'cancelled', 'next', 'midnight', 'old']],
  ['status=REFUNDED', []],
  ['status=PROCESSING', []],
  ['type=PIX', ALL],
  ['type=pix', ALL],
  ['type=UNDEFINED', []],
  ['end_to_end=E2E_OF_paid', ['paid']],
  ['end_to_end=E9999900420260101120000000000000', []],
  // A foreign end-to-end id is stored at any length, and found by it.
  [`end_to_end=${'E'.repeat(255)}`, []],
  [`txid=${'t'.repeat(255)}`, []],
  ['payment_date_from=2026-03-10', ['paid']],
  ['payment_date_from=2026-03-11', []],
  ['payment_date_to=2026-03-10', ['paid']],
  ['payment_date_to=2026-03-09', []],
  ['payment_date_from=2026-03-10&payment_date_to=2026-03-10', ['paid']],
  ['date_from=2026-03-02', ['issuing', 'paid', 'cancelled', 'next']],
  ['date_to=2026-03-01', ['midnight', 'old']],
  ['date_from=2026-03-01&date_to=2026-03-01', ['midnight', 'old']],
  ['date_from=2026-03-02&date_to=2026-03-03', ['cancelled', 'next']],
  // Midnight of UTC is nine in the evening in Brazil; days begin and end there.
  ['date_from=2026-03-01&date_to=2026-03-01&time_zone=America/Sao_Paulo', ['next', 'midnight']],
  ['date_to=2026-02-28&time_zone=America/Sao_Paulo', ['old']],
  ['date_from=2026-03-02&time_zone=Asia/Tokyo', ['issuing', 'paid', 'cancelled', 'next', 'midnight']],
  ['payment_date_from=2026-03-10&payment_date_to=2026-03-10&time_zone=America/Sao_Paulo', ['paid']],
  ['payment_date_from=2026-03-10&payment_date_to=2026-03-10&time_zone=Asia/Tokyo', []],
  ['date_from=0001-01-01&date_to=9999-12-31&time_zone=Asia/Tokyo', ALL],
  ['payment_date_from=0001-01-01&payment_date_to=9999-12-31&time_zone=America/Sao_Paulo', ['paid']],
  ['time_zone=America/Sao_Paulo', ALL],
  ['external_ref=pedido%201', ['next', 'midnight']],
  ['external_ref=pedido', []],
  ['txid=TXID_OF_old', ['old']],
  ['provider_uuid=SECOND', ['cancelled']],
  ['provider_uuid=FIRST', ['issuing', 'paid', 'next', 'midnight', 'old']],
  ['provider_uuid=UNKNOWN', []],
  ['value_min=10', ['issuing', 'paid', 'cancelled', 'next']],
  ['value_min=10.01', ['issuing', 'paid', 'cancelled']],
  ['value_max=2.5', ['midnight', 'old']],
  ['value_min=2.5&value_max=10', ['next', 'midnight']],
  ['status=PENDING&external_ref=pedido%201&date_to=2026-03-01', ['midnight']],
])('?%s finds %j', async (query, found) => {
  const asked = query.replaceAll(
    /[A-Z0-9]+_OF_\w+|FIRST|SECOND|UNKNOWN|UPPER_\w+/g,
    name => names[name] ?? name,
  )
  const { status, body } = await merchant.api.get(`/api/v1/payments?${asked}`)
  expect(status).toBe(200)
  expect(body.data.map(nameOf)).toEqual(found)
  expect(body.meta).toEqual({
    current_page: 1,
    from: found.length && 1,
    last_page: 1,
    per_page: 15,
    to: found.length,
    total: found.length,
    next_cursor: null,
  })
})

test.each([
  [{ page: 1, per_page: 4 }, ['issuing', 'paid', 'cancelled', 'next'], { from: 1, to: 4, last_page: 2 }],
  [{ page: 2, per_page: 4 }, ['midnight', 'old'], { from: 5, to: 6, last_page: 2 }],
  [{ page: 3, per_page: 4 }, [], { from: 0, to: 0, last_page: 2 }],
  [{ page: 1_000_000, per_page: 100 }, [], { from: 0, to: 0, last_page: 1 }],
  [{ page: 6, per_page: 1 }, ['old'], { from: 6, to: 6, last_page: 6 }],
  [{ page: 1, per_page: 6 }, ALL, { from: 1, to: 6, last_page: 1 }],
])('page %j', async ({ page, per_page }, found, meta) => {
  const { body } = await merchant.api.get(`/api/v1/payments?page=${page}&per_page=${per_page}`)
  expect(body.data.map(nameOf)).toEqual(found)
  const next_cursor = page < meta.last_page ? expect.any(String) : null
  expect(body.meta).toEqual({ current_page: page, per_page, total: 6, ...meta, next_cursor })
})

test('a cursor goes on from any page, and neither repeats nor skips a charge while others come', async () => {
  const busy = await stack.createMerchant()
  const list = async (query: string) => (await busy.api.get(`/api/v1/payments?${query}`)).body
  const made: string[] = []
  for (let step = 0; step < 5; step += 1) made.unshift((await busy.api.createCharge()).uuid)
  const first = await list('per_page=2&page=1&time_zone=America/Sao_Paulo')
  const found = first.data.map(({ uuid }: { uuid: string }) => uuid)
  for (let cursor = first.meta.next_cursor; cursor; ) {
    await busy.api.createCharge()
    const page = await list(`per_page=2&time_zone=America/Sao_Paulo&cursor=${cursor}`)
    expect(page.meta).toEqual({ per_page: 2, next_cursor: page.meta.next_cursor })
    found.push(...page.data.map(({ uuid }: { uuid: string }) => uuid))
    cursor = page.meta.next_cursor
  }
  expect(found).toEqual(made)
  const { next_cursor } = (await list('cursor=&per_page=1')).meta
  for (const path of [
    `payments?cursor=${next_cursor}&status=PAID`,
    `payments?cursor=${next_cursor}&page=2`,
    `transfers?cursor=${next_cursor}`,
    'payments?cursor=x',
  ]) {
    const answer = await busy.api.get(`/api/v1/${path}`)
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ['cursor']])
  }
})

test('charges are found by up to a hundred uuids, on one page', async () => {
  const wanted = ['issuing', 'next', 'old'].map(name => charges[name]!.uuid)
  const unknown = Array.from({ length: 97 }, () => randomUUID())
  const { body } = await merchant.api.get(`/api/v1/payments?uuid=${[...unknown, ...wanted]}`)
  expect(body.data.map(nameOf)).toEqual(['issuing', 'next', 'old'])
  expect(body.meta).toMatchObject({ per_page: 100, total: 3, next_cursor: null })
  const repeated = await merchant.api.get(`/api/v1/payments?uuid=${wanted[0]}&uuid=${wanted[1]}`)
  expect(repeated.body.data.map(nameOf)).toEqual(['issuing', 'next'])
  for (const path of ['payments', 'transfers', 'meds']) {
    const many = await merchant.api.get(`/api/v1/${path}?uuid=${[...unknown, ...unknown.slice(0, 4)]}`)
    expect([many.status, Object.keys(many.body.errors)]).toEqual([422, ['uuid']])
    const malformed = await merchant.api.get(`/api/v1/${path}?uuid=${wanted[0]},42`)
    expect([malformed.status, malformed.body.errors]).toEqual([422, { 'uuid.1': ['must be a UUID'] }])
  }
})

test('charges of the same moment have a stable order across pages', async () => {
  const twins = await stack.createMerchant()
  const made = await Promise.all(Array.from({ length: 7 }, () => twins.api.createCharge()))
  await stack.sql(`update charge set created_at = '2026-01-01' where account_uuid = ?`, [twins.uuid])
  const pages = await Promise.all(
    [1, 2, 3].map(async page => (await twins.api.get(`/api/v1/payments?page=${page}&per_page=3`)).body.data),
  )
  const uuids = pages.flat().map(charge => charge.uuid)
  expect(uuids).toEqual(
    made
      .map(charge => charge.uuid)
      .sort()
      .reverse(),
  )
})

test('an item of the list equals the charge as it is read', async () => {
  const { body } = await merchant.api.get('/api/v1/payments')
  for (const item of body.data) expect(await merchant.api.readCharge(item.uuid)).toEqual(item)
})

test('a provider-scoped token lists its provider’s charges only; another account’s charges are never listed', async () => {
  const [first, second] = merchant.connections
  const seen = async (token: string | undefined, query = '') =>
    (await merchant.api.withToken(token).get(`/api/v1/payments${query}`)).body.data.map(nameOf)
  expect(await seen(second!.token)).toEqual(['cancelled'])
  expect(await seen(first!.token)).toEqual(ALL.filter(name => name !== 'cancelled'))
  expect(await seen(second!.token, `?provider_uuid=${first!.uuid}`)).toEqual([])
  expect(await seen((await stack.createMerchant()).token)).toEqual([])
})

test('a page takes the same number of statements however long it is', async () => {
  const logger = stack.orm.config.getLogger()
  const statements: string[] = []
  logger.setDebugMode(['query'])
  logger.logQuery = ({ query }) => void statements.push(query ?? '')
  const cost = async (per_page: number) => {
    statements.length = 0
    const token = { uuid: '', accountUuid: merchant.uuid, connectionUuid: null, mode: 'test' as const }
    const { data } = await listCharges(stack.orm.em.fork(), token, chargesQuery.parse({ per_page }))
    expect(data.map(charge => showCharge(charge, charge.refunds))).toHaveLength(per_page)
    return statements.length
  }
  const [one, six] = [await cost(1), await cost(6)]
  logger.setDebugMode(false)
  expect(six).toBe(one)
  expect(six).toBeLessThanOrEqual(4)
})
