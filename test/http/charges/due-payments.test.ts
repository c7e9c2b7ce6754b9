import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { findCharge } from '../../../src/api/operations/charges.ts'
import { showCharge } from '../../../src/contract/charges/charge.ts'
import { checkLedger } from '../../../src/db/repositories/ledger-rules.ts'
import { addDays, findBusinessDay } from '../../../src/domain/charges/business-days.ts'
import { computeAmountDue } from '../../../src/domain/charges/due-amount.ts'
import type { DueTerms, PaidParts } from '../../../src/domain/charges/due-terms.ts'
import type { ChargeSplit } from '../../../src/domain/charges/split.ts'
import { newEndToEndId } from '../../chaos/support/money-fixture.ts'
import { DUE_TERMS, type DueChargeFixture, openDueChargeFixture, TODAY } from './support/due-charge.ts'

/** Payments of charges with a due date: their provider computes what is paid. */

let fixture: DueChargeFixture
beforeAll(async () => {
  fixture = await openDueChargeFixture()
})
afterAll(() => fixture?.close())

const percent = (basisPoints: number) => ({ type: 'PERCENTAGE' as const, basisPoints })
const NO_PARTS = { fineCents: 0, interestCents: 0, discountCents: 0, abatementCents: 0 }
const partsOf = (originalCents: number, more: Partial<PaidParts> = {}): PaidParts => ({
  originalCents,
  ...NO_PARTS,
  ...more,
})

async function showPayment(uuid: string) {
  const charge = (await findCharge(fixture.orm.em.fork(), uuid))!
  return showCharge(charge, charge.refunds)
}

test('is issued with its terms, its debtor and its texts, and expires by its due date', async () => {
  const charge = await fixture.issue({
    message: 'Mensalidade',
    additionalInfo: [{ name: 'Turma', value: '3B' }],
    metadata: { customer: '42' },
  })
  const address = { street: 'Rua A', city: 'São Paulo', state: 'SP', zipCode: '01310100' }
  expect(charge.requested()).toMatchObject({
    due: DUE_TERMS,
    message: 'Mensalidade',
    additionalInfo: [{ name: 'Turma', value: '3B' }],
    debtor: { name: 'Ana Souza', document: '52998224725', address },
    totalCents: 10_000,
  })
  const shown = await showPayment(charge.uuid)
  expect(shown).toMatchObject({
    message: 'Mensalidade',
    metadata: { customer: '42' },
    revision: 0,
    debtor: { address: { street: 'Rua A', city: 'São Paulo', state: 'SP', zip_code: '01310100' } },
    payment: {
      type: 'QR_DYNAMIC',
      due: {
        on: DUE_TERMS.on,
        payable_days_after: 30,
        fine: { type: 'PERCENTAGE', value: 200 },
        interest: { type: 'PERCENTAGE', value: 100, per: 'MONTH', days: 'CALENDAR' },
      },
      amount_due: { value: 10_000, on: TODAY, is_forecast: true },
      pix: { additional_info: [{ name: 'Turma', value: '3B' }] },
    },
  })
  expect(shown.payment.expires_at?.toISOString()).toMatch(/T03:00:00\.000Z$/)
  expect(shown.payment).not.toHaveProperty('paid')
})

test('is looked up and cancelled as one with a due date', async () => {
  const charge = await fixture.issue()
  const kinds: unknown[] = []
  fixture.scriptProvider({
    findCharge: async (_, kind) => {
      kinds.push(kind)
      return charge.found([])
    },
    cancelCharge: async (_, kind) => {
      kinds.push(kind)
      return { kind: 'cancelled' }
    },
  })
  await fixture.providers.pollCharge({ chargeUuid: charge.uuid, isPayloadExpired: false })
  await fixture.providers.cancelCharge({ chargeUuid: charge.uuid })
  expect(kinds).toEqual([{ isDue: true }, { isDue: true }])
})

describe('is paid', () => {
  test('by what its provider computed, whose parts are shown', async () => {
    const charge = await fixture.issue()
    const parts = partsOf(10_000, { fineCents: 200, interestCents: 45 })
    await charge.poll([{ cents: 10_245, parts }])
    const shown = await showPayment(charge.uuid)
    expect(shown).toMatchObject({
      status: 'PAID',
      value: 10_000,
      total_value: 10_000,
      net_value: 10_245,
      payment: {
        value: 10_000,
        paid: { value: 10_245, fine: 200, interest: 45, discount: 0, abatement: 0 },
      },
    })
    expect(shown.payment).not.toHaveProperty('amount_due')
    expect(await fixture.readBalances(charge.accountUuid)).toEqual({ available: 10_245, outside: -10_245 })
  })

  test('without parts by what is within 10 centavos of the forecast', async () => {
    const charge = await fixture.issue()
    await charge.poll([{ cents: 10_009 }])
    expect(await showPayment(charge.uuid)).toMatchObject({
      status: 'PAID',
      payment: { paid: { value: 10_009 } },
    })
  })

  test('not by what is further off: that is returned to its payer', async () => {
    const charge = await fixture.issue()
    await charge.poll([{ cents: 10_011 }])
    expect(await charge.readState()).toBe('pending')
    expect(await charge.listUnmatched()).toEqual([{ reason: 'wrong_amount', disposition: 'held' }])
  })

  test('with a fee on top, and with splits of what came in less the fee', async () => {
    const recipient = await fixture.createRecipient()
    const charge = await fixture.issue({
      fee: 50,
      splits: splitsOf(recipient.accountUuid, [
        ['PERCENTAGE', 5_000],
        ['FIXED', 4_000],
      ]),
      pool: recipient.pool,
    })
    expect(charge.requested().totalCents).toBe(10_050)
    // A discount of 30 reais leaves 70 and a half: 40 are fixed, half of 70 would be 35, and 30 are left.
    await charge.poll([{ cents: 7_050, parts: partsOf(10_050, { discountCents: 3_000 }) }])
    const shown = await showPayment(charge.uuid)
    expect(shown).toMatchObject({ status: 'PAID', fees: 50, net_value: 7_000, total_value: 10_050 })
    expect(await fixture.readBalances(charge.accountUuid)).toEqual({ fee: 50, outside: -7_050 })
    expect(await fixture.readBalances(recipient.accountUuid)).toEqual({ available: 7_000 })
    expect(await checkLedger(fixture.orm.em.fork())).toEqual([])
  })

  test('with a fee of at most what came in', async () => {
    const charge = await fixture.issue({ fee: 500 })
    await charge.poll([{ cents: 300, parts: partsOf(10_500, { discountCents: 10_200 }) }])
    expect(await showPayment(charge.uuid)).toMatchObject({
      status: 'PAID',
      fees: 300,
      total_value: 10_500,
      net_value: 0,
    })
    expect(await fixture.readBalances(charge.accountUuid)).toEqual({ fee: 300, outside: -300 })
  })

  test('after it was in process, and by its parts then', async () => {
    const charge = await fixture.issue()
    const endToEnd = `E${randomUUID().replaceAll('-', '').slice(1)}`
    await charge.poll([{ endToEnd, status: 'in_process' }])
    expect(await charge.readState()).toBe('paying')
    await charge.poll([{ endToEnd, parts: partsOf(10_000) }])
    expect(await showPayment(charge.uuid)).toMatchObject({
      status: 'PAID',
      payment: { paid: { value: 10_000, fine: 0, interest: 0, discount: 0, abatement: 0 } },
    })
  })

  test('of another amount than it had in process, by what it settled with', async () => {
    const charge = await fixture.issue({ fee: 50 })
    const endToEnd = newEndToEndId()
    await charge.poll([{ endToEnd, status: 'in_process', cents: 10_050 }], { status: 'open' })
    expect(await charge.readState()).toBe('paying')
    await charge.poll([{ endToEnd, cents: 10_070, parts: partsOf(10_050, { interestCents: 20 }) }])
    expect(await showPayment(charge.uuid)).toMatchObject({
      status: 'PAID',
      fees: 50,
      payment: { paid: { value: 10_070, interest: 20 }, pix: { transaction: { value: 10_070 } } },
    })
    expect(await fixture.readBalances(charge.accountUuid)).toEqual({
      available: 10_020,
      fee: 50,
      outside: -10_070,
    })
    expect(await checkLedger(fixture.orm.em.fork())).toEqual([])
  })

  test('not where it was credited as a deposit of another amount, which stays one', async () => {
    const charge = await fixture.issue()
    const endToEnd = newEndToEndId()
    await charge.poll([{ endToEnd, cents: 9_000 }])
    expect(await charge.listUnmatched()).toMatchObject([{ reason: 'wrong_amount' }])
    await fixture.sql("update movement set reason = 'deposit', disposition = null where end_to_end = ?", [
      endToEnd,
    ])
    await charge.poll([{ endToEnd, cents: 10_000, parts: partsOf(10_000) }])
    expect(await charge.readState()).toBe('pending')
    expect(await charge.listUnmatched()).toMatchObject([{ reason: 'deposit' }])
  })

  test('late by the forecast of the day on which it was paid', async () => {
    const due: DueTerms = {
      ...DUE_TERMS,
      discount: { kind: 'per_day', rate: percent(100), days: 'CALENDAR' },
    }
    const charge = await fixture.issue({ due })
    const { totalCents } = computeAmountDue(10_000, due, addDays(TODAY, -1))
    await charge.poll([{ cents: totalCents, at: `${addDays(TODAY, -1)}T15:00:00.000Z` }])
    expect(await charge.readState()).toBe('paid')
  })
})

test('expires by the word of its provider alone', async () => {
  const charge = await fixture.issue()
  await charge.poll([], { status: 'open', isPayloadExpired: true })
  expect(await charge.readState()).toBe('pending')
  await charge.poll([], { status: 'expired', isPayloadExpired: true })
  expect(await charge.readState()).toBe('expired')
})

describe('where the municipality of the payer has a holiday, which nobody knows here', () => {
  const on = findBusinessDay(addDays(TODAY, -10))

  test('the parts of the bank decide, and nothing is late', async () => {
    const charge = await fixture.issue({ due: { ...DUE_TERMS, on } })
    await charge.poll([{ cents: 10_000, parts: partsOf(10_000) }])
    expect(await showPayment(charge.uuid)).toMatchObject({
      status: 'PAID',
      payment: { paid: { value: 10_000, fine: 0, interest: 0 } },
    })
  })

  test('a payment without parts is not taken for one in time', async () => {
    const charge = await fixture.issue({ due: { ...DUE_TERMS, on } })
    await charge.poll([{ cents: 10_000 }])
    expect(await charge.readState()).toBe('pending')
    expect(await charge.listUnmatched()).toEqual([{ reason: 'wrong_amount', disposition: 'held' }])
  })

  test('a payment that its bank still lets pass after the end is a late one', async () => {
    const charge = await fixture.issue()
    await charge.poll([], { status: 'expired', isPayloadExpired: true })
    await charge.poll([{ cents: 10_000, parts: partsOf(10_000) }], { status: 'completed' })
    expect(await charge.readState()).toBe('paid')
    const events = await fixture.sql<object>(
      `select body ->> 'status' as status, body ->> 'late' as late from event where subject_uuid = ? and type = 'PAYMENT'
       order by sequence`,
      [charge.uuid],
    )
    expect(events).toEqual([
      { status: 'EXPIRED', late: null },
      { status: 'PAID', late: 'true' },
    ])
  })
})

describe('PostgreSQL refuses', () => {
  test.each([
    ['parts that do not add up', `paid_parts = '{"originalCents": 1}'`, 'charge_paid_parts'],
    ['parts of an unpaid charge', `paid_parts = '${JSON.stringify(partsOf(0))}'`, 'charge_paid_parts'],
    [
      'other terms without a revision',
      `due = jsonb_set(due, '{payableDaysAfter}', '5')`,
      'charge_value_fixed',
    ],
    ['another value without a revision', `value_cents = 5, total_cents = 5`, 'charge_value_fixed'],
    ['no terms any more', 'due = null', 'charge_value_fixed'],
    [
      'a revision that is not stored',
      `revision = 1, issued_as = '{}'`,
      'asks something else than its last revision',
    ],
    ['a revision below 0', 'revision = -1', 'charge_value_fixed'],
    ['an expiry in seconds', 'expires_in_seconds = 60', 'charge_expiry_known'],
    ['a due date without a debtor', 'debtor_name = null, debtor_document = null', 'charge_'],
  ])('%s', async (_, change, constraint) => {
    const charge = await fixture.issue()
    await expect(fixture.sql(`update charge set ${change} where uuid = ?`, [charge.uuid])).rejects.toThrow(
      constraint,
    )
  })
})

function splitsOf(recipientAccountUuid: string, shares: [ChargeSplit['type'], number][]): ChargeSplit[] {
  return shares.map(([type, amount]) => ({ type, amount, recipientAccountUuid }))
}
