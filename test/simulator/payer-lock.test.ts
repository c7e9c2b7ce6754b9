import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { fetch } from 'undici'
import { openSimulatorFixture, pollUntil, SHOP, type SimulatorFixture } from './support/simulator-fixture.ts'
import { createWooviClient, type WooviClient } from './support/woovi-client.ts'

/** Woovi's charges that only their customer may pay ("Bloqueando Pagamentos"), and the payer that a payment names. */

const ANA = { name: 'Ana Souza', document: '52998224725' }
const OTHER = { name: 'Bruno Lima', document: '12345678909' }
const CUSTOMER = { name: 'Ana Souza', taxID: ANA.document }

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
})

const createCharge = (correlationID: string, more: object = {}) =>
  woovi.post('/charge', { correlationID, value: 1234, expiresIn: 3600, ...more })

test('a locked charge shows its customer, refuses another payer and takes the right one', async () => {
  const { body } = await createCharge('locked', { customer: CUSTOMER, ensureSameTaxID: true })
  expect(body.charge).toMatchObject({
    customer: { name: 'Ana Souza', taxID: { taxID: ANA.document, type: 'BR:CPF' } },
    ensureSameTaxID: true,
  })
  await expect(simulator.control.pay({ payload: body.brCode, payer: OTHER })).rejects.toThrow(
    /another payer is named/,
  )
  expect((await woovi.get('/charge/locked')).body.charge.status).toBe('ACTIVE')
  await simulator.control.pay({ payload: body.brCode, payer: ANA })
  expect((await woovi.get('/charge/locked')).body.charge.status).toBe('COMPLETED')
})

test('a charge with a customer and no lock is paid by anybody, and the event names another payer', async () => {
  const event = 'OPENPIX:CHARGE_COMPLETED_NOT_SAME_CUSTOMER_PAYER'
  await woovi.createWebhook(event, `${simulator.facts.inbox_url}/other-payer`)
  const { body } = await createCharge('open', { customer: CUSTOMER })
  const { end_to_end } = await simulator.control.pay({ payload: body.brCode, payer: OTHER })
  const [message] = await pollUntil(
    () => simulator.control.listInbox('other-payer'),
    messages => messages.length > 0,
  )
  expect(JSON.parse(message!.body)).toMatchObject({
    event,
    charge: { status: 'COMPLETED', customer: CUSTOMER_SHOWN },
    pix: { endToEndId: end_to_end, payer: { taxID: { taxID: OTHER.document } } },
  })
  const same = await createCharge('same', { customer: CUSTOMER })
  await simulator.control.pay({ payload: same.body.brCode, payer: ANA })
  await woovi.get('/charge/same')
  expect(await simulator.control.listInbox('other-payer')).toHaveLength(1)
})
const CUSTOMER_SHOWN = { name: 'Ana Souza', taxID: { taxID: ANA.document } }

test('a customer without a tax id, an e-mail and a phone is refused', async () => {
  expect((await createCharge('nameless', { customer: { name: 'Ana Souza' } })).status).toBe(400)
})

test('the payer’s page pays with the document that its user types, and refuses one that is none', async () => {
  const payOnPage = async (payload: string, fields: Record<string, string>) => {
    const answer = await fetch(`${simulator.facts.url}/pay`, {
      method: 'POST',
      body: new URLSearchParams({ payload, ...fields }),
      dispatcher: simulator.browser,
    })
    return { status: answer.status, html: await answer.text() }
  }
  const { body } = await createCharge('page', { customer: CUSTOMER, ensureSameTaxID: true })
  expect(await payOnPage(body.brCode, { name: 'Ana Souza', document: '123' })).toMatchObject({ status: 422 })
  expect(await payOnPage(body.brCode, OTHER)).toMatchObject({
    status: 409,
    html: expect.stringContaining('só pode ser paga por outra pessoa'),
  })
  expect(await payOnPage(body.brCode, ANA)).toMatchObject({ status: 200 })
  const { body: list } = await woovi.get('/transaction?charge=page')
  expect(list.transactions).toMatchObject([{ payer: { taxID: { taxID: ANA.document } } }])
})
