import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { addDays, findBusinessDay } from '../../../src/domain/charges/business-days.ts'
import type {
  ProviderRecurrence,
  ProviderRecurrenceRequest,
} from '../../../src/domain/providers/provider-recurrence.ts'
import { createStarkAdapter } from '../../../src/providers/stark/adapter.ts'
import { starkCredentialsSchema } from '../../../src/providers/stark/client.ts'
import {
  openSimulatorFixture,
  pollUntil,
  type SimulatorFixture,
} from '../../simulator/support/simulator-fixture.ts'
import { putStarkShop, STARK_KEYS, STARK_PROJECT } from '../../simulator/support/stark-client.ts'

/** Recurrences, from the adapter to the simulated Stark Bank, which was written from the published texts apart from it. */

const IS_DEBIT = { isDue: false, isDebit: true }
const DEBTOR = { name: 'Ana Souza', document: '52998224725' }
const PAYER_ACCOUNT = { ispb: '91193552', agency: '2569', account: '550689' }

let simulator: SimulatorFixture
let provider: ReturnType<typeof createStarkAdapter>
beforeAll(async () => {
  simulator = await openSimulatorFixture()
  await putStarkShop(simulator.control)
  provider = createStarkAdapter({
    baseUrl: simulator.facts.providers.PROVIDER_A.base_url,
    ca: simulator.ca,
    credentials: starkCredentialsSchema.parse({
      access_id: STARK_PROJECT,
      private_key: STARK_KEYS.privateKey,
    }),
    timeoutMs: 10_000,
  })
  await provider.registerNotificationUrl(`${simulator.facts.inbox_url}/stark`, null)
})
beforeEach(() => simulator.control.clearFaults())
afterAll(async () => {
  await provider?.close()
  await simulator.close()
})

type Operation =
  | 'issueRecurrence'
  | 'cancelRecurrence'
  | 'issueCharge'
  | 'issueAutomaticCharge'
  | 'cancelAutomaticCharge'
  | 'retryAutomaticCharge'
const loseAnswer = (operation: Operation) =>
  simulator.control.addFault({ provider: 'PROVIDER_A', operation, fault: 'done_then_unlisted_refusal' })
const inDays = async (days: number) => addDays((await simulator.control.findDay()).today, days)
async function advanceTo(day: string) {
  while ((await simulator.control.findDay()).today < day) await simulator.control.advanceDay()
}

let made = 0
function makeId(): string {
  made += 1
  return made.toString(16).padStart(32, 'd')
}
const orderOf = async (
  changes: Partial<ProviderRecurrenceRequest> = {},
): Promise<ProviderRecurrenceRequest> => ({
  reference: makeId(),
  subject: 'Internet',
  debtor: DEBTOR,
  frequency: 'MONTHLY',
  startsOn: await inDays(1),
  valueCents: 5_000,
  retryPolicy: 'THREE_IN_SEVEN_DAYS',
  journey: 'QR',
  collectionKey: null,
  ...changes,
})
async function create(order: ProviderRecurrenceRequest): Promise<ProviderRecurrence> {
  const outcome = await provider.createRecurrence!(order)
  if (outcome.kind !== 'accepted') throw new Error(JSON.stringify(outcome))
  return outcome.recurrence
}
async function find({ reference, debtor }: ProviderRecurrenceRequest, railId: string | null) {
  const orderedAt = new Date().toISOString()
  const outcome = await provider.findRecurrence!({ reference, debtor, railId, orderedAt })
  if (outcome.kind !== 'found') throw new Error(JSON.stringify(outcome))
  return outcome.recurrence
}
async function createActive(changes: Partial<ProviderRecurrenceRequest> = {}) {
  const { railId } = await create(await orderOf(changes))
  await simulator.control.decideRecurrence(railId, { decision: 'accept' })
  return railId
}
const debitOf = async (railId: string, days = 3) => ({
  reference: makeId(),
  totalCents: 5_000,
  expiresInSeconds: 0,
  collectionKey: null,
  debtor: DEBTOR,
  debit: { railId, recurrenceReference: makeId(), dueOn: await inDays(days) },
})
async function findDebit(reference: string) {
  const outcome = await provider.findCharge(reference, IS_DEBIT)
  if (outcome.kind !== 'found') throw new Error(JSON.stringify(outcome))
  return outcome
}
async function issueDebit(railId: string) {
  const order = await debitOf(railId)
  const outcome = await provider.issueCharge(order)
  if (outcome.kind !== 'accepted') throw new Error(JSON.stringify(outcome))
  await pollUntil(
    () => findDebit(order.reference),
    ({ tries }) => tries?.[0]?.status === 'SCHEDULED',
  )
  return { ...order, txid: outcome.charge.txid, debitDay: findBusinessDay(order.debit.dueOn) }
}
const waitForNotification = (kind: string, reference: string) =>
  pollUntil(
    async () => {
      const messages = await simulator.control.listInbox('stark')
      const read = await Promise.all(
        messages.map(({ body, headers }) =>
          provider.readNotification({
            body,
            headers: { 'digital-signature': String(headers['digital-signature']) },
            secret: null,
          }),
        ),
      )
      return read.flatMap(one => (one.kind === 'items' ? one.items : []))
    },
    items => items.some(item => item.kind === kind && item.reference === reference),
  )

test('the answer to its creation is lost: it is found by our tag, and made once', async () => {
  await loseAnswer('issueRecurrence')
  const order = await orderOf()
  expect(await provider.createRecurrence!(order)).toMatchObject({ kind: 'unknown' })
  const { railId } = await find(order, null)
  expect(await find(order, railId)).toMatchObject({ railId, status: 'waiting' })
  expect(await provider.createRecurrence!(order)).toMatchObject({ kind: 'unknown' })
  const all = await simulator.control.listRecurrences()
  expect(all.filter(({ contract }) => contract === order.reference)).toHaveLength(1)
  const missing = { ...(await orderOf()), railId: null, orderedAt: new Date().toISOString() }
  expect(await provider.findRecurrence!(missing)).toEqual({ kind: 'not_found' })
})

test('REQUEST: the payer consents in a request, which is sent with the creation', async () => {
  const expiresAt = new Date(Date.now() + 2 * 86_400_000).toISOString()
  const consentRequest = { payerAccount: PAYER_ACCOUNT, expiresAt }
  const order = await orderOf({ journey: 'REQUEST', consentRequest })
  const { railId, payload } = await create(order)
  expect(payload).toBeNull()
  const request = { railId, debtorDocument: DEBTOR.document, ...consentRequest }
  expect(await provider.requestConsent!(request)).toEqual({ kind: 'requested' })
  expect(await simulator.control.decideRecurrence(railId, { decision: 'accept' })).toMatchObject({
    journey: 1,
  })
  expect(await find(order, railId)).toMatchObject({ status: 'active' })
  await waitForNotification('recurrence', railId)
})

test('QR: the payer rejects what a code asks for', async () => {
  const order = await orderOf()
  const { railId, payload } = await create(order)
  expect(payload).toMatch(/^000201/)
  await simulator.control.decideRecurrence(railId, { decision: 'reject' })
  expect(await find(order, railId)).toMatchObject({ status: 'rejected', payload })
  expect(await provider.cancelRecurrence!({ ...order, railId })).toMatchObject({ kind: 'refused' })
})

test('it is cancelled by us once it is active, whatever becomes of the answer', async () => {
  const order = await orderOf()
  const { railId } = await create(order)
  const cancel = () => provider.cancelRecurrence!({ ...order, railId })
  expect(await cancel()).toMatchObject({ kind: 'no_answer', code: 'cancellation_pending' })
  await simulator.control.decideRecurrence(railId, { decision: 'accept' })
  await loseAnswer('cancelRecurrence')
  expect(await cancel()).toMatchObject({ kind: 'no_answer' })
  expect(await cancel()).toEqual({ kind: 'cancelled' })
  expect(await find(order, railId)).toMatchObject({ status: 'cancelled' })
})

test('its payer cancels it: its debit is removed with it', async () => {
  const railId = await createActive()
  const { reference } = await issueDebit(railId)
  await simulator.control.cancelRecurrence(railId)
  expect(await findDebit(reference)).toMatchObject({ status: 'removed', tries: [{ status: 'CANCELLED' }] })
})

test('a debit is made once, whatever becomes of its two answers, and one in a cycle', async () => {
  const railId = await createActive()
  const order = await debitOf(railId)
  await loseAnswer('issueCharge')
  expect(await provider.issueCharge(order)).toMatchObject({ kind: 'unknown' })
  expect(await provider.findCharge(order.reference, IS_DEBIT)).toEqual({ kind: 'not_found' })
  await loseAnswer('issueAutomaticCharge')
  expect(await provider.issueCharge(order)).toMatchObject({ kind: 'unknown' })
  expect(await provider.issueCharge(order)).toMatchObject({
    kind: 'accepted',
    charge: { totalCents: 5_000, payload: '', expiresAt: null },
  })
  const { charges } = await simulator.control.findRecurrence(railId)
  expect(charges).toHaveLength(1)
  const invoices = await simulator.control.listCharges()
  expect(invoices.filter(({ reference }) => reference === order.reference)).toHaveLength(1)
  const second = await debitOf(railId, 4)
  expect(await provider.issueCharge(second)).toMatchObject({ kind: 'unknown' })
  expect(await provider.findCharge(second.reference, IS_DEBIT)).toEqual({ kind: 'not_found' })
})

test('a debit is cancelled before its day, and its invoice cannot be paid any more', async () => {
  const { reference } = await issueDebit(await createActive())
  const invoice = await provider.findCharge(reference)
  if (invoice.kind !== 'found') throw new Error(invoice.kind)
  const cancel = () => provider.cancelCharge(reference, IS_DEBIT)
  await loseAnswer('cancelAutomaticCharge')
  expect(await cancel()).toMatchObject({ kind: 'no_answer' })
  expect(await cancel()).toEqual({ kind: 'cancelled' })
  expect(await findDebit(reference)).toMatchObject({ status: 'removed', tries: [{ status: 'CANCELLED' }] })
  await expect(simulator.control.pay({ payload: invoice.charge.payload })).rejects.toThrow('removed')
})

// The tests below advance the days of the simulator.

test('a debit fails on its day, is retried once and paid, as any charge', async () => {
  const railId = await createActive()
  const { reference, debitDay } = await issueDebit(railId)
  await simulator.control.setRecurrenceFunds(railId, { value: 10 })
  await advanceTo(debitDay)
  expect(await findDebit(reference)).toMatchObject({
    status: 'open',
    payments: [],
    tries: [{ on: debitDay, kind: 'FIRST', status: 'REJECTED' }],
  })
  const on = await inDays(2)
  const retry = (retryOn = on) => provider.reviseCharge!({ reference, retryOn })
  await loseAnswer('retryAutomaticCharge')
  expect(await retry()).toMatchObject({ kind: 'no_answer' })
  expect(await retry()).toMatchObject({ kind: 'revised' })
  expect(await retry(await inDays(3))).toMatchObject({ kind: 'refused', code: 'charge_refused' })
  await simulator.control.setRecurrenceFunds(railId, { value: null })
  await advanceTo(on)
  const { status, payments, tries } = await findDebit(reference)
  expect([status, tries!.length]).toEqual(['completed', 2])
  const { endToEnd } = payments[0]!
  expect(payments).toMatchObject([
    { reference, cents: 5_000, status: 'settled', payer: { name: 'Ana Souza' } },
  ])
  expect(tries![1]).toEqual({
    on,
    kind: 'RETRY',
    status: 'PAID',
    code: null,
    endToEnd: endToEnd.split('/')[2],
  })
  expect(await provider.findPayment(endToEnd)).toEqual({ kind: 'found', payment: payments[0] })
  await waitForNotification('payment', reference)
  const from = new Date(Date.now() - 3_600_000).toISOString()
  const statement = await provider.statement(from, new Date().toISOString())
  expect(statement).toMatchObject({
    entries: expect.arrayContaining([expect.objectContaining({ endToEnd, reference, direction: 'IN' })]),
  })
})

test('a debit without retries has failed after its try, and the recurrence expires', async () => {
  const order = await orderOf({ retryPolicy: 'NOT_ALLOWED', endsOn: await inDays(8) })
  const { railId } = await create(order)
  await simulator.control.decideRecurrence(railId, { decision: 'accept' })
  const { reference, debitDay } = await issueDebit(railId)
  await simulator.control.setRecurrenceFunds(railId, { value: 10 })
  await advanceTo(debitDay)
  expect(await findDebit(reference)).toMatchObject({ status: 'failed', tries: [{ status: 'REJECTED' }] })
  await advanceTo(addDays(order.endsOn!, 1))
  expect(await find(order, railId)).toMatchObject({ status: 'expired' })
})

test('an invoice that was paid by its code is not debited', async () => {
  const { reference, txid, debitDay } = await issueDebit(await createActive())
  const found = await provider.findCharge(reference)
  if (found.kind !== 'found') throw new Error(found.kind)
  expect(found.charge.txid).toBe(txid)
  await simulator.control.pay({ payload: found.charge.payload })
  await advanceTo(debitDay)
  expect(await findDebit(reference)).toMatchObject({
    status: 'completed',
    payments: [{ cents: 5_000 }],
    tries: [{ status: 'REJECTED' }],
  })
})
