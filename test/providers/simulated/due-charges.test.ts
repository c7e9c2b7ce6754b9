import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { shiftDay } from '../../../packages/simulator/business-days.ts'
import type { DueTerms } from '../../../src/domain/charges/due-terms.ts'
import { COLLECTION_KEY, openSimulatedProvider, type SimulatedProvider } from '../support/simulated.ts'

const IS_DUE = { isDue: true }
/** A Tuesday, after which no holiday follows for a month. */
const DUE_DAY = '2030-05-07'
const TERMS: DueTerms = {
  on: DUE_DAY,
  payableDaysAfter: 30,
  fine: { type: 'PERCENTAGE', basisPoints: 300 },
  interest: { type: 'PERCENTAGE', basisPoints: 100, per: 'DAY', days: 'CALENDAR' },
  abatement: null,
  discount: { kind: 'per_day', rate: { type: 'FIXED', cents: 50 }, days: 'BUSINESS' },
}
let count = 0
const orderOf = (changes: { totalCents?: number; due?: DueTerms } = {}) => ({
  reference: `due${String(++count).padStart(29, '0')}`,
  totalCents: 10_000,
  expiresInSeconds: 60,
  collectionKey: COLLECTION_KEY,
  debtor: { name: 'Ana Souza', document: '52998224725' },
  due: TERMS,
  ...changes,
})

describe.each(['efi', 'sicoob', 'inter'] as const)('%s', dialect => {
  let shop: SimulatedProvider
  beforeAll(async () => {
    // Efí's own types lack the parts of a PIX, which the Central Bank's have.
    shop = await openSimulatedProvider(dialect, { unpublished_fields: dialect === 'efi' })
  })
  beforeEach(() => shop.control.clearFaults())
  afterAll(() => shop.close())
  const issue = async (order = orderOf()) => {
    const outcome = await shop.provider.issueCharge(order)
    if (outcome.kind !== 'accepted') throw new Error(JSON.stringify(outcome))
    return { ...outcome.charge, reference: order.reference }
  }
  const addFault = (operation: 'issueCharge' | 'reviseCharge' | 'findPayment', fault: string) =>
    shop.control.addFault({ provider: 'PROVIDER_A', operation, fault: fault as never })

  test('one is issued, paid two days late, notified as any other, and found with its parts', async () => {
    const charge = await issue()
    expect(await shop.provider.findCharge(charge.reference, IS_DUE)).toMatchObject({
      kind: 'found',
      status: 'open',
      charge: { totalCents: 10_000 },
      payments: [],
    })
    expect(await shop.provider.findCharge(charge.reference)).toEqual({ kind: 'not_found' })
    const { end_to_end } = await shop.control.pay({ payload: charge.payload, on: shiftDay(DUE_DAY, 2) })
    const { endToEnd } = await shop.waitForNotification(
      item => item.kind === 'payment' && item.reference === charge.reference,
    )
    expect(endToEnd).toBe(end_to_end)
    const parts = {
      originalCents: 10_000,
      fineCents: 300,
      interestCents: 200,
      discountCents: 0,
      abatementCents: 0,
    }
    expect(await shop.provider.findCharge(charge.reference, IS_DUE)).toMatchObject({
      status: 'completed',
      payments: [{ endToEnd, cents: 10_500, parts }],
    })
    expect(await shop.provider.findPayment(end_to_end)).toMatchObject({
      kind: 'found',
      payment: { cents: 10_500, parts },
    })
  })

  test('a lost answer of an order leads to the same charge', async () => {
    await addFault('issueCharge', 'broken_body')
    const order = orderOf()
    expect(await shop.provider.issueCharge(order)).toMatchObject({ kind: 'unknown' })
    expect(await shop.provider.issueCharge(order)).toMatchObject({ kind: 'accepted' })
  })

  test('a revision is applied once, whatever becomes of its answers', async () => {
    const { reference } = await issue()
    const due: DueTerms = { ...TERMS, on: '2030-05-14', fine: null, discount: null }
    const revise = () => shop.provider.reviseCharge!({ reference, totalCents: 12_000, due })
    await addFault('reviseCharge', 'revision_lost')
    expect(await revise()).toMatchObject({ kind: 'no_answer' })
    await addFault('reviseCharge', 'done_then_unlisted_refusal')
    expect(await revise()).toMatchObject({ kind: 'no_answer' })
    expect(await revise()).toMatchObject({ kind: 'revised', charge: { totalCents: 12_000 } })
    const charges = await shop.control.listCharges()
    expect(charges.filter(charge => charge.reference === reference)).toHaveLength(1)
    const { payload } = await findPayload(reference)
    await shop.control.pay({ payload, on: '2030-05-13' })
    expect(await shop.provider.findCharge(reference, IS_DUE)).toMatchObject({
      status: 'completed',
      payments: [{ cents: 12_000 }],
    })
    expect(await revise()).toMatchObject({ kind: 'refused' })
  })
  const findPayload = async (reference: string) => {
    const found = await shop.provider.findCharge(reference, IS_DUE)
    if (found.kind !== 'found') throw new Error(JSON.stringify(found))
    return found.charge
  }

  test('one is cancelled, and not twice another way', async () => {
    const { reference, payload } = await issue()
    expect(await shop.provider.cancelCharge(reference, IS_DUE)).toEqual({ kind: 'cancelled' })
    expect(await shop.provider.cancelCharge(reference, IS_DUE)).toEqual({ kind: 'cancelled' })
    await expect(shop.control.pay({ payload })).rejects.toThrow('removed')
    expect(await shop.provider.reviseCharge!({ reference, totalCents: 1 })).toMatchObject({ kind: 'refused' })
  })

  test('a payment that is a centavo off has the parts of its provider', async () => {
    const { reference, payload } = await issue()
    await addFault('findPayment', 'centavo_off')
    await shop.control.pay({ payload, on: shiftDay(DUE_DAY, 2) })
    expect(await shop.provider.findCharge(reference, IS_DUE)).toMatchObject({
      status: 'completed',
      payments: [{ cents: 10_501, parts: { interestCents: 201 } }],
    })
  })

  test('a charge that breaks a rule of the Central Bank is refused', async () => {
    const order = orderOf({ due: { ...TERMS, on: '2020-01-01' } })
    expect(await shop.provider.issueCharge(order)).toMatchObject({ kind: 'rejected', code: 'charge_refused' })
  })
})

describe.each(['sicoob', 'inter'] as const)('%s without the scopes of charges with a due date', dialect => {
  test('refuses those, and operates everything else', async () => {
    const shop = await openSimulatedProvider(dialect, { withheld_scopes: ['cobv.write', 'cobv.read'] })
    try {
      expect(await shop.provider.issueCharge(orderOf())).toMatchObject({
        kind: 'rejected',
        finality: 'other_may_help',
        code: 'provider_denied',
      })
      expect(await shop.provider.findCharge(orderOf().reference, IS_DUE)).toMatchObject({
        kind: 'no_answer',
        code: 'provider_denied',
        isUnprocessed: true,
      })
      const charge = await shop.issueCharge(1234)
      expect(await shop.provider.findCharge(charge.reference)).toMatchObject({ status: 'open' })
      expect(await shop.provider.balances()).toMatchObject({ kind: 'found' })
    } finally {
      await shop.close()
    }
  })
})
