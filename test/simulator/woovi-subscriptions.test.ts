import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { shiftDay } from '../../packages/simulator/business-days.ts'
import { openSimulatorFixture, pollUntil, SHOP, type SimulatorFixture } from './support/simulator-fixture.ts'
import {
  createWooviClient,
  readWooviNotifications,
  type WooviClient,
  wooviViolations,
} from './support/woovi-client.ts'

/** Woovi's subscriptions of Pix Automático, their calendar and their notifications. The tests advance the days of one simulator. */

let simulator: SimulatorFixture
let woovi: WooviClient
beforeAll(async () => {
  simulator = await openSimulatorFixture()
  await simulator.control.putAccount('shop', { ...SHOP, dialect: 'woovi', keys: [...SHOP.keys] })
  woovi = createWooviClient(simulator.facts.providers.PROVIDER_A.base_url, { ca: simulator.ca, ...SHOP })
  for (const event of EVENTS) await woovi.createWebhook(event, `${simulator.facts.inbox_url}/subscriptions`)
})
afterAll(async () => {
  await woovi.close()
  await simulator.close()
  expect(wooviViolations).toEqual([])
})

const EVENTS = [
  'PIX_AUTOMATIC_APPROVED',
  'PIX_AUTOMATIC_REJECTED',
  ...['CREATED', 'APPROVED', 'REJECTED', 'COMPLETED', 'TRY_REJECTED', 'TRY_REQUESTED'].map(
    name => `PIX_AUTOMATIC_COBR_${name}`,
  ),
]
const CUSTOMER = {
  name: 'Ana Souza',
  taxID: '52998224725',
  email: 'ana@example.com',
  phone: '5531999999999',
  address: {
    zipcode: '30421322',
    street: 'Rua A',
    number: '100',
    neighborhood: 'Centro',
    city: 'Belo Horizonte',
    state: 'MG',
    complement: 'Sala 2',
  },
}
const inDays = async (days: number) => shiftDay((await simulator.control.findDay()).today, days)
let made = 0
const bodyOf = async (changes: object = {}) => {
  made += 1
  return {
    name: 'Pix Automático',
    value: 5_000,
    customer: CUSTOMER,
    correlationID: `subscription-${made}`,
    comment: 'Mensalidade',
    frequency: 'MONTHLY',
    type: 'PIX_RECURRING',
    pixRecurringOptions: { journey: 'ONLY_RECURRENCY', retryPolicy: 'THREE_RETRIES_7_DAYS' },
    dayGenerateCharge: `${await inDays(6)}T00:00:00.000Z`,
    dayDue: 7,
    ...changes,
  }
}
async function subscribe(changes: object = {}) {
  const { status, body } = await woovi.post('/subscriptions', await bodyOf(changes))
  expect(status).toBe(200)
  const { globalID, correlationID, pixRecurring } = body.subscription
  const read = async () => (await woovi.get(`/subscriptions/${correlationID}`)).body.subscription
  const listInstallments = async () =>
    (
      await woovi.get(`/subscriptions/${encodeURIComponent(globalID)}/installments`)
    ).body.installments.toReversed()
  return { globalID, correlationID, railId: pixRecurring.recurrencyId, pixRecurring, read, listInstallments }
}
async function authorize(changes: object = {}) {
  const subscription = await subscribe(changes)
  await simulator.control.decideRecurrence(subscription.railId, { decision: 'accept' })
  return subscription
}
const advance = async (days: number, until: 'MORNING' | 'EVENING' = 'EVENING') => {
  await simulator.control.advanceDay({ days, until })
}
/** Lists the events of a subscription. */
async function listEvents({ correlationID }: { correlationID: string }): Promise<string[]> {
  const notifications = await readWooviNotifications(simulator.control, 'subscriptions')
  return notifications
    .map(({ notification }) => notification)
    .filter(notification => notification.correlationID === correlationID)
    .map(({ event }) => event.replace('PIX_AUTOMATIC_', ''))
}

describe('a subscription', () => {
  test('is found by both ids, listed, and asks its payer by a code', async () => {
    const { globalID, correlationID, pixRecurring, read } = await subscribe()
    expect(Buffer.from(globalID, 'base64').toString()).toMatch(/^PaymentSubscription:[0-9a-f]{24}$/)
    expect(pixRecurring).toMatchObject({ journey: 'ONLY_RECURRENCY', status: 'CREATED' })
    expect(pixRecurring.recurrencyId).toMatch(/^RR\w{27}$/)
    const subscription = await read()
    const byGlobalId = await woovi.get(`/subscriptions/${encodeURIComponent(globalID)}`)
    expect(byGlobalId.body.subscription).toEqual(subscription)
    const list = await woovi.get('/subscriptions')
    expect(list.body.subscriptions[0]).toEqual(subscription)
    expect(subscription).toMatchObject({
      correlationID,
      pixRecurring: { emv: expect.stringMatching(/^000201/) },
    })
  })

  test.each<[string, object]>([
    ['a start in the past', { dayGenerateCharge: '2026-01-01T00:00:00.000Z' }],
    ['a customer without an address', { customer: { name: 'Ana Souza', taxID: '52998224725' } }],
    ['a long comment', { comment: 'x'.repeat(30) }],
    ['a charge every two months', { frequency: 'BIMONTHLY' }],
    ['two days to expire', { dayDue: 2 }],
  ])('with %s is refused', async (_name, changes) => {
    expect((await woovi.post('/subscriptions', await bodyOf(changes))).status).toBe(400)
  })

  test('with an id in use is refused, and an unknown one is not found', async () => {
    const { correlationID } = await subscribe()
    expect((await woovi.post('/subscriptions', await bodyOf({ correlationID }))).status).toBe(400)
    expect((await woovi.get('/subscriptions/unknown')).status).toBe(400)
    expect((await woovi.get('/subscriptions/unknown/installments')).status).toBe(400)
    expect((await woovi.get('/installments/unknown')).status).toBe(400)
  })

  test('is cancelled by its receiver, or by its payer, before and after the authorisation', async () => {
    const cancelled = await authorize()
    const cancel = () => woovi.call('PUT', `/subscriptions/${cancelled.correlationID}/cancel`)
    expect((await cancel()).body.subscription).toMatchObject({
      status: 'INACTIVE',
      pixRecurring: { status: 'CANCELED' },
    })
    expect((await cancel()).status).toBe(400)
    const withdrawn = await authorize()
    await simulator.control.cancelRecurrence(withdrawn.railId)
    const rejected = await subscribe()
    await simulator.control.decideRecurrence(rejected.railId, { decision: 'reject' })
    for (const subscription of [withdrawn, rejected]) {
      const { status, pixRecurring } = await subscription.read()
      expect([status, pixRecurring.status]).toEqual(['INACTIVE', 'REJECTED'])
    }
    await pollUntil(
      async () => [await listEvents(withdrawn), await listEvents(rejected)],
      ([one, other]) => one!.includes('REJECTED') && other!.includes('REJECTED'),
    )
    expect(await listEvents(cancelled)).toEqual(['APPROVED'])
  })

  test('has one installment for each cycle, at most as many as it was ordered for', async () => {
    const { listInstallments } = await subscribe({ frequency: 'WEEKLY', installmentCount: 2 })
    const first = await inDays(6)
    expect(await listInstallments()).toMatchObject([
      { installmentNumber: 1, dateGenerateCharge: `${first}T12:00:00.000Z`, status: 'SCHEDULED', cobr: null },
      { installmentNumber: 2, dateGenerateCharge: `${shiftDay(first, 7)}T12:00:00.000Z`, value: 5_000 },
    ])
  })
})

describe('the debits', () => {
  test('one is made four days ahead, once its payer has authorised it, and is paid on its day', async () => {
    const waiting = await subscribe()
    const subscription = await authorize()
    await advance(1)
    expect((await subscription.listInstallments())[0].cobr).toBeNull()
    await advance(1)
    expect((await waiting.listInstallments())[0].cobr).toBeNull()
    await advance(1)
    const [scheduled] = await subscription.listInstallments()
    expect(scheduled).toMatchObject({
      status: 'ACTIVE',
      cobr: { status: 'ACTIVE', tries: [{ tryStatus: 'SCHEDULED', finalityPurpose: 'AGND' }] },
    })
    await advance(3)
    const [paid, next] = await subscription.listInstallments()
    const { endToEndId } = paid.cobr
    expect(paid).toMatchObject({
      status: 'COMPLETED',
      cobr: { status: 'CONCLUDED', tries: [{ tryStatus: 'PAID' }] },
    })
    expect(next).toMatchObject({ installmentNumber: 2, status: 'SCHEDULED' })
    const byPayment = await woovi.get(`/installments/${endToEndId}`)
    expect(byPayment.body.installment).toEqual(paid)
    const { transaction } = (await woovi.get(`/transaction/${endToEndId}`)).body
    expect(transaction).toMatchObject({ value: 5_000, charge: null })
    const events = await pollUntil(
      () => listEvents(subscription),
      seen => seen.includes('COBR_COMPLETED'),
    )
    expect(events.toSorted()).toEqual(['APPROVED', 'COBR_APPROVED', 'COBR_COMPLETED', 'COBR_CREATED'])
  })

  test('one that fails is tried again a day later, in the middle and on the last day, and is then rejected', async () => {
    const subscription = await authorize()
    const due = await inDays(6)
    await simulator.control.setRecurrenceFunds(subscription.railId, { value: 1 })
    await advance(6)
    const [failed] = await subscription.listInstallments()
    expect(failed.cobr).toMatchObject({
      status: 'ACTIVE',
      tries: [{ tryStatus: 'REJECTED', rejectCode: 'EXPR' }, { finalityPurpose: 'NTAG' }],
    })
    await advance(7)
    const [rejected] = await subscription.listInstallments()
    expect(rejected).toMatchObject({ status: 'CANCELED', cobr: { status: 'REJECTED', rejectCode: 'EXPR' } })
    const days = rejected.cobr.tries.map((one: { requestedExecutionDate: string }) =>
      one.requestedExecutionDate.slice(0, 10),
    )
    expect(days).toEqual([0, 1, 4, 7].map(offset => shiftDay(due, offset)))
    const events = await pollUntil(
      () => listEvents(subscription),
      seen => seen.includes('COBR_REJECTED'),
    )
    expect(events.filter(event => event === 'COBR_TRY_REQUESTED')).toHaveLength(3)
    expect(events.filter(event => event === 'COBR_TRY_REJECTED')).toHaveLength(4)
    expect(events.filter(event => event === 'COBR_REJECTED')).toHaveLength(1)
  })

  test('one of a subscription without retries is rejected after its day; a final code rejects at once', async () => {
    const pixRecurringOptions = { journey: 'ONLY_RECURRENCY', retryPolicy: 'NON_PERMITED' }
    const unpaid = await authorize({ pixRecurringOptions, dayDue: 3 })
    const closed = await authorize()
    await simulator.control.setRecurrenceFunds(unpaid.railId, { value: 1 })
    await simulator.control.refuseRecurrenceTries(closed.railId, { code: 'AC05' })
    await advance(6)
    expect((await unpaid.listInstallments())[0].cobr).toMatchObject({ status: 'FAILED_TRY' })
    expect((await closed.listInstallments())[0].cobr).toMatchObject({
      status: 'REJECTED',
      rejectCode: 'AC05',
    })
    await advance(1)
    expect((await unpaid.listInstallments())[0].cobr).toMatchObject({ status: 'REJECTED', tries: [{}] })
  })

  test('one is ordered by hand five to ten days ahead, once, of another value where that varies', async () => {
    const subscription = await authorize({
      pixRecurringOptions: { journey: 'ONLY_RECURRENCY', retryPolicy: 'NON_PERMITED', minimumValue: 1_000 },
    })
    const [first, second] = await subscription.listInstallments()
    const order = (id: string, body: object = {}) =>
      woovi.post(`/installments/${encodeURIComponent(id)}/cobr`, body)
    expect((await order(second.globalID)).status).toBe(400)
    expect((await order(first.globalID, { value: 1_234 })).body.installment).toMatchObject({
      value: 1_234,
      cobr: { status: 'CREATED', value: 1_234 },
    })
    expect((await order(first.globalID)).status).toBe(400)
    const retry = await woovi.post(`/installments/${encodeURIComponent(first.globalID)}/cobr/retry`, {})
    expect(retry.status).toBe(400)
    await advance(6)
    expect((await subscription.listInstallments())[0].cobr).toMatchObject({
      status: 'CONCLUDED',
      value: 1_234,
    })
  })
})
