import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { hasError, isStaticPix, parsePix } from 'pix-utils'
import { PROVIDER_CAPABILITIES } from '../../../src/domain/providers/capabilities.ts'
import { PROVIDER_APIS } from '../../../src/domain/providers/provider.ts'
import { openMoneySuite } from '../support/money-suite.ts'
import { pollUntil } from '../support/poll-until.ts'

/** Charges of value 0: a static code of ours, paid by its txid (SPEC §2). */

const { stage, createMerchant } = await openMoneySuite()
const isPaid = ({ status }: { status: string }) => status === 'PAID'
const statusesOf = ({ history }: { history: { status: string }[] }) => history.map(({ status }) => status)

const PROVIDERS = [
  { provider: 'PROVIDER_A', dialect: 'efi' },
  { provider: 'PROVIDER_B', dialect: 'woovi' },
  { provider: 'PROVIDER_C', dialect: 'sicoob' },
  { provider: 'PROVIDER_C', dialect: 'inter' },
] as const

test.each(PROVIDERS)(
  'an open amount at $dialect is a static code, which a PIX with its txid pays',
  async at => {
    const fee = { fixedCents: 10, hundredthsOfPercent: 100 }
    const { api } = await createMerchant({ providers: [{ ...at, charge: fee, sendsNotifications: true }] })
    const created = await api.createCharge({ value: 0, external_ref: 'balcão 1' })
    expect(created).toMatchObject({
      status: 'PENDING',
      value: 0,
      total_value: 0,
      fees: 0,
      external_ref: 'balcão 1',
      payment: { status: 'PENDING', expires_at: null, pix: { type: 'QR_STATIC', expires_at: null } },
    })
    const code = parsePix(created.payment.payload)
    if (hasError(code) || !isStaticPix(code)) throw new Error('not a static code')
    expect(code.txid).toMatch(/^[a-z0-9]{25}$/)
    expect(created.payment.pix).toMatchObject({ txid: code.txid, pix_key: code.pixKey })
    expect(code.transactionAmount ?? 0).toBe(0)

    const { end_to_end } = await stage.simulator.pay({ payload: created.payment.payload, value: 42.5 })
    const paid = await pollUntil(() => api.readCharge(created.uuid), isPaid)
    expect(statusesOf(paid)).toEqual(['PENDING', 'PROCESSING', 'PAID'])
    expect(paid).toMatchObject({
      value: 0,
      total_value: 42.5,
      fees: 0.53,
      net_value: 41.97,
      payment: { type: 'QR_STATIC', expires_at: null, pix: { txid: code.txid, transaction: { end_to_end } } },
    })
    expect(paid).not.toHaveProperty('qr_code_uuid')

    // Inter's API returns PIX of its own charges only (docs/providers/inter.md).
    if (at.dialect === 'inter') return
    const refund = await api.post(`/api/v1/payments/${created.uuid}/refund`, { value: 2.5 })
    expect(refund.status).toBe(200)
    await pollUntil(
      () => api.readCharge(created.uuid),
      ({ status }) => status === 'PARTIALLY_REFUNDED',
    )
  },
)

test.each(PROVIDER_APIS)('an open amount is issued at %s', async dialect => {
  const { api } = await createMerchant({ providers: [{ provider: 'PROVIDER_D', dialect }] })
  const { uuid, payment } = await api.createCharge({ value: 0 })
  const type = PROVIDER_CAPABILITIES[dialect].canIssueOpenAmount ? 'QR_DYNAMIC' : 'QR_STATIC'
  expect(await api.readCharge(uuid)).toMatchObject({ status: 'PENDING', value: 0, payment: { type } })
  expect(payment.payload).toMatch(/^000201/)
})

test('the second PIX to the code of a charge is returned, as any second payment', async () => {
  const { api } = await createMerchant({ providers: [{ sendsNotifications: true }] })
  const { uuid, payment } = await api.createCharge({ value: 0 })
  await stage.simulator.pay({ payload: payment.payload, value: 10 })
  await pollUntil(() => api.readCharge(uuid), isPaid)
  const second = await stage.simulator.pay({ payload: payment.payload, value: 11 })
  const listed = await pollUntil(
    () => api.get('/api/v1/events?type=PIX_TRANSACTION'),
    ({ body }) => body.data.some((event: { data: object }) => Object(event.data).reason === 'second_payment'),
  )
  const event = listed.body.data.find((one: { data: object }) => Object(one.data).reason === 'second_payment')
  expect(event.data).toMatchObject({ end_to_end: second.end_to_end, value: 11, charge_uuid: uuid })
  expect(await api.readCharge(uuid)).toMatchObject({ status: 'PAID', total_value: 10 })
})

test('a cancelled code can still be paid: the charge is PAID late', async () => {
  const { api } = await createMerchant({ providers: [{ sendsNotifications: true }] })
  const { uuid, payment } = await api.createCharge({ value: 0 })
  await api.carryOut('POST', `/api/v1/payments/${uuid}/cancel`)
  expect(await api.readCharge(uuid)).toMatchObject({ status: 'CANCELLED' })
  await stage.simulator.pay({ payload: payment.payload, value: 3 })
  const paid = await pollUntil(() => api.readCharge(uuid), isPaid)
  expect(statusesOf(paid)).toEqual(['PENDING', 'CANCELLED', 'PROCESSING', 'PAID'])
})

test('a PIX whose app drops the txid is a deposit: it may be any PIX to the key', async () => {
  const { api } = await createMerchant({ providers: [{ sendsNotifications: true }] })
  const { uuid, payment } = await api.createCharge({ value: 0 })
  const order = { payload: payment.payload, value: 5, drop_txid: true }
  const { end_to_end } = await stage.simulator.pay(order)
  const isDeposit = ({ data }: { data: object }) =>
    Object(data).reason === 'deposit' && Object(data).end_to_end === end_to_end
  await pollUntil(
    () => api.get('/api/v1/events?type=PIX_TRANSACTION'),
    ({ body }) => body.data.some(isDeposit),
  )
  expect(await api.readCharge(uuid)).toMatchObject({ status: 'PENDING' })
})

test('an open amount takes a collection key: without one the value is refused', async () => {
  const { api, connection } = await createMerchant()
  await stage.orm.em
    .fork()
    .execute('update connection set collection_key = null where uuid = ?', [connection.uuid])
  const answer = await api.post('/api/v1/payments', { value: 0, type: 'PIX' })
  expect(answer).toMatchObject({
    status: 422,
    body: { errors: { value: [expect.stringContaining('PIX key')] } },
  })
})

test('the same key of idempotency gets the same code', async () => {
  const { api } = await createMerchant()
  const key = randomUUID()
  const [one, other] = await Promise.all([
    api.createCharge({ value: 0 }, { key, body: { value: 0, type: 'PIX' } }),
    api.createCharge({ value: 0 }, { key, body: { value: 0, type: 'PIX' } }),
  ])
  expect(other).toEqual(one)
})
