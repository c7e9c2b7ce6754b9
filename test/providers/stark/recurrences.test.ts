import { describe, expect, test } from '@jest/globals'
import type { ProviderRecurrenceRequest } from '../../../src/domain/providers/provider-recurrence.ts'
import type { ScriptedReply } from '../support/scripted-provider.ts'
import {
  CHARGE_REFERENCE,
  CREDIT_ID,
  debitInvoiceOf,
  END_TO_END_ID,
  INVOICE_ID,
  invoicePaymentOf,
  okReply,
  openStarkFixture,
  PULL_REQUEST_ID,
  pullRequestOf,
  SUBSCRIPTION_ID,
  starkErrorReply,
  starkPageOf,
  subscriptionOf,
  transactionOf,
} from '../support/stark-fixture.ts'

const SUBSCRIPTIONS = '/v2/invoice-pull-subscription'
const REQUESTS = '/v2/invoice-pull-request'
const IS_DEBIT = { isDue: false, isDebit: true }
const debtor = { name: 'Arya Stark', document: '52998224725' }
const order: ProviderRecurrenceRequest = {
  reference: CHARGE_REFERENCE,
  subject: 'Internet',
  debtor,
  frequency: 'MONTHLY',
  startsOn: '2026-01-20',
  valueCents: 5000,
  retryPolicy: 'THREE_IN_SEVEN_DAYS',
  journey: 'QR',
  collectionKey: null,
}
const payerAccount = { ispb: '91193552', agency: '2569', account: '550689' }
const expiresAt = '2026-01-12T12:00:00.000Z'
const sent = {
  reference: CHARGE_REFERENCE,
  debtor,
  railId: SUBSCRIPTION_ID,
  orderedAt: '2026-01-10T12:00:00.000Z',
}
const debitOrder = {
  reference: CHARGE_REFERENCE,
  totalCents: 5000,
  expiresInSeconds: 0,
  collectionKey: null,
  message: 'Internet',
  debtor,
  debit: { railId: SUBSCRIPTION_ID, recurrenceReference: CHARGE_REFERENCE, dueOn: '2026-01-20' },
}

type Story = Awaited<ReturnType<typeof openStarkFixture>>
const listOf = (...subscriptions: unknown[]) => okReply(starkPageOf('subscriptions', subscriptions))
const requestsOf = (...requests: unknown[]) => okReply(starkPageOf('requests', requests))
const invoicesOf = (...invoices: unknown[]) => okReply(starkPageOf('invoices', invoices))
const madeOf = (changes?: object) => okReply({ message: '', subscriptions: [subscriptionOf({ ...changes })] })
const shownOf = (changes?: object) => okReply({ subscription: subscriptionOf({ ...changes }) })
const bodiesOf = ({ scripted }: Story, method: string, path: string) =>
  scripted
    .calls()
    .filter(call => call.method === method && call.path === path)
    .map(({ body }) => JSON.parse(body))

describe('a recurrence', () => {
  test('of a code is created under our id, and shows its code', async () => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies(`POST ${SUBSCRIPTIONS}`, madeOf())
    expect(await story.provider.createRecurrence!(order)).toEqual({
      kind: 'accepted',
      recurrence: { railId: SUBSCRIPTION_ID, status: 'waiting', payload: subscriptionOf().brcode },
    })
    expect(bodiesOf(story, 'POST', SUBSCRIPTIONS)).toEqual([
      {
        subscriptions: [
          {
            type: 'qrcode',
            interval: 'month',
            start: '2026-01-20',
            pullMode: 'manual',
            pullRetryLimit: 3,
            amount: 5000,
            displayDescription: 'Internet',
            externalId: CHARGE_REFERENCE,
            referenceCode: CHARGE_REFERENCE,
            name: 'Arya Stark',
            taxId: '52998224725',
            tags: [CHARGE_REFERENCE],
          },
        ],
      },
    ])
  })

  test('of a request sends it to the account of the payer, and requests no more', async () => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies(`POST ${SUBSCRIPTIONS}`, madeOf({ type: 'push', brcode: '' }))
    const push = { ...order, journey: 'REQUEST', consentRequest: { payerAccount, expiresAt } } as const
    expect(await story.provider.createRecurrence!(push)).toMatchObject({
      kind: 'accepted',
      recurrence: { payload: null },
    })
    expect(bodiesOf(story, 'POST', SUBSCRIPTIONS)).toMatchObject([
      {
        subscriptions: [
          {
            type: 'push',
            due: expiresAt,
            data: {
              accountNumber: '550689',
              bankCode: '91193552',
              branchCode: '2569',
              taxId: '52998224725',
            },
          },
        ],
      },
    ])
    const request = { railId: SUBSCRIPTION_ID, debtorDocument: debtor.document, payerAccount, expiresAt }
    story.scripted.scriptReplies(
      `GET ${SUBSCRIPTIONS}/${SUBSCRIPTION_ID}`,
      shownOf(),
      starkErrorReply('internalServerError', 500),
    )
    expect(await story.provider.requestConsent!(request)).toEqual({ kind: 'requested' })
    expect(await story.provider.requestConsent!(request)).toMatchObject({ kind: 'unknown' })
    expect(bodiesOf(story, 'POST', SUBSCRIPTIONS)).toHaveLength(1)
    const { agency: _, ...withoutBranch } = payerAccount
    const unsent = { ...push, consentRequest: { payerAccount: withoutBranch, expiresAt } }
    expect(await story.provider.createRecurrence!(unsent)).toMatchObject({ kind: 'rejected' })
  })

  test.each([
    ['WEEKLY', 'week'],
    ['QUARTERLY', 'quarter'],
    ['SEMIANNUAL', 'semester'],
    ['ANNUAL', 'year'],
  ] as const)('of a value that varies, %s, without retries', async (frequency, interval) => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies(`POST ${SUBSCRIPTIONS}`, madeOf({ interval, amount: 0 }))
    const { valueCents: _, ...variable } = { ...order, frequency, retryPolicy: 'NOT_ALLOWED' as const }
    const least = { ...variable, minimumCents: 1000, endsOn: '2027-01-19' }
    for (const one of [variable, least])
      expect(await story.provider.createRecurrence!(one)).toMatchObject({ kind: 'accepted' })
    expect(bodiesOf(story, 'POST', SUBSCRIPTIONS)).toMatchObject([
      { subscriptions: [{ interval, amountMinLimit: 1, pullRetryLimit: 0 }] },
      { subscriptions: [{ interval, amountMinLimit: 1000, end: '2027-01-19' }] },
    ])
  })

  test.each([
    ['another id', { externalId: 'other' }],
    ['another tag', { tags: [] }],
    ['another value', { amount: 5001 }],
    ['another interval', { interval: 'week' }],
    ['an unlisted status', { status: 'paused' }],
  ])('of %s in the answer is unknown, and recorded', async (_, changes) => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies(`POST ${SUBSCRIPTIONS}`, madeOf(changes))
    expect(await story.provider.createRecurrence!(order)).toMatchObject({ kind: 'unknown' })
    expect(story.recorded).toHaveLength(1)
  })

  test.each(['hang', 'reset', starkErrorReply('duplicatedExternalId')] as ScriptedReply[])(
    'whose answer is %j is unknown, and found by our tag',
    async reply => {
      await using story = await openStarkFixture({ reply })
      story.scripted.scriptReplies(`POST ${SUBSCRIPTIONS}`, reply)
      expect(await story.provider.createRecurrence!(order)).toMatchObject({ kind: 'unknown' })
      story.scripted.scriptReplies(
        `GET ${SUBSCRIPTIONS}`,
        listOf(subscriptionOf({ id: '1', tags: ['other'] }), subscriptionOf()),
        listOf(),
        listOf({ id: '1' }),
      )
      const find = () => story.provider.findRecurrence!({ ...sent, railId: null })
      expect(await find()).toMatchObject({ kind: 'found', recurrence: { railId: SUBSCRIPTION_ID } })
      expect(await find()).toEqual({ kind: 'not_found' })
      expect(await find()).toMatchObject({ kind: 'no_answer' })
    },
  )

  test.each([
    ['created', 'waiting'],
    ['pending', 'waiting'],
    ['approved', 'waiting'],
    ['active', 'active'],
    ['denied', 'rejected'],
    ['failed', 'rejected'],
    ['expired', 'expired'],
    ['canceled', 'cancelled'],
  ])('that is %s is %s', async (status, expected) => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies(`GET ${SUBSCRIPTIONS}/${SUBSCRIPTION_ID}`, shownOf({ status }))
    expect(await story.provider.findRecurrence!(sent)).toMatchObject({
      recurrence: { railId: SUBSCRIPTION_ID, status: expected },
    })
  })

  test.each([
    ['active', { kind: 'cancelled' }, 1],
    ['canceled', { kind: 'cancelled' }, 0],
    ['denied', { kind: 'refused' }, 0],
    ['expired', { kind: 'refused' }, 0],
    ['created', { kind: 'no_answer', code: 'cancellation_pending' }, 0],
  ])('that is %s is cancelled as far as Stark Bank can', async (status, expected, calls) => {
    await using story = await openStarkFixture()
    const path = `${SUBSCRIPTIONS}/${SUBSCRIPTION_ID}`
    story.scripted.scriptReplies(`GET ${path}`, shownOf({ status }))
    story.scripted.scriptReplies(`DELETE ${path}`, shownOf({ status: 'canceled' }))
    expect(await story.provider.cancelRecurrence!({ ...sent, railId: SUBSCRIPTION_ID })).toMatchObject(
      expected,
    )
    expect(story.scripted.calls().filter(({ method }) => method === 'DELETE')).toHaveLength(calls)
  })
})

describe('a debit', () => {
  const issue = ({ provider }: Story, changes: object = {}) =>
    provider.issueCharge({ ...debitOrder, ...changes })
  const find = ({ provider }: Story) => provider.findCharge(CHARGE_REFERENCE, IS_DEBIT)
  const script = (
    { scripted }: Story,
    { requests = [], invoices = [] }: { requests?: unknown[]; invoices?: unknown[] },
  ) => {
    scripted.scriptReplies(`GET ${REQUESTS}`, requestsOf(...requests))
    scripted.scriptReplies('GET /v2/invoice', invoicesOf(...invoices))
  }
  const scriptPaid = (story: Story, request: object) => {
    script(story, {
      requests: [request],
      invoices: [debitInvoiceOf({ status: 'paid', transactionIds: [CREDIT_ID] })],
    })
    story.scripted.scriptReplies(
      `GET /v2/invoice/${INVOICE_ID}/payment`,
      okReply({ payment: invoicePaymentOf({ amount: 5000 }) }),
    )
    story.scripted.scriptReplies(
      'GET /v2/transaction',
      okReply(starkPageOf('transactions', [transactionOf({ amount: 5000 })])),
    )
    story.scripted.scriptReplies('GET /v2/deposit', okReply(starkPageOf('deposits', [])))
  }
  const accepted = {
    kind: 'accepted',
    charge: { totalCents: 5000, txid: INVOICE_ID, payload: '', expiresAt: null },
  }

  test('is an invoice without rates, and a request to pull it on its day', async () => {
    await using story = await openStarkFixture()
    script(story, {})
    story.scripted.scriptReplies('POST /v2/invoice', invoicesOf(debitInvoiceOf()))
    story.scripted.scriptReplies(`POST ${REQUESTS}`, requestsOf(pullRequestOf({ status: 'created' })))
    expect(await issue(story)).toMatchObject(accepted)
    expect(bodiesOf(story, 'POST', '/v2/invoice')).toEqual([
      {
        invoices: [
          {
            amount: 5000,
            name: 'Arya Stark',
            taxId: '52998224725',
            due: '2026-01-20',
            expiration: 7 * 86_400,
            fine: 0,
            interest: 0,
            tags: [CHARGE_REFERENCE],
            displayDescription: 'Internet',
          },
        ],
      },
    ])
    expect(bodiesOf(story, 'POST', REQUESTS)).toEqual([
      {
        requests: [
          {
            subscriptionId: SUBSCRIPTION_ID,
            invoiceId: INVOICE_ID,
            due: '2026-01-20T15:00:00.000Z',
            attemptType: 'default',
            externalId: `${CHARGE_REFERENCE}-2026-01-20`,
            tags: [CHARGE_REFERENCE],
          },
        ],
      },
    ])
  })

  test('of a day on which banks do not settle is pulled on the next one', async () => {
    await using story = await openStarkFixture()
    const due = '2026-01-20T02:59:59.999000+00:00'
    script(story, { invoices: [debitInvoiceOf({ due })] })
    const monday = pullRequestOf({ due: '2026-01-19T15:00:00+00:00' })
    story.scripted.scriptReplies(`POST ${REQUESTS}`, requestsOf(monday))
    const debit = { ...debitOrder.debit, dueOn: '2026-01-17' }
    expect(await issue(story, { debit })).toMatchObject(accepted)
  })

  test('whose invoice is there is pulled without another one', async () => {
    await using story = await openStarkFixture()
    script(story, { invoices: [debitInvoiceOf()] })
    story.scripted.scriptReplies(`POST ${REQUESTS}`, 'reset', requestsOf(pullRequestOf()))
    expect(await find(story)).toEqual({ kind: 'not_found' })
    expect(await issue(story)).toMatchObject({ kind: 'unknown' })
    expect(await issue(story)).toMatchObject(accepted)
    expect(bodiesOf(story, 'POST', '/v2/invoice')).toEqual([])
  })

  test('that was requested is not requested again, and another one under our id is a refusal', async () => {
    await using story = await openStarkFixture()
    script(story, { requests: [pullRequestOf()], invoices: [debitInvoiceOf()] })
    expect(await issue(story)).toMatchObject(accepted)
    expect(await issue(story, { totalCents: 5001 })).toMatchObject({ code: 'reference_in_use' })
    expect(await issue(story, { debit: { ...debitOrder.debit, railId: '7' } })).toMatchObject({
      code: 'reference_in_use',
    })
    script(story, { requests: [{ id: '1' }], invoices: [debitInvoiceOf()] })
    expect(await issue(story)).toMatchObject({ kind: 'unknown' })
    script(story, { requests: [pullRequestOf()] })
    expect(await issue(story)).toMatchObject({ kind: 'unknown' })
    expect(story.scripted.calls().every(({ method }) => method === 'GET')).toBe(true)
  })

  test('without an answer to its look-up is not made', async () => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies(
      `GET ${REQUESTS}`,
      starkErrorReply('internalServerError', 500),
      starkErrorReply('invalidCredentials'),
    )
    expect(await issue(story)).toMatchObject({ kind: 'unknown' })
    expect(await issue(story)).toMatchObject({ kind: 'rejected', code: 'provider_denied' })
  })

  test.each([
    ['another invoice', { invoiceId: '7' }],
    ['another recurrence', { subscriptionId: '7' }],
    ['another day', { due: '2026-01-21T15:00:00+00:00' }],
    ['another kind', { attemptType: 'retry' }],
    ['an unlisted status', { status: 'paused' }],
  ])('that is answered with %s is unknown', async (_, changes) => {
    await using story = await openStarkFixture()
    script(story, { invoices: [debitInvoiceOf()] })
    story.scripted.scriptReplies(`POST ${REQUESTS}`, requestsOf(pullRequestOf(changes)))
    expect(await issue(story)).toMatchObject({ kind: 'unknown' })
  })

  const retry = pullRequestOf({
    id: '9',
    attemptType: 'retry',
    due: '2026-01-22T15:00:00+00:00',
    externalId: `${CHARGE_REFERENCE}-2026-01-22`,
  })
  const failed = pullRequestOf({ status: 'failed' })
  const FIRST = { on: '2026-01-20', kind: 'FIRST', code: null, endToEnd: null }
  const RETRY = { ...FIRST, on: '2026-01-22', kind: 'RETRY' }

  test.each([
    ['created', 'open', 'REQUESTED', 3],
    ['pending', 'open', 'REQUESTED', 0],
    ['processing', 'open', 'REQUESTED', 0],
    ['scheduled', 'open', 'SCHEDULED', 0],
    ['success', 'open', 'PAID', 0],
    ['failed', 'open', 'REJECTED', 3],
    ['failed', 'failed', 'REJECTED', 0],
    ['denied', 'failed', 'REJECTED', 0],
    ['expired', 'failed', 'EXPIRED', 0],
    ['canceled', 'removed', 'CANCELLED', 3],
  ])('whose try is %s is %s', async (tried, status, shown, pullRetryLimit) => {
    await using story = await openStarkFixture()
    script(story, { requests: [pullRequestOf({ status: tried })], invoices: [debitInvoiceOf()] })
    story.scripted.scriptReplies(`GET ${SUBSCRIPTIONS}/${SUBSCRIPTION_ID}`, shownOf({ pullRetryLimit }))
    expect(await find(story)).toMatchObject({
      kind: 'found',
      status,
      payments: [],
      tries: [{ ...FIRST, status: shown }],
    })
  })

  test.each([
    ['expired', [failed], 'expired'],
    ['expired', [failed, retry], 'open'],
    ['canceled', [failed], 'removed'],
    ['canceled', [], 'removed'],
    ['overdue', [failed, retry], 'open'],
  ])('whose invoice is %s has not ended while a try is pending', async (status, requests, expected) => {
    await using story = await openStarkFixture()
    script(story, { requests, invoices: [debitInvoiceOf({ status })] })
    expect(await find(story)).toMatchObject({ status: expected })
  })

  test('that was tried as often as its recurrence allows has failed', async () => {
    await using story = await openStarkFixture()
    const retries = ['21', '22', '23'].map(day =>
      pullRequestOf({ ...retry, id: day, status: 'failed', due: `2026-01-${day}T15:00:00+00:00` }),
    )
    script(story, { requests: [...retries, failed], invoices: [debitInvoiceOf()] })
    story.scripted.scriptReplies(
      `GET ${SUBSCRIPTIONS}/${SUBSCRIPTION_ID}`,
      shownOf(),
      starkErrorReply('internalServerError', 500),
    )
    expect(await find(story)).toMatchObject({ status: 'failed', tries: [{}, {}, {}, { on: '2026-01-23' }] })
    expect(await find(story)).toMatchObject({ kind: 'no_answer' })
  })

  test('that is paid has the payment of its invoice, whatever a try looks like', async () => {
    await using story = await openStarkFixture()
    scriptPaid(story, pullRequestOf({ status: 'success' }))
    expect(await find(story)).toMatchObject({
      status: 'completed',
      charge: { payload: '', expiresAt: null },
      payments: [{ reference: CHARGE_REFERENCE, cents: 5000, status: 'settled' }],
      tries: [{ ...FIRST, status: 'PAID', endToEnd: END_TO_END_ID }],
    })
    scriptPaid(story, { id: '1' })
    const found = await find(story)
    expect(found).toMatchObject({ status: 'completed', payments: [{ cents: 5000 }] })
    expect(found).not.toHaveProperty('tries')
  })

  test('with an unreadable try has not ended, and one whose invoice is not listed yet has no answer', async () => {
    await using story = await openStarkFixture()
    script(story, { requests: [failed, { id: '1' }], invoices: [debitInvoiceOf({ status: 'expired' })] })
    expect(await find(story)).toMatchObject({ status: 'open' })
    script(story, { requests: [failed] })
    expect(await find(story)).toMatchObject({ kind: 'no_answer' })
    script(story, {})
    expect(await find(story)).toEqual({ kind: 'not_found' })
  })

  test('is cancelled with what was requested, and only then its invoice', async () => {
    await using story = await openStarkFixture()
    const cancel = () => story.provider.cancelCharge(CHARGE_REFERENCE, IS_DEBIT)
    script(story, { requests: [pullRequestOf()], invoices: [debitInvoiceOf()] })
    story.scripted.scriptReplies(
      `DELETE ${REQUESTS}/${PULL_REQUEST_ID}`,
      starkErrorReply('invalidRequest'),
      okReply({ request: pullRequestOf({ status: 'canceled' }) }),
    )
    story.scripted.scriptReplies(
      `PATCH /v2/invoice/${INVOICE_ID}`,
      okReply({ invoice: debitInvoiceOf({ status: 'canceled' }) }),
    )
    expect(await cancel()).toMatchObject({ kind: 'no_answer' })
    expect(bodiesOf(story, 'PATCH', `/v2/invoice/${INVOICE_ID}`)).toEqual([])
    expect(await cancel()).toEqual({ kind: 'cancelled' })
    script(story, { requests: [pullRequestOf({ status: 'success' })], invoices: [debitInvoiceOf()] })
    expect(await cancel()).toMatchObject({ kind: 'refused' })
    script(story, { requests: [{ id: '1' }], invoices: [debitInvoiceOf()] })
    expect(await cancel()).toMatchObject({ kind: 'no_answer' })
    script(story, { requests: [pullRequestOf({ status: 'canceled' })] })
    expect(await cancel()).toMatchObject({ kind: 'no_answer' })
    script(story, {})
    expect(await cancel()).toEqual({ kind: 'not_found' })
  })

  test('is tried again on a day, once', async () => {
    await using story = await openStarkFixture()
    const revise = (retryOn = '2026-01-22') =>
      story.provider.reviseCharge!({ reference: CHARGE_REFERENCE, retryOn })
    script(story, { requests: [failed], invoices: [debitInvoiceOf({ status: 'overdue' })] })
    story.scripted.scriptReplies(`POST ${REQUESTS}`, 'reset', requestsOf(retry))
    expect(await revise()).toMatchObject({ kind: 'no_answer' })
    expect(await revise()).toMatchObject({ kind: 'revised', charge: { txid: INVOICE_ID, payload: '' } })
    expect(bodiesOf(story, 'POST', REQUESTS)[1]).toEqual({
      requests: [
        {
          subscriptionId: SUBSCRIPTION_ID,
          invoiceId: INVOICE_ID,
          due: '2026-01-22T15:00:00.000Z',
          attemptType: 'retry',
          externalId: `${CHARGE_REFERENCE}-2026-01-22`,
          tags: [CHARGE_REFERENCE],
        },
      ],
    })
    script(story, { requests: [failed, retry], invoices: [debitInvoiceOf()] })
    expect(await revise()).toMatchObject({ kind: 'revised' })
    expect(await revise('2026-01-23')).toMatchObject({ kind: 'refused', code: 'charge_refused' })
    expect(bodiesOf(story, 'POST', REQUESTS)).toHaveLength(2)
    const shown = await find(story)
    expect(shown).toMatchObject({
      tries: [
        { ...FIRST, status: 'REJECTED' },
        { ...RETRY, status: 'REQUESTED' },
      ],
    })
  })

  test.each([
    ['has ended', { requests: [failed], invoices: [debitInvoiceOf({ status: 'canceled' })] }, 'refused'],
    ['was never requested', { invoices: [debitInvoiceOf()] }, 'not_found'],
    ['is unknown', {}, 'not_found'],
    ['has an unreadable try', { requests: [{ id: '1' }], invoices: [debitInvoiceOf()] }, 'no_answer'],
  ])('that %s is not tried again', async (_, lists, kind) => {
    await using story = await openStarkFixture()
    script(story, lists)
    expect(
      await story.provider.reviseCharge!({ reference: CHARGE_REFERENCE, retryOn: '2026-01-22' }),
    ).toMatchObject({ kind })
  })
})
