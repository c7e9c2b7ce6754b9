import { describe, expect, test } from '@jest/globals'
import {
  CHARGE_REFERENCE,
  CREDIT_ID,
  DEPOSIT_ID,
  depositOf,
  NOW,
  okReply,
  openStarkFixture,
  starkErrorReply,
  starkPageOf,
  transactionOf,
  UNEXPLAINED_REPLIES,
} from '../support/stark-fixture.ts'

const NAME = `deposit/${DEPOSIT_ID}`
const DEPOSIT_ROUTE = `GET /v2/deposit/${DEPOSIT_ID}`
const CHANGE_ROUTE = `PATCH /v2/deposit/${DEPOSIT_ID}`
const REVERSAL_ID = '6262626262626262'
const order = { id: 'refund1', endToEnd: NAME, cents: 234 }
const handle = { ref: `deposit/${DEPOSIT_ID}/1234/1000/1` }

describe('a received PIX', () => {
  test('is found by the id of its deposit', async () => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies(DEPOSIT_ROUTE, okReply({ deposit: depositOf() }))
    story.scripted.scriptReplies(
      'GET /v2/transaction',
      okReply(starkPageOf('transactions', [transactionOf()])),
    )
    expect(await story.provider.findPayment(NAME)).toMatchObject({
      kind: 'found',
      payment: { endToEnd: NAME, cents: 1234, status: 'settled', reference: CHARGE_REFERENCE },
    })
  })

  test('without a code names no charge, whatever its payer wrote into the tags', async () => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies(DEPOSIT_ROUTE, okReply({ deposit: depositOf({ tags: [CHARGE_REFERENCE] }) }))
    story.scripted.scriptReplies(
      'GET /v2/transaction',
      okReply(starkPageOf('transactions', [transactionOf()])),
    )
    expect(await story.provider.findPayment(NAME)).toMatchObject({ payment: { reference: null, txid: null } })
  })

  test('that is a TED, or that is absent by the published code, is not found', async () => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies(
      DEPOSIT_ROUTE,
      okReply({ deposit: depositOf({ type: 'ted' }) }),
      starkErrorReply('invalidDeposit'),
    )
    expect(await story.provider.findPayment(NAME)).toEqual({ kind: 'not_found' })
    expect(await story.provider.findPayment(NAME)).toEqual({ kind: 'not_found' })
  })

  test.each([
    ['of another type', { type: 'boleto' }],
    ['with another id', { id: '1' }],
    ['without an amount', { amount: undefined }],
  ])('that is a deposit %s has no answer', async (_name, changes) => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies(DEPOSIT_ROUTE, okReply({ deposit: depositOf(changes) }))
    expect(await story.provider.findPayment(NAME)).toMatchObject({ kind: 'no_answer' })
    expect(story.recorded).toHaveLength(1)
  })

  test('that is the payment of an invoice too is not found as a deposit', async () => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies(DEPOSIT_ROUTE, okReply({ deposit: depositOf({ tags: [] }) }))
    story.scripted.scriptReplies(
      'GET /v2/transaction',
      okReply(starkPageOf('transactions', [transactionOf({ source: 'invoice/52' })])),
    )
    expect(await story.provider.findPayment(NAME)).toEqual({ kind: 'not_found' })
  })

  test('that a rail id names is not asked for', async () => {
    await using story = await openStarkFixture()
    const outcome = await story.provider.findPayment('E12345678202601101159abcdefghijk')
    expect(outcome).toMatchObject({ kind: 'no_answer' })
    expect(story.scripted.calls()).toEqual([])
  })
})

describe('preparing a refund', () => {
  test('reads what is left of the deposit, and moves nothing however often', async () => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies(DEPOSIT_ROUTE, okReply({ deposit: depositOf() }))
    const prepared = {
      kind: 'prepared',
      handle: { ref: `deposit/${DEPOSIT_ID}/1234/1000/1`, expiresAt: new Date(NOW + 300_000).toISOString() },
    }
    for (let times = 0; times < 3; times++)
      expect(await story.provider.prepareRefund!(order)).toEqual(prepared)
    expect(story.scripted.calls().every(({ method }) => method === 'GET')).toBe(true)
  })

  test('refuses a refund of more than is left, and of a deposit that is not found', async () => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies(DEPOSIT_ROUTE, okReply({ deposit: depositOf({ amount: 233 }) }))
    expect(await story.provider.prepareRefund!(order)).toMatchObject({
      kind: 'rejected',
      code: 'refund_above_remainder',
    })
    story.scripted.scriptReplies(DEPOSIT_ROUTE, starkErrorReply('invalidDeposit'))
    expect(await story.provider.prepareRefund!(order)).toMatchObject({ kind: 'no_answer' })
  })

  test.each(UNEXPLAINED_REPLIES)('%s has no answer', async (_name, reply) => {
    await using story = await openStarkFixture({ reply })
    story.scripted.scriptReplies(DEPOSIT_ROUTE, reply)
    expect(await story.provider.prepareRefund!(order)).toMatchObject({ kind: 'no_answer' })
  })
})

describe('sending a refund', () => {
  test('sets what is to be left of the deposit', async () => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies(CHANGE_ROUTE, okReply({ deposit: depositOf({ amount: 1000 }) }))
    const outcome = await story.provider.refund({ ...order, description: 'Troca' }, handle)
    expect(outcome).toEqual({
      kind: 'accepted',
      payout: { status: 'in_process', cents: 234, endToEnd: '', at: null },
    })
    expect(JSON.parse(story.scripted.calls()[0]!.body)).toEqual({
      amount: 1000,
      reversalDisplayDescription: 'Troca',
    })
  })

  test('the whole is the amount 0', async () => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies(CHANGE_ROUTE, okReply({ deposit: depositOf({ amount: 0 }) }))
    const outcome = await story.provider.refund(
      { ...order, cents: 1234 },
      { ref: `deposit/${DEPOSIT_ID}/1234/0/1` },
    )
    expect(outcome).toMatchObject({ kind: 'accepted', payout: { cents: 1234 } })
    expect(story.scripted.calls()[0]!.body).toBe('{"amount":0}')
  })

  test.each([
    ['without a handle', undefined],
    ['by a handle of another value', { ref: `deposit/${DEPOSIT_ID}/1234/999/1` }],
    ['by a handle of something else', { ref: '7171717171717171' }],
    ['by a handle of another kind', { ref: `transfer/${DEPOSIT_ID}/1234/1000/1` }],
  ])('sends nothing %s', async (_name, otherHandle) => {
    await using story = await openStarkFixture()
    expect(await story.provider.refund(order, otherHandle)).toMatchObject({
      kind: 'rejected',
      code: 'preparation_expired',
    })
    expect(story.scripted.calls()).toEqual([])
  })

  test.each([
    ['another deposit', { id: '1', amount: 1000 }],
    ['another amount', { amount: 1001 }],
  ])('an answer with %s proves nothing', async (_name, changes) => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies(CHANGE_ROUTE, okReply({ deposit: depositOf(changes) }))
    expect(await story.provider.refund(order, handle)).toMatchObject({ kind: 'unknown' })
  })

  test.each(UNEXPLAINED_REPLIES)('%s', async (_name, reply, outcome) => {
    await using story = await openStarkFixture({ reply })
    story.scripted.scriptReplies(CHANGE_ROUTE, reply)
    expect(await story.provider.refund(order, handle)).toMatchObject(outcome)
  })
})

describe('looking a refund up', () => {
  const reversed = depositOf({ amount: 1000, transactionIds: [CREDIT_ID, REVERSAL_ID] })
  const logOf = (deposit: object, type = 'reversed', id = '1') => ({
    id,
    type,
    deposit,
    errors: [],
    created: '2026-01-10T12:01:00+00:00',
  })

  async function find(changes: { deposit: object; logs?: object[]; transactions?: object[] }) {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies(DEPOSIT_ROUTE, okReply({ deposit: changes.deposit }))
    story.scripted.scriptReplies('GET /v2/deposit/log', okReply(starkPageOf('logs', changes.logs ?? [])))
    story.scripted.scriptReplies(
      'GET /v2/transaction',
      okReply(starkPageOf('transactions', changes.transactions ?? [])),
    )
    return await story.provider.findRefund({ id: 'refund1', endToEnd: NAME, handle })
  }
  const reversal = transactionOf({ id: REVERSAL_ID, amount: -234, source: `${NAME}/reversal` })

  test('the log and the transaction of the reversal settle it', async () => {
    expect(await find({ deposit: reversed, logs: [logOf(reversed)], transactions: [reversal] })).toEqual({
      kind: 'found',
      payout: {
        status: 'settled',
        cents: 234,
        endToEnd: `transaction/${REVERSAL_ID}`,
        at: '2026-01-10T12:01:00.000Z',
      },
    })
  })

  test('it stays settled after a later refund of the same PIX', async () => {
    const later = depositOf({ amount: 0, transactionIds: [CREDIT_ID, REVERSAL_ID, '6363636363636363'] })
    const logs = [logOf(later, 'reversed', '2'), logOf(reversed)]
    expect(await find({ deposit: later, logs, transactions: [reversal] })).toMatchObject({
      kind: 'found',
      payout: { status: 'settled', cents: 234, endToEnd: `transaction/${REVERSAL_ID}` },
    })
  })

  test('the value is that of the transaction, which the engine compares with the order', async () => {
    const transactions = [{ ...reversal, amount: -34 }]
    expect(await find({ deposit: reversed, logs: [logOf(reversed)], transactions })).toMatchObject({
      payout: { cents: 34 },
    })
  })

  test('a deposit that is unchanged has not been refunded', async () => {
    expect(await find({ deposit: depositOf() })).toEqual({ kind: 'not_found' })
  })

  test.each([
    ['no reversal in the log', { deposit: reversed }],
    ['a log of another kind', { deposit: reversed, logs: [logOf(reversed, 'reversing')] }],
    ['the log of another amount', { deposit: reversed, logs: [logOf(depositOf({ amount: 900 }))] }],
    [
      'a log without a reversing transaction',
      { deposit: reversed, logs: [logOf(depositOf({ amount: 1000 }))] },
    ],
    ['a transaction that is not listed', { deposit: reversed, logs: [logOf(reversed)] }],
    [
      'a transaction that brought money',
      { deposit: reversed, logs: [logOf(reversed)], transactions: [{ ...reversal, amount: 234 }] },
    ],
  ])('it is in process with %s', async (_name, changes) => {
    expect(await find(changes)).toMatchObject({ kind: 'found', payout: { status: 'in_process', cents: 234 } })
  })

  const debit = transactionOf({ id: REVERSAL_ID, amount: -234, source: `${NAME}/reversal` })
  const chargeback = transactionOf({ id: '6464646464646464', amount: 234, source: `${NAME}/chargeback` })
  const failed = { transactionIds: [CREDIT_ID, REVERSAL_ID, '6464646464646464'] }

  test.each([
    ['has its amount again', 1234],
    ['keeps the amount of the refund', 1000],
  ])(
    'the debit and its chargeback prove that a refund has failed, where the deposit %s',
    async (_name, amount) => {
      const transactions = [debit, chargeback]
      expect(await find({ deposit: depositOf({ ...failed, amount }), transactions })).toMatchObject({
        kind: 'found',
        payout: { status: 'rejected', cents: 234, code: 'provider_rejected', endToEnd: '' },
      })
    },
  )

  test('a refund with its log is settled, though a later one of the same value was charged back', async () => {
    const later = depositOf({ amount: 766, transactionIds: [CREDIT_ID, REVERSAL_ID, '7', '8'] })
    const logs = [logOf(reversed)]
    expect(await find({ deposit: later, logs, transactions: [reversal] })).toMatchObject({
      payout: { status: 'settled' },
    })
  })

  test.each([
    ['a chargeback of another value', { ...failed, amount: 1234 }, [debit, { ...chargeback, amount: 233 }]],
    ['a chargeback that is not listed', { ...failed, amount: 1234 }, [debit]],
    [
      'a third transaction',
      { amount: 1234, transactionIds: [...failed.transactionIds, '9'] },
      [debit, chargeback],
    ],
    ['only a debit, and its amount again', { ...reversed, amount: 1234 }, [debit]],
  ])('%s proves neither a failure nor that nothing was refunded', async (_name, changes, transactions) => {
    expect(await find({ deposit: depositOf(changes), transactions })).toMatchObject({ kind: 'no_answer' })
  })

  test('a reversal without an end has no answer after ten minutes, so that operators see it', async () => {
    const updated = new Date(NOW - 600_001).toISOString()
    expect(await find({ deposit: { ...reversed, updated } })).toMatchObject({
      kind: 'no_answer',
      code: 'reversal_undecided',
    })
    const undated = { ...reversed, updated: undefined, created: updated }
    expect(await find({ deposit: undated })).toMatchObject({ code: 'reversal_undecided' })
  })

  test('a deposit that something else has changed is no answer', async () => {
    expect(await find({ deposit: depositOf({ amount: 1100 }) })).toMatchObject({
      kind: 'no_answer',
      code: 'payment_changed',
    })
  })

  test('without a handle there is no answer', async () => {
    await using story = await openStarkFixture()
    const outcome = await story.provider.findRefund({ id: 'refund1', endToEnd: NAME })
    expect(outcome).toMatchObject({ kind: 'no_answer', code: 'no_handle' })
    expect(story.scripted.calls()).toEqual([])
  })
})
