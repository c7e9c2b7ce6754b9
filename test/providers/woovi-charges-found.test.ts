import { expect, test } from '@jest/globals'
import {
  charge,
  END_TO_END,
  failures,
  NOW,
  ok,
  page,
  REFERENCE,
  refused,
  TXID,
  transaction,
  woovi,
} from './support/woovi.ts'

const GET = `GET /api/v1/charge/${REFERENCE}`
const DELETE = `DELETE /api/v1/charge/${REFERENCE}`
const PAID = 'GET /api/v1/transaction'

const nobody = {
  name: '',
  document: '',
  account_number: '',
  account_agency: '',
  bank: { code: '', name: '', ispb: '' },
  account_type: 'CHECKING',
}
const pixKey = 'd65032a3-c0c0-4b22-9f0e-0a9c4f6d1a11'
const issued = {
  txid: TXID,
  payload: '00020101021226...',
  expiresAt: '2026-01-10T12:59:00.000Z',
  pixKey,
  receiver: nobody,
}

const notThere = refused('Cobrança não encontrada')

const payment = {
  endToEnd: END_TO_END,
  txid: TXID,
  reference: REFERENCE,
  cents: 1234,
  status: 'settled',
  at: '2026-01-10T11:59:30.500Z',
  payer: { ...nobody, name: 'Maria', document: '12345678909' },
  pixKey,
}
const past = { expiresDate: '2026-01-10T12:00:00.000Z' }
test.each([
  ['open', charge(), [], 'open', []],
  ['open, its end only in seconds', charge({ expiresDate: null }), [], 'open', []],
  ['past its end', charge(past), [], 'expired', []],
  ['expired', charge({ status: 'EXPIRED' }), [], 'expired', []],
  ['expired and paid', charge({ status: 'EXPIRED' }), [transaction()], 'expired', [payment]],
  ['paid', charge({ status: 'COMPLETED' }), [transaction()], 'completed', [payment]],
  [
    'paid, by its kind of code',
    charge({ status: 'COMPLETED' }),
    [transaction({ type: 'DYNAMIC' })],
    'completed',
    [payment],
  ],
  [
    'paid twice',
    charge({ status: 'COMPLETED' }),
    [transaction(), transaction({ endToEndId: undefined, endToEndID: 'E2', status: 'IN_PROCESSING' })],
    'completed',
    [payment, { ...payment, endToEnd: 'E2', status: 'in_process' }],
  ],
  [
    'paid, and refunded since',
    charge({ status: 'COMPLETED' }),
    [transaction({ status: 'REFUNDED' }), transaction({ type: 'REFUND', endToEndId: 'D1' })],
    'completed',
    [payment],
  ],
  [
    'paid, beside a PIX without its id',
    charge({ status: 'COMPLETED' }),
    [transaction(), transaction({ endToEndId: undefined })],
    'completed',
    [payment],
  ],
  [
    'open, beside a payment that names no charge',
    charge(),
    [transaction({ charge: null }), transaction({ charge: {} })],
    'open',
    [],
  ],
  [
    'open, beside a payment whose state no document names',
    charge(),
    [transaction({ status: 'FAILED' }), transaction({ type: 'DEBIT' }), transaction({ type: null })],
    'open',
    [],
  ],
  [
    'paid, beside a payment whose returns have another shape',
    charge({ status: 'COMPLETED' }),
    [transaction({ refunds: [{ odd: true }] })],
    'completed',
    [payment],
  ],
  [
    'expired, beside a rejected PIX without its id',
    charge({ status: 'EXPIRED' }),
    [transaction({ endToEndId: undefined, status: 'REJECTED' })],
    'expired',
    [],
  ],
  [
    "open, beside another charge's payment",
    charge(),
    [transaction({ charge: { correlationID: 'another' } })],
    'open',
    [],
  ],
])('a charge is found %s', async (_name, json, paid, status, payments) => {
  await using story = await woovi()
  story.far.answers(GET, ok(json))
  story.far.answers(PAID, ok(page('transactions', paid)))
  expect(await story.provider.findCharge(REFERENCE)).toMatchObject({ kind: 'found', status, payments })
  const { searchParams } = new URL(story.far.calls()[1]!.path, story.far.url)
  expect(searchParams.get('charge')).toBe(REFERENCE)
})

test('a payment tells its payer’s bank where Woovi does', async () => {
  await using story = await woovi()
  const debitParty = {
    account: { branch: '001', account: '73519' },
    psp: { id: '31680151', name: 'SWAP IP S.A.' },
    holder: { name: 'Loja', taxID: { taxID: '06.888.687/0001-20', type: 'BR:CNPJ' } },
  }
  story.far.answers(GET, ok(charge()))
  story.far.answers(PAID, ok(page('transactions', [transaction({ payer: null, debitParty })])))
  expect(await story.provider.findCharge(REFERENCE)).toMatchObject({
    payments: [
      {
        payer: {
          name: 'Loja',
          document: '06888687000120',
          account_number: '73519',
          account_agency: '001',
          bank: { ispb: '31680151', name: 'SWAP IP S.A.' },
        },
      },
    ],
  })
})

const nameless = (changes = {}) => transaction({ endToEndId: undefined, ...changes })
const rejected = transaction({ endToEndId: 'E2', status: 'REJECTED' })
test.each([
  ['paid by nothing that is listed yet', ok(charge({ status: 'COMPLETED' })), []],
  ['paid, and only a rejected PIX is listed', ok(charge({ status: 'COMPLETED' })), [rejected]],
  ['paid, and its PIX is listed without its id', ok(charge({ status: 'COMPLETED' })), [nameless()]],
  ['expired, beside a PIX without its id', ok(charge({ status: 'EXPIRED' })), [rejected, nameless()]],
  ['open, beside a PIX with an empty id', ok(charge()), [nameless({ endToEndId: '' })]],
  ['deleted, beside a PIX without its id', notThere, [nameless()]],
  [
    'paid, and its PIX is of an unknown state',
    ok(charge({ status: 'COMPLETED' })),
    [transaction({ status: 'FAILED' })],
  ],
  [
    'paid, and its PIX is of an unknown type',
    ok(charge({ status: 'COMPLETED' })),
    [transaction({ type: 'DEBIT' })],
  ],
  ['paid, and its PIX names no charge', ok(charge({ status: 'COMPLETED' })), [transaction({ charge: null })]],
])('a charge that is %s is no answer', async (_name, reply, listed) => {
  await using story = await woovi()
  story.far.answers(GET, reply)
  story.far.answers(PAID, ok(page('transactions', listed)))
  expect(await story.provider.findCharge(REFERENCE)).toMatchObject({
    kind: 'no_answer',
    code: 'payment_not_listed',
  })
})

test('a deleted charge is not there, but what was paid to it is', async () => {
  await using story = await woovi()
  story.far.answers(GET, notThere)
  story.far.answers(PAID, ok(page('transactions', [])), ok(page('transactions', [transaction()])), notThere)
  expect(await story.provider.findCharge(REFERENCE)).toEqual({ kind: 'not_found' })
  expect(await story.provider.findCharge(REFERENCE)).toMatchObject({
    kind: 'found',
    status: 'removed',
    charge: { txid: TXID, pixKey },
    payments: [payment],
  })
  expect(await story.provider.findCharge(REFERENCE)).toEqual({ kind: 'not_found' })
})

test.each([
  ['not a word about the charge', refused('Conta não encontrada')],
  ['an application that is not there', refused('Application not found')],
])('%s does not say that the charge is not there', async (_name, reply) => {
  await using story = await woovi()
  story.far.answers(GET, reply)
  story.far.answers(DELETE, reply)
  expect(await story.provider.findCharge(REFERENCE)).toMatchObject({ kind: 'no_answer' })
})

test.each(failures)('looking up: %s is no answer', async (_name, reply, { code }) => {
  await using story = await woovi({ reply })
  const noAnswer = { kind: 'no_answer', ...(code ? { code } : {}) }
  story.far.answers(GET, reply, ok(charge()))
  story.far.answers(PAID, reply)
  expect(await story.provider.findCharge(REFERENCE)).toMatchObject(noAnswer)
  expect(await story.provider.findCharge(REFERENCE)).toMatchObject(noAnswer)
})

test.each([
  ['deleted', ok({ status: 'OK', id: TXID }), { kind: 'cancelled' }],
  ['paid meanwhile', refused('Não é possível remover uma cobrança paga'), { kind: 'refused' }],
  ['paid, in other words', refused('A cobrança já foi paga'), { kind: 'no_answer', code: 'http_400' }],
  ['not there', notThere, { kind: 'not_found' }],
  ['not there, in English', refused('Charge not found', { status: 404 }), { kind: 'not_found' }],
  [
    'not allowed',
    refused('appID inválido', { status: 401 }),
    { kind: 'no_answer', code: 'provider_denied', inVain: true },
  ],
  ['silence', 'hang' as const, { kind: 'no_answer', code: 'timeout' }],
  ['500', { status: 500 }, { kind: 'no_answer', code: 'http_500' }],
  ['half an answer', { status: 200, text: '{"sta' }, { kind: 'no_answer', code: 'unreadable_answer' }],
])('cancelling: %s', async (_name, reply, outcome) => {
  await using story = await woovi({ reply })
  story.far.answers(DELETE, reply)
  expect(await story.provider.cancelCharge(REFERENCE)).toMatchObject(outcome)
})

test.each(['hang', { status: 500 }, { status: 200, text: '{"sta' }] as const)(
  'a cancellation that may have been done was not in vain: %j',
  async reply => {
    await using story = await woovi({ reply })
    story.far.answers(DELETE, reply)
    expect(await story.provider.cancelCharge(REFERENCE)).not.toHaveProperty('inVain')
  },
)

test('a charge expires by the clock of whoever asks', async () => {
  let now = NOW
  await using story = await woovi({ now: () => now })
  story.far.answers(GET, ok(charge()))
  story.far.answers(PAID, ok(page('transactions', [])))
  expect(await story.provider.findCharge(REFERENCE)).toMatchObject({ status: 'open' })
  now = Date.parse(issued.expiresAt)
  expect(await story.provider.findCharge(REFERENCE)).toMatchObject({ status: 'expired' })
})

test('what is left out of the payments of a charge is recorded', async () => {
  await using story = await woovi()
  story.far.answers(GET, ok(charge()))
  const odd = [transaction({ status: 'FAILED' }), transaction({ charge: null }), 'no transaction']
  story.far.answers(PAID, ok(page('transactions', odd)))
  await story.provider.findCharge(REFERENCE)
  const about = { operation: 'findCharge', reference: REFERENCE, kind: 'unreadable_item', status: 200 }
  expect(story.recorded).toMatchObject([
    { ...about, name: 'FAILED', body: JSON.stringify(odd[0]) },
    { ...about, name: '', body: '"no transaction"' },
    { ...about, name: 'transaction_without_charge' },
  ])
})
