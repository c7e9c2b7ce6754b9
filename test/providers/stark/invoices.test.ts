import { describe, expect, test } from '@jest/globals'
import {
  CHARGE_REFERENCE,
  CREDIT_ID,
  depositOf,
  END_TO_END_ID,
  INVOICE_ID,
  INVOICE_PAYLOAD,
  INVOICE_UUID,
  invoiceOf,
  invoicePaymentOf,
  NOW,
  okReply,
  openStarkFixture,
  starkErrorReply,
  starkPageOf,
  transactionOf,
  UNEXPLAINED_REPLIES,
} from '../support/stark-fixture.ts'

const CREATE_ROUTE = 'POST /v2/invoice'
const INVOICE_ROUTE = `GET /v2/invoice/${INVOICE_ID}`
const PAYMENT_ROUTE = `GET /v2/invoice/${INVOICE_ID}/payment`
const CHANGE_ROUTE = `PATCH /v2/invoice/${INVOICE_ID}`
const NAME = `invoice/${INVOICE_ID}/${END_TO_END_ID}`
const REVERSAL_ID = '6262626262626262'
const debtor = { name: 'Arya Stark', document: '52998224725', email: 'arya@starkbank.com' }
/** One more text than an invoice has room for. */
const additionalInfo = Array.from({ length: 16 }, (_, index) => ({
  name: `Contrato ${index}`,
  value: '2026/7',
}))
const order = {
  reference: CHARGE_REFERENCE,
  totalCents: 1234,
  expiresInSeconds: 3600,
  collectionKey: null,
  debtor,
}
const paidInvoice = invoiceOf({ status: 'paid', transactionIds: [CREDIT_ID] })
const credit = transactionOf({ source: `invoice/${INVOICE_ID}` })

type Story = Awaited<ReturnType<typeof openStarkFixture>>

function scriptInvoices(
  { scripted }: Story,
  { invoices = [invoiceOf()], deposits = [], transactions = [credit] }: Record<string, unknown[]> = {},
) {
  scripted.scriptReplies('GET /v2/dynamic-brcode', okReply(starkPageOf('brcodes', [])))
  scripted.scriptReplies('GET /v2/invoice', okReply(starkPageOf('invoices', invoices)))
  scripted.scriptReplies('GET /v2/deposit', okReply(starkPageOf('deposits', deposits)))
  scripted.scriptReplies('GET /v2/transaction', okReply(starkPageOf('transactions', transactions)))
  scripted.scriptReplies(PAYMENT_ROUTE, okReply({ payment: invoicePaymentOf() }))
}

describe('issuing', () => {
  test('a charge with a debtor is an invoice with our tag, without fine and interest', async () => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies(CREATE_ROUTE, okReply({ invoices: [invoiceOf()] }))
    expect(await story.provider.issueCharge({ ...order, message: 'Pedido 7', additionalInfo })).toEqual({
      kind: 'accepted',
      charge: {
        totalCents: 1234,
        txid: INVOICE_ID,
        payload: INVOICE_PAYLOAD,
        expiresAt: '2026-01-10T12:59:00.000Z',
        pixKey: '',
        receiver: expect.objectContaining({ name: '', document: '' }),
      },
    })
    expect(JSON.parse(story.scripted.calls()[0]!.body)).toEqual({
      invoices: [
        {
          amount: 1234,
          name: 'Arya Stark',
          taxId: '52998224725',
          due: new Date(NOW + 3_599_000).toISOString(),
          expiration: 1,
          fine: 0,
          interest: 0,
          tags: [CHARGE_REFERENCE],
          displayDescription: 'Pedido 7',
          descriptions: additionalInfo.slice(0, 15).map(({ name, value }) => ({ key: name, value })),
        },
      ],
    })
  })

  test('an invoice restricts its payer only by a rule, which it has where one document alone may pay', async () => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies(CREATE_ROUTE, okReply({ invoices: [invoiceOf()] }))
    const restriction = { document: debtor.document, match: 'FULL', kind: null } as const
    for (const one of [restriction, { ...restriction, match: 'ROOT' } as const, undefined])
      await story.provider.issueCharge({ ...order, ...(one && { restriction: one }) })
    const rules = story.scripted.calls().map(({ body }) => JSON.parse(body).invoices[0].rules)
    expect(rules).toEqual([[{ key: 'allowedTaxIds', value: [debtor.document] }], undefined, undefined])
  })

  test('an open amount is the amount 0', async () => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies(
      CREATE_ROUTE,
      okReply({ invoices: [invoiceOf({ amount: 0, nominalAmount: 0 })] }),
    )
    expect(await story.provider.issueCharge({ ...order, totalCents: 0 })).toMatchObject({
      kind: 'accepted',
      charge: { totalCents: 0 },
    })
  })

  test.each([
    ['another amount', { amount: 1235 }],
    ['another tag', { tags: ['ffffffffffffffffffffffffffffffff'] }],
    ['no payload', { brcode: '' }],
    ['no due time', { due: null }],
    ['no expiration', { expiration: null }],
    ['another status', { status: 'canceled' }],
    ['a status that no text lists', { status: 'voided' }],
  ])('an invoice with %s is no answer to the order', async (_name, changes) => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies(CREATE_ROUTE, okReply({ invoices: [invoiceOf(changes)] }))
    expect(await story.provider.issueCharge(order)).toMatchObject({
      kind: 'unknown',
      code: 'unreadable_answer',
    })
    expect(story.recorded).toHaveLength(1)
  })

  test.each(['invalidTaxId', 'invalidAmount'])(
    'the published code %s is a refusal of an invoice',
    async code => {
      await using story = await openStarkFixture()
      story.scripted.scriptReplies(CREATE_ROUTE, starkErrorReply(code))
      expect(await story.provider.issueCharge(order)).toMatchObject({
        kind: 'rejected',
        finality: 'other_may_help',
        code: 'provider_validation',
      })
      const { debtor: _, ...brcodeOrder } = order
      story.scripted.scriptReplies('POST /v2/dynamic-brcode', starkErrorReply(code))
      expect(await story.provider.issueCharge(brcodeOrder)).toMatchObject({ kind: 'unknown' })
    },
  )

  test.each(UNEXPLAINED_REPLIES)('%s', async (_name, reply, outcome) => {
    await using story = await openStarkFixture({ reply })
    story.scripted.scriptReplies(CREATE_ROUTE, reply)
    expect(await story.provider.issueCharge(order)).toMatchObject(outcome)
  })
})

describe('looking a charge up', () => {
  test.each([
    ['created', 'open'],
    ['overdue', 'open'],
    ['canceled', 'removed'],
    ['expired', 'expired'],
  ])('an invoice that is %s is %s', async (status, found) => {
    await using story = await openStarkFixture()
    scriptInvoices(story, { invoices: [invoiceOf({ status })] })
    expect(await story.provider.findCharge(CHARGE_REFERENCE)).toMatchObject({
      kind: 'found',
      status: found,
      charge: { totalCents: 1234, payload: INVOICE_PAYLOAD },
      payments: [],
    })
    const paths = story.scripted.calls().map(({ path }) => path)
    expect(paths).toEqual([
      `/v2/dynamic-brcode?tags=${CHARGE_REFERENCE}&limit=100`,
      `/v2/invoice?tags=${CHARGE_REFERENCE}&limit=100`,
    ])
  })

  test('a paid invoice has its payment, with the end-to-end id and the whole value, whatever was reversed since', async () => {
    await using story = await openStarkFixture()
    const invoice = { ...paidInvoice, amount: 1000, transactionIds: [CREDIT_ID, REVERSAL_ID] }
    scriptInvoices(story, { invoices: [invoice] })
    const found = await story.provider.findCharge(CHARGE_REFERENCE)
    expect(found).toMatchObject({
      kind: 'found',
      status: 'completed',
      payments: [
        {
          endToEnd: NAME,
          txid: INVOICE_ID,
          reference: CHARGE_REFERENCE,
          cents: 1234,
          status: 'settled',
          at: '2026-01-10T11:59:31.000Z',
          payer: { name: 'Arya Stark', document: '52998224725', bank: { ispb: '20018183' } },
        },
      ],
    })
    // The amount is what is left.
    expect(found).not.toHaveProperty('charge.totalCents')
  })

  test('a payment without a transaction is in process', async () => {
    await using story = await openStarkFixture()
    scriptInvoices(story, { invoices: [invoiceOf({ status: 'paid' })] })
    expect(await story.provider.findCharge(CHARGE_REFERENCE)).toMatchObject({
      status: 'completed',
      payments: [{ endToEnd: NAME, status: 'in_process', cents: 1234 }],
    })
  })

  test('payments of each of two invoices of the charge are found, and the oldest is shown', async () => {
    await using story = await openStarkFixture()
    const second = { ...paidInvoice, id: '77', created: '2026-01-10T11:59:59+00:00', transactionIds: ['78'] }
    const transactions = [credit, transactionOf({ id: '78', source: 'invoice/77' })]
    scriptInvoices(story, { invoices: [{ ...second, brcode: 'younger' }, paidInvoice], transactions })
    const otherId = END_TO_END_ID.replace('abc', 'xyz')
    const payment = invoicePaymentOf({ endToEndId: otherId })
    story.scripted.scriptReplies('GET /v2/invoice/77/payment', okReply({ payment }))
    expect(await story.provider.findCharge(CHARGE_REFERENCE)).toMatchObject({
      charge: { payload: INVOICE_PAYLOAD },
      payments: [{ endToEnd: NAME }, { endToEnd: `invoice/77/${otherId}` }],
    })
  })

  test('a charge is open while one of two invoices can be paid', async () => {
    await using story = await openStarkFixture()
    scriptInvoices(story, { invoices: [invoiceOf({ status: 'canceled' }), invoiceOf({ id: '77' })] })
    expect(await story.provider.findCharge(CHARGE_REFERENCE)).toMatchObject({ status: 'open' })
  })

  test('a deposit with our tag that has paid a code is a payment of the paid charge, as its notification says', async () => {
    await using story = await openStarkFixture()
    const tagsOf = (uuid: string) => [`dynamic-brcode/${uuid}`, CHARGE_REFERENCE]
    const deposits = [
      depositOf({ id: '9', tags: tagsOf(INVOICE_UUID), transactionIds: ['91'] }),
      depositOf({ id: '8', tags: tagsOf('ffffffffffffffffffffffffffffffff'), transactionIds: ['81'] }),
      depositOf({ id: '6', tags: [CHARGE_REFERENCE], transactionIds: ['61'] }),
    ]
    const transactions = [
      credit,
      transactionOf({ id: '91', source: 'deposit/9', amount: 300 }),
      transactionOf({ id: '81', source: 'deposit/8', amount: 200 }),
      transactionOf({ id: '61', source: 'deposit/6', amount: 100 }),
    ]
    scriptInvoices(story, { invoices: [paidInvoice], deposits, transactions })
    const found = await story.provider.findCharge(CHARGE_REFERENCE)
    expect(found).toMatchObject({
      payments: [
        { endToEnd: NAME },
        { endToEnd: 'deposit/9', cents: 300 },
        { endToEnd: 'deposit/8', cents: 200 },
      ],
    })
  })

  test.each([
    ['the transaction of a payment is not listed', { transactions: [] }, 'payment_not_listed'],
    ['an invoice is unreadable', { invoices: [paidInvoice, invoiceOf({ due: 1 })] }, 'unreadable_answer'],
    ['a deposit is unreadable', { deposits: [depositOf({ amount: '12' })] }, 'payment_not_listed'],
  ])('no answer where %s', async (_name, lists, code) => {
    await using story = await openStarkFixture()
    scriptInvoices(story, { invoices: [paidInvoice], ...lists })
    expect(await story.provider.findCharge(CHARGE_REFERENCE)).toMatchObject({ kind: 'no_answer', code })
  })

  test.each([
    ['without an end-to-end id', { endToEndId: null }, 'payment_unidentified'],
    ['with an end-to-end id of another form', { endToEndId: 'E1' }, 'payment_unidentified'],
    ['of nothing', { amount: 0 }, 'unreadable_answer'],
  ])('no answer of a payment %s', async (_name, changes, code) => {
    await using story = await openStarkFixture()
    scriptInvoices(story, { invoices: [paidInvoice] })
    story.scripted.scriptReplies(PAYMENT_ROUTE, okReply({ payment: invoicePaymentOf(changes) }))
    expect(await story.provider.findCharge(CHARGE_REFERENCE)).toMatchObject({ kind: 'no_answer', code })
  })

  test('an invoice of which only the tag of another order is known is not found', async () => {
    await using story = await openStarkFixture()
    scriptInvoices(story, { invoices: [invoiceOf({ tags: ['x'] })] })
    expect(await story.provider.findCharge(CHARGE_REFERENCE)).toEqual({ kind: 'not_found' })
  })
})

describe('cancelling', () => {
  test('each invoice that can be paid is cancelled, and no other', async () => {
    await using story = await openStarkFixture()
    const invoices = [
      invoiceOf(),
      invoiceOf({ id: '77', status: 'expired' }),
      invoiceOf({ id: '78', status: 'canceled' }),
    ]
    scriptInvoices(story, { invoices })
    story.scripted.scriptReplies(CHANGE_ROUTE, okReply({ invoice: invoiceOf({ status: 'canceled' }) }))
    expect(await story.provider.cancelCharge(CHARGE_REFERENCE)).toEqual({ kind: 'cancelled' })
    const changes = story.scripted.calls().filter(({ method }) => method === 'PATCH')
    expect(changes.map(({ path, body }) => [path, body])).toEqual([
      [`/v2/invoice/${INVOICE_ID}`, '{"status":"canceled"}'],
    ])
  })

  test('a paid invoice is not cancelled', async () => {
    await using story = await openStarkFixture()
    scriptInvoices(story, { invoices: [invoiceOf(), { ...paidInvoice, id: '77' }] })
    expect(await story.provider.cancelCharge(CHARGE_REFERENCE)).toMatchObject({ kind: 'refused' })
    expect(story.scripted.calls().every(({ method }) => method === 'GET')).toBe(true)
  })

  test.each([
    ['that is paid meanwhile', okReply({ invoice: paidInvoice })],
    ['with another id', okReply({ invoice: invoiceOf({ id: '1', status: 'canceled' }) })],
    ['in an error', starkErrorReply('invalidOperation')],
  ])('an answer about an invoice %s proves no cancellation', async (_name, reply) => {
    await using story = await openStarkFixture()
    scriptInvoices(story)
    story.scripted.scriptReplies(CHANGE_ROUTE, reply)
    expect(await story.provider.cancelCharge(CHARGE_REFERENCE)).toMatchObject({ kind: 'no_answer' })
  })
})

describe('the payment', () => {
  test.each([NAME, `invoice/${INVOICE_ID}`])('is found by the name %s', async name => {
    await using story = await openStarkFixture()
    scriptInvoices(story)
    story.scripted.scriptReplies(INVOICE_ROUTE, okReply({ invoice: paidInvoice }))
    expect(await story.provider.findPayment(name)).toMatchObject({
      kind: 'found',
      payment: { endToEnd: NAME, cents: 1234, status: 'settled', reference: CHARGE_REFERENCE },
    })
  })

  test('of an invoice that is absent by the published code is not found', async () => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies(INVOICE_ROUTE, starkErrorReply('invalidInvoice'))
    expect(await story.provider.findPayment(NAME)).toEqual({ kind: 'not_found' })
  })

  test('has no answer where that code is about the payment, and while the invoice is not shown as paid', async () => {
    await using story = await openStarkFixture()
    scriptInvoices(story)
    story.scripted.scriptReplies(
      INVOICE_ROUTE,
      okReply({ invoice: paidInvoice }),
      okReply({ invoice: invoiceOf() }),
    )
    story.scripted.scriptReplies(PAYMENT_ROUTE, starkErrorReply('invalidInvoice'))
    expect(await story.provider.findPayment(NAME)).toMatchObject({ kind: 'no_answer', code: 'http_400' })
    expect(await story.provider.findPayment(NAME)).toMatchObject({
      kind: 'no_answer',
      code: 'payment_not_listed',
    })
  })
})

describe('a refund', () => {
  const refund = { id: 'refund1', endToEnd: NAME, cents: 234 }
  const handle = { ref: `invoice/${INVOICE_ID}/1234/1000/1` }
  const reversed = { ...paidInvoice, amount: 1000, transactionIds: [CREDIT_ID, REVERSAL_ID] }

  test('is prepared by what is left of the paid invoice', async () => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies(INVOICE_ROUTE, okReply({ invoice: paidInvoice }))
    expect(await story.provider.prepareRefund!(refund)).toMatchObject({ kind: 'prepared', handle })
    expect(await story.provider.prepareRefund!({ ...refund, cents: 1235 })).toMatchObject({
      kind: 'rejected',
      code: 'refund_above_remainder',
    })
  })

  test('of an invoice that is not shown as paid is not prepared: its amount is what it asks for', async () => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies(INVOICE_ROUTE, okReply({ invoice: invoiceOf() }))
    expect(await story.provider.prepareRefund!(refund)).toMatchObject({ kind: 'no_answer' })
  })

  test('decreases the amount, and has no text for the payer', async () => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies(CHANGE_ROUTE, okReply({ invoice: reversed }))
    expect(await story.provider.refund({ ...refund, description: 'Troca' }, handle)).toEqual({
      kind: 'accepted',
      payout: { status: 'in_process', cents: 234, endToEnd: '', at: null },
    })
    expect(story.scripted.calls()[0]!.body).toBe('{"amount":1000}')
  })

  test.each([
    ['that is not paid', invoiceOf({ amount: 1000 })],
    ['of another amount', { ...reversed, amount: 1001 }],
    ['with another id', { ...reversed, id: '1' }],
  ])('an answer about an invoice %s proves nothing', async (_name, invoice) => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies(CHANGE_ROUTE, okReply({ invoice }))
    expect(await story.provider.refund(refund, handle)).toMatchObject({ kind: 'unknown' })
  })

  test.each(UNEXPLAINED_REPLIES)('%s', async (_name, reply, outcome) => {
    await using story = await openStarkFixture({ reply })
    story.scripted.scriptReplies(CHANGE_ROUTE, reply)
    expect(await story.provider.refund(refund, handle)).toMatchObject(outcome)
  })

  test('is settled by the log of its reversal and the transaction', async () => {
    await using story = await openStarkFixture()
    const log = {
      id: '1',
      type: 'reversed',
      errors: [],
      created: '2026-01-10T12:01:00+00:00',
      invoice: reversed,
    }
    story.scripted.scriptReplies(INVOICE_ROUTE, okReply({ invoice: reversed }))
    story.scripted.scriptReplies('GET /v2/invoice/log', okReply(starkPageOf('logs', [log])))
    const reversal = transactionOf({ id: REVERSAL_ID, amount: -234 })
    story.scripted.scriptReplies('GET /v2/transaction', okReply(starkPageOf('transactions', [reversal])))
    expect(await story.provider.findRefund({ ...refund, handle })).toMatchObject({
      kind: 'found',
      payout: { status: 'settled', cents: 234, endToEnd: `transaction/${REVERSAL_ID}` },
    })
    expect(story.scripted.calls()[1]!.path).toBe(
      `/v2/invoice/log?invoiceIds=${INVOICE_ID}&types=reversed&limit=100`,
    )
  })

  test('has failed where its debit was charged back, and was never made where the invoice is unchanged', async () => {
    await using story = await openStarkFixture()
    const failed = { ...paidInvoice, transactionIds: [CREDIT_ID, REVERSAL_ID, '9'] }
    story.scripted.scriptReplies(
      INVOICE_ROUTE,
      okReply({ invoice: failed }),
      okReply({ invoice: paidInvoice }),
    )
    const transactions = [
      transactionOf({ id: REVERSAL_ID, amount: -234 }),
      transactionOf({ id: '9', amount: 234 }),
    ]
    story.scripted.scriptReplies('GET /v2/transaction', okReply(starkPageOf('transactions', transactions)))
    expect(await story.provider.findRefund({ ...refund, handle })).toMatchObject({
      payout: { status: 'rejected' },
    })
    expect(await story.provider.findRefund({ ...refund, handle })).toEqual({ kind: 'not_found' })
  })
})
