import { expect, test } from '@jest/globals'
import {
  failedPaymentOf,
  okReply,
  openWooviFixture,
  paymentOf,
  RETURN_ID,
  SETTLED_AT,
  SETTLED_TRANSACTION,
  TRANSFER_END_TO_END,
  transactionOf,
  UNEXPLAINED_REPLIES,
  wooviErrorReply,
} from '../support/woovi-fixture.ts'

const GET = 'GET /api/v1/payment/transfer1'
const MOVED = `GET /api/v1/transaction/${TRANSFER_END_TO_END}`

const destination = {
  name: 'Maria',
  taxID: { taxID: '123.***.***-09', type: 'BR:CPF' },
  bankName: 'A Bank',
  ispb: '18236120',
  branch: '0001',
  account: '123456',
}
const receiver = {
  name: 'Maria',
  document: '123******09',
  account_number: '123456',
  account_agency: '0001',
  bank: { name: 'A Bank', ispb: '18236120' },
}
const refund = { endToEndId: RETURN_ID, value: 400, status: 'CONFIRMED', time: SETTLED_AT }
test.each([
  ['approved', paymentOf('APPROVED'), { status: 'in_process', endToEnd: '' }],
  [
    'settled',
    paymentOf('CONFIRMED', { ...SETTLED_TRANSACTION, destination }),
    { status: 'settled', at: SETTLED_AT, receiver, returns: [] },
  ],
  ['rejected by the rail', failedPaymentOf('AC07 - Conta encerrada'), { status: 'rejected', code: 'AC07' }],
  [
    'rejected, by Woovi’s name',
    failedPaymentOf(undefined, 'PIX_KEY_INFO_NOT_FOUND'),
    { status: 'rejected', code: 'pix_key_not_found', message: 'Falha ao Pagar Chave Pix' },
  ],
  [
    'rejected, by a sentence',
    paymentOf('FAILED', { error: 'ED05 - Pagamento rejeitado pelo PSP do recebedor' }),
    { status: 'rejected', code: 'ED05' },
  ],
  ['in process', paymentOf('PROCESSING'), { status: 'in_process' }],
])('a transfer is found %s', async (_name, json, payout) => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(GET, okReply(json))
  story.scripted.scriptReplies(MOVED, okReply({ transaction: transactionOf({ refunds: [] }) }))
  expect(await story.provider.findTransfer({ id: 'transfer1' })).toMatchObject({
    kind: 'found',
    payout: { cents: 1050, pixKey: 'maria@example.com', ...payout },
  })
})

test('a transfer of another value, to another key, is found as Woovi reports it', async () => {
  await using story = await openWooviFixture()
  const { payment, ...rest } = paymentOf('APPROVED') as { payment: object }
  const other = { ...payment, value: 1, destinationAlias: 'mario@example.com' }
  story.scripted.scriptReplies(GET, okReply({ ...rest, payment: other }))
  expect(await story.provider.findTransfer({ id: 'transfer1' })).toMatchObject({
    payout: { cents: 1, pixKey: 'mario@example.com' },
  })
})

test('a recipient’s return is found in the movement', async () => {
  await using story = await openWooviFixture({ reply: 'hang' })
  const refunds = [
    refund,
    { ...refund, endToEndId: 'D2', status: 'IN_PROCESSING' },
    { ...refund, endToEndId: null },
  ]
  story.scripted.scriptReplies(GET, okReply(paymentOf('CONFIRMED', SETTLED_TRANSACTION)))
  story.scripted.scriptReplies(MOVED, okReply({ transaction: transactionOf({ refunds }) }), 'hang')
  expect(await story.provider.findTransfer({ id: 'transfer1' })).toMatchObject({
    payout: {
      status: 'settled',
      returns: [{ id: RETURN_ID, endToEnd: RETURN_ID, cents: 400, at: SETTLED_AT }],
    },
  })
  const without = await story.provider.findTransfer({ id: 'transfer1' })
  expect(without).toMatchObject({ kind: 'found', payout: { status: 'settled' } })
  expect(without.kind === 'found' && without.payout.returns).toBeUndefined()
})

test.each([
  ['of 0.00', { value: 0 }],
  ['above the transfer', { value: 1051 }],
  ['above what is left of it', { value: 651 }],
  ['in an undocumented state', { status: 'QUASE' }],
  ['of another shape', { value: '4.00' }],
])('a return %s is left out and recorded, and hides no other', async (_name, changes) => {
  await using story = await openWooviFixture()
  const refunds = [refund, { ...refund, endToEndId: 'D-odd', ...changes }]
  story.scripted.scriptReplies(GET, okReply(paymentOf('CONFIRMED', SETTLED_TRANSACTION)))
  story.scripted.scriptReplies(MOVED, okReply({ transaction: transactionOf({ value: 1050, refunds }) }))
  expect(await story.provider.findTransfer({ id: 'transfer1' })).toMatchObject({
    payout: { status: 'settled', returns: [{ id: RETURN_ID, cents: 400 }] },
  })
  expect(story.recorded).toMatchObject([{ kind: 'unreadable_item', operation: 'findPayment' }])
})

test.each([
  ['in Portuguese', wooviErrorReply('Pagamento não encontrado')],
  ['in English', wooviErrorReply('Payment not found', { status: 404 })],
])('a transfer is absent: %s', async (_name, reply) => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(GET, reply)
  expect(await story.provider.findTransfer({ id: 'transfer1' })).toEqual({ kind: 'not_found' })
})

test('a payment that waits for an approval is neither found nor absent', async () => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(GET, okReply(paymentOf('CREATED')))
  expect(await story.provider.findTransfer({ id: 'transfer1' })).toMatchObject({
    kind: 'awaiting_approval',
    message: expect.stringContaining('transfer1'),
  })
})

test.concurrent.each([
  ...UNEXPLAINED_REPLIES,
  ['an account that is not found', wooviErrorReply('Conta não encontrada'), {}],
  ['an account of payments that is not found', wooviErrorReply('Payment account not found'), {}],
  ['a refund that is not found', wooviErrorReply('Reembolso não encontrado'), {}],
  ['another id', okReply({ payment: { ...paymentOf('APPROVED').payment, correlationID: 'x' } }), {}],
  ['a new state', okReply(paymentOf('QUASE')), { code: 'unreadable_answer' }],
] as typeof UNEXPLAINED_REPLIES)('polling a transfer: %s is no answer', async (_name, reply, { code }) => {
  await using story = await openWooviFixture({ reply })
  story.scripted.scriptReplies(GET, reply)
  expect(await story.provider.findTransfer({ id: 'transfer1' })).toMatchObject({
    kind: 'no_answer',
    ...(code ? { code } : {}),
  })
})
