import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { shiftDay } from '../../packages/simulator/business-days.ts'
import { startOfficialSdks } from './support/official-sdks.ts'
import { openSimulatorFixture, pollUntil, type SimulatorFixture } from './support/simulator-fixture.ts'
import { putStarkShop, STARK_KEYS, STARK_PROJECT } from './support/stark-client.ts'

/** Recurrences by Stark's official SDK, npm `starkbank`, against the simulator. */

let simulator: SimulatorFixture
let sdks: Awaited<ReturnType<typeof startOfficialSdks>>
const stark = (path: string, ...args: unknown[]) => sdks.call(`stark.${path}`, ...args)
beforeAll(async () => {
  simulator = await openSimulatorFixture()
  await putStarkShop(simulator.control)
  sdks = await startOfficialSdks({
    caFile: simulator.facts.ca_file,
    hosts: {
      'sandbox.api.starkbank.com': Number(new URL(simulator.facts.providers.PROVIDER_A.base_url).port),
    },
    stark: { environment: 'sandbox', id: STARK_PROJECT, privateKey: STARK_KEYS.privateKey },
  })
})
afterAll(async () => {
  await sdks?.close()
  await simulator.close()
})

const inDays = async (days: number) => shiftDay((await simulator.control.findDay()).today, days)
let count = 0
/** A monthly subscription of 50 reais by a code, as the tests of the SDKs have it. */
const subscriptionOf = async (changes: object = {}) => ({
  type: 'qrcode',
  amount: 5000,
  displayDescription: 'Dragon Travel Fare',
  externalId: `subscription-${++count}`,
  interval: 'month',
  name: 'John Snow',
  pullMode: 'manual',
  pullRetryLimit: 3,
  start: await inDays(5),
  referenceCode: 'contract-12345',
  taxId: '012.345.678-90',
  tags: ['Plan1'],
  ...changes,
})
const create = async (changes?: object) =>
  (await stark('invoicePullSubscription.create', [await subscriptionOf(changes)]))[0]
const createActive = async (changes?: object) => {
  const subscription = await create(changes)
  await simulator.control.decideRecurrence(subscription.id, { decision: 'accept' })
  return subscription
}
const createInvoice = async (amount = 5000) =>
  (await stark('invoice.create', [{ amount, taxId: '012.345.678-90', name: 'John Snow', tags: ['one'] }]))[0]
const pull = async (subscriptionId: string, invoiceId: string, changes: object = {}) => {
  const request = { subscriptionId, invoiceId, due: await inDays(6), ...changes }
  return (await stark('invoicePullRequest.create', [request]))[0]
}
const waitForStatus = (id: string, wanted: string) =>
  pollUntil(
    () => stark('invoicePullRequest.get', id),
    ({ status }) => status === wanted,
  )
const PAYER = {
  accountNumber: '9123900000',
  bankCode: '05097757',
  branchCode: '1126',
  taxId: '012.345.678-90',
}

test('a subscription is created, found, authorised and cancelled, each with a log', async () => {
  const created = await create({ end: await inDays(60) })
  expect(created).toMatchObject({
    status: 'created',
    type: 'qrcode',
    amount: 5000,
    interval: 'month',
    pullRetryLimit: 3,
    start: `${await inDays(5)}T03:00:00.000000+00:00`,
    tags: ['plan1'],
    taxId: '012.345.678-90',
    bacenId: expect.stringMatching(/^RR.{27}$/),
    brcode: expect.stringMatching(/^000201/),
  })
  expect(await stark('invoicePullSubscription.get', created.id)).toEqual(created)
  expect(await stark('invoicePullSubscription.query', { tags: ['plan1'], ids: [created.id] })).toEqual([
    created,
  ])
  const [page] = await stark('invoicePullSubscription.page', { externalIds: [created.externalId] })
  expect(page).toEqual([created])
  await expect(stark('invoicePullSubscription.cancel', created.id)).rejects.toContain('invalidSubscription')
  await simulator.control.decideRecurrence(created.id, { decision: 'accept' })
  expect(await stark('invoicePullSubscription.query', { status: 'active' })).toHaveLength(1)
  expect(await stark('invoicePullSubscription.cancel', created.id)).toMatchObject({ status: 'canceled' })
  const logs = await stark('invoicePullSubscription.log.query', { subscriptionIds: [created.id] })
  expect(logs.map(({ type }: { type: string }) => type)).toEqual(['canceled', 'active', 'created'])
  expect(await stark('invoicePullSubscription.log.get', logs[1].id)).toMatchObject({
    type: 'active',
    errors: [],
    subscription: { id: created.id, status: 'active' },
  })
})

test('a request for consent is denied, or expires without an answer', async () => {
  const denied = await create({ type: 'push', data: PAYER })
  expect(denied.brcode).toBe('')
  await simulator.control.decideRecurrence(denied.id, { decision: 'reject', journey: 1 })
  expect(await stark('invoicePullSubscription.get', denied.id)).toMatchObject({ status: 'denied' })
  const due = new Date(Date.now() - 1000).toISOString()
  const late = await create({ type: 'push', data: PAYER, due })
  expect(await stark('invoicePullSubscription.get', late.id)).toMatchObject({ status: 'expired' })
})

test.each([
  ['a second of an externalId', { externalId: 'once' }, 'duplicatedExternalId'],
  ['a push without the account', { type: 'push' }, 'invalidData'],
  ['neither amount', { amount: undefined }, 'invalidAmount'],
  ['a start before today', { start: '2020-01-01' }, 'invalidDue'],
  ['a first payment', { type: 'qrcodeAndPayment', data: { amount: 400 } }, 'invalidType'],
  ['another limit of retries', { pullRetryLimit: 2 }, 'invalidParameters'],
])('%s is refused', async (_, changes, code) => {
  if (code === 'duplicatedExternalId') await create(changes)
  await expect(create(changes)).rejects.toContain(code)
})

test('an invoice is pulled on its day, and is paid with an end-to-end id', async () => {
  const url = `${simulator.facts.inbox_url}/pulls`
  const subscriptions = ['invoice', 'invoice-pull-subscription', 'invoice-pull-request']
  const webhook = await stark('webhook.create', { url, subscriptions })
  const subscription = await createActive()
  const invoice = await createInvoice()
  const request = await pull(subscription.id, invoice.id, { externalId: 'first', tags: ['Pull1'] })
  expect(request).toMatchObject({
    status: 'created',
    attemptType: 'default',
    subscriptionId: subscription.id,
    invoiceId: invoice.id,
    externalId: 'first',
    tags: ['pull1'],
  })
  await waitForStatus(request.id, 'scheduled')
  expect(await stark('invoicePullRequest.query', { invoiceIds: [invoice.id] })).toHaveLength(1)
  expect(await stark('invoicePullRequest.query', { externalIds: ['first'], tags: ['pull1'] })).toHaveLength(1)
  expect(await stark('invoicePullRequest.query', { subscriptionIds: ['1'] })).toEqual([])
  await simulator.control.advanceDay({ days: 6 })
  expect(await stark('invoicePullRequest.get', request.id)).toMatchObject({ status: 'success' })
  expect(await stark('invoice.get', invoice.id)).toMatchObject({ status: 'paid', amount: 5000 })
  expect(await stark('invoice.payment', invoice.id)).toMatchObject({
    amount: 5000,
    endToEndId: expect.stringMatching(/^E/),
  })
  const logs = await stark('invoicePullRequest.log.query', { requestIds: [request.id] })
  expect(logs.map(({ type }: { type: string }) => type)).toEqual([
    'success',
    'scheduled',
    'pending',
    'created',
  ])
  expect(await stark('invoicePullRequest.log.get', logs[0].id)).toMatchObject({
    type: 'success',
    request: { id: request.id, status: 'success' },
  })
  const messages = await pollUntil(
    () => simulator.control.listInbox('pulls'),
    all => all.some(({ body }) => body.includes('"type":"success"')),
  )
  const events = await Promise.all(
    messages.map(({ body, headers }) =>
      stark('event.parse', { content: body, signature: headers['digital-signature'] }),
    ),
  )
  expect(events.map(event => [event.subscription, event.log.type])).toEqual(
    expect.arrayContaining([
      ['invoice-pull-subscription', 'active'],
      ['invoice-pull-request', 'scheduled'],
      ['invoice-pull-request', 'success'],
      ['invoice', 'credited'],
    ]),
  )
  await stark('webhook.delete', webhook.id)
})

test('a pull fails, and is retried where the subscription allows it', async () => {
  const subscription = await createActive({ start: await inDays(1) })
  const invoice = await createInvoice()
  await simulator.control.setRecurrenceFunds(subscription.id, { value: 1 })
  const first = await pull(subscription.id, invoice.id, { due: await inDays(2) })
  await waitForStatus(first.id, 'scheduled')
  const retry = async (changes: object = {}) =>
    pull(subscription.id, invoice.id, { attemptType: 'retry', ...changes })
  await expect(retry()).rejects.toContain('invalidAttemptType')
  await expect(pull(subscription.id, (await createInvoice()).id, { due: await inDays(3) })).rejects.toContain(
    'invalidDue',
  )
  await simulator.control.advanceDay({ days: 2 })
  const [log] = await stark('invoicePullRequest.log.query', { requestIds: [first.id], types: ['failed'] })
  expect(log).toMatchObject({ errors: ['notPaid'], request: { status: 'failed' } })
  await simulator.control.setRecurrenceFunds(subscription.id, { value: null })
  const second = await retry({ due: await inDays(1) })
  await waitForStatus(second.id, 'scheduled')
  await simulator.control.advanceDay()
  expect(await stark('invoicePullRequest.get', second.id)).toMatchObject({ status: 'success' })
  expect(await stark('invoicePullRequest.get', first.id)).toMatchObject({ status: 'failed' })
  await expect(retry({ due: await inDays(1) })).rejects.toContain('invalidInvoiceId')
})

test('a pull waits for the consent of the payer, and is cancelled before its day', async () => {
  const subscription = await create({ start: await inDays(1) })
  const invoice = await createInvoice()
  const request = await pull(subscription.id, invoice.id)
  expect(await stark('invoicePullRequest.get', request.id)).toMatchObject({ status: 'created' })
  expect(await stark('invoicePullRequest.cancel', request.id)).toMatchObject({ status: 'canceled' })
  await expect(stark('invoicePullRequest.cancel', request.id)).rejects.toContain('invalidRequest')
  const active = await createActive({ start: await inDays(1) })
  for (const [subscriptionId, invoiceId, code] of [
    ['1', invoice.id, 'invalidSubscriptionId'],
    [active.id, '1', 'invalidInvoiceId'],
    [active.id, invoice.id, 'invalidInvoiceId'],
  ] as const)
    await expect(pull(subscriptionId, invoiceId)).rejects.toContain(code)
  const open = await createInvoice()
  await expect(pull(active.id, open.id, { due: '2020-01-01' })).rejects.toContain('invalidDue')
  await expect(pull(active.id, open.id, { attemptType: 'retry' })).rejects.toContain('invalidInvoiceId')
})
