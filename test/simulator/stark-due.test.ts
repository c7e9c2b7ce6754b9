import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openSimulatorFixture, type SimulatorFixture } from './support/simulator-fixture.ts'
import { createStarkClient, putStarkShop } from './support/stark-client.ts'

/** Stark Bank's invoices with fine, interest and discounts. Amounts are those of its SDK's texts, worked out by hand. */

let simulator: SimulatorFixture
let stark: ReturnType<typeof createStarkClient>
beforeAll(async () => {
  simulator = await openSimulatorFixture()
  await putStarkShop(simulator.control)
  stark = createStarkClient(simulator.facts.providers.PROVIDER_A.base_url, simulator.ca)
})
afterAll(() => simulator.close())

const DAY_MS = 86_400_000
const dayIn = (days: number) =>
  new Date(Date.now() - 3 * 3_600_000 + days * DAY_MS).toISOString().slice(0, 10)

async function createInvoice(changes: object = {}) {
  const order = {
    amount: 10_000,
    taxId: '529.982.247-25',
    name: 'Arya Stark',
    due: dayIn(10),
    fine: 0,
    interest: 0,
  }
  const { status, body } = await stark.post('/invoice', { invoices: [{ ...order, ...changes }] })
  return status === 200 ? body.invoices[0] : body
}
const readInvoice = async (id: string) => (await stark.get(`/invoice/${id}`)).body.invoice

const discounts = [
  { percentage: 10, due: dayIn(3) },
  { percentage: 5, due: dayIn(6) },
]

test.each<[string, object, number, object]>([
  ['nothing is added on the due day', { fine: 2, interest: 1 }, 10, { amount: 10_000, fineAmount: 0 }],
  [
    'the fine once, and a day of a month of interest',
    { fine: 2.5, interest: 3 },
    11,
    { amount: 10_260, fineAmount: 250, interestAmount: 10 },
  ],
  ['thirty days of interest', { interest: 1.3 }, 40, { amount: 10_130, interestAmount: 130 }],
  ['the larger discount', { discounts }, 3, { amount: 9_000, discountAmount: 1_000 }],
  ['the later discount', { discounts }, 4, { amount: 9_500, discountAmount: 500 }],
  ['no discount any more', { discounts }, 7, { amount: 10_000, discountAmount: 0 }],
])('what an invoice costs: %s', async (_name, changes, daysFromNow, paid) => {
  const { id, brcode } = await createInvoice(changes)
  await simulator.control.pay({ payload: brcode, on: dayIn(daysFromNow) })
  expect(await readInvoice(id)).toMatchObject({ status: 'paid', nominalAmount: 10_000, ...paid })
  expect((await stark.get(`/invoice/${id}/payment`)).body.payment.amount).toBe(
    (paid as { amount: number }).amount,
  )
})

test('a day is shown as its end in Brasília; an unpaid invoice asks for what it costs now', async () => {
  const invoice = await createInvoice({ discounts, expiration: 86_400 })
  expect(invoice).toMatchObject({
    due: `${dayIn(11)}T02:59:59.999000+00:00`,
    expiration: 86_400,
    amount: 9_000,
    nominalAmount: 10_000,
    discountAmount: 1_000,
    discounts: [{ percentage: 10, due: `${dayIn(4)}T02:59:59.999000+00:00` }, { percentage: 5 }],
  })
  await expect(simulator.control.pay({ payload: invoice.brcode, on: dayIn(12) })).rejects.toThrow('expired')
  await simulator.control.pay({ payload: invoice.brcode, on: dayIn(11) })
})

test('times in place of days count to the second', async () => {
  const due = new Date(Date.now() - 7_200_000).toISOString()
  const { id, brcode } = await createInvoice({ due, fine: 2, interest: 1, expiration: 86_400 })
  expect(await readInvoice(id)).toMatchObject({ status: 'overdue', fineAmount: 200, interestAmount: 3 })
  await simulator.control.pay({ payload: brcode })
  expect(await readInvoice(id)).toMatchObject({ status: 'paid', amount: 10_203 })
})

test('a changed due day moves what an invoice costs', async () => {
  const { id, brcode } = await createInvoice({ fine: 2 })
  const { body } = await stark.patch(`/invoice/${id}`, { due: dayIn(20), expiration: 864_000 })
  expect(body.invoice).toMatchObject({ due: `${dayIn(21)}T02:59:59.999000+00:00`, expiration: 864_000 })
  await simulator.control.pay({ payload: brcode, on: dayIn(15) })
  expect(await readInvoice(id)).toMatchObject({ status: 'paid', amount: 10_000 })
  expect((await stark.patch(`/invoice/${id}`, { due: dayIn(25) })).status).toBe(400)
})

test('a discount whose day is none is refused', async () => {
  expect(await createInvoice({ discounts: [{ percentage: 1, due: 'amanhã' }] })).toHaveProperty('errors')
})
