import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { DueTerms } from '../../../src/domain/charges/due-terms.ts'
import { openSimulatedProvider, type SimulatedProvider } from '../support/simulated.ts'

/** Charges with a due date, from the adapter to the simulated Woovi, which was written from the published texts apart from it. */

let shop: SimulatedProvider
beforeAll(async () => {
  shop = await openSimulatedProvider('woovi')
})
afterAll(() => shop.close())

const dayIn = (days: number) =>
  new Date(Date.now() - 3 * 3_600_000 + days * 86_400_000).toISOString().slice(0, 10)
const share = (basisPoints: number) => ({ type: 'PERCENTAGE', basisPoints }) as const
const terms: DueTerms = {
  on: dayIn(10),
  payableDaysAfter: 5,
  fine: share(200),
  interest: { ...share(100), per: 'DAY', days: 'CALENDAR' },
  abatement: null,
  discount: {
    kind: 'until',
    steps: [
      { ...share(500), on: dayIn(3) },
      { ...share(200), on: dayIn(6) },
    ],
  },
}
const address = { street: 'Rua A', city: 'Belo Horizonte', state: 'MG', zipCode: '30421322' }
const dueOrder = (due: DueTerms = terms) => ({
  ...shop.order(10_000),
  debtor: { name: 'Ana Souza', document: '52998224725', address },
  due,
})
async function issue(due?: DueTerms) {
  const order = dueOrder(due)
  const outcome = await shop.provider.issueCharge(order)
  if (outcome.kind !== 'accepted') throw new Error(JSON.stringify(outcome))
  return { ...order, ...outcome.charge }
}
const plain: DueTerms = { ...terms, fine: null, interest: null, discount: null }

test.each<[string, DueTerms, number, number]>([
  ['on its due day', terms, 10, 10_000],
  ['on the day of its first discount', terms, 3, 9_500],
  ['on the day of its second', terms, 6, 9_800],
  ['two days late', terms, 12, 10_400],
  ['late, without a fine and interest', plain, 12, 10_000],
  [
    'in advance, with centavos for each day',
    { ...plain, discount: { kind: 'per_day', rate: { type: 'FIXED', cents: 30 }, days: 'CALENDAR' } },
    3,
    9_790,
  ],
])('a charge is issued, open, and paid %s', async (_name, due, daysFromNow, cents) => {
  const charge = await issue(due)
  expect(charge.expiresAt?.slice(0, 19)).toBe(`${dayIn(16)}T02:59:59`)
  expect(await shop.provider.findCharge(charge.reference)).toMatchObject({ status: 'open', payments: [] })
  const { end_to_end } = await shop.control.pay({ payload: charge.payload, on: dayIn(daysFromNow) })
  const found = await shop.provider.findCharge(charge.reference, { isDue: true })
  expect(found).toMatchObject({
    status: 'completed',
    charge: { totalCents: 10_000 },
    payments: [{ endToEnd: end_to_end, reference: charge.reference, cents, status: 'settled' }],
  })
})

test('a charge whose answer is lost is issued once', async () => {
  const order = dueOrder()
  await shop.control.addFault({ provider: 'PROVIDER_A', operation: 'issueCharge', fault: 'http_500' })
  await shop.control.addFault({ provider: 'PROVIDER_A', operation: 'issueCharge', fault: 'broken_body' })
  expect(await shop.provider.issueCharge(order)).toMatchObject({ kind: 'unknown' })
  expect(await shop.provider.issueCharge(order)).toMatchObject({ kind: 'unknown' })
  expect(await shop.provider.issueCharge(order)).toMatchObject({ kind: 'accepted' })
  expect(await shop.provider.issueCharge({ ...order, due: plain })).toMatchObject({
    code: 'reference_in_use',
  })
  const charges = await shop.control.listCharges()
  expect(charges.filter(({ reference }) => reference === order.reference)).toHaveLength(1)
})

test('a charge with a due date is cancelled', async () => {
  const charge = await issue()
  expect(await shop.provider.cancelCharge(charge.reference, { isDue: true })).toEqual({ kind: 'cancelled' })
  await expect(shop.control.pay({ payload: charge.payload })).rejects.toThrow('removed')
})
