import { expect, test } from '@jest/globals'
import {
  END_TO_END,
  failures,
  ok,
  REFERENCE,
  RETURN_ID,
  refund,
  refused,
  TXID,
  transaction,
  woovi,
} from './support/woovi.ts'

const order = { id: 'refund1', endToEnd: END_TO_END, cents: 500 }
const FIND = `GET /api/v1/transaction/${END_TO_END}`
const POST = 'POST /api/v1/refund'
const GET = 'GET /api/v1/refund/refund1'
const at = '2026-01-10T12:01:00.000Z'

test.each([
  ['in process', refund(), { status: 'in_process', endToEnd: RETURN_ID, at }],
  ['settled', refund({ status: 'REFUNDED' }), { status: 'settled', endToEnd: RETURN_ID, at }],
  ['settled, in the other words', refund({ status: 'CONFIRMED' }), { status: 'settled' }],
  [
    'rejected',
    refund({ status: 'NOT_ACCOMPLISHED' }),
    { status: 'rejected', code: 'provider_rejected', endToEnd: RETURN_ID },
  ],
  [
    'rejected by the rail',
    refund({ status: 'REJECTED', providerRejectedReason: 'AB03 - Timeout' }),
    { status: 'rejected', code: 'AB03', message: 'AB03 - Timeout' },
  ],
  [
    'in process, without an id yet',
    refund({ returnIdentification: undefined }),
    { status: 'in_process', endToEnd: '' },
  ],
])('a refund is %s', async (_name, json, sending) => {
  await using story = await woovi()
  story.far.answers(POST, ok({ refund: json }))
  story.far.answers(GET, ok({ pixTransactionRefund: json }))
  expect(await story.provider.refund(order)).toMatchObject({ kind: 'accepted', sending })
  expect(await story.provider.findRefund(order)).toMatchObject({ kind: 'found', sending })
  expect(JSON.parse(story.far.calls()[0]!.body)).toEqual({
    correlationID: 'refund1',
    transactionEndToEndId: END_TO_END,
    value: 500,
  })
  expect(story.far.calls()[0]!.headers.connection).toBe('close')
})

test.each([
  ...failures,
  [
    'a taken id',
    refused('Já existe um reembolso com o correlationID fornecido'),
    { kind: 'unknown', code: 'duplicate_id' },
  ],
  ['no such PIX', refused('Transação não encontrada'), { kind: 'unknown', code: 'http_400' }],
  ['another value', ok({ refund: refund({ value: 501 }) }), { kind: 'unknown', code: 'unreadable_answer' }],
  ['another id', ok({ refund: refund({ correlationID: 'x' }) }), { kind: 'unknown' }],
  ['a new state', ok({ refund: refund({ status: 'QUASE' }) }), { kind: 'unknown' }],
] as typeof failures)('sending a refund: %s', async (_name, reply, outcome) => {
  await using story = await woovi({ reply })
  story.far.answers(POST, reply)
  expect(await story.provider.refund(order)).toMatchObject(outcome)
})

test.each(failures)('asking: %s is no answer', async (_name, reply, { code }) => {
  await using story = await woovi({ reply })
  story.far.answers(GET, reply)
  story.far.answers(FIND, reply)
  const noAnswer = { kind: 'no_answer', ...(code ? { code } : {}) }
  expect(await story.provider.findRefund(order)).toMatchObject(noAnswer)
  expect(await story.provider.findPayment(END_TO_END)).toMatchObject(noAnswer)
})

test.each([
  ['in Portuguese', refused('Reembolso não encontrado'), refused('Transação não encontrada')],
  ['in English', refused('Refund not found', { status: 404 }), refused('Transaction not found')],
])('not there: %s', async (_name, noRefund, noTransaction) => {
  await using story = await woovi()
  story.far.answers(GET, noRefund)
  story.far.answers(FIND, noTransaction)
  expect(await story.provider.findRefund(order)).toEqual({ kind: 'not_found' })
  expect(await story.provider.findPayment(END_TO_END)).toEqual({ kind: 'not_found' })
})

test('a received PIX is found by its end-to-end id', async () => {
  await using story = await woovi()
  story.far.answers(
    FIND,
    ok({ transaction: transaction() }),
    ok({ transaction: transaction({ charge: null }) }),
  )
  const payment = { endToEnd: END_TO_END, txid: TXID, reference: REFERENCE, cents: 1234, status: 'settled' }
  expect(await story.provider.findPayment(END_TO_END)).toMatchObject({ kind: 'found', payment })
  expect(await story.provider.findPayment(END_TO_END)).toMatchObject({ payment: { pixKey: '' } })
})

test.each(['PAYMENT', 'DYNAMIC', 'STATIC'])('what Woovi calls %s has come in', async type => {
  await using story = await woovi()
  story.far.answers(FIND, ok({ transaction: transaction({ type }) }))
  expect(await story.provider.findPayment(END_TO_END)).toMatchObject({
    kind: 'found',
    payment: { endToEnd: END_TO_END, cents: 1234, status: 'settled' },
  })
})

test.each([
  ['FAILED', { status: 'FAILED' }],
  ['DEBIT', { type: 'DEBIT' }],
  ['', { type: null }],
  ['', { type: 7 }],
])('a state or type that no document names credits nothing, and is recorded: %j', async (name, changes) => {
  await using story = await woovi()
  story.far.answers(FIND, ok({ transaction: transaction(changes) }))
  expect(await story.provider.findPayment(END_TO_END)).toMatchObject({ kind: 'no_answer' })
  const kind = name === '' ? 'unreadable_answer' : 'unlisted_value'
  expect(story.recorded).toMatchObject([{ operation: 'findPayment', reference: END_TO_END, kind, name }])
})

test.each(['REFUND', 'WITHDRAW', 'FEE', 'INTERNAL_TRANSFER', 'BALANCE_BLOCK', 'REVERSAL'])(
  'a %s is no received PIX',
  async type => {
    await using story = await woovi()
    story.far.answers(FIND, ok({ transaction: transaction({ type, charge: null }) }))
    expect(await story.provider.findPayment(END_TO_END)).toEqual({ kind: 'not_found' })
  },
)

test('another PIX than the one asked for is no answer', async () => {
  await using story = await woovi()
  story.far.answers(FIND, ok({ transaction: transaction({ endToEndId: 'E2' }) }))
  expect(await story.provider.findPayment(END_TO_END)).toMatchObject({ kind: 'no_answer' })
})
