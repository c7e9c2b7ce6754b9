import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { DueTerms } from '../../../src/domain/charges/due-terms.ts'
import { createStarkAdapter } from '../../../src/providers/stark/adapter.ts'
import { starkCredentialsSchema } from '../../../src/providers/stark/client.ts'
import { openSimulatorFixture, type SimulatorFixture } from '../../simulator/support/simulator-fixture.ts'
import { putStarkShop, STARK_KEYS, STARK_PROJECT } from '../../simulator/support/stark-client.ts'

/** Charges with a due date, from the adapter to the simulated Stark Bank, which was written from the published texts apart from it. */

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
})
afterAll(async () => {
  await provider?.close()
  await simulator.close()
})

const dayIn = (days: number) =>
  new Date(Date.now() - 3 * 3_600_000 + days * 86_400_000).toISOString().slice(0, 10)
const share = (basisPoints: number) => ({ type: 'PERCENTAGE', basisPoints }) as const
const terms: DueTerms = {
  on: dayIn(10),
  payableDaysAfter: 5,
  fine: share(250),
  interest: { ...share(300), per: 'MONTH', days: 'CALENDAR' },
  abatement: null,
  discount: {
    kind: 'until',
    steps: [
      { ...share(1000), on: dayIn(3) },
      { ...share(500), on: dayIn(6) },
    ],
  },
}
let made = 0
const dueOrder = (due: DueTerms = terms) => {
  made += 1
  return {
    reference: made.toString(16).padStart(32, 'c'),
    totalCents: 10_000,
    expiresInSeconds: 3_600,
    collectionKey: null,
    debtor: { name: 'Ana Souza', document: '52998224725' },
    due,
  }
}
async function issue(due?: DueTerms) {
  const order = dueOrder(due)
  const outcome = await provider.issueCharge(order)
  if (outcome.kind !== 'accepted') throw new Error(JSON.stringify(outcome))
  return { ...order, ...outcome.charge }
}
async function payOn(payload: string, reference: string, on: string) {
  await simulator.control.pay({ payload, on })
  const found = await provider.findCharge(reference, { isDue: true })
  if (found.kind !== 'found') throw new Error(JSON.stringify(found))
  expect(found.status).toBe('completed')
  return found.payments
}

test.each([
  ['on its due day', 10, { cents: 10_000, fineCents: 0, interestCents: 0, discountCents: 0 }],
  [
    'on the day of its first discount',
    3,
    { cents: 9_000, fineCents: 0, interestCents: 0, discountCents: 1_000 },
  ],
  ['on the day of its second', 6, { cents: 9_500, fineCents: 0, interestCents: 0, discountCents: 500 }],
  ['two days late', 12, { cents: 10_270, fineCents: 250, interestCents: 20, discountCents: 0 }],
])(
  'a charge is issued, open, and paid %s with its parts',
  async (_name, daysFromNow, { cents, ...parts }) => {
    const charge = await issue()
    expect(charge).toMatchObject({ totalCents: 10_000, expiresAt: `${dayIn(16)}T02:59:59.999Z` })
    expect(await provider.findCharge(charge.reference)).toMatchObject({ status: 'open', payments: [] })
    const [payment] = await payOn(charge.payload, charge.reference, dayIn(daysFromNow))
    expect(payment).toMatchObject({ cents, parts: { originalCents: 10_000, abatementCents: 0, ...parts } })
    expect(await provider.findPayment(payment!.endToEnd)).toEqual({ kind: 'found', payment })
  },
)

test('what is refunded leaves the parts of the payment as they are', async () => {
  const charge = await issue()
  const [payment] = await payOn(charge.payload, charge.reference, dayIn(11))
  const order = { id: 'f'.repeat(32), endToEnd: payment!.endToEnd, cents: 260 }
  const prepared = await provider.prepareRefund!(order)
  if (prepared.kind !== 'prepared') throw new Error(JSON.stringify(prepared))
  expect(await provider.refund(order, prepared.handle)).toMatchObject({ kind: 'accepted' })
  const found = await provider.findCharge(charge.reference)
  expect(found.kind === 'found' && found.payments[0]?.parts).toEqual(payment!.parts)
})

test('what is paid by the code of a paid charge is a payment of it, too', async () => {
  const charge = await issue()
  const [first] = await payOn(charge.payload, charge.reference, dayIn(10))
  await simulator.control.pay({ payload: charge.payload, force: true })
  const found = await provider.findCharge(charge.reference)
  const payments = found.kind === 'found' ? found.payments : []
  expect(payments).toEqual([first, expect.objectContaining({ cents: 9_000, reference: charge.reference })])
  expect(await provider.findPayment(payments[1]!.endToEnd)).toEqual({ kind: 'found', payment: payments[1] })
})

test('a charge without a fine and interest costs the same when it is late', async () => {
  const charge = await issue({ ...terms, fine: null, interest: null, discount: null })
  const [payment] = await payOn(charge.payload, charge.reference, dayIn(15))
  expect(payment).toMatchObject({ cents: 10_000 })
})

test('a charge whose answer is lost is issued once', async () => {
  const order = dueOrder()
  await simulator.control.addFault({ provider: 'PROVIDER_A', operation: 'issueCharge', fault: 'broken_body' })
  expect(await provider.issueCharge(order)).toMatchObject({ kind: 'unknown' })
  expect(await provider.issueCharge(order)).toMatchObject({ kind: 'accepted' })
  const charges = await simulator.control.listCharges()
  expect(charges.filter(({ reference }) => reference === order.reference)).toHaveLength(1)
})

test('the due day of a charge is moved, also where the answer of the first change is lost', async () => {
  const charge = await issue()
  const due = { ...terms, on: dayIn(14), payableDaysAfter: 1 }
  await simulator.control.addFault({
    provider: 'PROVIDER_A',
    operation: 'reviseCharge',
    fault: 'broken_body',
  })
  expect(await provider.reviseCharge!({ reference: charge.reference, due })).toMatchObject({
    kind: 'no_answer',
  })
  expect(await provider.reviseCharge!({ reference: charge.reference, due })).toMatchObject({
    kind: 'revised',
    charge: { totalCents: 10_000, expiresAt: `${dayIn(16)}T02:59:59.999Z` },
  })
  const [payment] = await payOn(charge.payload, charge.reference, dayIn(14))
  expect(payment).toMatchObject({ cents: 10_000 })
  expect(await provider.reviseCharge!({ reference: charge.reference, due })).toMatchObject({
    kind: 'refused',
    code: 'charge_refused',
  })
})

test('a charge with a due date is cancelled, and not revised any more', async () => {
  const charge = await issue()
  expect(await provider.cancelCharge(charge.reference, { isDue: true })).toEqual({ kind: 'cancelled' })
  await expect(simulator.control.pay({ payload: charge.payload })).rejects.toThrow('removed')
  expect(await provider.reviseCharge!({ reference: charge.reference, due: terms })).toMatchObject({
    kind: 'refused',
  })
})
