import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { buildStaticBrCode } from '../../../src/domain/pix/static-br-code.ts'
import type { ApiClient, ApiResponse } from '../support/client.ts'
import {
  type ApiResource,
  createPayoutActions,
  randomAccountReceiver,
  randomPixKey,
} from '../support/payout-actions.ts'
import { pollUntil } from '../support/poll-until.ts'
import { type Merchant, openSharedTestStack, type TestStack } from '../support/test-stack.ts'

/**
 * Which resources a token that is bound to a provider reads and changes, endpoint by endpoint: its provider's, and
 * nothing else.
 */

let stack: TestStack
let merchant: Merchant
let bound: ApiClient
let mine: Carried
let theirs: Carried
let webhook: string
beforeAll(async () => {
  stack = await openSharedTestStack()
  merchant = await stack.createMerchant({
    providers: [
      { balance: 500 },
      { provider: 'PROVIDER_B', balance: 500 },
      { provider: 'PROVIDER_C', dialect: 'woovi', sendsNotifications: false },
    ],
  })
  bound = merchant.api.withToken(merchant.connection.token)
  const hook = merchant.api.post('/api/v1/webhooks', { url: `${stack.local.inbox_url}/${merchant.uuid}` })
  ;[mine, theirs] = await Promise.all([carried(0), carried(1)])
  webhook = (await hook).body.data.uuid
})
afterAll(() => stack.close())

type Carried = {
  provider: string
  charge: string
  paid: string
  refund: string
  key: string
  med: string
  deposit: string
  code: string
  recurrence: string
  link: string
} & {
  transfer: string
  scheduled: string
  batch: string
  report: string
}

/** One resource of each type, all at one connection of the merchant. */
async function carried(index: number): Promise<Carried> {
  const { uuid: provider, providerAccountUuid } = merchant.connections[index]!
  const provider_uuid = provider
  const payouts = createPayoutActions(stack)
  const [charge, paid, transfer, scheduled, key] = await Promise.all([
    merchant.api.createCharge({ provider_uuid }),
    payouts.createPaidCharge(merchant, { provider_uuid }),
    payouts.sendAndSettle(merchant, { provider_uuid, value: 3 }),
    payouts.send(merchant, { provider_uuid, scheduled_for: new Date(Date.now() + 86_400_000).toISOString() }),
    merchant.api.post('/api/v1/pix-keys', { type: 'RANDOM', provider_uuid }),
  ])
  await stack.simulator.deposit({ account: merchant.connections[index]!.account, value: 1 })
  const deposit = (
    await pollUntil(
      () =>
        stack.sql<{ uuid: string }>(
          `select uuid from movement where connection_uuid = ? and reason = 'deposit'`,
          [provider],
        ),
      rows => rows.length > 0,
    )
  )[0]!.uuid
  const code = await merchant.api.post('/api/v1/qr-codes', { provider_uuid })
  const recurrence = await merchant.api.post('/api/v1/recurrences', { ...recurrenceOrder(), provider_uuid })
  isAnswered(recurrence, 201)
  const link = await merchant.api.post('/api/v1/payment-links', { value: 1, provider_uuid })
  const items = [{ value: 1, pix_key: randomPixKey(), external_ref: 'a' }]
  const scheduled_for = new Date(Date.now() + 86_400_000).toISOString()
  const batch = await merchant.api.post('/api/v1/transfers/batches', { items, provider_uuid, scheduled_for })
  const report = await merchant.api.post('/api/v1/reports', { ...REPORT, provider_uuid })
  const refund = await payouts.requestRefund(merchant, paid, { value: 2 })
  expect([scheduled.status, key.status, refund.status]).toEqual([201, 201, 200])
  const med = randomUUID()
  await stack.sql(
    `insert into dispute (uuid, account_uuid, connection_uuid, provider_account_uuid, provider_dispute_id, kind, dispute_type,
       state, end_to_end, movement_uuid, value_cents, opened_at, due_at, request_id, created_at, updated_at)
     select ?, account_uuid, ?, ?, ?, 'RECEIVED_MED', 'SCAM', 'cancelled', end_to_end, uuid, 100, now(), now(), 'r',
       now(), now() from movement where charge_uuid = ? and movement_type = 'IN'`,
    [med, provider, providerAccountUuid, med, paid.uuid],
  )
  return {
    provider,
    charge: charge.uuid,
    paid: paid.uuid,
    refund: refund.body.data.refund.uuid,
    med,
    deposit,
    code: code.body.data.uuid,
    recurrence: recurrence.body.data.uuid,
    link: link.body.data.uuid,
    transfer: transfer.uuid,
    scheduled: scheduled.body.data.uuid,
    key: key.body.data.key,
    batch: batch.body.data.uuid,
    report: report.body.data.uuid,
  }
}

const REPORT = { kind: 'LEDGER', format: 'CSV', date_from: '2026-10-01', date_to: '2026-10-31' }

const daysFromNow = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

const recurrenceOrder = () => ({
  value: 59.9,
  frequency: 'MONTHLY',
  starts_on: daysFromNow(30),
  contract: 'PLANO-42',
  debtor: { name: 'Maria Silva', document: '52998224725' },
  retry_policy: 'NOT_ALLOWED',
  journey: 'QR',
})

const isAnswered = (answer: ApiResponse, status: number) => {
  if (answer.status !== status) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
}
const get = (path: string) => bound.get(`/api/v1${path}`)
const post = (path: string, body?: object) => bound.post(`/api/v1${path}`, body)
const of = (row: ApiResource) => row.provider.uuid
const ofLink = ({ provider_uuid }: Record<string, unknown>) => provider_uuid

/** A bound token lists its provider's resources only, the global token all. */
const lists =
  (path: string, isOf: (row: ApiResource) => unknown, what: (one: Carried) => unknown) => async () => {
    const rows = async (api: ApiClient) => (await api.get(`/api/v1${path}?per_page=100`)).body.data.map(isOf)
    expect(new Set(await rows(bound))).toEqual(new Set([what(mine)]))
    expect(await rows(merchant.api)).toEqual(expect.arrayContaining([what(mine), what(theirs)]))
  }

/** A file of a bound token names its provider only, that of the global token all. */
const exports = (path: string) => async () => {
  const [own, whole] = [await get(path), await merchant.api.get(`/api/v1${path}`)]
  for (const { body } of [own, whole]) expect(body).toContain(mine.provider)
  expect(own.body).not.toContain(theirs.provider)
  expect(whole.body).toContain(theirs.provider)
}

/** A resource of its provider is found, one of another provider is 404. */
const reads = (path: (one: Carried) => string) => async () => {
  isAnswered(await get(path(mine)), 200)
  isAnswered(await merchant.api.get(`/api/v1${path(theirs)}`), 200)
  expect(await get(path(theirs))).toMatchObject({ status: 404, body: { code: 'not_found' } })
}

/** A resource of another provider cannot be changed: it is 404 and stays unchanged. */
const refuses = (method: string, path: (one: Carried) => string, body?: object) => async () => {
  const answer = await bound.call(method, `/api/v1${path(theirs)}`, body && { body })
  expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
}

/** Nor is a dispute of another provider answered or contested, by a form. */
const refusesForm = (act: 'reply' | 'contest') => async () => {
  const raw = '--b\r\ncontent-disposition: form-data; name="analysis"\r\n\r\n1\r\n--b--\r\n'
  const headers = { 'content-type': 'multipart/form-data; boundary=b' }
  const answer = await bound.call('POST', `/api/v1/meds/${theirs.med}/${act}`, { raw, headers })
  expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
}

/**
 * The token's own provider is used, whatever the body names: another one of the account, one of another account, or an
 * unknown one.
 */
const overrides = (path: string, body: () => object, isOf: (data: ApiResource) => unknown) => async () => {
  const stranger = await stack.createMerchant()
  for (const provider_uuid of [theirs.provider, stranger.connection.uuid, 'no uuid', undefined]) {
    await stack.sql('delete from pix_key_creation_times where account_uuid = ?', [merchant.uuid])
    const answer = await post(path, { ...body(), provider_uuid })
    isAnswered(answer, 201)
    expect(await isOf(answer.body.data)).toBe(mine.provider)
  }
}

const forbids = (method: string, path: () => string, body?: object) => async () => {
  const answer = await bound.call(method, `/api/v1${path()}`, body && { body })
  expect([answer.status, answer.body]).toEqual([
    403,
    {
      message: 'This operation is not allowed for provider-scoped tokens; use a token without a provider.',
      code: 'token_bound_to_provider',
      request_id: expect.any(String),
    },
  ])
}

async function makerOf({ key }: { key: string }) {
  const [row] = await stack.sql<{ connection_uuid: string }>(
    'select connection_uuid from pix_key where key = ?',
    [key],
  )
  await merchant.api.carryOut('DELETE', `/api/v1/pix-keys/${key}`)
  return row?.connection_uuid
}

const hook =
  (more = '') =>
  () =>
    `/webhooks/${webhook}${more}`
const OPEN = async () => {}

const RULES: Record<string, () => Promise<void>> = {
  'GET /api/v1/payments': lists('/payments', of, one => one.provider),
  'POST /api/v1/payments': overrides('/payments', () => ({ value: 1, type: 'PIX' }), of),
  'GET /api/v1/payments/{uuid}': reads(one => `/payments/${one.charge}`),
  'GET /api/v1/payments/{uuid}/qr.svg': reads(one => `/payments/${one.charge}/qr.svg`),
  'GET /api/v1/payments/{uuid}/qr.png': reads(one => `/payments/${one.charge}/qr.png`),
  'PATCH /api/v1/payments/{uuid}': refuses('PATCH', one => `/payments/${one.charge}`, { value: 2 }),
  'POST /api/v1/payments/{uuid}/cancel': refuses('POST', one => `/payments/${one.charge}/cancel`),
  'POST /api/v1/payments/{uuid}/retry': refuses('POST', one => `/payments/${one.charge}/retry`, {
    on: daysFromNow(2),
  }),
  'POST /api/v1/payments/{uuid}/refund': refuses('POST', one => `/payments/${one.paid}/refund`, { value: 1 }),
  'GET /api/v1/payments/{uuid}/refunds': reads(one => `/payments/${one.paid}/refunds`),
  'GET /api/v1/payments/{uuid}/refunds/{refund}': reads(one => `/payments/${one.paid}/refunds/${one.refund}`),
  'GET /api/v1/payments/{uuid}/receipt': reads(one => `/payments/${one.paid}/receipt`),
  'GET /api/v1/payments/{uuid}/receipt.pdf': reads(one => `/payments/${one.paid}/receipt.pdf`),
  // Whether these have settled by now does not matter.
  'GET /api/v1/payments/{uuid}/refunds/{refund}/receipt': refuses(
    'GET',
    one => `/payments/${one.paid}/refunds/${one.refund}/receipt`,
  ),
  'GET /api/v1/payments/{uuid}/refunds/{refund}/receipt.pdf': refuses(
    'GET',
    one => `/payments/${one.paid}/refunds/${one.refund}/receipt.pdf`,
  ),
  'GET /api/v1/transfers/{uuid}/receipt': reads(one => `/transfers/${one.transfer}/receipt`),
  'GET /api/v1/transfers/{uuid}/receipt.pdf': reads(one => `/transfers/${one.transfer}/receipt.pdf`),
  'GET /api/v1/receipts/{authentication}': OPEN,
  'GET /api/v1/qr-codes': lists('/qr-codes', of, one => one.provider),
  'POST /api/v1/qr-codes': overrides('/qr-codes', () => ({ value: 1 }), of),
  'GET /api/v1/qr-codes/{uuid}': reads(one => `/qr-codes/${one.code}`),
  'GET /api/v1/qr-codes/{uuid}/qr.svg': reads(one => `/qr-codes/${one.code}/qr.svg`),
  'GET /api/v1/qr-codes/{uuid}/qr.png': reads(one => `/qr-codes/${one.code}/qr.png`),
  'GET /api/v1/qr-codes/{uuid}/payments': reads(one => `/qr-codes/${one.code}/payments`),
  'POST /api/v1/qr-codes/{uuid}/disable': refuses('POST', one => `/qr-codes/${one.code}/disable`),
  'GET /api/v1/payment-links': lists('/payment-links', ofLink, one => one.provider),
  'POST /api/v1/payment-links': overrides('/payment-links', () => ({ value: 1 }), ofLink),
  'GET /api/v1/payment-links/{uuid}': reads(one => `/payment-links/${one.link}`),
  'POST /api/v1/payment-links/{uuid}/revoke': refuses('POST', one => `/payment-links/${one.link}/revoke`),
  'GET /api/v1/recurrences': lists('/recurrences', of, one => one.provider),
  'POST /api/v1/recurrences': overrides('/recurrences', recurrenceOrder, of),
  'GET /api/v1/recurrences/{uuid}': reads(one => `/recurrences/${one.recurrence}`),
  'GET /api/v1/recurrences/{uuid}/qr.svg': reads(one => `/recurrences/${one.recurrence}/qr.svg`),
  'GET /api/v1/recurrences/{uuid}/qr.png': reads(one => `/recurrences/${one.recurrence}/qr.png`),
  'POST /api/v1/recurrences/{uuid}/cancel': refuses('POST', one => `/recurrences/${one.recurrence}/cancel`),
  'POST /api/v1/recurrences/{uuid}/charges': refuses(
    'POST',
    one => `/recurrences/${one.recurrence}/charges`,
    { value: 59.9, due_on: daysFromNow(5) },
  ),
  // A reading belongs to no provider; a bound token sees only the own charge of its provider.
  'POST /api/v1/qr-codes/read': async () => {
    for (const [one, own] of [
      [mine, mine.charge],
      [theirs, undefined],
    ] as const) {
      const { payload } = (await merchant.api.readCharge(one.charge)).payment
      const answer = await post('/qr-codes/read', { payload })
      isAnswered(answer, 200)
      expect(answer.body.data.own_charge_uuid).toBe(own)
    }
  },
  'GET /api/v1/qr-codes/read/{reading}': async () => {
    const { payload } = (await merchant.api.readCharge(mine.charge)).payment
    const { body } = await merchant.api.post('/api/v1/qr-codes/read', { payload })
    isAnswered(await get(`/qr-codes/read/${body.data.uuid}`), 200)
    isAnswered(await get(`/qr-codes/read/${randomUUID()}`), 404)
  },
  'GET /api/v1/refunds': lists('/refunds', of, one => one.provider),
  'GET /api/v1/deposits/{uuid}': reads(one => `/deposits/${one.deposit}`),
  'POST /api/v1/deposits/{uuid}/return': refuses('POST', one => `/deposits/${one.deposit}/return`),
  'POST /api/v1/deposits/{uuid}/assign': refuses('POST', one => `/deposits/${one.deposit}/assign`, {
    qr_code_uuid: randomUUID(),
  }),
  'GET /api/v1/banks': async () => isAnswered(await get('/banks?search=260'), 200),
  'GET /api/v1/transfers': lists('/transfers', of, one => one.provider),
  'POST /api/v1/transfers': overrides('/transfers', () => ({ value: 1, pix_key: randomPixKey() }), of),
  'POST /api/v1/transfers/bank-accounts': overrides(
    '/transfers/bank-accounts',
    () => ({ value: 1, receiver: randomAccountReceiver() }),
    of,
  ),
  'POST /api/v1/transfers/qr-codes': overrides(
    '/transfers/qr-codes',
    () => ({
      payload: buildStaticBrCode({
        key: randomPixKey(),
        cents: 100,
        txid: '***',
        receiverName: 'Maria',
      }),
    }),
    of,
  ),
  'GET /api/v1/transfers/{uuid}': reads(one => `/transfers/${one.transfer}`),
  'POST /api/v1/transfers/{uuid}/cancel': refuses('POST', one => `/transfers/${one.scheduled}/cancel`),
  'POST /api/v1/transfers/{uuid}/approve': forbids('POST', () => `/transfers/${randomUUID()}/approve`),
  'POST /api/v1/transfers/{uuid}/reject': forbids('POST', () => `/transfers/${randomUUID()}/reject`, {
    reason: 'no',
  }),
  'GET /api/v1/transfers/batches': lists(
    '/transfers/batches',
    (row: ApiResource) => row.uuid,
    one => one.batch,
  ),
  'POST /api/v1/transfers/batches': async () => {
    const items = [{ value: 1, pix_key: randomPixKey(), external_ref: 'a' }]
    const answer = await post('/transfers/batches', { items, provider_uuid: theirs.provider })
    isAnswered(answer, 202)
    const listed = () => get(`/transfers?batch_uuid=${answer.body.data.uuid}`)
    const { body } = await pollUntil(listed, ({ body }) => body.data.length === 1)
    expect(of(body.data[0])).toBe(mine.provider)
  },
  'GET /api/v1/transfers/batches/{batch}': reads(one => `/transfers/batches/${one.batch}`),
  'GET /api/v1/transfers/batches/{batch}/items': reads(one => `/transfers/batches/${one.batch}/items`),
  'POST /api/v1/transfers/batches/{batch}/approve': forbids(
    'POST',
    () => `/transfers/batches/${randomUUID()}/approve`,
  ),
  'POST /api/v1/transfers/batches/{batch}/reject': forbids(
    'POST',
    () => `/transfers/batches/${randomUUID()}/reject`,
    { reason: 'no' },
  ),
  'POST /api/v1/transfers/batches/{batch}/cancel': refuses(
    'POST',
    one => `/transfers/batches/${one.batch}/cancel`,
  ),
  'GET /api/v1/limits': forbids('GET', () => '/limits'),
  'PUT /api/v1/limits': forbids('PUT', () => '/limits', {}),
  'GET /api/v1/limits/usage': forbids('GET', () => '/limits/usage'),
  'POST /api/v1/limits/callout/rotate': forbids('POST', () => '/limits/callout/rotate'),
  'GET /api/v1/pix-keys': lists(
    '/pix-keys',
    (row: ApiResource) => row.key,
    one => one.key,
  ),
  'POST /api/v1/pix-keys': overrides('/pix-keys', () => ({ type: 'RANDOM' }), makerOf),
  'POST /api/v1/pix-keys/auth-code': async () => {
    const woovi = merchant.connections[2]!.uuid
    const order = { type: 'EMAIL', key: `${randomUUID()}@example.com`, provider_uuid: woovi }
    isAnswered(await merchant.api.post('/api/v1/pix-keys/auth-code', order), 201)
    // Its own provider does not support keys of that type.
    expect((await post('/pix-keys/auth-code', order)).body.code).toBe('key_not_supported')
  },
  'GET /api/v1/pix-keys/{key}': reads(one => `/pix-keys/${one.key}`),
  'DELETE /api/v1/pix-keys/{key}': refuses('DELETE', one => `/pix-keys/${one.key}`),
  'POST /api/v1/pix-keys/lookup': async () => {
    const woovi = merchant.connections[2]!.uuid
    const order = { pix_key: randomPixKey(), provider_uuid: woovi }
    isAnswered(await merchant.api.post('/api/v1/pix-keys/lookup', order), 200)
    // Its own provider looks no keys up.
    expect((await post('/pix-keys/lookup', order)).body.code).toBe('lookup_not_supported')
  },
  'GET /api/v1/pix-keys/lookups/{uuid}': async () => {
    const made = await merchant.api.post('/api/v1/pix-keys/lookup', { pix_key: randomPixKey() })
    isAnswered(await merchant.api.get(`/api/v1/pix-keys/lookups/${made.body.data.uuid}`), 200)
    isAnswered(await get(`/pix-keys/lookups/${made.body.data.uuid}`), 404)
  },
  'GET /api/v1/providers': lists(
    '/providers',
    (row: ApiResource) => row.uuid,
    one => one.provider,
  ),
  'GET /api/v1/providers/{uuid}': reads(one => `/providers/${one.provider}`),
  'GET /api/v1/providers/defaults': async () => {
    const shown = async (api: ApiClient) =>
      (await api.get('/api/v1/providers/defaults')).body.data.PIX.map((one: ApiResource) => one.uuid)
    expect(await shown(bound)).toEqual([mine.provider])
    expect(await shown(merchant.api)).toHaveLength(3)
  },
  'PUT /api/v1/providers/defaults': forbids('PUT', () => '/providers/defaults', {
    payment_type: 'PIX',
    provider_uuids: [],
  }),
  'GET /api/v1/meds': lists(
    '/meds',
    (row: ApiResource) => row.uuid,
    one => one.med,
  ),
  'GET /api/v1/meds/{uuid}': reads(one => `/meds/${one.med}`),
  'GET /api/v1/meds/{uuid}/evidence.pdf': reads(one => `/meds/${one.med}/evidence.pdf`),
  'POST /api/v1/meds': async () => {
    const body = { transfer_uuid: theirs.transfer, dispute_type: 'SCAM', details: 'A false shop.' }
    const answer = await post('/meds', body)
    expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
  },
  'POST /api/v1/meds/{uuid}/cancel': refuses('POST', one => `/meds/${one.med}/cancel`),
  'POST /api/v1/meds/{uuid}/reply': refusesForm('reply'),
  'POST /api/v1/meds/{uuid}/contest': refusesForm('contest'),
  'GET /api/v1/ledger': async () => {
    await lists('/ledger', of, one => one.provider)()
    expect((await get(`/ledger?provider_uuid=${theirs.provider}`)).body.data).toEqual([])
  },
  'GET /api/v1/ledger/balances': async () => {
    const shown = async (api: ApiClient) =>
      (await api.get('/api/v1/ledger/balances')).body.data.balances.map(of)
    expect(await shown(bound)).toEqual([mine.provider])
    expect(await shown(merchant.api)).toEqual(expect.arrayContaining([mine.provider, theirs.provider]))
  },
  'GET /api/v1/ledger.csv': exports('/ledger.csv'),
  'GET /api/v1/ledger.ofx': exports('/ledger.ofx'),
  'GET /api/v1/reconciliations': lists('/reconciliations', of, one => one.provider),
  'GET /api/v1/reconciliations/{uuid}': reads(one => `/reconciliations/${one.provider}`),
  'GET /api/v1/reconciliations/{uuid}/differences': reads(
    one => `/reconciliations/${one.provider}/differences`,
  ),
  'GET /api/v1/reports': lists(
    '/reports',
    row => row.provider_uuid,
    one => one.provider,
  ),
  'POST /api/v1/reports': async () => {
    const answer = await post('/reports', { ...REPORT, provider_uuid: theirs.provider })
    expect([answer.status, answer.body.data.provider_uuid]).toEqual([202, mine.provider])
  },
  'PUT /api/v1/reports/schedules': async () => {
    const schedule = { kind: 'LEDGER', format: 'CSV', frequency: 'DAILY', hour: 6 }
    const body = { schedules: [{ ...schedule, provider_uuid: theirs.provider }] }
    isAnswered(await merchant.api.put('/api/v1/reports/schedules', body), 200)
    const own = await bound.put('/api/v1/reports/schedules', body)
    expect(own.body.data.schedules.map((one: ApiResource) => one.provider_uuid)).toEqual([mine.provider])
  },
  'GET /api/v1/reports/schedules': async () => {
    const shown = async (api: ApiClient) => (await api.get('/api/v1/reports/schedules')).body.data.schedules
    expect([(await shown(bound)).length, (await shown(merchant.api)).length]).toEqual([1, 2])
  },
  'GET /api/v1/reports/{uuid}': reads(one => `/reports/${one.report}`),
  'GET /api/v1/reports/{uuid}/download': async () => {
    const read = () => get(`/reports/${mine.report}/download`)
    await pollUntil(read, ({ status }) => status === 200)
    expect((await get(`/reports/${theirs.report}/download`)).status).toBe(404)
  },
  'DELETE /api/v1/reports/{uuid}': refuses('DELETE', one => `/reports/${one.report}`),
  'GET /api/v1/events': async () => {
    const { data } = (await get('/events?per_page=100')).body
    const all = (await merchant.api.get('/api/v1/events?per_page=100')).body.data
    const text = JSON.stringify(data)
    for (const uuid of [mine.paid, mine.transfer]) expect(text).toContain(uuid)
    for (const uuid of [theirs.paid, theirs.transfer]) {
      expect(text).not.toContain(uuid)
      expect(JSON.stringify(all)).toContain(uuid)
    }
  },
  'GET /api/v1/events/{id}': async () => {
    const all: ApiResource[] = (await merchant.api.get('/api/v1/events?per_page=100')).body.data
    const about = (uuid: string) => all.find(event => event.data.uuid === uuid)!.id
    isAnswered(await get(`/events/${about(mine.transfer)}`), 200)
    isAnswered(await get(`/events/${about(theirs.transfer)}`), 404)
  },
  'GET /api/v1/webhooks': forbids('GET', () => '/webhooks'),
  'POST /api/v1/webhooks': forbids('POST', () => '/webhooks', {}),
  'GET /api/v1/webhooks/{uuid}': forbids('GET', hook()),
  'PATCH /api/v1/webhooks/{uuid}': forbids('PATCH', hook(), { events: [] }),
  'DELETE /api/v1/webhooks/{uuid}': forbids('DELETE', hook()),
  'POST /api/v1/webhooks/{uuid}/rotate': forbids('POST', hook('/rotate')),
  'POST /api/v1/webhooks/{uuid}/test': forbids('POST', hook('/test')),
  'GET /api/v1/webhooks/{uuid}/deliveries': forbids('GET', hook('/deliveries')),
  'POST /api/v1/webhooks/{uuid}/deliveries/{delivery}/resend': forbids(
    'POST',
    hook(`/deliveries/${randomUUID()}/resend`),
  ),
  'POST /api/v1/webhooks/{uuid}/recover': forbids('POST', hook('/recover'), {}),
  'GET /healthz': OPEN,
  'GET /readyz': OPEN,
}

/** Paths without a merchant's token: pages, provider notifications, signed file links, scraped endpoints. */
const NO_MERCHANTS = /^(GET|POST) \/(docs|openapi\.json|metrics|provider-notifications\/|files\/)/

test('the table lists every operation of the service', () => {
  const { paths } = stack.contract.document as { paths: Record<string, object> }
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => `${method.toUpperCase()} ${path}`),
  )
  const merchants = operations.filter(operation => !NO_MERCHANTS.test(operation))
  expect(merchants.filter(operation => !RULES[operation])).toEqual([])
  expect(Object.keys(RULES).filter(operation => !merchants.includes(operation))).toEqual([])
})

describe('a token that is bound to a provider', () => {
  test.each(Object.keys(RULES))('%s', operation => RULES[operation]!())

  test.each([
    ['GET', '/webhooks/nothing/of/this'],
    ['GET', '/webhooks/'],
    ['PUT', '/webhooks'],
    ['DELETE', '/webhooks'],
    ['POST', '/webhooks/abc/rotate'],
    ['OPTIONS', '/webhooks/abc'],
  ])('%s %s of an unknown resource is forbidden too', async (method, path) => {
    await forbids(method, () => path)()
  })

  test('and nothing of another provider has changed', async () => {
    expect((await merchant.api.readCharge(theirs.charge)).status).toBe('PENDING')
    expect((await merchant.api.get(`/api/v1/transfers/${theirs.scheduled}`)).body.data.status).toBe('PENDING')
    isAnswered(await merchant.api.get(`/api/v1/pix-keys/${theirs.key}`), 200)
    isAnswered(await merchant.api.get(`/api/v1/webhooks/${webhook}`), 200)
    const shown = await merchant.api.get(`/api/v1/payments/${theirs.paid}/refunds`)
    expect(shown.body.data).toHaveLength(1)
  })

  test('an unknown path under webhooks is 404 for a global token, and 401 without a token', async () => {
    expect((await merchant.api.get('/api/v1/webhooks/nothing/of/this')).status).toBe(404)
    expect((await merchant.api.call('PUT', '/api/v1/webhooks')).status).toBe(405)
    expect((await merchant.api.withToken(undefined).get('/api/v1/webhooks/nothing/of/this')).status).toBe(401)
  })
})

describe('a token of the other mode', () => {
  test('reads and changes no simulated resource, and starts no simulated operation', async () => {
    const live = merchant.api.withToken(await stack.token({ accountUuid: merchant.uuid, mode: 'live' }))
    for (const path of ['/payments', '/transfers', '/pix-keys', '/meds', '/ledger', '/events'])
      expect([path, (await live.get(`/api/v1${path}`)).body.meta.total]).toEqual([path, 0])
    for (const [method, path, body] of [
      ['GET', `/payments/${mine.paid}`],
      ['POST', `/payments/${mine.charge}/cancel`],
      ['POST', `/payments/${mine.paid}/refund`, { value: 1 }],
      ['GET', `/transfers/${mine.transfer}`],
      ['POST', `/transfers/${mine.scheduled}/cancel`],
      ['GET', `/pix-keys/${mine.key}`],
      ['DELETE', `/pix-keys/${mine.key}`],
      ['GET', `/meds/${mine.med}`],
      ['GET', `/deposits/${mine.deposit}`],
      ['POST', `/deposits/${mine.deposit}/return`],
    ] as const)
      expect([path, (await live.call(method, `/api/v1${path}`, body && { body })).status]).toEqual([
        path,
        404,
      ])
    for (const provider_uuid of [mine.provider, undefined]) {
      const charge = await live.post('/api/v1/payments', { value: 1, type: 'PIX', provider_uuid })
      const transfer = await live.post('/api/v1/transfers', {
        value: 1,
        pix_key: randomPixKey(),
        provider_uuid,
      })
      for (const { status, body } of [charge, transfer])
        expect([status, Object.keys(body.errors)]).toEqual([422, ['provider_uuid']])
    }
  })

  test('reaches real resources, which test tokens do not', async () => {
    const real = await stack.createMerchant()
    const { uuid } = await real.api.createCharge()
    await stack.sql(
      `with changed as (update provider_account set is_simulated = false where owner_uuid = ?)
       update connection set is_simulated = false where account_uuid = ?`,
      [real.uuid, real.uuid],
    )
    const live = real.api.withToken(await stack.token({ accountUuid: real.uuid, mode: 'live' }))
    expect((await live.readCharge(uuid)).uuid).toBe(uuid)
    expect((await live.get('/api/v1/payments')).body.meta.total).toBe(1)
    for (const api of [real.api, real.api.withToken(real.connection.token)]) {
      expect((await api.get(`/api/v1/payments/${uuid}`)).status).toBe(404)
      expect((await api.post(`/api/v1/payments/${uuid}/cancel`)).status).toBe(404)
      expect((await api.get('/api/v1/payments')).body.meta.total).toBe(0)
      expect((await api.post('/api/v1/payments', { value: 1, type: 'PIX' })).status).toBe(422)
    }
  })
})

test('a provider-scoped token reads only its own provider’s attempts of a transfer that fell back', async () => {
  const payouts = createPayoutActions(stack)
  const rich = await stack.createMerchant({
    providers: [{ balance: 100 }, { provider: 'PROVIDER_B', balance: 5 }],
  })
  const [first, last] = rich.connections as [Merchant['connection'], Merchant['connection']]
  await payouts.injectFault(first, 'sendTransfer', 'refused', { times: 2 })
  const paid = await payouts.sendAndSettle(rich, { value: 4 })
  const failed = (await payouts.send(rich, { value: 10 })).body.data
  expect(paid.attempts.map((one: ApiResource) => one.provider)).toEqual(['PROVIDER_A', 'PROVIDER_B'])
  expect(failed.error).toMatchObject({ code: 'provider_account_blocked', provider: 'PROVIDER_A' })

  const api = rich.api.withToken(last.token)
  const listed = (await api.get('/api/v1/transfers')).body.data
  for (const { uuid, attempts } of [paid, failed]) {
    const seen = await payouts.transfer({ api }, uuid)
    expect(seen.attempts).toEqual([attempts[1]])
    expect(listed.find((one: ApiResource) => one.uuid === uuid)).toEqual(seen)
    expect(JSON.stringify(seen)).not.toContain('PROVIDER_A')
  }
  expect((await payouts.transfer({ api }, failed.uuid)).error).toEqual({
    code: failed.error.code,
    message: failed.error.message,
    attempts: [{ provider: 'PROVIDER_B', outcome: 'rejected', code: 'insufficient_balance' }],
  })
  expect((await rich.api.withToken(first.token).get(`/api/v1/transfers/${paid.uuid}`)).status).toBe(404)
  const events = (await api.get('/api/v1/events?type=TRANSFER')).body
  expect(events.data.map((one: ApiResource) => one.data.attempts.length)).toEqual([1, 1])
  expect(JSON.stringify(events)).not.toContain('PROVIDER_A')
})

test('a provider-scoped token reads only its own provider’s error of a failed charge and of its event', async () => {
  const both = await stack.createMerchant({ providers: [{}, { provider: 'PROVIDER_B' }] })
  const [first] = both.connections as [Merchant['connection']]
  for (const connection of both.connections)
    await createPayoutActions(stack).injectFault(connection, 'issueCharge', 'refused')
  const { data } = (await both.api.post('/api/v1/payments', { value: 10, type: 'PIX' })).body
  expect(data.error.attempts).toHaveLength(2)
  expect(data.provider.uuid).toBe(first.uuid)
  const api = both.api.withToken(first.token)
  const read = (await api.get(`/api/v1/payments/${data.uuid}`)).body.data
  const { provider: _, provider_code: __, ...reason } = data.error
  expect(read.error).toEqual({ ...reason, attempts: [data.error.attempts[0]] })
  const [listed] = (await api.get('/api/v1/payments')).body.data
  const [event] = (await api.get('/api/v1/events?type=PAYMENT')).body.data
  for (const shown of [listed, event.data]) expect(shown.error).toEqual(read.error)
  expect(JSON.stringify([listed, event])).not.toContain('PROVIDER_B')
})

test('a token of one of two connections at one provider reads its own attempts and reasons only', async () => {
  const payouts = createPayoutActions(stack)
  const twice = await stack.createMerchant({ providers: [{ balance: 100 }, { balance: 5 }] })
  const [first, last] = twice.connections as [Merchant['connection'], Merchant['connection']]
  await payouts.injectFault(first, 'sendTransfer', 'refused', { times: 2 })
  const paid = await payouts.sendAndSettle(twice, { value: 4 })
  const failed = (await payouts.send(twice, { value: 10 })).body.data
  expect(failed.error).toMatchObject({ provider: 'PROVIDER_A', provider_code: expect.any(String) })

  const api = twice.api.withToken(last.token)
  const reason = {
    code: failed.error.code,
    message: failed.error.message,
    attempts: [{ provider: 'PROVIDER_A', outcome: 'rejected', code: 'insufficient_balance' }],
  }
  const events = (await api.get('/api/v1/events?type=TRANSFER')).body.data
  for (const { uuid, attempts } of [paid, failed]) {
    const shownEvent = events.find(({ data }: ApiResource) => data.uuid === uuid).data
    const { data: whole } = (await twice.api.get(`/api/v1/events?type=TRANSFER`)).body
    for (const seen of [await payouts.transfer({ api }, uuid), shownEvent])
      expect(seen.attempts).toEqual([attempts[1]])
    expect(shownEvent.error).toEqual(uuid === failed.uuid ? reason : undefined)
    expect(whole.find(({ data }: ApiResource) => data.uuid === uuid).data.attempts).toEqual(attempts)
  }
  expect((await payouts.transfer({ api }, failed.uuid)).error).toEqual(reason)
  expect((await payouts.transfer(twice, failed.uuid)).error).toEqual(failed.error)

  await payouts.injectFault(first, 'issueCharge', 'refused')
  await payouts.injectFault(last, 'issueCharge', 'refused')
  const { data } = (await twice.api.post('/api/v1/payments', { value: 10, type: 'PIX' })).body
  expect([data.error.attempts.length, data.provider.uuid]).toEqual([2, first.uuid])
  const own = twice.api.withToken(first.token)
  const [listed] = (await own.get('/api/v1/payments')).body.data
  const [event] = (await own.get('/api/v1/events?type=PAYMENT')).body.data
  const read = (await own.get(`/api/v1/payments/${data.uuid}`)).body.data
  for (const shown of [read, listed, event.data])
    expect(shown.error.attempts).toEqual([data.error.attempts[0]])
})
