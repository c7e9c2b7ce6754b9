import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { addDays, findBusinessDay } from '../../../src/domain/charges/business-days.ts'
import type { DueTerms } from '../../../src/domain/charges/due-terms.ts'
import type {
  ProviderRecurrence,
  ProviderRecurrenceRequest,
} from '../../../src/domain/providers/provider-recurrence.ts'
import { openSimulatedProvider, pollUntil, type SimulatedProvider } from '../support/simulated.ts'

const IS_DEBIT = { isDue: false, isDebit: true }
const DEBTOR = { name: 'Ana Souza', document: '52998224725' }
const PAYER_ACCOUNT = { ispb: '91193552', agency: '2569', account: '550689' }

describe.each(['efi', 'inter'] as const)('%s', dialect => {
  let shop: SimulatedProvider
  beforeAll(async () => {
    // Efí's own types lack the code of a try, which the Central Bank's have.
    shop = await openSimulatedProvider(dialect, { unpublished_fields: dialect === 'efi' })
  })
  beforeEach(() => shop.control.clearFaults())
  afterAll(() => shop.close())

  type Operation =
    | 'issueRecurrence'
    | 'requestConsent'
    | 'cancelRecurrence'
    | 'issueAutomaticCharge'
    | 'cancelAutomaticCharge'
    | 'retryAutomaticCharge'
  const loseAnswer = (operation: Operation) =>
    shop.control.addFault({ provider: 'PROVIDER_A', operation, fault: 'done_then_unlisted_refusal' })
  const inDays = async (days: number) => addDays((await shop.control.findDay()).today, days)
  const orderOf = async (
    changes: Partial<ProviderRecurrenceRequest> = {},
  ): Promise<ProviderRecurrenceRequest> => ({
    reference: shop.id(),
    subject: 'Internet',
    debtor: DEBTOR,
    frequency: 'MONTHLY',
    startsOn: await inDays(1),
    valueCents: 5_000,
    retryPolicy: 'THREE_IN_SEVEN_DAYS',
    journey: 'REQUEST',
    collectionKey: null,
    ...changes,
  })
  const create = async (order: ProviderRecurrenceRequest): Promise<ProviderRecurrence> => {
    const outcome = await shop.provider.createRecurrence!(order)
    if (outcome.kind !== 'accepted') throw new Error(JSON.stringify(outcome))
    return outcome.recurrence
  }
  const find = async (order: ProviderRecurrenceRequest, railId: string | null) => {
    const { reference, debtor, firstChargeReference } = order
    const orderedAt = new Date().toISOString()
    const first = firstChargeReference && { firstChargeReference }
    const outcome = await shop.provider.findRecurrence!({ reference, debtor, railId, orderedAt, ...first })
    if (outcome.kind !== 'found') throw new Error(JSON.stringify(outcome))
    return outcome.recurrence
  }
  const requestConsent = (railId: string, days = 2) =>
    shop.provider.requestConsent!({
      railId,
      debtorDocument: DEBTOR.document,
      payerAccount: PAYER_ACCOUNT,
      expiresAt: new Date(Date.now() + days * 86_400_000).toISOString(),
    })
  const createActive = async (changes: Partial<ProviderRecurrenceRequest> = {}) => {
    const { railId } = await create(await orderOf(changes))
    await shop.control.decideRecurrence(railId, { decision: 'accept' })
    return railId
  }
  const debitOf = async (railId: string, days: number) => ({
    reference: shop.id(),
    totalCents: 5_000,
    expiresInSeconds: 3600,
    collectionKey: null,
    debit: { railId, recurrenceReference: shop.id(), dueOn: await inDays(days) },
  })
  const issueDebit = async (railId: string, days = 3) => {
    const order = await debitOf(railId, days)
    const outcome = await shop.provider.issueCharge(order)
    if (outcome.kind !== 'accepted') throw new Error(JSON.stringify(outcome))
    await pollUntil(
      () => findDebit(order.reference),
      ({ tries }) => tries?.[0]?.status === 'SCHEDULED',
    )
    return { ...order, debitDay: findBusinessDay(order.debit.dueOn) }
  }
  const findDebit = async (reference: string) => {
    const outcome = await shop.provider.findCharge(reference, IS_DEBIT)
    if (outcome.kind !== 'found') throw new Error(JSON.stringify(outcome))
    return outcome
  }
  const advanceTo = async (day: string) => {
    while ((await shop.control.findDay()).today < day) await shop.control.advanceDay()
  }

  test('the answer to its creation is lost: it is found by its contract, and made once', async () => {
    await loseAnswer('issueRecurrence')
    const order = await orderOf()
    expect(await shop.provider.createRecurrence!(order)).toMatchObject({ kind: 'unknown' })
    const { railId } = await find(order, null)
    expect(await find(order, railId)).toEqual({ railId, status: 'waiting', payload: null })
    const all = await shop.control.listRecurrences()
    expect(all.filter(({ contract }) => contract === order.reference)).toHaveLength(1)
    const missing = { ...(await orderOf()), railId: null, orderedAt: new Date().toISOString() }
    expect(await shop.provider.findRecurrence!(missing)).toEqual({ kind: 'not_found' })
  })

  test('REQUEST: the payer consents in a request, which is sent once', async () => {
    const order = await orderOf()
    const { railId, status, payload } = await create(order)
    expect([status, payload]).toEqual(['waiting', null])
    await loseAnswer('requestConsent')
    expect(await requestConsent(railId)).toMatchObject({ kind: 'unknown' })
    expect(await requestConsent(railId)).toEqual({ kind: 'requested' })
    await pollUntil(
      () => find(order, railId),
      found => found.status === 'received',
    )
    await shop.control.decideRecurrence(railId, { decision: 'accept' })
    expect(await find(order, railId)).toMatchObject({ status: 'active' })
    const { kind } = await shop.waitForNotification(item => item.reference === railId)
    expect(kind).toBe('recurrence')
  })

  test('QR: the payer consents by a code', async () => {
    const order = await orderOf({ journey: 'QR' })
    const { railId, payload } = await create(order)
    expect(payload).toMatch(/^000201/)
    expect(await find(order, railId)).toMatchObject({ payload })
    await shop.control.decideRecurrence(railId, { decision: 'reject' })
    expect(await find(order, railId)).toMatchObject({ status: 'rejected', code: 'AP13' })
  })

  test('QR_WITH_PAYMENT: the code also pays the first charge', async () => {
    const first = await shop.issueCharge(1_234)
    const order = await orderOf({ journey: 'QR_WITH_PAYMENT', firstChargeReference: first.reference })
    const { railId, payload } = await create(order)
    await shop.control.pay({ payload: payload! })
    expect(await find(order, railId)).toMatchObject({ railId, status: 'active' })
    expect(await shop.provider.findCharge(first.reference)).toMatchObject({
      status: 'completed',
      payments: [{ cents: 1_234 }],
    })
  })

  test('PAYMENT_THEN_OFFER: the code pays a charge with a due date first', async () => {
    const due: DueTerms = {
      on: findBusinessDay(await inDays(5)),
      payableDaysAfter: 30,
      fine: null,
      interest: null,
      abatement: null,
      discount: null,
    }
    const charge = { ...shop.order(2_345), debtor: DEBTOR, due }
    expect(await shop.provider.issueCharge(charge)).toMatchObject({ kind: 'accepted' })
    const order = await orderOf({
      journey: 'PAYMENT_THEN_OFFER',
      firstChargeReference: charge.reference,
      startsOn: await inDays(20),
    })
    const { railId, payload } = await create(order)
    await shop.control.pay({ payload: payload!, on: await inDays(1) })
    expect(await find(order, railId)).toMatchObject({ status: 'active' })
    expect(await shop.provider.findCharge(charge.reference, { isDue: true })).toMatchObject({
      status: 'completed',
    })
  })

  test('what breaks a rule of the Central Bank is refused', async () => {
    const order = await orderOf({ startsOn: '2020-01-01' })
    expect(await shop.provider.createRecurrence!(order)).toMatchObject({
      kind: 'rejected',
      code: 'recurrence_refused',
    })
    const { railId } = await create(await orderOf())
    expect(await requestConsent(railId, -2)).toMatchObject({
      kind: 'unknown',
      refusal: { code: 'consent_request_refused' },
    })
  })

  test('it is cancelled by us, whatever becomes of the answer, and not once it has ended', async () => {
    const order = await orderOf()
    const { railId } = await create(order)
    const cancel = () => shop.provider.cancelRecurrence!({ ...order, railId })
    await loseAnswer('cancelRecurrence')
    expect(await cancel()).toMatchObject({ kind: 'no_answer' })
    expect(await cancel()).toEqual({ kind: 'cancelled' })
    expect(await find(order, railId)).toMatchObject({
      status: 'cancelled',
      code: 'SLCR',
      cancelledBy: 'receiver',
    })
    const rejected = { ...order, ...(await create(await orderOf())) }
    await shop.control.decideRecurrence(rejected.railId, { decision: 'reject' })
    expect(await shop.provider.cancelRecurrence!(rejected)).toMatchObject({ kind: 'refused' })
  })

  test('its payer cancels it: its debit is removed with it', async () => {
    const order = await orderOf()
    const { railId } = await create(order)
    await shop.control.decideRecurrence(railId, { decision: 'accept' })
    const { reference } = await issueDebit(railId)
    await shop.control.cancelRecurrence(railId)
    expect(await find(order, railId)).toMatchObject({
      status: 'cancelled',
      code: 'SLDB',
      cancelledBy: 'payer',
    })
    expect(await findDebit(reference)).toMatchObject({
      status: 'removed',
      endCode: 'CCLD',
      tries: [{ status: 'CANCELLED' }],
    })
  })

  test('a debit is made once, whatever becomes of the answer, and one in a cycle', async () => {
    const railId = await createActive()
    const order = await debitOf(railId, 3)
    await loseAnswer('issueAutomaticCharge')
    expect(await shop.provider.issueCharge(order)).toMatchObject({ kind: 'unknown' })
    expect(await shop.provider.issueCharge(order)).toMatchObject({
      kind: 'accepted',
      charge: { txid: order.reference, payload: '', expiresAt: null },
    })
    const { charges } = await shop.control.findRecurrence(railId)
    expect(charges).toHaveLength(1)
    const second = await debitOf(railId, 4)
    expect(await shop.provider.issueCharge(second)).toMatchObject({
      kind: 'unknown',
      refusal: { code: 'charge_refused' },
    })
    expect(await shop.provider.findCharge(second.reference, IS_DEBIT)).toEqual({ kind: 'not_found' })
    expect(await shop.provider.findCharge(order.reference)).toEqual({ kind: 'not_found' })
  })

  test('a debit is cancelled before its day', async () => {
    const { reference } = await issueDebit(await createActive())
    const cancel = () => shop.provider.cancelCharge(reference, IS_DEBIT)
    await loseAnswer('cancelAutomaticCharge')
    expect(await cancel()).toMatchObject({ kind: 'no_answer' })
    expect(await cancel()).toEqual({ kind: 'cancelled' })
    expect(await findDebit(reference)).toMatchObject({ status: 'removed', endCode: 'SLCR' })
  })

  // The tests below advance the days of the simulator.

  test('a debit fails on its day, is retried once and paid, as any charge', async () => {
    const railId = await createActive()
    const { reference, debitDay } = await issueDebit(railId)
    await shop.control.setRecurrenceFunds(railId, { value: 10 })
    await advanceTo(debitDay)
    expect(await findDebit(reference)).toMatchObject({
      status: 'open',
      payments: [],
      tries: [{ on: debitDay, kind: 'FIRST', status: 'EXPIRED' }],
    })
    expect(await shop.provider.cancelCharge(reference, IS_DEBIT)).toMatchObject({ kind: 'refused' })
    const on = await inDays(2)
    const retry = (retryOn = on) => shop.provider.reviseCharge!({ reference, retryOn })
    await loseAnswer('retryAutomaticCharge')
    expect(await retry()).toMatchObject({ kind: 'no_answer' })
    expect(await retry()).toMatchObject({ kind: 'revised' })
    expect(await retry(await inDays(3))).toMatchObject({ kind: 'refused', code: 'charge_refused' })
    const [, ...retries] = (await findDebit(reference)).tries!
    expect(retries).toMatchObject([{ on, kind: 'RETRY' }])
    await shop.control.setRecurrenceFunds(railId, { value: null })
    await advanceTo(on)
    const { status, payments, tries } = await findDebit(reference)
    expect([status, tries!.at(-1)!.status]).toEqual(['completed', 'PAID'])
    const { endToEnd } = tries!.at(-1)!
    expect(payments).toMatchObject([
      { endToEnd, txid: reference, reference, cents: 5_000, status: 'settled' },
    ])
    expect(await shop.provider.findPayment(endToEnd!)).toMatchObject({
      kind: 'found',
      payment: { reference, cents: 5_000 },
    })
    await shop.waitForNotification(
      item => item.kind === 'payment' && item.reference === reference && item.endToEnd === endToEnd,
    )
  })

  test('a debit is refused by a code, is tried again on its day, and fails by another one', async () => {
    const railId = await createActive()
    const { reference, debitDay } = await issueDebit(railId)
    await shop.control.refuseRecurrenceTries(railId, { code: 'AB10' })
    await shop.control.refuseRecurrenceTries(railId, { code: 'AC05' })
    await advanceTo(debitDay)
    expect(await findDebit(reference)).toMatchObject({
      status: 'failed',
      endCode: 'AC05',
      tries: [
        { on: debitDay, kind: 'FIRST', status: 'REJECTED', code: 'AB10' },
        { on: debitDay, kind: 'SAME_DAY', status: 'REJECTED', code: 'AC05' },
      ],
    })
    await shop.waitForNotification(item => item.kind === 'payment' && item.reference === reference)
  })

  test('a debit without retries expires after its day, and the recurrence after its last one', async () => {
    const order = await orderOf({ retryPolicy: 'NOT_ALLOWED', endsOn: await inDays(5) })
    const { railId } = await create(order)
    await shop.control.decideRecurrence(railId, { decision: 'accept' })
    const { reference, debitDay } = await issueDebit(railId)
    await shop.control.setRecurrenceFunds(railId, { value: 10 })
    await advanceTo(addDays(debitDay, 1))
    expect(await findDebit(reference)).toMatchObject({ status: 'expired', tries: [{ status: 'EXPIRED' }] })
    await advanceTo(addDays(order.endsOn!, 1))
    expect(await find(order, railId)).toMatchObject({ status: 'expired' })
  })
})

describe('inter without the scopes of recurrences', () => {
  test('refuses those, and operates everything else', async () => {
    const shop = await openSimulatedProvider('inter', { withheld_scopes: ['cobr.write'] })
    try {
      const url = `${shop.stage.facts.inbox_url}/provider-notifications`
      expect(await shop.provider.registerNotificationUrl(url, 'loja@trilho.test')).toMatchObject({
        kind: 'registered',
        warning: expect.stringContaining('Pix Automático'),
      })
      expect(await shop.provider.findCharge(shop.id(), IS_DEBIT)).toMatchObject({
        kind: 'no_answer',
        code: 'provider_denied',
        isUnprocessed: true,
      })
      const charge = await shop.issueCharge(1234)
      expect(await shop.provider.findCharge(charge.reference)).toMatchObject({ status: 'open' })
    } finally {
      await shop.close()
    }
  })
})
