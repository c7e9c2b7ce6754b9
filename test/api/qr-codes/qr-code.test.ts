import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { hasError, isStaticPix, parsePix } from 'pix-utils'
import { openMoneySuite } from '../support/money-suite.ts'
import { pollUntil } from '../support/poll-until.ts'
import type { Merchant } from '../support/test-stack.ts'

/** QR codes of a merchant: each PIX to one is a charge of its own (SPEC §2). */

const { stage, createMerchant } = await openMoneySuite()
const PATH = '/api/v1/qr-codes'
const statusesOf = ({ history }: { history: { status: string }[] }) => history.map(({ status }) => status)

async function createCode({ api }: Merchant, body: object = {}) {
  const answer = await api.post(PATH, body)
  if (answer.status !== 201) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body.data
}

/** Waits until a code has as many charges. */
const readPayments = async ({ api }: Merchant, { uuid }: { uuid: string }, count: number) =>
  (
    await pollUntil(
      () => api.get(`${PATH}/${uuid}/payments`),
      ({ body }) => body.data.length >= count,
    )
  ).body.data

/** Waits until the movement of a PIX that pays no charge is announced. */
async function readUnmatched({ api }: Merchant, endToEnd: string) {
  const isOfPix = ({ data }: { data: { end_to_end: string } }) => data.end_to_end === endToEnd
  const { body } = await pollUntil(
    () => api.get('/api/v1/events?type=PIX_TRANSACTION'),
    answer => answer.body.data.some(isOfPix),
  )
  return body.data.find(isOfPix).data
}

test.each([
  ['efi', 'PROVIDER_A'],
  ['woovi', 'PROVIDER_B'],
] as const)(
  'a code at %s is created, read, drawn, paid twice by one payer, refunded and listed',
  async (dialect, provider) => {
    const fee = { fixedCents: 10, hundredthsOfPercent: 0 }
    const merchant = await createMerchant({
      providers: [{ provider, dialect, charge: fee, sendsNotifications: true }],
    })
    const { api, connection } = merchant
    const order = {
      value: 12.5,
      reference: 'BALCAO3',
      description: 'Loja',
      external_ref: 'counter-3',
      metadata: { counter: '3' },
    }
    const code = await createCode(merchant, order)
    expect(code).toMatchObject({
      ...order,
      status: 'ACTIVE',
      total_value: 12.6,
      fees: 0.1,
      on_payment: 'KEEP',
      splits: [],
      received: { count: 0, value: 0 },
      provider: { uuid: connection.uuid, provider },
    })
    const parsed = parsePix(code.payload)
    if (hasError(parsed) || !isStaticPix(parsed)) throw new Error('not a static code')
    expect(parsed).toMatchObject({
      pixKey: code.pix_key,
      txid: 'BALCAO3',
      transactionAmount: 12.6,
      infoAdicional: 'Loja',
    })

    const payer = { name: 'Maria Souza', document: '52998224725' }
    for (let count = 1; count <= 2; count += 1) await stage.simulator.pay({ payload: code.payload, payer })
    const payments = await readPayments(merchant, code, 2)
    expect(new Set(payments.map(({ uuid }: { uuid: string }) => uuid)).size).toBe(2)
    for (const charge of payments) {
      expect(statusesOf(charge)).toEqual(['PENDING', 'PROCESSING', 'PAID'])
      expect(charge).toMatchObject({
        status: 'PAID',
        value: 12.5,
        total_value: 12.6,
        fees: 0.1,
        external_ref: 'counter-3',
        qr_code_uuid: code.uuid,
        payment: {
          type: 'QR_STATIC',
          status: 'COMPLETED',
          expires_at: null,
          pix: { txid: 'BALCAO3', pix_key: code.pix_key },
        },
      })
    }
    expect((await api.get(`${PATH}/${code.uuid}`)).body.data.received).toEqual({ count: 2, value: 25.2 })
    const events = (await api.get('/api/v1/events?type=PAYMENT')).body.data
    expect(
      events.filter(({ data }: { data: { qr_code_uuid: string } }) => data.qr_code_uuid === code.uuid),
    ).toHaveLength(2)

    const [first] = payments
    expect((await api.post(`/api/v1/payments/${first.uuid}/refund`)).status).toBe(200)
    await pollUntil(
      () => api.readCharge(first.uuid),
      ({ status }) => status === 'REFUNDED',
    )
    const refunded = (await api.get(`${PATH}/${code.uuid}/payments?status=REFUNDED`)).body
    expect(refunded).toMatchObject({ data: [{ uuid: first.uuid }], meta: { total: 1 } })

    expect((await api.get(`${PATH}/${code.uuid}/qr.svg`)).body).toContain('<svg')
    expect((await api.get(`${PATH}/${code.uuid}/qr.png`)).bytes.subarray(1, 4).toString()).toBe('PNG')
    const listed = await api.get(`${PATH}?reference=BALCAO3&status=active&external_ref=counter-3`)
    expect(listed.body).toMatchObject({ data: [{ uuid: code.uuid }], meta: { total: 1 } })
  },
)

test('an open code with splits: the payer chooses, and each charge is shared', async () => {
  const merchant = await createMerchant({ providers: [{ sendsNotifications: true }] })
  const maria = await stage.createRecipient(merchant, 'Maria')
  const splits = [{ type: 'PERCENTAGE', value: 10, recipient_account_uuid: maria.uuid }]
  const code = await createCode(merchant, { splits })
  expect(code).toMatchObject({ value: 0, total_value: 0, fees: 0, splits })
  expect(code.reference).toMatch(/^[a-z0-9]{25}$/)
  await stage.simulator.pay({ payload: code.payload, value: 30 })
  const [charge] = await readPayments(merchant, code, 1)
  expect(charge).toMatchObject({ value: 0, total_value: 30, splits: [{ value: 10, status: 'CREDITED' }] })
})

test('another value on a fixed code, and a payment after it was disabled, follow its policy', async () => {
  const merchant = await createMerchant({ providers: [{ sendsNotifications: true }] })
  const { api } = merchant
  const keeping = await createCode(merchant, { value: 10 })
  await stage.simulator.pay({ payload: keeping.payload, value: 11 })
  expect(await readPayments(merchant, keeping, 1)).toMatchObject([
    { value: 0, total_value: 11, status: 'PAID' },
  ])
  expect((await api.post(`${PATH}/${keeping.uuid}/disable`)).body.data).toMatchObject({ status: 'DISABLED' })
  expect((await api.post(`${PATH}/${keeping.uuid}/disable`)).status).toBe(200)
  await stage.simulator.pay({ payload: keeping.payload })
  expect(await readPayments(merchant, keeping, 2)).toMatchObject([{ value: 10 }, { value: 0 }])

  const returning = await createCode(merchant, { value: 10, on_payment: 'return' })
  const wrong = await stage.simulator.pay({ payload: returning.payload, value: 9 })
  expect(await readUnmatched(merchant, wrong.end_to_end)).toMatchObject({ reason: 'wrong_amount', value: 9 })
  await api.post(`${PATH}/${returning.uuid}/disable`)
  const late = await stage.simulator.pay({ payload: returning.payload })
  const unmatched = await readUnmatched(merchant, late.end_to_end)
  expect(unmatched).toMatchObject({ reason: 'code_disabled', value: 10 })
  await pollUntil(
    () => api.get(`/api/v1/deposits/${unmatched.uuid}`),
    ({ body }) => body.data.return?.status === 'COMPLETED',
  )
  expect((await api.get(`${PATH}/${returning.uuid}`)).body.data.received).toEqual({ count: 0, value: 0 })
})

test('a PIX without the txid is a charge of the only code that fits its key and value', async () => {
  const merchant = await createMerchant({ providers: [{ sendsNotifications: true }] })
  const ten = await createCode(merchant, { value: 10 })
  const twenty = await createCode(merchant, { value: 20 })
  await stage.simulator.pay({ payload: ten.payload, drop_txid: true })
  expect(await readPayments(merchant, ten, 1)).toMatchObject([{ value: 10, status: 'PAID' }])
  await createCode(merchant, { value: 20 })
  const { end_to_end } = await stage.simulator.pay({ payload: twenty.payload, drop_txid: true })
  expect(await readUnmatched(merchant, end_to_end)).toMatchObject({ reason: 'deposit', value: 20 })
})

test('a deposit without a txid is assigned to one of two codes: its charge is paid, announced and refunded', async () => {
  const fee = { fixedCents: 10, hundredthsOfPercent: 0 }
  const merchant = await createMerchant({
    providers: [{ provider: 'PROVIDER_A', dialect: 'efi', charge: fee, sendsNotifications: true }],
  })
  const { api } = merchant
  const code = await createCode(merchant, { value: 10, external_ref: 'counter-3' })
  await createCode(merchant, { value: 10 })
  const { end_to_end } = await stage.simulator.pay({ payload: code.payload, drop_txid: true })
  const deposit = await readUnmatched(merchant, end_to_end)
  expect(deposit).toMatchObject({ reason: 'deposit', value: 10.1 })
  const key = randomUUID()
  const body = { qr_code_uuid: code.uuid }
  const assigned = await api.post(`/api/v1/deposits/${deposit.uuid}/assign`, body, { key })
  expect(assigned).toMatchObject({
    status: 200,
    body: {
      data: {
        status: 'PAID',
        value: 10,
        fees: 0.1,
        total_value: 10.1,
        external_ref: 'counter-3',
        payment: { pix: { txid: code.reference, transaction: { end_to_end } } },
      },
    },
  })
  const { uuid } = assigned.body.data
  expect((await api.post(`/api/v1/deposits/${deposit.uuid}/assign`, body, { key })).body.data.uuid).toBe(uuid)
  expect(await readPayments(merchant, code, 1)).toMatchObject([{ uuid }])
  const events = (await api.get(`/api/v1/events?operation_uuid=${uuid}`)).body.data
  expect(events.map(({ type }: { type: string }) => type).toSorted()).toEqual(
    expect.arrayContaining(['PAYMENT', 'PIX_TRANSACTION']),
  )
  const line = (await api.get(`/api/v1/ledger?end_to_end=${end_to_end}`)).body.data
  expect(line).toMatchObject([{ operation_type: 'CHARGE', operation_uuid: uuid, value: 10.1 }])
  // What was taken of it is missing for a whole refund: the fee is the account's to pay.
  expect((await api.post(`/api/v1/payments/${uuid}/refund`, { value: 10 })).status).toBe(200)
  await pollUntil(
    () => api.readCharge(uuid),
    ({ status }) => status === 'PARTIALLY_REFUNDED',
  )
})

test('duplicated, reordered and repeated notifications make one charge of each PIX', async () => {
  const merchant = await createMerchant({ providers: [{ sendsNotifications: true }] })
  const { api } = merchant
  const code = await createCode(merchant)
  const { account } = merchant.connection
  for (const fault of ['notification_duplicated', 'notification_reordered'] as const)
    await stage.simulator.addFault({ provider: 'PROVIDER_A', account, fault, times: 5 })
  const sent = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      stage.simulator.pay({ payload: code.payload, value: index + 1 }),
    ),
  )
  const payments = await readPayments(merchant, code, 10)
  const endToEndOf = (charge: { payment: { pix: { transaction: { end_to_end: string } } } }) =>
    charge.payment.pix.transaction.end_to_end
  expect(payments.map(endToEndOf).toSorted()).toEqual(sent.map(({ end_to_end }) => end_to_end).toSorted())
  expect((await api.get(`${PATH}/${code.uuid}`)).body.data.received).toEqual({ count: 10, value: 55 })
})

test('a key of idempotency makes one code, and a reference is of one code', async () => {
  const merchant = await createMerchant()
  const { api } = merchant
  const key = randomUUID()
  const body = { reference: 'CAIXA1' }
  const answers = await Promise.all(Array.from({ length: 5 }, () => api.post(PATH, body, { key })))
  expect(new Set(answers.map(answer => JSON.stringify(answer.body))).size).toBe(1)
  expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1)
  expect((await api.post(PATH, { reference: 'CAIXA2' }, { key })).body.code).toBe('idempotency_key_reused')
  expect(await api.post(PATH, body)).toMatchObject({ status: 409, body: { code: 'reference_in_use' } })
  expect((await createCode(merchant, { reference: 'caixa1' })).reference).toBe('caixa1')
})

test('a key whose codes are active is in use', async () => {
  const merchant = await createMerchant()
  const { api, connection } = merchant
  const created = await api.post('/api/v1/pix-keys', { type: 'RANDOM' })
  const { key } = created.body.data
  await stage.sql('update connection set collection_key = ? where uuid = ?', [key, connection.uuid])
  const code = await createCode(merchant)
  expect(code.pix_key).toBe(key)
  await stage.sql('update connection set collection_key = null where uuid = ?', [connection.uuid])
  const removal = await api.delete(`/api/v1/pix-keys/${key}`)
  expect(removal).toMatchObject({ status: 409, body: { code: 'key_in_use' } })
  await api.post(`${PATH}/${code.uuid}/disable`)
  expect((await api.delete(`/api/v1/pix-keys/${key}`)).status).toBe(200)
})

const RECIPIENT = '9d0c2f4e-1b6a-4c38-8e57-a3f1d2b40c69'
test.each<[title: string, body: object, field: string, message: string]>([
  ['a reference with a hyphen', { reference: 'BALCAO-3' }, 'reference', 'letters and digits'],
  ['a reference of 26', { reference: 'A'.repeat(26) }, 'reference', '1 to 25'],
  ['an empty reference', { reference: '' }, 'reference', '1 to 25'],
  ['a description of two lines', { description: 'a\nb' }, 'description', 'one line'],
  ['a description of 73', { description: 'd'.repeat(73) }, 'description', '72'],
  ['a description beside the key', { description: 'd'.repeat(60) }, 'description', 'at most 37 bytes'],
  ['a description of no ASCII', { description: '日本' }, 'description', 'ASCII'],
  ['a value of three decimals', { value: 1.005 }, 'value', 'two decimals'],
  ['a value below 0', { value: -1 }, 'value', '0'],
  ['a text as value', { value: '10' }, 'value', 'number'],
  [
    'a FIXED split of an open value',
    { splits: [{ type: 'FIXED', value: 1, recipient_account_uuid: RECIPIENT }] },
    'splits.0.type',
    'PERCENTAGE',
  ],
  [
    'splits above the value',
    { value: 1, splits: [{ type: 'FIXED', value: 2, recipient_account_uuid: RECIPIENT }] },
    'splits',
    'more than the value',
  ],
  [
    'an unknown recipient',
    { splits: [{ type: 'PERCENTAGE', value: 2, recipient_account_uuid: RECIPIENT }] },
    'splits.0.recipient_account_uuid',
    'existing account',
  ],
  ['an unknown policy', { on_payment: 'MAYBE' }, 'on_payment', 'KEEP'],
  ['an unknown provider', { provider_uuid: RECIPIENT }, 'provider_uuid', 'active provider'],
  [
    'too much metadata',
    { metadata: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`n${i}`, 'v'])) },
    'metadata',
    'at most 20',
  ],
  ['metadata of numbers', { metadata: { a: 1 } }, 'metadata.a', 'text'],
  ['an unknown field', { valor: 10 }, 'valor', 'not a known field'],
])('%s is refused', async (_, body, field, message) => {
  const { api } = await sharedMerchant()
  const answer = await api.post(PATH, body)
  expect({ status: answer.status, field: answer.body.errors?.[field]?.join() }).toEqual({
    status: 422,
    field: expect.stringContaining(message),
  })
})

let shared: Promise<Merchant> | undefined
const sharedMerchant = () => (shared ??= createMerchant())

test('a provider without a PIX key, and a code of another account, are refused', async () => {
  const merchant = await createMerchant()
  const other = await createMerchant()
  const code = await createCode(merchant)
  for (const path of ['', '/payments', '/qr.svg'])
    expect((await other.api.get(`${PATH}/${code.uuid}${path}`)).status).toBe(404)
  expect((await other.api.post(`${PATH}/${code.uuid}/disable`)).status).toBe(404)
  await stage.sql('update connection set collection_key = null where uuid = ?', [other.connection.uuid])
  const answer = await other.api.post(PATH, {})
  expect(answer.body.errors).toMatchObject({ provider_uuid: [expect.stringContaining('PIX key')] })
  // The code of a charge is not listed: it is the charge's.
  const { uuid } = await merchant.api.createCharge({ value: 0 })
  expect((await merchant.api.get(`${PATH}/${uuid}`)).status).toBe(404)
  expect((await merchant.api.get(PATH)).body.data).toMatchObject([{ uuid: code.uuid }])
})
