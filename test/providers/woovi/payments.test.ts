import { expect, test } from '@jest/globals'
import {
  END_TO_END,
  okReply,
  openWooviFixture,
  REFERENCE,
  RETURN_ID,
  refundOf,
  TXID,
  transactionOf,
  UNEXPLAINED_REPLIES,
  wooviErrorReply,
} from '../support/woovi-fixture.ts'

const order = { id: 'refund1', endToEnd: END_TO_END, cents: 500, description: 'Pedido 1042 cancelado' }
const FIND = `GET /api/v1/transaction/${END_TO_END}`
const POST = 'POST /api/v1/refund'
const GET = 'GET /api/v1/refund/refund1'
const at = '2026-01-10T12:01:00.000Z'

test.each([
  ['in process', refundOf(), { status: 'in_process', endToEnd: RETURN_ID, at }],
  ['settled', refundOf({ status: 'REFUNDED' }), { status: 'settled', endToEnd: RETURN_ID, at }],
  ['settled, in the other words', refundOf({ status: 'CONFIRMED' }), { status: 'settled' }],
  [
    'rejected',
    refundOf({ status: 'NOT_ACCOMPLISHED' }),
    { status: 'rejected', code: 'provider_rejected', endToEnd: RETURN_ID },
  ],
  [
    'rejected by the rail',
    refundOf({ status: 'REJECTED', providerRejectedReason: 'AB03 - Timeout' }),
    { status: 'rejected', code: 'AB03', message: 'AB03 - Timeout' },
  ],
  [
    'in process, without an id yet',
    refundOf({ returnIdentification: undefined }),
    { status: 'in_process', endToEnd: '' },
  ],
])('a refund is %s', async (_name, json, payout) => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(POST, okReply({ refund: json }))
  story.scripted.scriptReplies(GET, okReply({ pixTransactionRefund: json }))
  expect(await story.provider.refund(order)).toMatchObject({
    kind: 'accepted',
    payout: { cents: 500, ...payout },
  })
  expect(await story.provider.findRefund(order)).toMatchObject({
    kind: 'found',
    payout: { cents: 500, ...payout },
  })
  expect(JSON.parse(story.scripted.calls()[0]!.body)).toEqual({
    correlationID: 'refund1',
    transactionEndToEndId: END_TO_END,
    value: 500,
    comment: 'Pedido 1042 cancelado',
  })
  expect(story.scripted.calls()[0]!.headers.connection).toBe('close')
})

test('a refund without a text for the payer sends none', async () => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(POST, okReply({ refund: refundOf() }))
  const { description: _, ...silent } = order
  await story.provider.refund(silent)
  expect(JSON.parse(story.scripted.calls()[0]!.body)).not.toHaveProperty('comment')
})

/** "Get one refund" (OpenAPI): the example of the answer has no status and no time. */
const { status: _status, time: _time, ...withoutStatus } = refundOf()
const OWN = `GET /api/v1/transaction/${RETURN_ID}`
const ownTransaction = (changes: Record<string, unknown> = {}) =>
  okReply({
    transaction: transactionOf({
      type: 'REFUND',
      endToEndId: RETURN_ID,
      charge: null,
      value: 500,
      ...changes,
    }),
  })
const settledAt = '2026-01-10T11:59:30.500Z'
test.each([
  ['settled', ownTransaction(), { status: 'settled', endToEnd: RETURN_ID, at: settledAt }],
  ['rejected', ownTransaction({ status: 'REJECTED' }), { status: 'rejected', code: 'provider_rejected' }],
  [
    'rejected by the rail',
    ownTransaction({ status: 'REJECTED', providerRejectedReason: 'AB03 - Timeout' }),
    { status: 'rejected', code: 'AB03' },
  ],
  ['in process', ownTransaction({ status: 'IN_PROCESSING' }), { status: 'in_process' }],
  ['not there', wooviErrorReply('Transaction not found'), { status: 'in_process', endToEnd: RETURN_ID }],
  ['another one', ownTransaction({ endToEndId: END_TO_END }), { status: 'in_process' }],
  ['of another value', ownTransaction({ value: 501 }), { status: 'in_process' }],
])('a refund without a status, whose transaction is %s', async (_name, reply, payout) => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(GET, okReply({ pixTransactionRefund: withoutStatus }))
  story.scripted.scriptReplies(OWN, reply)
  expect(await story.provider.findRefund(order)).toMatchObject({ kind: 'found', payout })
})

test('a refund of another value is found with the value that Woovi reports', async () => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(GET, okReply({ refund: refundOf({ status: 'REFUNDED', value: 1 }) }))
  expect(await story.provider.findRefund(order)).toMatchObject({ payout: { status: 'settled', cents: 1 } })
})

test.concurrent.each([
  ...UNEXPLAINED_REPLIES,
  [
    'an existing id',
    wooviErrorReply('Já existe um reembolso com o correlationID fornecido'),
    { kind: 'unknown', code: 'duplicate_id' },
  ],
  ['no such PIX', wooviErrorReply('Transação não encontrada'), { kind: 'unknown', code: 'http_400' }],
  [
    'another value',
    okReply({ refund: refundOf({ value: 501 }) }),
    { kind: 'unknown', code: 'unreadable_answer' },
  ],
  ['another id', okReply({ refund: refundOf({ correlationID: 'x' }) }), { kind: 'unknown' }],
  ['a new state', okReply({ refund: refundOf({ status: 'QUASE' }) }), { kind: 'unknown' }],
] as typeof UNEXPLAINED_REPLIES)('sending a refund: %s', async (_name, reply, outcome) => {
  await using story = await openWooviFixture({ reply })
  story.scripted.scriptReplies(POST, reply)
  expect(await story.provider.refund(order)).toMatchObject(outcome)
})

test.concurrent.each(UNEXPLAINED_REPLIES)('polling: %s is no answer', async (_name, reply, { code }) => {
  await using story = await openWooviFixture({ reply })
  story.scripted.scriptReplies(GET, reply)
  story.scripted.scriptReplies(FIND, reply)
  const noAnswer = { kind: 'no_answer', ...(code ? { code } : {}) }
  const answers = await Promise.all([
    story.provider.findRefund(order),
    story.provider.findPayment(END_TO_END),
  ])
  expect(answers).toMatchObject([noAnswer, noAnswer])
})

test.each([
  ['in Portuguese', wooviErrorReply('Reembolso não encontrado'), wooviErrorReply('Transação não encontrada')],
  [
    'in English',
    wooviErrorReply('Refund not found', { status: 404 }),
    wooviErrorReply('Transaction not found'),
  ],
])('absent: %s', async (_name, noRefund, noTransaction) => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(GET, noRefund)
  story.scripted.scriptReplies(FIND, noTransaction)
  expect(await story.provider.findRefund(order)).toEqual({ kind: 'not_found' })
  expect(await story.provider.findPayment(END_TO_END)).toEqual({ kind: 'not_found' })
})

test('a received PIX is found by its end-to-end id', async () => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(
    FIND,
    okReply({ transaction: transactionOf() }),
    okReply({ transaction: transactionOf({ charge: null }) }),
  )
  const payment = { endToEnd: END_TO_END, txid: TXID, reference: REFERENCE, cents: 1234, status: 'settled' }
  expect(await story.provider.findPayment(END_TO_END)).toMatchObject({ kind: 'found', payment })
  expect(await story.provider.findPayment(END_TO_END)).toMatchObject({ payment: { pixKey: '' } })
})

test.each(['PAYMENT', 'DYNAMIC', 'STATIC'])('a PIX in Woovi’s state %s has been received', async type => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(FIND, okReply({ transaction: transactionOf({ type }) }))
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
])('an undocumented state or type credits nothing, and is recorded: %j', async (name, changes) => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(FIND, okReply({ transaction: transactionOf(changes) }))
  expect(await story.provider.findPayment(END_TO_END)).toMatchObject({ kind: 'no_answer' })
  const kind = name === '' ? 'unreadable_answer' : 'unlisted_value'
  expect(story.recorded).toMatchObject([{ operation: 'findPayment', reference: END_TO_END, kind, name }])
})

test.each(['REFUND', 'WITHDRAW', 'FEE', 'INTERNAL_TRANSFER', 'BALANCE_BLOCK', 'REVERSAL'])(
  'a %s is no received PIX',
  async type => {
    await using story = await openWooviFixture()
    story.scripted.scriptReplies(FIND, okReply({ transaction: transactionOf({ type, charge: null }) }))
    expect(await story.provider.findPayment(END_TO_END)).toEqual({ kind: 'not_found' })
  },
)

test('another PIX than the requested one is no answer', async () => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(FIND, okReply({ transaction: transactionOf({ endToEndId: 'E2' }) }))
  expect(await story.provider.findPayment(END_TO_END)).toMatchObject({ kind: 'no_answer' })
})
