import { describe, expect, test } from '@jest/globals'
import type { DueTerms } from '../../../src/domain/charges/due-terms.ts'
import { listUnsupportedDueMembers } from '../../../src/domain/charges/due-terms.ts'
import { PROVIDER_CAPABILITIES } from '../../../src/domain/providers/capabilities.ts'
import {
  CHARGE_REFERENCE,
  CREDIT_ID,
  INVOICE_ID,
  INVOICE_PAYLOAD,
  invoiceOf,
  invoicePaymentOf,
  okReply,
  openStarkFixture,
  starkErrorReply,
  starkPageOf,
  transactionOf,
  UNEXPLAINED_REPLIES,
} from '../support/stark-fixture.ts'

const CREATE_ROUTE = 'POST /v2/invoice'
const LIST_ROUTE = 'GET /v2/invoice'
const PAYMENT_ROUTE = `GET /v2/invoice/${INVOICE_ID}/payment`
const CHANGE_ROUTE = `PATCH /v2/invoice/${INVOICE_ID}`

const terms: DueTerms = {
  on: '2026-01-20',
  payableDaysAfter: 30,
  fine: { type: 'PERCENTAGE', basisPoints: 250 },
  interest: { type: 'PERCENTAGE', basisPoints: 130, per: 'MONTH', days: 'CALENDAR' },
  abatement: null,
  discount: {
    kind: 'until',
    steps: [
      { type: 'PERCENTAGE', basisPoints: 1000, on: '2026-01-12' },
      { type: 'PERCENTAGE', basisPoints: 500, on: '2026-01-15' },
    ],
  },
}
const plainTerms: DueTerms = { ...terms, fine: null, interest: null, discount: null }
const debtor = { name: 'Arya Stark', document: '52998224725' }
/** One more text than an invoice has room for. */
const additionalInfo = Array.from({ length: 16 }, (_, index) => ({
  name: `Contrato ${index}`,
  value: '2026/7',
}))
const order = {
  reference: CHARGE_REFERENCE,
  totalCents: 1234,
  expiresInSeconds: 1,
  collectionKey: null,
  debtor,
  due: terms,
}
const dueInvoiceOf = (changes: object = {}) =>
  invoiceOf({
    due: '2026-01-21T02:59:59.999999+00:00',
    expiration: 2_592_000,
    fine: 2.5,
    interest: 1.3,
    discounts: [
      { percentage: 10, due: '2026-01-13T02:59:59.999999+00:00' },
      { percentage: 5, due: '2026-01-16T02:59:59.999999+00:00' },
    ],
    ...changes,
  })
const plainInvoiceOf = (changes: object = {}) =>
  dueInvoiceOf({ fine: 0, interest: 0, discounts: [], ...changes })

type Story = Awaited<ReturnType<typeof openStarkFixture>>

const listInvoices = ({ scripted }: Story, ...invoices: object[]) =>
  scripted.scriptReplies(LIST_ROUTE, okReply(starkPageOf('invoices', invoices)))
const readBodies = ({ scripted }: Story, method: string) =>
  scripted.calls().flatMap(call => (call.method === method ? [JSON.parse(call.body)] : []))

describe('issuing', () => {
  test('a charge with a due date is an invoice with days, and with its fine, interest and discounts in percent', async () => {
    await using story = await openStarkFixture()
    listInvoices(story)
    story.scripted.scriptReplies(CREATE_ROUTE, okReply({ invoices: [dueInvoiceOf()] }))
    expect(listUnsupportedDueMembers(terms, PROVIDER_CAPABILITIES.stark.dueCharges!)).toEqual([])
    expect(await story.provider.issueCharge({ ...order, message: 'Pedido 7', additionalInfo })).toMatchObject(
      {
        kind: 'accepted',
        charge: {
          totalCents: 1234,
          txid: INVOICE_ID,
          payload: INVOICE_PAYLOAD,
          expiresAt: '2026-02-20T02:59:59.999Z',
        },
      },
    )
    expect(readBodies(story, 'POST')).toEqual([
      {
        invoices: [
          {
            amount: 1234,
            name: 'Arya Stark',
            taxId: '52998224725',
            due: '2026-01-20',
            expiration: 2_592_000,
            fine: 2.5,
            interest: 1.3,
            discounts: [
              { percentage: 10, due: '2026-01-12' },
              { percentage: 5, due: '2026-01-15' },
            ],
            tags: [CHARGE_REFERENCE],
            displayDescription: 'Pedido 7',
            descriptions: additionalInfo.slice(0, 15).map(({ name, value }) => ({ key: name, value })),
          },
        ],
      },
    ])
  })

  test('terms without a fine and interest are sent as zero, and the due day as the last one a second long', async () => {
    await using story = await openStarkFixture()
    listInvoices(story)
    const due = { ...plainTerms, payableDaysAfter: 0 }
    story.scripted.scriptReplies(CREATE_ROUTE, okReply({ invoices: [plainInvoiceOf({ expiration: 1 })] }))
    const restriction = { document: debtor.document, match: 'FULL', kind: null } as const
    expect(await story.provider.issueCharge({ ...order, due, restriction })).toMatchObject({
      kind: 'accepted',
    })
    const [body] = readBodies(story, 'POST')
    expect(body.invoices[0]).toMatchObject({
      expiration: 1,
      fine: 0,
      interest: 0,
      rules: [{ key: 'allowedTaxIds', value: [debtor.document] }],
    })
    expect(body.invoices[0]).not.toHaveProperty('discounts')
  })

  const share = { type: 'PERCENTAGE', basisPoints: 100 } as const
  test.each<[string, Partial<DueTerms>]>([
    ['an abatement', { abatement: share }],
    ['a fine in centavos', { fine: { type: 'FIXED', cents: 5 } }],
    ['interest of a day', { interest: { ...share, per: 'DAY', days: 'CALENDAR' } }],
    ['interest of business days', { interest: { ...share, per: 'MONTH', days: 'BUSINESS' } }],
    ['interest in centavos', { interest: { type: 'FIXED', cents: 5, per: 'MONTH', days: 'CALENDAR' } }],
    ['a discount for each day', { discount: { kind: 'per_day', rate: share, days: 'CALENDAR' } }],
    [
      'a discount in centavos',
      { discount: { kind: 'until', steps: [{ type: 'FIXED', cents: 5, on: '2026-01-12' }] } },
    ],
    [
      'a discount that rises',
      {
        discount: {
          kind: 'until',
          steps: [
            { ...share, on: '2026-01-12' },
            { ...share, basisPoints: 200, on: '2026-01-14' },
          ],
        },
      },
    ],
  ])('a charge with %s is not requested', async (_name, changes) => {
    await using story = await openStarkFixture()
    expect(await story.provider.issueCharge({ ...order, due: { ...plainTerms, ...changes } })).toMatchObject({
      kind: 'rejected',
      finality: 'other_may_help',
      code: 'due_unsupported',
    })
    expect(story.scripted.seen).toEqual([])
  })

  test('a charge without a debtor is not requested', async () => {
    await using story = await openStarkFixture()
    const { debtor: _, ...nobodys } = order
    expect(await story.provider.issueCharge(nobodys)).toMatchObject({ code: 'due_unsupported' })
    expect(story.scripted.seen).toEqual([])
  })

  test.each([
    ['another amount', { nominalAmount: 1235, amount: 1234 }],
    ['another tag', { tags: ['ffffffffffffffffffffffffffffffff'] }],
    ['another due day', { due: '2026-01-22T02:59:59.999999+00:00' }],
    ['another end', { expiration: 5_097_600 }],
    ['the default fine', { fine: 2 }],
    ['the default interest', { interest: 1 }],
    ['no discounts', { discounts: [] }],
    [
      'another discount',
      {
        discounts: [
          { percentage: 10, due: '2026-01-12' },
          { percentage: 4, due: '2026-01-15' },
        ],
      },
    ],
    ['another status', { status: 'canceled' }],
  ])('an invoice with %s is no answer to the order', async (_name, changes) => {
    await using story = await openStarkFixture()
    listInvoices(story)
    story.scripted.scriptReplies(CREATE_ROUTE, okReply({ invoices: [dueInvoiceOf(changes)] }))
    expect(await story.provider.issueCharge(order)).toMatchObject({
      kind: 'unknown',
      code: 'unreadable_answer',
    })
  })

  test.each(['2026-01-20', '2026-01-20T23:59:59.000000+00:00', '2026-01-21T02:59:59.999999+00:00'])(
    'the due day is read from %p',
    async due => {
      await using story = await openStarkFixture()
      listInvoices(story)
      story.scripted.scriptReplies(CREATE_ROUTE, okReply({ invoices: [dueInvoiceOf({ due })] }))
      expect(await story.provider.issueCharge(order)).toMatchObject({ kind: 'accepted' })
    },
  )

  test('an invoice whose answer was lost is found by its tag, and none is created again', async () => {
    await using story = await openStarkFixture()
    // Its discount counts on this day, and is in its amount.
    listInvoices(story, dueInvoiceOf({ amount: 1111, nominalAmount: 1234 }))
    expect(await story.provider.issueCharge(order)).toMatchObject({
      kind: 'accepted',
      charge: { txid: INVOICE_ID, totalCents: 1234 },
    })
    expect(await story.provider.issueCharge({ ...order, totalCents: 1235 })).toMatchObject({
      kind: 'rejected',
      code: 'reference_in_use',
    })
    expect(readBodies(story, 'POST')).toEqual([])
  })

  test.each<[string, Parameters<Story['scripted']['scriptReplies']>[1], object]>([
    ['no answer', { status: 503, text: '' }, { kind: 'unknown', code: 'http_503' }],
    [
      'a refusal',
      starkErrorReply('invalidCredentials'),
      { kind: 'rejected', finality: 'other_may_help', code: 'provider_denied' },
    ],
  ])('without a look-up by the tag nothing is created: %s', async (_name, reply, outcome) => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies(LIST_ROUTE, reply)
    expect(await story.provider.issueCharge(order)).toMatchObject(outcome)
    expect(readBodies(story, 'POST')).toEqual([])
  })

  test.concurrent.each(UNEXPLAINED_REPLIES)('%s', async (_name, reply, outcome) => {
    await using story = await openStarkFixture({ reply })
    listInvoices(story)
    story.scripted.scriptReplies(CREATE_ROUTE, reply)
    expect(await story.provider.issueCharge(order)).toMatchObject(outcome)
  })
})

describe('looking up', () => {
  const paidOf = (changes: object) =>
    dueInvoiceOf({ status: 'paid', amount: 1301, transactionIds: [CREDIT_ID], ...changes })
  async function findPaid(invoice: object) {
    await using story = await openStarkFixture()
    const { scripted } = story
    scripted.scriptReplies('GET /v2/dynamic-brcode', okReply(starkPageOf('brcodes', [])))
    listInvoices(story, invoice)
    scripted.scriptReplies('GET /v2/deposit', okReply(starkPageOf('deposits', [])))
    const credit = transactionOf({ source: `invoice/${INVOICE_ID}`, amount: 1301 })
    scripted.scriptReplies('GET /v2/transaction', okReply(starkPageOf('transactions', [credit])))
    scripted.scriptReplies(PAYMENT_ROUTE, okReply({ payment: invoicePaymentOf({ amount: 1301 }) }))
    const found = await story.provider.findCharge(CHARGE_REFERENCE, { isDue: true })
    if (found.kind !== 'found') throw new Error(JSON.stringify(found))
    expect(found).toMatchObject({ status: 'completed', payments: [{ cents: 1301, status: 'settled' }] })
    return found.payments[0]!
  }

  test('a payment has the parts that Stark Bank computed', async () => {
    const { parts } = await findPaid(paidOf({ fineAmount: 31, interestAmount: 36, discountAmount: 0 }))
    expect(parts).toEqual({
      originalCents: 1234,
      fineCents: 31,
      interestCents: 36,
      discountCents: 0,
      abatementCents: 0,
    })
  })

  test.each([
    ['are not those of the payment', { fineAmount: 31, interestAmount: 35 }],
    ['are absent', { fineAmount: null }],
    ['are of an invoice without terms', { nominalAmount: 1301, fine: 0, interest: 0, discounts: [] }],
  ])('parts that %s are left out', async (_name, changes) => {
    expect(await findPaid(paidOf(changes))).not.toHaveProperty('parts')
  })

  test('an invoice that is overdue can be paid', async () => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies('GET /v2/dynamic-brcode', okReply(starkPageOf('brcodes', [])))
    listInvoices(story, dueInvoiceOf({ status: 'overdue', amount: 1300 }))
    expect(await story.provider.findCharge(CHARGE_REFERENCE)).toMatchObject({
      status: 'open',
      charge: { totalCents: 1234 },
    })
  })
})

describe('revising', () => {
  const later: DueTerms = { ...terms, on: '2026-01-25', payableDaysAfter: 10 }
  const revision = { reference: CHARGE_REFERENCE, due: later }
  const moved = { due: '2026-01-26T02:59:59.999999+00:00', expiration: 864_000 }

  test('the due day and the end move; amount and rates are not sent', async () => {
    await using story = await openStarkFixture()
    listInvoices(story, dueInvoiceOf({ status: 'overdue' }))
    story.scripted.scriptReplies(CHANGE_ROUTE, okReply({ invoice: dueInvoiceOf(moved) }))
    expect(PROVIDER_CAPABILITIES.stark.dueCharges?.revisable).toBe('schedule')
    expect(await story.provider.reviseCharge!({ ...revision, totalCents: 1234 })).toMatchObject({
      kind: 'revised',
      charge: { totalCents: 1234, expiresAt: '2026-02-05T02:59:59.999Z' },
    })
    expect(readBodies(story, 'PATCH')).toEqual([{ due: '2026-01-25', expiration: 864_000 }])
  })

  test('a revision whose answer was lost is sent again', async () => {
    await using story = await openStarkFixture()
    listInvoices(story, dueInvoiceOf())
    story.scripted.scriptReplies(CHANGE_ROUTE, { status: 502, text: '' })
    expect(await story.provider.reviseCharge!(revision)).toMatchObject({
      kind: 'no_answer',
      code: 'http_502',
    })
    listInvoices(story, dueInvoiceOf(moved))
    story.scripted.scriptReplies(CHANGE_ROUTE, okReply({ invoice: dueInvoiceOf(moved) }))
    expect(await story.provider.reviseCharge!(revision)).toMatchObject({ kind: 'revised' })
    expect(readBodies(story, 'PATCH')).toHaveLength(2)
  })

  test('each invoice of the charge is moved', async () => {
    await using story = await openStarkFixture()
    const otherId = '5353535353535353'
    listInvoices(story, dueInvoiceOf(), dueInvoiceOf({ id: otherId }))
    story.scripted.scriptReplies(CHANGE_ROUTE, okReply({ invoice: dueInvoiceOf(moved) }))
    story.scripted.scriptReplies(
      `PATCH /v2/invoice/${otherId}`,
      okReply({ invoice: dueInvoiceOf({ ...moved, id: otherId }) }),
    )
    expect(await story.provider.reviseCharge!(revision)).toMatchObject({ kind: 'revised' })
    expect(readBodies(story, 'PATCH')).toHaveLength(2)
  })

  test.each<[string, object]>([
    ['a value, which would be a reversal of an invoice that is paid meanwhile', { totalCents: 1233 }],
    ['a higher value', { totalCents: 1235 }],
    ['a text', { message: 'Pedido 8' }],
    ['a fine', { due: { ...later, fine: null } }],
    ['interest', { due: { ...later, interest: null } }],
    ['a discount', { due: { ...later, discount: null } }],
    ['an abatement', { due: { ...later, abatement: { type: 'FIXED', cents: 1 } } }],
  ])('a revision of %s is refused without a change', async (_name, changes) => {
    await using story = await openStarkFixture()
    listInvoices(story, dueInvoiceOf())
    expect(await story.provider.reviseCharge!({ ...revision, ...changes })).toMatchObject({
      kind: 'refused',
      code: 'revision_unsupported',
    })
    expect(readBodies(story, 'PATCH')).toEqual([])
  })

  test.each(['paid', 'canceled', 'expired'])('an invoice that is %s is not changed', async status => {
    await using story = await openStarkFixture()
    listInvoices(story, dueInvoiceOf({ status, transactionIds: [CREDIT_ID] }))
    expect(await story.provider.reviseCharge!(revision)).toMatchObject({
      kind: 'refused',
      code: 'charge_refused',
    })
    expect(readBodies(story, 'PATCH')).toEqual([])
  })

  test('a revision of a charge that is not there, and one that asks for nothing new', async () => {
    await using story = await openStarkFixture()
    listInvoices(story)
    expect(await story.provider.reviseCharge!(revision)).toEqual({ kind: 'not_found' })
    listInvoices(story, dueInvoiceOf())
    const same = await story.provider.reviseCharge!({ reference: CHARGE_REFERENCE, totalCents: 1234 })
    expect(same.kind).toBe('revised')
    expect(readBodies(story, 'PATCH')).toEqual([])
  })

  test.each([
    ['another due day', { ...moved, due: '2026-01-30T02:59:59.999999+00:00' }],
    ['another end', { ...moved, expiration: 1 }],
    ['another invoice', { ...moved, id: '1' }],
    ['an invoice that is paid', { ...moved, status: 'paid' }],
  ])('%s is no answer', async (_name, changes) => {
    await using story = await openStarkFixture()
    listInvoices(story, dueInvoiceOf())
    story.scripted.scriptReplies(CHANGE_ROUTE, okReply({ invoice: dueInvoiceOf(changes) }))
    expect(await story.provider.reviseCharge!(revision)).toMatchObject({ kind: 'no_answer' })
  })
})
