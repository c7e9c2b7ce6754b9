import { expect, test } from '@jest/globals'
import { PROVIDER_CAPABILITIES } from '../../../src/domain/providers/capabilities.ts'
import { createWooviAdapter } from '../../../src/providers/woovi/adapter.ts'
import { keyDestination } from '../../support/transfer-destinations.ts'
import { findUnusedUrl } from '../support/scripted-provider.ts'
import {
  ACCOUNT_ID,
  credentials,
  failedPaymentOf,
  okReply,
  openPayingWooviFixture,
  openWooviFixture,
  paymentOf,
  SETTLED_TRANSACTION,
  TRANSFER_END_TO_END,
  UNEXPLAINED_REPLIES,
  wooviErrorReply,
} from '../support/woovi-fixture.ts'

const order = {
  id: 'transfer1',
  cents: 1050,
  destination: keyDestination('maria@example.com'),
  payerKey: null,
  message: 'Aluguel',
}
const POST = 'POST /api/v1/payment'
const APPROVE = 'POST /api/v1/payment/approve'
const GET = 'GET /api/v1/payment/transfer1'

test('a transfer is requested and approved in one call, where the account permits it', async () => {
  await using story = await openPayingWooviFixture()
  story.scripted.scriptReplies(POST, okReply(paymentOf('APPROVED')))
  expect(await story.provider.sendTransfer(order)).toMatchObject({
    kind: 'accepted',
    payout: { status: 'in_process', endToEnd: '', receiver: null },
  })
  expect(story.scripted.calls().map(({ body }) => JSON.parse(body))).toEqual([
    {
      type: 'PIX_KEY',
      correlationID: 'transfer1',
      value: 1050,
      destinationAlias: 'maria@example.com',
      destinationAliasType: 'EMAIL',
      sourceAccountId: ACCOUNT_ID,
      comment: 'Aluguel',
      autoApprove: true,
    },
  ])
})

test('a transfer that waits for its approval is approved', async () => {
  await using story = await openPayingWooviFixture()
  story.scripted.scriptReplies(POST, okReply(paymentOf('CREATED')))
  story.scripted.scriptReplies(APPROVE, okReply(paymentOf('APPROVED', SETTLED_TRANSACTION)))
  expect(await story.provider.sendTransfer(order)).toMatchObject({
    kind: 'accepted',
    payout: { status: 'in_process', endToEnd: TRANSFER_END_TO_END },
  })
  const calls = story.scripted.calls()
  expect(JSON.parse(calls[1]!.body)).toEqual({ correlationID: 'transfer1' })
  expect(calls.map(({ headers }) => headers.connection)).toEqual(['close', 'close'])
  expect(new Set(calls.map(({ connection }) => connection)).size).toBe(2)
})

test.each([
  ['12345678909', 'CPF'],
  ['12ABC34501DE35', 'CNPJ'],
  ['+5511987654321', 'PHONE'],
  ['c4249323-b4ca-43f2-8139-8232aab09b93', 'RANDOM'],
])('the key %s is a %s', async (pixKey, type) => {
  await using story = await openPayingWooviFixture()
  story.scripted.scriptReplies(POST, okReply(paymentOf('APPROVED')))
  await story.provider.sendTransfer({ ...order, destination: keyDestination(pixKey) })
  expect(JSON.parse(story.scripted.calls()[0]!.body)).toMatchObject({
    destinationAlias: pixKey,
    destinationAliasType: type,
  })
})

test('a transfer is paid by the account that the AppID is linked to, which is looked up once', async () => {
  await using story = await openWooviFixture()
  const accounts = [{ accountId: 'default', isDefault: true }, { accountId: 'linked' }]
  story.scripted.scriptReplies(
    'GET /api/v1/account/',
    okReply({ accounts, pageInfo: { hasNextPage: false } }),
  )
  story.scripted.scriptReplies('GET /api/v1/pix-keys', okReply({ account: { accountId: 'linked' } }))
  story.scripted.scriptReplies(POST, okReply(paymentOf('APPROVED')))
  await story.provider.sendTransfer(order)
  await story.provider.sendTransfer(order)
  const calls = story.scripted.calls()
  expect(calls.map(({ method }) => method)).toEqual(['GET', 'GET', 'POST', 'POST'])
  expect(JSON.parse(calls[2]!.body)).toMatchObject({ sourceAccountId: 'linked' })
})

test('no transfer is sent while the account that pays cannot be identified', async () => {
  await using story = await openWooviFixture()
  expect(await story.provider.sendTransfer(order)).toMatchObject({ kind: 'unreachable', code: 'http_500' })
  expect(story.scripted.calls().map(({ method }) => method)).toEqual(['GET'])
})

test('a transfer with a document that Woovi cannot check is not sent', async () => {
  await using story = await openPayingWooviFixture()
  expect(PROVIDER_CAPABILITIES.woovi.canCheckDocument).toBe(false)
  expect(
    await story.provider.sendTransfer({
      ...order,
      destination: keyDestination('maria@example.com', '12345678909'),
    }),
  ).toMatchObject({
    kind: 'rejected',
    finality: 'other_may_help',
    code: 'document_unchecked',
  })
  expect(story.scripted.seen).toEqual([])
})

const ABSENT = wooviErrorReply('Pagamento não encontrado')
const noMoney = wooviErrorReply('You do not have enough balance to make this payment')
const noMoneyToApprove = wooviErrorReply('Você não possui saldo o suficiente para realizar esse pagamento')
const byCode = (errorCode: string, status = 400) => wooviErrorReply('x', { errorCode, status })

test.concurrent.each([
  ...UNEXPLAINED_REPLIES,
  [
    'failed immediately with a final reason',
    okReply(failedPaymentOf('AC03 - Conta inexistente')),
    { kind: 'rejected', finality: 'final', code: 'AC03' },
  ],
  [
    'failed immediately with a code in its own field',
    okReply(
      paymentOf('FAILED', { transaction: { ...SETTLED_TRANSACTION.transaction, providerErrorCode: 'BE17' } }),
    ),
    { kind: 'rejected', finality: 'final', code: 'BE17' },
  ],
  [
    'failed immediately with a rail code inside the text',
    okReply(failedPaymentOf('Conta AC03 - inexistente')),
    { kind: 'rejected', finality: 'final', code: 'provider_rejected' },
  ],
  [
    'failed immediately with the provider’s own reason',
    okReply(failedPaymentOf(undefined, 'REACH_TRANSFER_LIMIT')),
    { kind: 'rejected', finality: 'other_may_help', code: 'provider_limit' },
  ],
  [
    'failed immediately because its recipient is restricted',
    okReply(failedPaymentOf(undefined, 'ENTRY_ASSOCIATED_WITH_RESTRICTED_ACCOUNT_OR_USER')),
    { kind: 'rejected', finality: 'final', code: 'payment_denied' },
  ],
  [
    'failed immediately without a reason',
    okReply(paymentOf('FAILED')),
    { kind: 'rejected', finality: 'final', code: 'provider_rejected' },
  ],
  ['denied', okReply(paymentOf('DENIED')), { kind: 'rejected', code: 'provider_rejected' }],
  [
    'denied and moved',
    okReply(paymentOf('DENIED', SETTLED_TRANSACTION)),
    { kind: 'unknown', code: 'unreadable_answer' },
  ],
  [
    'created and moved',
    okReply(paymentOf('CREATED', SETTLED_TRANSACTION)),
    { kind: 'accepted', payout: { status: 'in_process' } },
  ],
  ['a new state', okReply(paymentOf('QUASE')), { kind: 'unknown', code: 'unreadable_answer' }],
  [
    'another value',
    okReply({ payment: { ...paymentOf('APPROVED').payment, value: 1 } }),
    { kind: 'unknown', code: 'unreadable_answer' },
  ],
] as typeof UNEXPLAINED_REPLIES)('sending a transfer: %s', async (_name, reply, outcome) => {
  await using story = await openPayingWooviFixture({ reply })
  story.scripted.scriptReplies(POST, reply)
  expect(await story.provider.sendTransfer(order)).toMatchObject(outcome)
  expect(story.scripted.calls()).toHaveLength(1)
})

test('an undocumented state is recorded by its name', async () => {
  await using story = await openPayingWooviFixture()
  story.scripted.scriptReplies(POST, okReply(paymentOf('QUASE')))
  await story.provider.sendTransfer(order)
  expect(story.recorded).toMatchObject([
    { operation: 'sendTransfer', reference: 'transfer1', kind: 'unlisted_value', status: 200, name: 'QUASE' },
  ])
})

const tooManyLookups = byCode('TOO_MANY_REQUESTS', 429)
test.each([
  ['for its balance', noMoney, 'insufficient_balance'],
  ['for too many key look-ups', tooManyLookups, 'rate_limited'],
])('a transfer refused %s is unknown while one look-up does not find it', async (_name, reply, code) => {
  await using story = await openPayingWooviFixture()
  story.scripted.scriptReplies(POST, reply)
  story.scripted.scriptReplies(GET, ABSENT)
  const refusal = { finality: 'other_may_help', code }
  expect(await story.provider.sendTransfer(order)).toMatchObject({ kind: 'unknown', code, refusal })
  expect(story.scripted.calls().map(({ method }) => method)).toEqual(['POST', 'GET'])
})

test('a transfer to a key that is marked for fraud is for no other provider, and fails once its absence is proved', async () => {
  await using story = await openPayingWooviFixture()
  story.scripted.scriptReplies(POST, wooviErrorReply('Pix key related to an account suspected of fraud'))
  story.scripted.scriptReplies(GET, ABSENT)
  const refusal = { finality: 'final', code: 'key_blocked_for_fraud' }
  expect(await story.provider.sendTransfer(order)).toMatchObject({
    kind: 'unknown',
    code: 'key_blocked_for_fraud',
    refusal,
  })
  expect(story.scripted.calls().map(({ method }) => method)).toEqual(['POST', 'GET'])
})

test('a refused approval is unknown while one look-up does not find the order', async () => {
  await using story = await openPayingWooviFixture()
  story.scripted.scriptReplies(POST, okReply(paymentOf('CREATED')))
  story.scripted.scriptReplies(APPROVE, noMoneyToApprove)
  story.scripted.scriptReplies(GET, ABSENT)
  const refusal = { finality: 'other_may_help', code: 'insufficient_balance' }
  expect(await story.provider.sendTransfer(order)).toMatchObject({ kind: 'unknown', refusal })
})

test.each([
  ['the sentence of an approval', noMoneyToApprove],
  ['a code of payments that failed', byCode('NOT_ENOUGH_BALANCE')],
  ['a code of payments that failed for good', byCode('PIX_KEY_INFO_NOT_FOUND')],
  ['an error of key lookups under another status', byCode('TOO_MANY_REQUESTS')],
  ['the sentence of another call', wooviErrorReply('Invalid appID', { status: 401 })],
] as const)('a transfer missing on every page of the list is not refused: %s', async (_name, reply) => {
  await using story = await openPayingWooviFixture()
  story.scripted.scriptReplies(POST, reply)
  expect(await story.provider.sendTransfer(order)).toMatchObject({ kind: 'unknown' })
  expect(story.scripted.calls().map(({ method }) => method)).toEqual(['POST'])
})

const awaitingApproval = {
  kind: 'awaiting_approval',
  code: 'awaiting_approval',
  message: expect.stringContaining('Payment transfer1 waits for approval in Woovi'),
  refusal: { finality: 'other_may_help', code: 'insufficient_balance' },
}
test.concurrent.each([
  ['is waiting', okReply(paymentOf('CREATED')), awaitingApproval],
  [
    'it failed',
    okReply(failedPaymentOf('AM04 - Saldo')),
    { kind: 'rejected', finality: 'other_may_help', code: 'AM04' },
  ],
  [
    'it is on its way',
    okReply(paymentOf('APPROVED')),
    { kind: 'accepted', payout: { status: 'in_process' } },
  ],
  [
    'it is settled',
    okReply(paymentOf('CONFIRMED', SETTLED_TRANSACTION)),
    { kind: 'accepted', payout: { status: 'settled' } },
  ],
  ['has an unknown state', 'hang' as const, { kind: 'unknown', code: 'insufficient_balance' }],
  ['an account is not found', wooviErrorReply('Payment account not found'), { kind: 'unknown' }],
  ['another thing is not found', wooviErrorReply('Cobrança não encontrada'), { kind: 'unknown' }],
  ['a route is not found', okReply({ error: 'Not Found' }, 404), { kind: 'unknown' }],
  ['its state is new', okReply(paymentOf('QUASE')), { kind: 'unknown' }],
])('a refused transfer is looked up: %s', async (_name, get, outcome) => {
  await using story = await openPayingWooviFixture({ reply: get })
  story.scripted.scriptReplies(POST, noMoney)
  story.scripted.scriptReplies(GET, get)
  expect(await story.provider.sendTransfer(order)).toMatchObject(outcome)
})

test('a transfer whose request cannot be sent is unreachable', async () => {
  const provider = createWooviAdapter({ baseUrl: await findUnusedUrl(), credentials, timeoutMs: 10_000 })
  expect(await provider.sendTransfer(order)).toMatchObject({
    kind: 'unreachable',
    code: 'connection_refused',
  })
  await provider.close()
})

const unknowns = UNEXPLAINED_REPLIES.filter(([, , { kind }]) => kind === 'unknown')
test.concurrent.each(unknowns)(
  'between creation and approval: %s leaves it unknown',
  async (_name, reply, outcome) => {
    await using story = await openPayingWooviFixture({ reply })
    story.scripted.scriptReplies(POST, okReply(paymentOf('CREATED')))
    story.scripted.scriptReplies(APPROVE, reply)
    expect(await story.provider.sendTransfer(order)).toMatchObject(outcome)
  },
)

test.concurrent.each([
  ['it still waits', okReply(paymentOf('CREATED')), awaitingApproval],
  [
    'it has a transaction',
    okReply(paymentOf('CREATED', SETTLED_TRANSACTION)),
    { kind: 'accepted', payout: { status: 'in_process' } },
  ],
  [
    'it failed',
    okReply(failedPaymentOf('AM04 - Saldo')),
    { kind: 'rejected', finality: 'other_may_help', code: 'AM04' },
  ],
  [
    'it is on its way',
    okReply(paymentOf('APPROVED', SETTLED_TRANSACTION)),
    { kind: 'accepted', payout: { status: 'in_process' } },
  ],
  [
    'it is settled',
    okReply(paymentOf('CONFIRMED', SETTLED_TRANSACTION)),
    { kind: 'accepted', payout: { status: 'settled' } },
  ],
  ['has an unknown state', 'hang' as const, { kind: 'unknown' }],
])('a refused approval is looked up: %s', async (_name, get, outcome) => {
  await using story = await openPayingWooviFixture({ reply: get })
  story.scripted.scriptReplies(POST, okReply(paymentOf('CREATED')))
  story.scripted.scriptReplies(APPROVE, noMoneyToApprove)
  story.scripted.scriptReplies(GET, get)
  expect(await story.provider.sendTransfer(order)).toMatchObject(outcome)
})

test('an approval that our AppID may not give leaves the payment waiting', async () => {
  await using story = await openPayingWooviFixture()
  story.scripted.scriptReplies(POST, okReply(paymentOf('CREATED')))
  story.scripted.scriptReplies(APPROVE, wooviErrorReply('appID inválido', { status: 401 }))
  story.scripted.scriptReplies(GET, okReply(paymentOf('CREATED')))
  expect(await story.provider.sendTransfer(order)).toMatchObject({
    kind: 'awaiting_approval',
    refusal: { code: 'provider_denied' },
  })
})

test('a payment that still waits after its approval is left waiting', async () => {
  await using story = await openPayingWooviFixture()
  story.scripted.scriptReplies(POST, okReply(paymentOf('CREATED')))
  story.scripted.scriptReplies(APPROVE, okReply(paymentOf('CREATED')))
  const outcome = await story.provider.sendTransfer(order)
  expect(outcome).toMatchObject({ kind: 'awaiting_approval', code: 'awaiting_approval' })
  expect(outcome).not.toHaveProperty('refusal')
})

const alreadyExistsReply = wooviErrorReply('Já existe um pagamento com o correlationID fornecido')
test.concurrent.each([
  [
    'waits, and is approved now',
    okReply(paymentOf('CREATED')),
    { kind: 'accepted' },
    ['POST', 'GET', 'POST'],
  ],
  [
    'is on its way',
    okReply(paymentOf('APPROVED')),
    { kind: 'unknown', code: 'duplicate_id' },
    ['POST', 'GET'],
  ],
  [
    'is settled',
    okReply(paymentOf('CONFIRMED', SETTLED_TRANSACTION)),
    { kind: 'unknown', code: 'duplicate_id' },
    ['POST', 'GET'],
  ],
  ['has no answer', 'hang' as const, { kind: 'unknown', code: 'duplicate_id' }, ['POST', 'GET']],
  [
    'is of another value',
    okReply({ payment: { ...paymentOf('CREATED').payment, value: 1 } }),
    { kind: 'unknown', code: 'duplicate_id' },
    ['POST', 'GET'],
  ],
])('an existing id: the payment %s', async (_name, get, outcome, methods) => {
  await using story = await openPayingWooviFixture({ reply: get })
  story.scripted.scriptReplies(POST, alreadyExistsReply)
  story.scripted.scriptReplies(GET, get)
  story.scripted.scriptReplies(APPROVE, okReply(paymentOf('APPROVED')))
  expect(await story.provider.sendTransfer(order)).toMatchObject(outcome)
  expect(story.scripted.calls().map(({ method }) => method)).toEqual(methods)
})
