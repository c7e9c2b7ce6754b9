import { describe, expect, test } from '@jest/globals'
import { PROVIDER_CAPABILITIES } from '../../../src/domain/providers/capabilities.ts'
import type { ScriptedReply } from '../support/scripted-provider.ts'
import {
  chargeOf,
  END_TO_END,
  NOW,
  okReply,
  openWooviFixture,
  pageOf,
  REFERENCE,
  TXID,
  transactionOf,
  UNEXPLAINED_REPLIES,
  wooviErrorReply,
} from '../support/woovi-fixture.ts'

const order = {
  reference: REFERENCE,
  totalCents: 1234,
  expiresInSeconds: 3600,
  collectionKey: null,
  message: 'Pedido 7',
}
const POST = 'POST /api/v1/charge'
const GET = `GET /api/v1/charge/${REFERENCE}`
const DELETE = `DELETE /api/v1/charge/${REFERENCE}`
const PAID = 'GET /api/v1/transaction'

const EMPTY_PARTY = {
  name: '',
  document: '',
  account_number: '',
  account_agency: '',
  bank: { code: '', name: '', ispb: '' },
  account_type: 'CHECKING',
}
const pixKey = 'd65032a3-c0c0-4b22-9f0e-0a9c4f6d1a11'
const issued = {
  totalCents: 1234,
  txid: TXID,
  payload: '00020101021226...',
  expiresAt: '2026-01-10T12:59:00.000Z',
  pixKey,
  receiver: EMPTY_PARTY,
}

const notThere = wooviErrorReply('Cobrança não encontrada')

test('a charge is requested in Woovi’s fields and its answer mapped to ours', async () => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(POST, okReply(chargeOf()))
  expect(await story.provider.issueCharge(order)).toEqual({ kind: 'accepted', charge: issued })
  const [call] = story.scripted.calls()
  expect(call?.headers.authorization).toBe('our-app-id')
  expect(JSON.parse(call!.body)).toEqual({
    correlationID: REFERENCE,
    value: 1234,
    expiresIn: 3600,
    comment: 'Pedido 7',
  })
})

test('the further texts of a charge are sent to Woovi by their keys', async () => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(POST, okReply(chargeOf()))
  const additionalInfo = [{ name: 'Contrato', value: '2026/7' }]
  expect(await story.provider.issueCharge({ ...order, additionalInfo })).toMatchObject({ kind: 'accepted' })
  expect(JSON.parse(story.scripted.calls()[0]!.body)).toMatchObject({
    additionalInfo: [{ key: 'Contrato', value: '2026/7' }],
  })
})

const ana = { name: 'Ana Souza', document: '52998224725', email: 'ana@exemplo.com.br' }
const shop = { name: 'Loja Ltda', document: '11222333000181' }
const ANA = { name: 'Ana Souza', taxID: '52998224725', email: 'ana@exemplo.com.br' }
const SHOP_CUSTOMER = { name: 'Loja Ltda', taxID: '11222333000181' }

test.each([
  ['a debtor who need not pay', { debtor: ana }, { customer: ANA }],
  [
    'the only payer',
    { debtor: ana, restriction: { document: ana.document, match: 'FULL', kind: null } },
    { customer: ANA, ensureSameTaxID: true },
  ],
  [
    'a root, which Woovi cannot compare',
    { debtor: shop, restriction: { document: shop.document, match: 'ROOT', kind: null } },
    { customer: SHOP_CUSTOMER },
  ],
  [
    'a kind of payer, which Woovi cannot compare',
    { debtor: shop, restriction: { document: null, match: 'FULL', kind: 'COMPANY' } },
    { customer: SHOP_CUSTOMER },
  ],
] as const)('a charge is locked only where Woovi compares what is asked: %s', async (_name, payer, body) => {
  expect(PROVIDER_CAPABILITIES.woovi.locksPayer).toBe('charge')
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(POST, okReply(chargeOf()))
  expect(await story.provider.issueCharge({ ...order, ...payer })).toMatchObject({ kind: 'accepted' })
  expect(JSON.parse(story.scripted.calls()[0]!.body)).toEqual({
    correlationID: REFERENCE,
    value: 1234,
    expiresIn: 3600,
    comment: 'Pedido 7',
    ...body,
  })
})

test('a charge that Woovi cannot issue is not requested', async () => {
  await using story = await openWooviFixture()
  expect(PROVIDER_CAPABILITIES.woovi.canIssueOpenAmount).toBe(false)
  expect(await story.provider.issueCharge({ ...order, totalCents: 0 })).toMatchObject({
    kind: 'rejected',
    finality: 'other_may_help',
    code: 'open_amount_unsupported',
  })
  expect(story.scripted.seen).toEqual([])
})

test.concurrent.each(UNEXPLAINED_REPLIES)('issuing: %s', async (_name, reply, outcome) => {
  await using story = await openWooviFixture({ reply })
  story.scripted.scriptReplies(POST, reply)
  expect(await story.provider.issueCharge(order)).toMatchObject(outcome)
})

test('a charge issued without an end has the ordered one', async () => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(POST, okReply(chargeOf({ expiresDate: null, expiresIn: null })))
  expect(await story.provider.issueCharge(order)).toEqual({
    kind: 'accepted',
    charge: { ...issued, expiresAt: '2026-01-10T13:00:00.000Z' },
  })
})

test.each([
  ['beside the charge', { ...chargeOf({ brCode: undefined }), brCode: issued.payload }],
  [
    'with its way of payment',
    chargeOf({ brCode: null, paymentMethods: { pix: { brCode: issued.payload } } }),
  ],
])('a payload is read %s', async (_name, json) => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(POST, okReply(json))
  expect(await story.provider.issueCharge(order)).toMatchObject({ kind: 'accepted', charge: issued })
})

test('an active charge is found without its payload and its end', async () => {
  await using story = await openWooviFixture()
  const bare = { brCode: undefined, expiresDate: undefined, expiresIn: undefined }
  story.scripted.scriptReplies(GET, okReply(chargeOf(bare)))
  story.scripted.scriptReplies(PAID, okReply(pageOf('transactions', [])))
  expect(await story.provider.findCharge(REFERENCE)).toMatchObject({ kind: 'found', status: 'open' })
})

test('a PIX of 0.00 beside the right one is left out and recorded', async () => {
  await using story = await openWooviFixture()
  const odd = transactionOf({ endToEndId: 'E-odd', value: 0 })
  story.scripted.scriptReplies(GET, okReply(chargeOf({ status: 'COMPLETED' })))
  story.scripted.scriptReplies(PAID, okReply(pageOf('transactions', [odd, transactionOf()])))
  expect(await story.provider.findCharge(REFERENCE)).toMatchObject({
    status: 'completed',
    payments: [{ endToEnd: END_TO_END, cents: 1234 }],
  })
  expect(story.recorded).toMatchObject([{ kind: 'unreadable_item', operation: 'findCharge' }])
})

test.each([
  ['another value', chargeOf({ value: 1235 })],
  ['another reference', chargeOf({ correlationID: 'f'.repeat(32) })],
  ['no payload', chargeOf({ brCode: undefined })],
  ['a state of its own', chargeOf({ status: 'VENCIDA' })],
])('a charge issued with %s is no acceptance', async (_name, json) => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(POST, okReply(json))
  expect(await story.provider.issueCharge(order)).toMatchObject({
    kind: 'unknown',
    code: 'unreadable_answer',
  })
})

const alreadyExistsReply = wooviErrorReply('Já existe uma cobrança com este Correlação ID')
test.concurrent.each([
  ['ours', okReply(chargeOf()), { kind: 'accepted', charge: issued }],
  [
    'of another value',
    okReply(chargeOf({ value: 100 })),
    { kind: 'rejected', finality: 'other_may_help', code: 'reference_in_use' },
  ],
  [
    'already paid',
    okReply(chargeOf({ status: 'COMPLETED' })),
    { kind: 'rejected', code: 'reference_in_use' },
  ],
  ['not there', notThere, { kind: 'unknown', code: 'duplicate_id' }],
  ['and silence', 'hang' as const, { kind: 'unknown', code: 'timeout' }],
])('an existing id is looked up: %s', async (_name, get, outcome) => {
  await using story = await openWooviFixture({ reply: get })
  story.scripted.scriptReplies(POST, alreadyExistsReply)
  story.scripted.scriptReplies(GET, get)
  expect(await story.provider.issueCharge(order)).toMatchObject(outcome)
  expect(story.scripted.calls().map(({ method }) => method)).toEqual(['POST', 'GET'])
})

const payment = {
  endToEnd: END_TO_END,
  txid: TXID,
  reference: REFERENCE,
  cents: 1234,
  status: 'settled',
  at: '2026-01-10T11:59:30.500Z',
  payer: { ...EMPTY_PARTY, name: 'Maria', document: '12345678909' },
  pixKey,
}
const past = { expiresDate: '2026-01-10T12:00:00.000Z' }
test.each([
  ['open', chargeOf(), [], 'open', []],
  ['open, its end only in seconds', chargeOf({ expiresDate: null }), [], 'open', []],
  ['past its end', chargeOf(past), [], 'expired', []],
  ['expired', chargeOf({ status: 'EXPIRED' }), [], 'expired', []],
  ['expired and paid', chargeOf({ status: 'EXPIRED' }), [transactionOf()], 'expired', [payment]],
  ['paid', chargeOf({ status: 'COMPLETED' }), [transactionOf()], 'completed', [payment]],
  [
    'paid, by its kind of code',
    chargeOf({ status: 'COMPLETED' }),
    [transactionOf({ type: 'DYNAMIC' })],
    'completed',
    [payment],
  ],
  [
    'paid twice',
    chargeOf({ status: 'COMPLETED' }),
    [transactionOf(), transactionOf({ endToEndId: undefined, endToEndID: 'E2', status: 'IN_PROCESSING' })],
    'completed',
    [payment, { ...payment, endToEnd: 'E2', status: 'in_process' }],
  ],
  [
    'paid, and refunded since',
    chargeOf({ status: 'COMPLETED' }),
    [transactionOf({ status: 'REFUNDED' }), transactionOf({ type: 'REFUND', endToEndId: 'D1' })],
    'completed',
    [payment],
  ],
  [
    'paid, next to a PIX without its id',
    chargeOf({ status: 'COMPLETED' }),
    [transactionOf(), transactionOf({ endToEndId: undefined })],
    'completed',
    [payment],
  ],
  [
    'open, next to a payment that names no charge',
    chargeOf(),
    [transactionOf({ charge: null }), transactionOf({ charge: {} })],
    'open',
    [],
  ],
  [
    'open, next to a payment in an undocumented state',
    chargeOf(),
    [transactionOf({ status: 'FAILED' }), transactionOf({ type: 'DEBIT' }), transactionOf({ type: null })],
    'open',
    [],
  ],
  [
    'paid, next to a payment whose returns have another shape',
    chargeOf({ status: 'COMPLETED' }),
    [transactionOf({ refunds: [{ odd: true }] })],
    'completed',
    [payment],
  ],
  [
    'expired, next to a rejected PIX without its id',
    chargeOf({ status: 'EXPIRED' }),
    [transactionOf({ endToEndId: undefined, status: 'REJECTED' })],
    'expired',
    [],
  ],
  [
    "open, next to another charge's payment",
    chargeOf(),
    [transactionOf({ charge: { correlationID: 'another' } })],
    'open',
    [],
  ],
])('a charge is found %s', async (_name, json, paid, status, payments) => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(GET, okReply(json))
  story.scripted.scriptReplies(PAID, okReply(pageOf('transactions', paid)))
  expect(await story.provider.findCharge(REFERENCE)).toMatchObject({ kind: 'found', status, payments })
  const { searchParams } = new URL(story.scripted.calls()[1]!.path, story.scripted.url)
  expect(searchParams.get('charge')).toBe(REFERENCE)
})

test('a payment names its payer’s bank where Woovi does', async () => {
  await using story = await openWooviFixture()
  const debitParty = {
    account: { branch: '001', account: '73519' },
    psp: { id: '31680151', name: 'SWAP IP S.A.' },
    holder: { name: 'Loja', taxID: { taxID: '06.888.687/0001-20', type: 'BR:CNPJ' } },
  }
  story.scripted.scriptReplies(GET, okReply(chargeOf()))
  story.scripted.scriptReplies(
    PAID,
    okReply(pageOf('transactions', [transactionOf({ payer: null, debitParty })])),
  )
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

const nameless = (changes = {}) => transactionOf({ endToEndId: undefined, ...changes })
const rejected = transactionOf({ endToEndId: 'E2', status: 'REJECTED' })
test.each([
  ['paid by a payment that is not listed yet', okReply(chargeOf({ status: 'COMPLETED' })), []],
  ['paid, and only a rejected PIX is listed', okReply(chargeOf({ status: 'COMPLETED' })), [rejected]],
  [
    'paid, and its PIX is of an unknown state',
    okReply(chargeOf({ status: 'COMPLETED' })),
    [transactionOf({ status: 'FAILED' })],
  ],
  [
    'paid, and its PIX is of an unknown type',
    okReply(chargeOf({ status: 'COMPLETED' })),
    [transactionOf({ type: 'DEBIT' })],
  ],
  [
    'paid, and its PIX names no charge',
    okReply(chargeOf({ status: 'COMPLETED' })),
    [transactionOf({ charge: null })],
  ],
])('a charge that is %s is no answer', async (_name, reply, listedPayments) => {
  expect(await findChargeListing(reply, listedPayments)).toMatchObject({
    kind: 'no_answer',
    code: 'payment_not_listed',
  })
})

test.each([
  ['paid, and its PIX is listed without its id', okReply(chargeOf({ status: 'COMPLETED' })), [nameless()]],
  ['expired, next to a PIX without its id', okReply(chargeOf({ status: 'EXPIRED' })), [rejected, nameless()]],
  ['open, next to a PIX with an empty id', okReply(chargeOf()), [nameless({ endToEndId: '' })]],
  ['deleted, next to a PIX without its id', notThere, [nameless()]],
])('a charge that is %s may still be paid', async (_name, reply, listedPayments) => {
  expect(await findChargeListing(reply, listedPayments)).toMatchObject({
    kind: 'no_answer',
    code: 'payment_unidentified',
  })
})

async function findChargeListing(reply: ScriptedReply, listed: object[]) {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(GET, reply)
  story.scripted.scriptReplies(PAID, okReply(pageOf('transactions', listed)))
  return await story.provider.findCharge(REFERENCE)
}

test('a deleted charge is absent, but its payments are listed', async () => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(GET, notThere)
  story.scripted.scriptReplies(
    PAID,
    okReply(pageOf('transactions', [])),
    okReply(pageOf('transactions', [transactionOf()])),
    notThere,
  )
  expect(await story.provider.findCharge(REFERENCE)).toEqual({ kind: 'not_found' })
  expect(await story.provider.findCharge(REFERENCE)).toEqual({
    kind: 'found',
    status: 'removed',
    // Its amount is not reported any more.
    charge: { ...issued, payload: '', expiresAt: payment.at, pixKey, totalCents: undefined },
    payments: [payment],
  })
  expect(await story.provider.findCharge(REFERENCE)).toEqual({ kind: 'not_found' })
})

test.each([
  ['no message about the charge', wooviErrorReply('Conta não encontrada')],
  ['an application that is not there', wooviErrorReply('Application not found')],
])('%s does not prove that the charge is absent', async (_name, reply) => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(GET, reply)
  story.scripted.scriptReplies(DELETE, reply)
  expect(await story.provider.findCharge(REFERENCE)).toMatchObject({ kind: 'no_answer' })
})

describe.each<[string, (reply: ScriptedReply) => { charge: ScriptedReply; payments: ScriptedReply }]>([
  ['of the charge', reply => ({ charge: reply, payments: reply })],
  ['of its payments', reply => ({ charge: okReply(chargeOf()), payments: reply })],
])('lookup %s', (_lookup, repliesWith) => {
  test.concurrent.each(UNEXPLAINED_REPLIES)('%s is no answer', async (_name, reply, { code }) => {
    await using story = await openWooviFixture({ reply })
    const { charge, payments } = repliesWith(reply)
    story.scripted.scriptReplies(GET, charge)
    story.scripted.scriptReplies(PAID, payments)
    const noAnswer = { kind: 'no_answer', ...(code ? { code } : {}) }
    expect(await story.provider.findCharge(REFERENCE)).toMatchObject(noAnswer)
  })
})

test.concurrent.each([
  ['deleted', okReply({ status: 'OK', id: TXID }), { kind: 'cancelled' }],
  ['paid meanwhile', wooviErrorReply('Não é possível remover uma cobrança paga'), { kind: 'refused' }],
  [
    'paid, in other words',
    wooviErrorReply('A cobrança já foi paga'),
    { kind: 'no_answer', code: 'http_400' },
  ],
  ['not there', notThere, { kind: 'not_found' }],
  ['not there, in English', wooviErrorReply('Charge not found', { status: 404 }), { kind: 'not_found' }],
  [
    'not allowed',
    wooviErrorReply('appID inválido', { status: 401 }),
    { kind: 'no_answer', code: 'provider_denied', isUnprocessed: true },
  ],
  ['silence', 'hang' as const, { kind: 'no_answer', code: 'timeout' }],
  ['500', { status: 500 }, { kind: 'no_answer', code: 'http_500' }],
  ['half an answer', { status: 200, text: '{"sta' }, { kind: 'no_answer', code: 'unreadable_answer' }],
])('cancelling: %s', async (_name, reply, outcome) => {
  await using story = await openWooviFixture({ reply })
  story.scripted.scriptReplies(DELETE, reply)
  expect(await story.provider.cancelCharge(REFERENCE)).toMatchObject(outcome)
})

test.concurrent.each(['hang', { status: 500 }, { status: 200, text: '{"sta' }] as const)(
  'a cancellation that may have succeeded is not refused: %j',
  async reply => {
    await using story = await openWooviFixture({ reply })
    story.scripted.scriptReplies(DELETE, reply)
    expect(await story.provider.cancelCharge(REFERENCE)).not.toHaveProperty('isUnprocessed')
  },
)

test('a charge expires by the caller’s clock', async () => {
  let now = NOW
  await using story = await openWooviFixture({ now: () => now })
  story.scripted.scriptReplies(GET, okReply(chargeOf()))
  story.scripted.scriptReplies(PAID, okReply(pageOf('transactions', [])))
  expect(await story.provider.findCharge(REFERENCE)).toMatchObject({ status: 'open' })
  now = Date.parse(issued.expiresAt)
  expect(await story.provider.findCharge(REFERENCE)).toMatchObject({ status: 'expired' })
})

test('a payment of a charge that is left out is recorded', async () => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(GET, okReply(chargeOf()))
  const odd = [transactionOf({ status: 'FAILED' }), transactionOf({ charge: null }), 'no transaction']
  story.scripted.scriptReplies(PAID, okReply(pageOf('transactions', odd)))
  await story.provider.findCharge(REFERENCE)
  const about = { operation: 'findCharge', reference: REFERENCE, kind: 'unreadable_item', status: 200 }
  expect(story.recorded).toMatchObject([
    { ...about, name: 'FAILED', body: JSON.stringify(odd[0]) },
    { ...about, name: '', body: '"no transaction"' },
    { ...about, name: 'transaction_without_charge' },
  ])
})
