import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { ApiResponse } from '../support/client.ts'
import { type ApiResource, createPayoutActions, type PayoutActions } from '../support/payout-actions.ts'
import { type Merchant, openSharedTestStack, type TestStack } from '../support/test-stack.ts'

/** Invalid requests to move money: every error is named at once, nothing is stored and nothing moves. */

let stack: TestStack
let payouts: PayoutActions
let merchant: Merchant
let charge: ApiResource
let before: object
const ids: Record<string, string> = {}

beforeAll(async () => {
  stack = await openSharedTestStack()
  payouts = createPayoutActions(stack)
  merchant = await stack.createMerchant({ providers: [{ balance: 1_000 }, { provider: 'PROVIDER_C' }, {}] })
  const other = await stack.createMerchant()
  const [, inactive, hidden] = merchant.connections
  await stack.sql(`update connection set status = 'KYC_PENDING' where uuid = ?`, [inactive!.uuid])
  await stack.sql('update connection set is_public = false where uuid = ?', [hidden!.uuid])
  charge = await payouts.createPaidCharge(merchant)
  before = await everything()
  Object.assign(ids, {
    UNKNOWN: randomUUID(),
    FOREIGN: other.connection.uuid,
    INACTIVE: inactive!.uuid,
    HIDDEN: hidden!.uuid,
  })
})
afterAll(async () => {
  expect(await everything()).toEqual(before)
  expect(await payouts.listPaidOut(merchant)).toEqual([])
  await stack.waitUntilLedgerAgrees(merchant)
  await stack.close()
})

/** What a refused request must leave unchanged. */
async function everything() {
  const counts = await stack.sql(
    `select (select count(*) from transfer where account_uuid = ?) as transfers,
       (select count(*) from refund where account_uuid = ?) as refunds,
       (select count(*) from movement where account_uuid = ?) as movements,
       (select count(*) from event where account_uuid = ?) as events`,
    Array(4).fill(merchant.uuid),
  )
  const balances = await stack.readBalances(merchant.uuid, merchant.connection.providerAccountUuid)
  return { counts, balances, charge: await merchant.api.readCharge(charge.uuid) }
}

const filled = <T>(body: T): T =>
  JSON.parse(JSON.stringify(body), (_, value) => (typeof value === 'string' && ids[value]) || value)
const fields = ({ body }: ApiResponse) => Object.keys(body.errors ?? {}).toSorted()

const VALUES: [why: string, value: unknown][] = [
  ['three decimals', 1.005],
  ['the binary sum of 0.1 + 0.2', 0.1 + 0.2],
  ['zero', 0],
  ['less than a centavo', 0.001],
  ['a negative value', -1],
  ['a negative centavo', -0.01],
  ['1e21', 1e21],
  ['1e-7', 1e-7],
  ['a centavo too many', 10_000_000_000],
  ['a text', '10.00'],
  ['an empty text', ''],
  ['null', null],
  ['true', true],
  ['a list', [10]],
  ['an object', { cents: 10 }],
]

const KEYS: [why: string, key: unknown][] = [
  ['an empty text', ''],
  ['a number', 52998224725],
  ['null', null],
  ['a list', ['maria@example.com']],
  ['a text that is not a key', 'maria'],
  ['a CPF with wrong digits', '52998224724'],
  ['a CPF of one digit', '11111111111'],
  ['a CPF with its mask', '529.982.247-25'],
  ['a CPF with a blank', ' 52998224725'],
  ['ten digits', '5299822472'],
  ['a CNPJ with wrong digits', '11222333000182'],
  ['an alphanumeric CNPJ with wrong digits', '12ABC34501DE36'],
  ['an alphanumeric CNPJ with letters as digits', '12ABC34501DEAB'],
  ['a CNPJ with its mask', '11.222.333/0001-81'],
  ['a mobile without country code', '11987654321'],
  ['a mobile without its plus', '5511987654321'],
  ['a landline', '+551133334444'],
  ['a landline with nine digits', '+5511333344445'],
  ['an area code that does not exist', '+5510987654321'],
  ['another country', '+12025550123'],
  ['a phone with blanks', '+55 11 98765-4321'],
  ['an e-mail without a domain', 'maria@'],
  ['an e-mail without a name', '@example.com'],
  ['two at signs', 'maria@@example.com'],
  ['a blank in an e-mail', 'ma ria@example.com'],
  ['an e-mail that DICT refuses', 'maria&ana@example.com'],
  ['letters with accents', 'joão@example.com'],
  ['a Kelvin sign for a k', 'mar\u212Aus@example.com'],
  ['78 characters', `${'a'.repeat(66)}@example.com`],
  ['256 characters', `${'a'.repeat(244)}@example.com`],
  ['a UUID without hyphens', '0197f6a15b3c7def8abc0123456789ab'],
  ['a UUID with braces', '{0197f6a1-5b3c-7def-8abc-0123456789ab}'],
  ['a UUID that is too short', '0197f6a1-5b3c-7def-8abc-0123456789a'],
  ['a NUL', 'maria\0@example.com'],
]

const fine = { value: 10, pix_key: 'maria@example.com' }
const beneficiary = (name: unknown, document: unknown) => ({ ...fine, final_beneficiary: { name, document } })
const TRANSFERS: [why: string, body: unknown, fields: string[]][] = [
  ...VALUES.map(([why, value]): [string, unknown, string[]] => [
    `value: ${why}`,
    { ...fine, value },
    ['value'],
  ]),
  ...KEYS.map(([why, pix_key]): [string, unknown, string[]] => [
    `key: ${why}`,
    { ...fine, pix_key },
    ['pix_key'],
  ]),
  ['an empty body', {}, ['pix_key', 'value']],
  ['null', null, ['body']],
  ['a list', [fine], ['body']],
  ['a text', 'PIX', ['body']],
  ['a document with wrong digits', { ...fine, document: '52998224724' }, ['document']],
  ['an alphanumeric document with wrong digits', { ...fine, document: '12ABC34501DE36' }, ['document']],
  ['a masked document', { ...fine, document: '529.982.247-25' }, ['document']],
  ['a number as document', { ...fine, document: 52998224725 }, ['document']],
  ['an empty document', { ...fine, document: '' }, ['document']],
  ['a long external_ref', { ...fine, external_ref: 'x'.repeat(256) }, ['external_ref']],
  ['an empty external_ref', { ...fine, external_ref: '' }, ['external_ref']],
  ['a number as external_ref', { ...fine, external_ref: 7 }, ['external_ref']],
  ['half a surrogate pair', { ...fine, external_ref: '\ud800' }, ['external_ref']],
  [
    'an empty beneficiary',
    { ...fine, final_beneficiary: {} },
    ['final_beneficiary.document', 'final_beneficiary.name'],
  ],
  [
    'a beneficiary without document',
    { ...fine, final_beneficiary: { name: 'Ana' } },
    ['final_beneficiary.document'],
  ],
  ['a beneficiary with wrong digits', beneficiary('Ana', '11222333000182'), ['final_beneficiary.document']],
  ['a long name', beneficiary('x'.repeat(141), '52998224725'), ['final_beneficiary.name']],
  ['no uuid as provider', { ...fine, provider_uuid: 'PROVIDER_A' }, ['provider_uuid']],
  ['an unknown provider', { ...fine, provider_uuid: 'UNKNOWN' }, ['provider_uuid']],
  ["another account's provider", { ...fine, provider_uuid: 'FOREIGN' }, ['provider_uuid']],
  ['a provider that is not active', { ...fine, provider_uuid: 'INACTIVE' }, ['provider_uuid']],
  ['a provider that is not public', { ...fine, provider_uuid: 'HIDDEN' }, ['provider_uuid']],
  ['a time without offset', { ...fine, scheduled_for: '2026-12-01T12:00:00' }, ['scheduled_for']],
  ['a past time', { ...fine, scheduled_for: '2020-01-01T00:00:00Z' }, ['scheduled_for']],
  [
    'every error at once',
    { value: -1, pix_key: 'x', document: 'x', external_ref: 7, final_beneficiary: 'x', scheduled_for: 'x' },
    ['document', 'external_ref', 'final_beneficiary', 'pix_key', 'scheduled_for', 'value'],
  ],
]

test.each(TRANSFERS)('a transfer with %s: 422, naming each field', async (_, body, expected) => {
  const answer = await merchant.api.post('/api/v1/transfers', filled(body))
  expect([answer.status, answer.body.code, fields(answer)]).toEqual([422, 'validation_failed', expected])
  for (const messages of Object.values(answer.body.errors))
    expect(messages).toContainEqual(expect.any(String))
})

test.each(VALUES)('a refund with %s: 422 on value', async (_, value) => {
  const answer = await payouts.requestRefund(merchant, charge, { value })
  expect([answer.status, answer.body.code, fields(answer)]).toEqual([422, 'validation_failed', ['value']])
})

test.each([
  ['above the received amount', 10.01],
  ['far above', 9_999_999_999.99],
])('a refund %s: 422 on value', async (_, value) => {
  const answer = await payouts.requestRefund(merchant, charge, { value })
  expect([answer.status, fields(answer)]).toEqual([422, ['value']])
})

describe('a body that is missing or not JSON', () => {
  const post = (path: string, raw: string, type = 'application/json') =>
    merchant.api.post(path, undefined, { raw, headers: { 'content-type': type } })
  test.each([
    ['half an object', '{"value": 10', 400],
    ['1e400, which is no number', '{"value": 1e400, "pix_key": "maria@example.com"}', 422],
    ['NaN', '{"value": NaN, "pix_key": "maria@example.com"}', 400],
    ['too much', `{"pix_key": "${'x'.repeat(110_000)}"}`, 413],
  ])('%s', async (_, raw, status) => {
    for (const path of ['/api/v1/transfers', `/api/v1/payments/${charge.uuid}/refund`])
      expect([path, (await post(path, raw)).status]).toEqual([path, status])
  })
  test('another media type', async () => {
    expect((await post('/api/v1/transfers', 'value=10', 'application/x-www-form-urlencoded')).status).toBe(
      415,
    )
  })
  test.each(['', 'x'.repeat(256), 'chave é'])('the key %p: 422', async key => {
    const headers = { 'idempotency-key': Buffer.from(key).toString('latin1') }
    const answer = await merchant.api.post('/api/v1/transfers', fine, { headers })
    expect([answer.status, fields(answer)]).toEqual([422, ['Idempotency-Key']])
  })
})

test('a missing token, an invalid token, or one bound to an inactive provider starts nothing', async () => {
  for (const token of [undefined, 'trl_test_x']) {
    const stranger = merchant.api.withToken(token)
    for (const answer of [
      await payouts.send({ api: stranger }),
      await payouts.requestRefund({ api: stranger }, charge),
    ])
      expect([answer.status, answer.body.code]).toEqual([401, 'unauthenticated'])
  }
  const bound = merchant.api.withToken(merchant.connections[1]!.token)
  const answer = await payouts.send({ api: bound })
  expect([answer.status, fields(answer)]).toEqual([422, ['provider_uuid']])
  const live = merchant.api.withToken(await stack.token({ accountUuid: merchant.uuid, mode: 'live' }))
  expect((await payouts.send({ api: live })).status).toBe(422)
})

describe('valid requests are accepted in every notation', () => {
  const RIGHT: [why: string, key: string, stored: string][] = [
    ['a CPF', '52998224725', '52998224725'],
    ['a CPF with the digits of a phone number', '12345678909', '12345678909'],
    ['a CNPJ', '11222333000181', '11222333000181'],
    ['an alphanumeric CNPJ', '12ABC34501DE35', '12ABC34501DE35'],
    ['an alphanumeric CNPJ in lower case', '12abc34501de35', '12ABC34501DE35'],
    ['a mobile', '+5511987654321', '+5511987654321'],
    ['an e-mail in capitals', 'MARIA@Example.COM', 'maria@example.com'],
    ['an e-mail of 77 characters', `${'a'.repeat(65)}@example.com`, `${'a'.repeat(65)}@example.com`],
    [
      'a random key in capitals',
      '0197F6A1-5B3C-7DEF-8ABC-0123456789AB',
      '0197f6a1-5b3c-7def-8abc-0123456789ab',
    ],
  ]
  test('every type of PIX key, with the smallest and a large value', async () => {
    const rich = await stack.createMerchant({ providers: [{ balance: 5_000_000_000 }] })
    await Promise.all(
      RIGHT.map(async ([why, pix_key, stored]) => {
        const paid = await payouts.sendAndSettle(rich, { pix_key, value: 0.01 })
        expect([why, paid.value, paid.transfer.initiation.pix_key]).toEqual([why, 0.01, stored])
      }),
    )
    const large = await payouts.sendAndSettle(rich, { value: 4_999_999_999.9 })
    expect(large.value).toBe(4_999_999_999.9)
    const left = await stack.readBalances(rich.uuid, rich.connection.providerAccountUuid)
    expect(left.available).toBe(1)
    await stack.waitUntilLedgerAgrees(rich)
  })

  test('documents of both types', async () => {
    const rich = await stack.createMerchant({ providers: [{ balance: 10 }] })
    for (const document of ['52998224725', '12abc34501de35']) {
      const paid = await payouts.sendAndSettle(rich, { value: 1, pix_key: document, document })
      expect(paid.transfer.initiation.pix_key).toBe(document.toUpperCase())
    }
    await stack.waitUntilLedgerAgrees(rich)
  })
})
