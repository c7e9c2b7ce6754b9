import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openSimulatorFixture, SHOP, type SimulatorFixture } from './support/simulator-fixture.ts'
import { createWooviClient, type WooviClient, wooviViolations } from './support/woovi-client.ts'

/** Woovi's charges of type OVERDUE. Amounts are those of its published texts, worked out by hand. */

let simulator: SimulatorFixture
let woovi: WooviClient
beforeAll(async () => {
  simulator = await openSimulatorFixture()
  await simulator.control.putAccount('shop', { ...SHOP, dialect: 'woovi', keys: [...SHOP.keys] })
  woovi = createWooviClient(simulator.facts.providers.PROVIDER_A.base_url, { ca: simulator.ca, ...SHOP })
})
afterAll(async () => {
  await woovi.close()
  await simulator.close()
  expect(wooviViolations).toEqual([])
})

const DAY_MS = 86_400_000
/** The day of Brasília that is a number of days from today. */
const dayIn = (days: number) =>
  new Date(Date.now() - 3 * 3_600_000 + days * DAY_MS).toISOString().slice(0, 10)

const CUSTOMER = {
  name: 'Ana Souza',
  taxID: '52998224725',
  address: {
    zipcode: '30421322',
    street: 'Rua A',
    number: '100',
    neighborhood: 'Centro',
    city: 'Belo Horizonte',
    state: 'MG',
    complement: 'Sala 2',
    country: 'BR',
  },
}
const NO_ADDITIONS = { fines: { value: 0 }, interests: { value: 0 } }
let made = 0
async function createDueCharge(changes: object = {}) {
  made += 1
  const correlationID = `due-${made}`
  const order = { correlationID, value: 10_000, type: 'OVERDUE', customer: CUSTOMER, daysForDueDate: 10 }
  const { status, body } = await woovi.post('/charge', { ...order, ...NO_ADDITIONS, ...changes })
  return { status, body, correlationID }
}

/** Pays a charge on a day, and returns the centavos that were paid; or why it could not be paid. */
async function payOn(changes: object, on: string): Promise<number | string> {
  const { body, correlationID } = await createDueCharge(changes)
  try {
    await simulator.control.pay({ payload: body.brCode, on })
  } catch (error) {
    return String(error)
  }
  expect((await woovi.get(`/charge/${correlationID}`)).body.charge.status).toBe('COMPLETED')
  return (await woovi.get(`/transaction?charge=${correlationID}`)).body.transactions[0].value
}

test('a charge shows its terms as Woovi’s pages do, and its nominal value', async () => {
  const { body } = await createDueCharge({
    fines: { value: 200, type: 'PERCENTAGE' },
    interests: { value: 3 },
    discountSettings: {
      modality: 'FIXED_VALUE_UNTIL_SPECIFIED_DATE',
      discountFixedDate: [{ daysActive: 5, value: 100 }],
    },
  })
  expect(body.charge).toMatchObject({
    type: 'OVERDUE',
    status: 'ACTIVE',
    value: 10_000,
    dueDate: `${dayIn(11)}T02:59:59.999Z`,
    interestsSettings: { fines: { value: 200 }, interests: { value: 3 } },
    discountSettings: { discountFixedDate: [{ data: dayIn(5), value: 100 }] },
    customer: { taxID: { taxID: CUSTOMER.taxID }, address: CUSTOMER.address },
  })
})

test('without fines and interests a charge has those of the published example', async () => {
  const { body } = await createDueCharge({ fines: undefined, interests: undefined })
  expect(body.charge.interestsSettings).toMatchObject({ fines: { value: 1000 }, interests: { value: 200 } })
})

const steps = (modality: string, ...discountFixedDate: object[]) => ({
  discountSettings: { modality, discountFixedDate },
})
const falling = [
  { daysActive: 5, value: 500 },
  { daysActive: 8, value: 200 },
]
const advance = (modality: string, value: number) => ({ discountSettings: { modality, value } })

test.each<[string, object, number, number]>([
  [
    'the due day costs the value',
    { fines: { value: 200, type: 'PERCENTAGE' }, interests: { value: 100 } },
    10,
    10_000,
  ],
  ['a fine in percent once', { fines: { value: 200, type: 'PERCENTAGE' } }, 15, 10_200],
  ['a fine without a type in percent', { fines: { value: 200 } }, 11, 10_200],
  ['a fine in centavos once', { fines: { value: 20, type: 'FIXED' } }, 12, 10_020],
  ['interest for each day', { interests: { value: 100 } }, 12, 10_200],
  ['both', { fines: { value: 200, type: 'PERCENTAGE' }, interests: { value: 3 } }, 20, 10_230],
  ['half a centavo rounded up', { value: 1_050, interests: { value: 100 } }, 11, 1_061],
  ['the first step', steps('PERCENTAGE_UNTIL_SPECIFIED_DATE', ...falling), 5, 9_500],
  ['the second step', steps('PERCENTAGE_UNTIL_SPECIFIED_DATE', ...falling), 6, 9_800],
  ['its last day', steps('FIXED_VALUE_UNTIL_SPECIFIED_DATE', ...falling), 8, 9_800],
  ['no step any more', steps('FIXED_VALUE_UNTIL_SPECIFIED_DATE', ...falling), 9, 10_000],
  [
    'no step on the due day',
    steps('FIXED_VALUE_UNTIL_SPECIFIED_DATE', { daysActive: 12, value: 500 }),
    10,
    10_000,
  ],
  ['centavos for each day in advance', advance('VALUE_PER_RUNNING_DAY_ADVANCE', 30), 3, 9_790],
  ['percent for each day in advance', advance('PERCENTAGE_PER_RUNNING_DAY_ADVANCE', 10), 0, 9_900],
])('what a charge costs: %s', async (_name, changes, daysFromNow, cents) => {
  expect(await payOn(changes, dayIn(daysFromNow))).toBe(cents)
})

test.each([
  ['VALUE_PER_BUSINESS_DAY_ADVANCE', 500, 9_000],
  ['PERCENTAGE_PER_BUSINESS_DAY_ADVANCE', 15, 9_970],
])('business days leave out weekends and holidays: %s', async (modality, value, cents) => {
  // Of the days after Friday up to Friday, Carnival and Ash Wednesday leave two.
  const due = { daysForDueDate: undefined, dueDate: '2027-02-12T15:00:00.000Z', ...advance(modality, value) }
  expect(await payOn(due, '2027-02-05')).toBe(cents)
})

test('a charge can be paid until its last day, also after the time that it shows as its end', async () => {
  const until = { daysAfterDueDate: 5 }
  expect(await payOn(until, dayIn(15))).toBe(10_000)
  expect(await payOn(until, dayIn(16))).toMatch('expired')
  const { correlationID } = await createDueCharge({ daysForDueDate: 0, daysAfterDueDate: 2 })
  const readStatus = async () => (await woovi.get(`/charge/${correlationID}`)).body.charge.status
  simulator.advanceClock(2 * 86_400)
  expect(await readStatus()).toBe('ACTIVE')
  simulator.advanceClock(86_400)
  expect(await readStatus()).toBe('EXPIRED')
  simulator.advanceClock(-3 * 86_400)
})

test('a payment of another value does not complete a charge', async () => {
  const { body, correlationID } = await createDueCharge({ fines: { value: 200 } })
  await simulator.control.pay({ payload: body.brCode, on: dayIn(12), value: 100 })
  expect((await woovi.get(`/charge/${correlationID}`)).body.charge.status).toBe('ACTIVE')
})

test.each<[string, object]>([
  ['no customer', { customer: undefined }],
  ['a customer without an address', { customer: { ...CUSTOMER, address: undefined } }],
  ['a due date that has passed', { daysForDueDate: undefined, dueDate: dayIn(-1) }],
  [
    'a discount until the day of creation',
    steps('FIXED_VALUE_UNTIL_SPECIFIED_DATE', { daysActive: 0, value: 1 }),
  ],
  ['a modality that no text has', advance('VALUE_PER_WEEK_ADVANCE', 1)],
])('a charge with %s is refused', async (_name, changes) => {
  expect((await createDueCharge(changes)).status).toBe(400)
})
