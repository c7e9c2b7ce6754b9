import { expect, test } from '@jest/globals'
import { openMoneySuite } from '../support/money-suite.ts'

/** Reading codes through the service: those of the account, and those of other banks (SPEC §4). */

const { stage, createMerchant } = await openMoneySuite()
const PATH = '/api/v1/qr-codes/read'
const merchant = await createMerchant({
  providers: [{}, { provider: 'PROVIDER_B', dialect: 'woovi' }, { provider: 'PROVIDER_C', dialect: 'stark' }],
})
const foreign = Object.fromEntries(
  (await stage.simulator.listForeignCodes()).map(({ name, payload }) => [name, payload]),
)
const read = (payload: string, more: object = {}) => merchant.api.post(PATH, { payload, ...more })

test.each([0, 1, 2])(
  "the code of the account's own charge at connection %s names that charge",
  async index => {
    const { uuid: provider_uuid } = merchant.connections[index]!
    const charge = await merchant.api.createCharge({ provider_uuid, value: 12.34 })
    const { status, body } = await read(charge.payment.payload)
    expect([status, body.data]).toMatchObject([
      200,
      {
        kind: 'DYNAMIC',
        value: { due_now: 12.34, open: false },
        status: 'PAYABLE',
        signature: 'UNVERIFIED',
        own_charge_uuid: charge.uuid,
      },
    ])
    const later = await merchant.api.get(`${PATH}/${body.data.uuid}`)
    expect(later.body.data).toEqual(body.data)
    const other = await createMerchant()
    expect((await other.api.get(`${PATH}/${body.data.uuid}`)).status).toBe(404)
    const theirs = (await other.api.post(PATH, { payload: charge.payment.payload })).body.data
    expect(theirs).not.toHaveProperty('own_charge_uuid')
  },
)

test('a static code says its value, and needs no bank', async () => {
  const { body: code } = await merchant.api.post('/api/v1/qr-codes', { value: 7.5, reference: 'BALCAO9' })
  expect((await read(code.data.payload)).body.data).toMatchObject({
    kind: 'STATIC',
    txid: 'BALCAO9',
    value: { original: 7.5, due_now: 7.5, open: false },
    status: 'PAYABLE',
    expires_at: null,
  })
})

test.each([
  ['payable', { kind: 'DYNAMIC', status: 'PAYABLE', value: { due_now: 12.5 } }],
  ['open', { kind: 'DYNAMIC', status: 'PAYABLE', value: { due_now: 0, open: true } }],
  [
    'due',
    { kind: 'DUE', status: 'PAYABLE', value: { original: 123.45, due_now: 140, fine: 15, interest: 2 } },
  ],
  ['paid', { status: 'PAID' }],
  ['expired', { status: 'EXPIRED' }],
  ['composite', { kind: 'COMPOSITE', status: 'PAYABLE' }],
])('the foreign code "%s" is read', async (name, shown) => {
  const { body } = await read(foreign[name]!)
  expect(body.data).toMatchObject({ receiver: { name: 'Fornecedora de Fora SA' }, ...shown })
})

test.each([
  ['gone', 'has a location that shows no charge: it was paid or removed, has expired, or does not exist'],
  ['wrong-signature', 'must have a correct signature'],
  ['keys-elsewhere', 'must be signed by a key of the host of its location'],
  ['large', 'must have a location that shows at most 32 kB'],
  ['redirect', 'must have a location that does not redirect'],
])('the foreign code "%s" is refused', async (name, message) => {
  const { status, body } = await read(foreign[name]!)
  expect([status, body.code, body.errors]).toEqual([422, 'qr_invalid', { payload: [message] }])
})

test('a bank that does not answer in time is 503, and nothing is stored', async () => {
  const count = () => stage.sql('select count(*) from code_reading where account_uuid = ?', [merchant.uuid])
  const before = await count()
  const { status, body, headers } = await read(foreign.slow!)
  expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'qr_unreadable', '5'])
  expect(await count()).toEqual(before)
})

test('a broken code is named by what is wrong with it', async () => {
  const { body } = await read(foreign.payable!.replace('Fora', 'Foro'))
  expect(body).toMatchObject({
    code: 'qr_invalid',
    errors: { payload: ['must have a correct CRC: a character is wrong or missing'] },
  })
  expect((await read('', { pay_on: '2026-02-30', cod_mun: '1' })).body).toMatchObject({
    code: 'validation_failed',
    errors: { payload: expect.anything(), pay_on: expect.anything(), cod_mun: ['must have seven digits'] },
  })
})
