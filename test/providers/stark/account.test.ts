import { describe, expect, test } from '@jest/globals'
import { createStarkAdapter } from '../../../src/providers/stark/adapter.ts'
import { createScriptedPool } from '../support/scripted-connection-pool.ts'
import {
  CHARGE_REFERENCE,
  CODE_UUID,
  CREDIT_ID,
  DEPOSIT_ID,
  depositOf,
  END_TO_END_ID,
  INVOICE_ID,
  invoiceOf,
  invoicePaymentOf,
  okReply,
  openStarkFixture,
  SENT_ID,
  starkCredentials,
  starkPageOf,
  TRANSFER_ID,
  transactionOf,
  transferOf,
} from '../support/stark-fixture.ts'

const WORKSPACE = '4848484848484848'
const URL_OF_NOTICES = 'https://trilho.example/provider-notifications/x'

describe('identity', () => {
  test('the only workspace of a project is the account', async () => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies('GET /v2/workspace', okReply(starkPageOf('workspaces', [{ id: WORKSPACE }])))
    expect(await story.provider.identity()).toEqual({ kind: 'found', id: WORKSPACE })
  })

  test.each([
    ['none', []],
    ['two', [{ id: WORKSPACE }, { id: '1' }]],
    ['one, and one that is unreadable', [{ id: WORKSPACE }, { id: null }]],
  ])('%s is no answer', async (_name, workspaces) => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies('GET /v2/workspace', okReply(starkPageOf('workspaces', workspaces)))
    expect(await story.provider.identity()).toMatchObject({ kind: 'no_answer' })
  })

  test('an organization is identified by the workspace that its access id names', async () => {
    const body = JSON.stringify(starkPageOf('workspaces', [{ id: '1' }, { id: WORKSPACE }]))
    const provider = createStarkAdapter({
      baseUrl: 'https://stark.test',
      credentials: { ...starkCredentials, access_id: `organization/9/workspace/${WORKSPACE}` },
      openPool: createScriptedPool({ answer: { status: 200, body } }),
      timeoutMs: 1_000,
    })
    expect(await provider.identity()).toEqual({ kind: 'found', id: WORKSPACE })
    await provider.close()
  })
})

describe('balance', () => {
  test('the amount is what is available, which may be negative', async () => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies(
      'GET /v2/balance',
      okReply({ balances: [{ id: 'x', amount: -5, currency: 'BRL' }] }),
    )
    expect(await story.provider.balances()).toEqual({
      kind: 'found',
      balance: { availableCents: -5, blockedCents: 0 },
    })
  })

  test.each([[[]], [[{ amount: '5' }]], [[{ amount: 5 }, { amount: 6 }]]])(
    '%j is no answer',
    async balances => {
      await using story = await openStarkFixture()
      story.scripted.scriptReplies('GET /v2/balance', okReply({ balances }))
      expect(await story.provider.balances()).toMatchObject({ kind: 'no_answer' })
    },
  )
})

describe('webhook', () => {
  const PULLS = ['invoice-pull-subscription', 'invoice-pull-request']

  test('a missing webhook is created for deposits, invoices, transfers and recurrences', async () => {
    await using story = await openStarkFixture()
    const others = [{ id: '1', url: 'https://other.example', subscriptions: ['deposit', 'transfer'] }]
    story.scripted.scriptReplies('GET /v2/webhook', okReply(starkPageOf('webhooks', others)))
    const subscriptions = ['deposit', 'invoice', 'transfer', ...PULLS]
    const created = { id: '2', url: URL_OF_NOTICES, subscriptions }
    story.scripted.scriptReplies('POST /v2/webhook', okReply({ webhook: created }))
    expect(await story.provider.registerNotificationUrl(URL_OF_NOTICES, null)).toEqual({ kind: 'registered' })
    expect(JSON.parse(story.scripted.calls()[1]!.body)).toEqual({ url: URL_OF_NOTICES, subscriptions })
  })

  test('one that exists is kept, and only what it lacks is added', async () => {
    await using story = await openStarkFixture()
    const existing = { id: '1', url: URL_OF_NOTICES, subscriptions: ['deposit'] }
    story.scripted.scriptReplies('GET /v2/webhook', okReply(starkPageOf('webhooks', [existing])))
    story.scripted.scriptReplies(
      'POST /v2/webhook',
      okReply({ webhook: { ...existing, subscriptions: ['invoice', 'transfer', ...PULLS] } }),
    )
    expect(await story.provider.registerNotificationUrl(URL_OF_NOTICES, null)).toEqual({ kind: 'registered' })
    expect(JSON.parse(story.scripted.calls()[1]!.body).subscriptions).toEqual([
      'invoice',
      'transfer',
      ...PULLS,
    ])
    const all = { ...existing, subscriptions: [...PULLS, 'transfer', 'invoice', 'deposit'] }
    story.scripted.scriptReplies('GET /v2/webhook', okReply(starkPageOf('webhooks', [all])))
    await story.provider.registerNotificationUrl(URL_OF_NOTICES, null)
    expect(story.scripted.calls().filter(({ method }) => method === 'POST')).toHaveLength(1)
  })

  test('an answer about another URL registers nothing', async () => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies('GET /v2/webhook', okReply(starkPageOf('webhooks', [])))
    const webhook = { id: '1', url: 'https://other.example', subscriptions: ['deposit'] }
    story.scripted.scriptReplies('POST /v2/webhook', okReply({ webhook }))
    const outcome = await story.provider.registerNotificationUrl(URL_OF_NOTICES, null)
    expect(outcome).toMatchObject({ kind: 'no_answer' })
  })
})

describe('statement', () => {
  const range = ['2026-01-10T00:00:00.000Z', '2026-01-10T23:59:59.999Z'] as const
  const at = '2026-01-10T11:59:31.000Z'

  type Lists = { transactions: object[]; deposits?: object[]; transfers?: object[]; invoices?: object[] }
  async function read(lists: Lists, payment: object = invoicePaymentOf()) {
    await using story = await openStarkFixture()
    for (const [field, path] of [
      ['transactions', 'transaction'],
      ['deposits', 'deposit'],
      ['transfers', 'transfer'],
      ['invoices', 'invoice'],
    ] as const)
      story.scripted.scriptReplies(`GET /v2/${path}`, okReply(starkPageOf(field, lists[field] ?? [])))
    story.scripted.scriptReplies(`GET /v2/invoice/${INVOICE_ID}/payment`, okReply({ payment }))
    const statement = await story.provider.statement(...range)
    return { statement, paths: story.scripted.calls().map(({ path }) => path) }
  }

  test('a credited deposit and a transfer that succeeded are PIX, by the names that the payments have', async () => {
    const debit = transactionOf({ id: '2', amount: -1050, source: `transfer/${SENT_ID}`, fee: 30 })
    const { statement, paths } = await read({
      transactions: [transactionOf(), debit],
      deposits: [depositOf()],
      transfers: [transferOf({ transactionIds: ['2'] })],
    })
    expect(statement).toEqual({
      kind: 'found',
      entries: [
        { endToEnd: `deposit/${DEPOSIT_ID}`, reference: CHARGE_REFERENCE, direction: 'IN', cents: 1234, at },
        { endToEnd: `transfer/${SENT_ID}`, reference: TRANSFER_ID, direction: 'OUT', cents: 1050, at },
      ],
      accountEntries: [{ id: '2', kind: 'tariff', type: 'fee', cents: 30, at }],
    })
    expect(paths).toEqual([
      '/v2/transaction?after=2026-01-09&before=2026-01-11&limit=100',
      `/v2/deposit?ids=${DEPOSIT_ID}&limit=100`,
      `/v2/transfer?ids=${SENT_ID}&limit=100`,
    ])
  })

  test('a reversal and a chargeback return the PIX that their source names', async () => {
    const { statement } = await read({
      transactions: [
        transactionOf({ id: '3', amount: -234, source: `deposit/${DEPOSIT_ID}/reversal` }),
        transactionOf({ id: '4', amount: 1050, source: `transfer/${SENT_ID}/chargeback` }),
      ],
      deposits: [depositOf({ transactionIds: [CREDIT_ID, '3'] })],
      transfers: [transferOf({ transactionIds: ['2', '4'] })],
    })
    expect(statement).toEqual({
      kind: 'found',
      entries: [
        {
          endToEnd: 'transaction/3',
          returnOf: `deposit/${DEPOSIT_ID}`,
          returnId: '3',
          reference: null,
          direction: 'OUT',
          cents: 234,
          at,
        },
        {
          endToEnd: 'transaction/4',
          returnOf: `transfer/${SENT_ID}`,
          returnId: '4',
          reference: TRANSFER_ID,
          direction: 'IN',
          cents: 1050,
          at,
        },
      ],
    })
  })

  test.each(['created', 'processing', 'failed', 'canceled'])(
    'neither debit nor chargeback of a transfer that is %s is a settled PIX',
    async status => {
      const { statement } = await read({
        transactions: [
          transactionOf({ id: '2', amount: -1050, source: `transfer/${SENT_ID}` }),
          transactionOf({ id: '4', amount: 1050, source: `transfer/${SENT_ID}/chargeback` }),
        ],
        transfers: [transferOf({ status })],
      })
      expect(statement).toEqual({ kind: 'found', entries: [] })
    },
  )

  test('what is no PIX is an entry of the account', async () => {
    const { statement } = await read({
      transactions: [
        transactionOf({ id: '1', source: 'boleto/77' }),
        transactionOf({ id: '2', source: 'self', amount: -50 }),
        transactionOf({ id: '3' }),
        transactionOf({ id: '4', source: 'deposit/999' }),
        transactionOf({ id: '5', source: 'transfer/999', amount: -1 }),
        transactionOf({ id: '6', amount: 0 }),
      ],
      deposits: [depositOf({ type: 'ted', transactionIds: ['3'] })],
    })
    expect(statement).toEqual({
      kind: 'found',
      entries: [],
      accountEntries: [
        { id: '1', kind: 'credit', type: 'boleto', cents: 1234, at },
        { id: '2', kind: 'withdrawal', type: 'self', cents: 50, at },
        { id: '3', kind: 'credit', type: 'deposit', cents: 1234, at },
        { id: '4', kind: 'unlisted', type: 'deposit', cents: 1234, at },
        { id: '5', kind: 'unlisted', type: 'transfer', cents: 1, at },
      ],
    })
  })

  const invoiceName = `invoice/${INVOICE_ID}/${END_TO_END_ID}`
  const paidInvoice = invoiceOf({ status: 'paid', transactionIds: [CREDIT_ID, '3'] })

  test('the payment of an invoice is a PIX with its end-to-end id, and so is what was returned of it', async () => {
    const { statement, paths } = await read({
      transactions: [
        transactionOf({ source: `invoice/${INVOICE_ID}` }),
        transactionOf({ id: '3', amount: -234, source: `invoice/${INVOICE_ID}/reversal` }),
      ],
      invoices: [paidInvoice],
    })
    const returned = { endToEnd: 'transaction/3', returnOf: invoiceName, returnId: '3', reference: null }
    expect(statement).toEqual({
      kind: 'found',
      entries: [
        { endToEnd: invoiceName, reference: CHARGE_REFERENCE, direction: 'IN', cents: 1234, at },
        { ...returned, direction: 'OUT', cents: 234, at },
      ],
    })
    expect(paths.slice(1)).toEqual([
      `/v2/invoice?ids=${INVOICE_ID}&limit=100`,
      `/v2/invoice/${INVOICE_ID}/payment`,
    ])
  })

  test.each([
    ['is not listed', [], invoicePaymentOf()],
    ['is not shown as paid yet', [invoiceOf()], invoicePaymentOf()],
    ['was paid without an end-to-end id', [paidInvoice], invoicePaymentOf({ endToEndId: null })],
  ])('money of an invoice that %s is unexplained', async (_name, invoices, payment) => {
    const transactions = [transactionOf({ source: `invoice/${INVOICE_ID}` })]
    expect((await read({ transactions, invoices }, payment)).statement).toEqual({
      kind: 'found',
      entries: [],
      accountEntries: [{ id: CREDIT_ID, kind: 'unlisted', type: 'invoice', cents: 1234, at }],
    })
  })

  test('a failed reversal is nothing: its chargeback cancels the debit of the same value, also of another period', async () => {
    const source = `deposit/${DEPOSIT_ID}/reversal`
    const [settled, debit, chargeback] = [
      transactionOf({ id: '7', amount: -100, source }),
      transactionOf({ id: '8', amount: -234, source }),
      transactionOf({ id: '9', amount: 234, source }),
    ]
    const deposits = [depositOf({ transactionIds: [CREDIT_ID, '7', '8', '9'] })]
    const whole = await read({ transactions: [settled, debit, chargeback], deposits })
    expect(whole.statement).toMatchObject({ entries: [{ endToEnd: 'transaction/7', cents: 100 }] })
    expect(whole.statement).not.toHaveProperty('accountEntries')
    const earlier = { ...debit, created: '2026-01-09T22:00:00.000+00:00' }
    const late = await read({ transactions: [settled, earlier, chargeback], deposits })
    expect(late.statement).toMatchObject({ entries: [{ endToEnd: 'transaction/7' }] })
    expect(late.statement).not.toHaveProperty('accountEntries')
  })

  test('money that comes back of a reversal is left to the operator where no debit has its value', async () => {
    const { statement } = await read({
      transactions: [transactionOf({ id: '9' })],
      deposits: [depositOf({ transactionIds: [CREDIT_ID, '8', '9'] })],
    })
    expect(statement).toMatchObject({ entries: [], accountEntries: [{ id: '9', kind: 'unlisted' }] })
  })

  test('our id of a deposit that paid no code is its payer’s text', async () => {
    const { statement } = await read({
      transactions: [transactionOf()],
      deposits: [depositOf({ tags: [CHARGE_REFERENCE] })],
    })
    expect(statement).toMatchObject({ entries: [{ reference: null }] })
    const paid = await read({
      transactions: [transactionOf()],
      deposits: [depositOf({ tags: [CHARGE_REFERENCE, `dynamic-brcode/${CODE_UUID}`] })],
    })
    expect(paid.statement).toMatchObject({ entries: [{ reference: CHARGE_REFERENCE }] })
  })

  test('days around the period are left out', async () => {
    const { statement } = await read({
      transactions: [
        transactionOf({ id: '1', created: '2026-01-09T23:59:59.999+00:00' }),
        transactionOf({ id: '2', created: '2026-01-10T21:00:00.000-03:00' }),
      ],
      deposits: [depositOf()],
    })
    expect(statement).toEqual({ kind: 'found', entries: [] })
  })

  test('an unreadable transaction is left out and recorded with its period', async () => {
    await using story = await openStarkFixture()
    const page = starkPageOf('transactions', [transactionOf({ amount: '5' })])
    story.scripted.scriptReplies('GET /v2/transaction', okReply(page))
    expect(await story.provider.statement(...range)).toEqual({ kind: 'found', entries: [] })
    expect(story.recorded).toMatchObject([
      { kind: 'unreadable_item', period: { from: range[0], to: range[1] } },
    ])
  })
})
