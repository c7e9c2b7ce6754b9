import { describe, expect, test } from '@jest/globals'
import type { ProviderRecurrenceRequest } from '../../../src/domain/providers/provider-recurrence.ts'
import { findWooviResponseViolations } from '../../support/woovi-contract.ts'
import type { ScriptedReply } from '../support/scripted-provider.ts'
import {
  END_TO_END,
  okReply,
  openWooviFixture,
  pageOf,
  REFERENCE,
  transactionOf,
  wooviErrorReply,
} from '../support/woovi-fixture.ts'
import {
  DEBIT_TXID,
  debit,
  INSTALLMENT_ID,
  installmentOf,
  RAIL_ID,
  SUBSCRIPTION_ID,
  subscriptionOf,
  subscriptionOrder,
  tryOf,
} from '../support/woovi-recurrences.ts'

/** Recurrences at Woovi: subscriptions that are found by our id, and debits that Woovi makes and retries itself. */

const CREATION = 'POST /api/v1/subscriptions'
const LOOK_UP = `GET /api/v1/subscriptions/${REFERENCE}`
const CANCELLATION = `PUT /api/v1/subscriptions/${REFERENCE}/cancel`
const INSTALLMENTS = `GET /api/v1/subscriptions/${encodeURIComponent(SUBSCRIPTION_ID)}/installments`
const notFound = wooviErrorReply('Assinatura não encontrada')
const sent = { ...subscriptionOrder, railId: RAIL_ID, orderedAt: '2026-01-10T12:00:00.000Z' }

test('the scripted answers satisfy the published schemas', () => {
  const answers = [
    { path: '/api/v1/subscriptions/id', body: subscriptionOf() },
    { path: '/api/v1/installments/id', body: { installment: installmentOf() } },
    { path: '/api/v1/installments/id', body: { installment: installmentOf(null) } },
  ]
  for (const answer of answers)
    expect(findWooviResponseViolations({ method: 'GET', status: 200, ...answer })).toEqual([])
})

describe('the creation', () => {
  test('a recurrence is a subscription with our id, whose first installment is due on its first day', async () => {
    await using story = await openWooviFixture()
    story.scripted.scriptReplies(CREATION, okReply(subscriptionOf()))
    expect(await story.provider.createRecurrence!({ ...subscriptionOrder, endsOn: '2026-04-04' })).toEqual({
      kind: 'accepted',
      recurrence: { railId: RAIL_ID, status: 'waiting', payload: '00020101021226180014br.gov.bcb.pix' },
    })
    expect(JSON.parse(story.scripted.calls()[0]!.body)).toEqual({
      type: 'PIX_RECURRING',
      correlationID: REFERENCE,
      value: 5_000,
      name: 'Assinatura do plano mensal de fibra',
      comment: 'Assinatura do plano mensal de',
      customer: {
        name: 'Ana Souza',
        taxID: '52998224725',
        address: {
          street: 'Rua A',
          number: '100',
          city: 'Belo Horizonte',
          state: 'MG',
          zipcode: '30421322',
          country: 'BR',
        },
      },
      frequency: 'MONTHLY',
      dayGenerateCharge: '2026-02-05T15:00:00.000Z',
      dayDue: 7,
      installmentCount: 2,
      pixRecurringOptions: { journey: 'ONLY_RECURRENCY', retryPolicy: 'THREE_RETRIES_7_DAYS' },
    })
  })

  test.each<[Partial<ProviderRecurrenceRequest>, object]>([
    [{ frequency: 'WEEKLY' }, { frequency: 'WEEKLY' }],
    [{ frequency: 'QUARTERLY' }, { frequency: 'QUARTERLY' }],
    [{ frequency: 'SEMIANNUAL' }, { frequency: 'SEMIANNUALLY' }],
    [{ frequency: 'ANNUAL' }, { frequency: 'ANNUALLY' }],
    [{ retryPolicy: 'NOT_ALLOWED' }, { dayDue: 3, pixRecurringOptions: { retryPolicy: 'NON_PERMITED' } }],
  ])('%j is sent as %j', async (changes, expected) => {
    await using story = await openWooviFixture()
    story.scripted.scriptReplies(CREATION, okReply(subscriptionOf()))
    await story.provider.createRecurrence!({ ...subscriptionOrder, ...changes })
    expect(JSON.parse(story.scripted.calls()[0]!.body)).toMatchObject(expected)
  })

  const { valueCents: _, ...ofAnyValue } = subscriptionOrder
  test.each<[string, ProviderRecurrenceRequest]>([
    ['a variable value', ofAnyValue],
    ['no address', { ...subscriptionOrder, debtor: { name: 'Ana Souza', document: '52998224725' } }],
    ['a request for consent', { ...subscriptionOrder, journey: 'REQUEST' }],
    ['a code that also pays', { ...subscriptionOrder, journey: 'QR_WITH_PAYMENT' }],
    ['a start in two days', { ...subscriptionOrder, startsOn: '2026-01-12' }],
  ])('%s is refused without a call', async (_name, order) => {
    await using story = await openWooviFixture()
    expect(await story.provider.createRecurrence!(order)).toMatchObject({
      kind: 'rejected',
      finality: 'other_may_help',
      code: 'provider_validation',
    })
    expect(story.scripted.calls()).toEqual([])
  })

  test.each<[string, ScriptedReply, object]>([
    ['does not find it: it is refused', notFound, { kind: 'rejected', code: 'recurrence_refused' }],
    [
      'finds it: it is accepted',
      okReply(subscriptionOf()),
      { kind: 'accepted', recurrence: { railId: RAIL_ID } },
    ],
    ['has no answer: it is unknown', { status: 503 }, { kind: 'unknown', code: 'http_400' }],
  ])('a refusal in words of no page is looked up, and the look-up %s', async (_name, answer, expected) => {
    await using story = await openWooviFixture()
    story.scripted.scriptReplies(CREATION, wooviErrorReply('customer.address.zipcode inválido'))
    story.scripted.scriptReplies(LOOK_UP, answer)
    expect(await story.provider.createRecurrence!(subscriptionOrder)).toMatchObject(expected)
  })

  test('an answer with another value or without the id of the rail proves nothing', async () => {
    await using story = await openWooviFixture()
    const answers = [subscriptionOf({}, { value: 4_999 }), subscriptionOf({ recurrencyId: null })]
    for (const answer of answers) {
      story.scripted.scriptReplies(CREATION, okReply(answer))
      expect(await story.provider.createRecurrence!(subscriptionOrder)).toMatchObject({ kind: 'unknown' })
    }
  })
})

describe('the look-up', () => {
  test.each<[string, object, string]>([
    ['CREATED', {}, 'waiting'],
    ['APPROVED', {}, 'active'],
    ['APPROVED', { status: 'EXPIRED' }, 'active'],
    ['APPROVED', { status: 'INACTIVE' }, 'cancelled'],
    ['REJECTED', { status: 'INACTIVE' }, 'rejected'],
    ['CANCELED', { status: 'INACTIVE' }, 'cancelled'],
    ['EXPIRED', {}, 'expired'],
  ])('%s with %j is %s', async (status, changes, expected) => {
    await using story = await openWooviFixture()
    story.scripted.scriptReplies(
      LOOK_UP,
      okReply(subscriptionOf({ status }, changes as Record<string, unknown>)),
    )
    expect(await story.provider.findRecurrence!(sent)).toMatchObject({
      kind: 'found',
      recurrence: { railId: RAIL_ID, status: expected },
    })
  })

  test('a lost answer is looked up by our id', async () => {
    await using story = await openWooviFixture()
    story.scripted.scriptReplies(LOOK_UP, notFound, okReply(subscriptionOf()))
    expect(await story.provider.findRecurrence!({ ...sent, railId: null })).toEqual({ kind: 'not_found' })
    expect(await story.provider.findRecurrence!({ ...sent, railId: null })).toMatchObject({ kind: 'found' })
  })
})

describe('the cancellation', () => {
  test.each<[string, ScriptedReply, object, object]>([
    ['it is cancelled', okReply({}), { status: 'CANCELED' }, { kind: 'cancelled' }],
    [
      'an earlier request has cancelled it',
      wooviErrorReply('x'),
      { status: 'CANCELED' },
      { kind: 'cancelled' },
    ],
    ['its payer came first', wooviErrorReply('x'), { status: 'REJECTED' }, { kind: 'refused' }],
    ['it is not carried out yet', okReply({}), {}, { kind: 'no_answer', code: 'cancellation_pending' }],
    ['it is refused in words of no page', wooviErrorReply('x'), {}, { kind: 'no_answer', code: 'http_400' }],
  ])('the look-up says what became of it: %s', async (_name, answer, pixRecurring, expected) => {
    await using story = await openWooviFixture()
    story.scripted.scriptReplies(CANCELLATION, answer)
    story.scripted.scriptReplies(LOOK_UP, okReply(subscriptionOf(pixRecurring as Record<string, unknown>)))
    const outcome = await story.provider.cancelRecurrence!({ railId: RAIL_ID, reference: REFERENCE })
    expect(outcome).toMatchObject(expected)
  })
})

describe('a debit', () => {
  const KIND = { isDue: false, isDebit: true, debit }
  const order = {
    reference: '1'.repeat(32),
    totalCents: 5_000,
    expiresInSeconds: 0,
    collectionKey: null,
    debit,
  }
  const scriptInstallments = (
    { scripted }: Awaited<ReturnType<typeof openWooviFixture>>,
    ...installments: unknown[]
  ) => {
    scripted.scriptReplies(LOOK_UP, okReply(subscriptionOf({ status: 'APPROVED' })))
    scripted.scriptReplies(INSTALLMENTS, okReply(pageOf('installments', installments)))
  }
  const later = installmentOf(null, { dateGenerateCharge: '2026-03-05T12:00:00.000Z', globalID: 'later' })

  test('that Woovi has made is adopted by its due day, and nothing is ordered', async () => {
    await using story = await openWooviFixture()
    scriptInstallments(story, later, installmentOf())
    expect(await story.provider.issueCharge(order)).toMatchObject({
      kind: 'accepted',
      charge: { txid: DEBIT_TXID, ref: INSTALLMENT_ID, totalCents: 5_000, payload: '', expiresAt: null },
    })
    expect(story.scripted.calls().map(({ method }) => method)).toEqual(['GET', 'GET'])
  })

  test.each<[string, unknown[], object]>([
    ['not made yet', [later, installmentOf(null)], { kind: 'unknown', code: 'debit_not_made' }],
    ['without an installment yet', [later], { kind: 'unknown', code: 'debit_not_made' }],
    [
      'cancelled before',
      [installmentOf(null, { status: 'CANCELED' })],
      { kind: 'rejected', finality: 'final' },
    ],
    ['of an unreadable installment', [{ ...installmentOf(), value: '5' }], { kind: 'unknown' }],
  ])('%s is not adopted', async (_name, installments, expected) => {
    await using story = await openWooviFixture()
    scriptInstallments(story, ...installments)
    expect(await story.provider.issueCharge(order)).toMatchObject(expected)
  })

  const failed = tryOf({ tryStatus: 'REJECTED', rejectCode: 'AM02' })
  const retry = tryOf({ finalityPurpose: 'NTAG', requestedExecutionDate: '2026-02-06T12:00:00.000Z' })
  test.each<[string, Record<string, unknown>, object]>([
    [
      'CREATED',
      { tries: [tryOf({ tryStatus: 'REQUESTED' })] },
      { status: 'open', tries: [{ on: '2026-02-05', kind: 'FIRST', status: 'REQUESTED', code: null }] },
    ],
    [
      'FAILED_TRY',
      { tries: [retry, failed] },
      {
        status: 'open',
        tries: [
          { kind: 'FIRST', status: 'REJECTED', code: 'AM02' },
          { on: '2026-02-06', kind: 'RETRY', status: 'SCHEDULED' },
        ],
      },
    ],
    ['REJECTED', { rejectCode: 'AC05', tries: [failed] }, { status: 'failed', endCode: 'AC05' }],
    [
      'CANCELED',
      { tries: [tryOf({ tryStatus: 'CANCELED' })] },
      { status: 'removed', tries: [{ status: 'CANCELLED' }] },
    ],
  ])('%s with %j is %j', async (status, cobr, expected) => {
    await using story = await openWooviFixture()
    scriptInstallments(story, installmentOf({ status, ...cobr }))
    const found = await story.provider.findCharge(order.reference, KIND)
    expect(found).toMatchObject({ kind: 'found', payments: [], ...expected })
  })

  test.each(['CONCLUDED', 'COMPLETED'])('that is %s has the payment that it names', async status => {
    await using story = await openWooviFixture()
    const paid = { status, endToEndId: END_TO_END, tries: [tryOf({ tryStatus: 'PAID' })] }
    scriptInstallments(story, installmentOf(paid))
    const pix = transactionOf({ value: 5_000, charge: { correlationID: 'of Woovi' } })
    story.scripted.scriptReplies(`GET /api/v1/transaction/${END_TO_END}`, okReply({ transaction: pix }))
    expect(await story.provider.findCharge(order.reference, KIND)).toMatchObject({
      status: 'completed',
      payments: [
        { endToEnd: END_TO_END, txid: DEBIT_TXID, reference: null, cents: 5_000, status: 'settled' },
      ],
      tries: [{ status: 'PAID', endToEnd: END_TO_END }],
    })
  })

  test('that is paid has no answer before its payment is listed', async () => {
    await using story = await openWooviFixture()
    scriptInstallments(story, installmentOf({ status: 'CONCLUDED' }))
    const unlisted = { kind: 'no_answer', code: 'payment_not_listed' }
    expect(await story.provider.findCharge(order.reference, KIND)).toMatchObject(unlisted)
    scriptInstallments(story, installmentOf({ status: 'CONCLUDED', endToEndId: END_TO_END }))
    story.scripted.scriptReplies(
      `GET /api/v1/transaction/${END_TO_END}`,
      wooviErrorReply('Transaction not found'),
    )
    expect(await story.provider.findCharge(order.reference, KIND)).toMatchObject(unlisted)
  })

  test('with an unreadable try shows none, because that may be pending', async () => {
    await using story = await openWooviFixture()
    scriptInstallments(story, installmentOf({ tries: [failed, tryOf({ finalityPurpose: 'NEW' })] }))
    const found = await story.provider.findCharge(order.reference, KIND)
    expect(found).toMatchObject({ kind: 'found', status: 'open' })
    expect(found).not.toHaveProperty('tries')
  })

  test('of an unknown status, or not made, is not found by a guess', async () => {
    await using story = await openWooviFixture()
    scriptInstallments(story, installmentOf({ status: 'NEW' }))
    expect(await story.provider.findCharge(order.reference, KIND)).toMatchObject({ kind: 'no_answer' })
    scriptInstallments(story, installmentOf(null))
    expect(await story.provider.findCharge(order.reference, KIND)).toEqual({ kind: 'not_found' })
  })

  test('is not cancelled alone, without a call', async () => {
    await using story = await openWooviFixture()
    expect(await story.provider.cancelCharge(order.reference, KIND)).toMatchObject({ kind: 'refused' })
    expect(story.scripted.calls()).toEqual([])
  })
})
