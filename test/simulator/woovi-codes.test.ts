import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { parseBrCode } from '../../packages/simulator/br-code.ts'
import { openSimulatorFixture, pollUntil, SHOP, type SimulatorFixture } from './support/simulator-fixture.ts'
import {
  createWooviClient,
  readWooviNotifications,
  type WooviClient,
  wooviViolations,
} from './support/woovi-client.ts'

/** Woovi's own ids: txids that it chooses, static codes, and orders that a person removes in its panel. */

let simulator: SimulatorFixture
let woovi: WooviClient
const openWooviClient = () =>
  createWooviClient(simulator.facts.providers.PROVIDER_B.base_url, { ca: simulator.ca, ...SHOP })
beforeAll(async () => {
  simulator = await openSimulatorFixture()
  const settings = { ...SHOP, provider: 'PROVIDER_B', dialect: 'woovi', balance: 10_000 } as const
  await simulator.control.putAccount('shop', { ...settings, keys: [...SHOP.keys] })
  woovi = openWooviClient()
})
beforeEach(() => simulator.control.clearFaults())
afterAll(async () => {
  await woovi.close()
  await simulator.close()
  expect(wooviViolations).toEqual([])
})

let count = 0
const id = () => `c0de-${++count}`
type FaultOptions = { operation: 'issueCharge' | 'sendTransfer'; delay_ms?: number }
const fault = (
  kind: 'txid_differs' | 'order_removed' | 'accepted_then_reported_removed',
  more: FaultOptions,
) => simulator.control.addFault({ provider: 'PROVIDER_B', fault: kind, ...more })
const notificationsOf = (inbox: string) => async () =>
  (await readWooviNotifications(simulator.control, inbox)).map(({ notification }) => notification)

describe('a charge whose txid Woovi chooses', () => {
  test('is found by its correlationID, which stays in use, and is paid and refunded by it', async () => {
    const name = id()
    await fault('txid_differs', { operation: 'issueCharge' })
    const { charge, brCode } = (await woovi.createCharge(name)).body
    expect(charge.correlationID).toBe(name)
    expect(charge.transactionID).toMatch(/^[0-9a-f]{32}$/)
    expect([charge.identifier, charge.paymentMethods.pix.txId]).toEqual([
      charge.transactionID,
      charge.transactionID,
    ])
    expect((await woovi.createCharge(name)).body.error).toMatch(/^Já existe/)

    const { end_to_end } = await simulator.control.pay({ payload: brCode })
    const paid = (await woovi.get(`/charge/${name}`)).body.charge
    expect([paid.status, paid.transactionID]).toEqual(['COMPLETED', charge.transactionID])
    expect((await woovi.get(`/transaction?charge=${name}`)).body.transactions).toMatchObject([
      { endToEndId: end_to_end, transactionID: charge.transactionID, charge: { correlationID: name } },
    ])
    const refund = await woovi.post(`/charge/${name}/refund`, { correlationID: id(), value: 10 })
    expect(refund.body.refund.status).toBe('IN_PROCESSING')
    expect(await simulator.control.listCharges()).toContainEqual({
      account: 'shop',
      reference: name,
      txid: charge.transactionID,
      status: 'completed',
    })
  })

  test('is a fault of one operation', async () => {
    await expect(fault('txid_differs', { operation: 'sendTransfer' })).rejects.toMatchObject({ status: 422 })
    await expect(fault('order_removed', { operation: 'issueCharge' })).rejects.toMatchObject({ status: 422 })
  })
})

describe('an order that is removed', () => {
  const order = (name: string) => woovi.orderPayment(name, 'maria@example.com', { autoApprove: true })
  beforeAll(async () => {
    for (const event of ['OPENPIX:MOVEMENT_REMOVED', 'OPENPIX:MOVEMENT_CONFIRMED'])
      await woovi.createWebhook(event, `${simulator.facts.inbox_url}/orders`)
  })
  const removalOf = (name: string) => ({
    event: 'OPENPIX:MOVEMENT_REMOVED',
    payment: { correlationID: name },
    account: { accountId: 'shop' },
  })

  test('in the panel is notified by its correlationID, and no longer found', async () => {
    const name = id()
    await woovi.orderPayment(name)
    await simulator.control.removeOrder(name)
    await pollUntil(notificationsOf('orders'), all =>
      all.some(notified => notified.payment.correlationID === name),
    )
    expect(await notificationsOf('orders')()).toContainEqual(removalOf(name))
    expect((await woovi.get(`/payment/${name}`)).body).toEqual({ error: 'Pagamento não encontrado' })
    await expect(simulator.control.removeOrder(name)).rejects.toMatchObject({ status: 404 })
  })

  test('order_removed leaves it, and removes it later', async () => {
    const name = id()
    await fault('order_removed', { operation: 'sendTransfer', delay_ms: 300 })
    await simulator.whileClockIsStopped(async () => {
      expect((await order(name)).body.error).toMatch(/balance/)
      expect((await woovi.get(`/payment/${name}`)).body.payment.status).toBe('CREATED')
    })
    await pollUntil(
      () => woovi.get(`/payment/${name}`),
      ({ status }) => status === 400,
    )
    await pollUntil(notificationsOf('orders'), all =>
      all.some(notified => notified.payment.correlationID === name),
    )
  })

  test('is kept if it was approved meanwhile', async () => {
    const name = id()
    await fault('order_removed', { operation: 'sendTransfer', delay_ms: 300 })
    await simulator.whileClockIsStopped(async () => {
      await order(name)
      await simulator.control.approveOrder(name)
    })
    await pollUntil(notificationsOf('orders'), all =>
      all.some(notified => notified.payment.correlationID === name),
    )
    expect(await notificationsOf('orders')()).not.toContainEqual(removalOf(name))
  })

  test('accepted_then_reported_removed notifies a removal, and pays all the same', async () => {
    const name = id()
    await fault('accepted_then_reported_removed', { operation: 'sendTransfer', delay_ms: 300 })
    expect((await order(name)).body.payment.status).toBe('APPROVED')
    await pollUntil(notificationsOf('orders'), all =>
      all.some(notified => notified.payment.correlationID === name),
    )
    expect(await notificationsOf('orders')()).toContainEqual(removalOf(name))
    await pollUntil(
      () => woovi.get(`/payment/${name}`),
      ({ body }) => body.payment.status === 'CONFIRMED',
    )
  })
})

describe('a static code', () => {
  const create = (more: object = {}) =>
    woovi.post('/qrcode-static', { name: 'Balcão', correlationID: id(), ...more })

  test('is created, found by each of its ids, listed, and deleted', async () => {
    const { status, body } = await create({ value: 1234, comment: 'Cafe', identifier: 'balcao1' })
    const { pixQrCode } = body
    expect([status, body.brCode, body.correlationID]).toEqual([
      200,
      pixQrCode.brCode,
      pixQrCode.correlationID,
    ])
    expect(pixQrCode).toMatchObject({ name: 'Balcão', value: 1234, comment: 'Cafe', identifier: 'balcao1' })
    expect(parseBrCode(body.brCode)).toMatchObject({ key: SHOP.keys[0], totalCents: 1234, txid: 'balcao1' })
    for (const name of [pixQrCode.correlationID, 'balcao1', pixQrCode.paymentLinkID])
      expect((await woovi.get(`/qrcode-static/${name}`)).body).toEqual({ pixQrCode })
    expect((await woovi.get('/qrcode-static')).body).toMatchObject({ pixQrCodes: [pixQrCode] })
    expect((await woovi.delete('/qrcode-static/balcao1')).body).toEqual({
      status: 'OK',
      id: pixQrCode.correlationID,
    })
    for (const gone of [
      await woovi.get('/qrcode-static/balcao1'),
      await woovi.delete('/qrcode-static/balcao1'),
    ])
      expect([gone.status, typeof gone.body.error]).toEqual([400, 'string'])
    expect((await create({ identifier: 'balcao1' })).body.error).toMatch(/^Já existe/)
  })

  test('can be paid repeatedly, also once deleted, and each PIX is notified and listed with it', async () => {
    await woovi.createWebhook('OPENPIX:TRANSACTION_RECEIVED', `${simulator.facts.inbox_url}/codes`)
    const { pixQrCode, brCode } = (await create({ value: 500 })).body
    const paid = [(await simulator.control.pay({ payload: brCode })).end_to_end]
    await woovi.delete(`/qrcode-static/${pixQrCode.correlationID}`)
    paid.push((await simulator.control.pay({ payload: brCode, value: 7 })).end_to_end)
    const notified = await pollUntil(notificationsOf('codes'), all => all.length === 2)
    expect(notified.map(({ pix }) => [pix.endToEndId, pix.value]).toSorted()).toEqual(
      [
        [paid[0], 500],
        [paid[1], 700],
      ].toSorted(),
    )
    for (const one of notified)
      expect(one).toMatchObject({ charge: null, pixQrCode, pix: { pixQrCode, charge: null, type: 'STATIC' } })
    expect((await woovi.get(`/transaction/${paid[0]}`)).body.transaction).toMatchObject({
      type: 'STATIC',
      pixQrCode,
      transactionID: pixQrCode.identifier,
    })
  })

  test('without a value the payer chooses one', async () => {
    const { pixQrCode, brCode } = (await create()).body
    expect(pixQrCode).not.toHaveProperty('value')
    await expect(simulator.control.pay({ payload: brCode })).rejects.toMatchObject({ status: 409 })
    const { end_to_end } = await simulator.control.pay({ payload: brCode, value: 3 })
    expect((await woovi.get(`/transaction/${end_to_end}`)).body.transaction.value).toBe(300)
  })

  test.each([
    ['without a name', { name: '' }],
    ['with a key of another account', { pixKey: 'outra@trilho.test' }],
    ['with an identifier that the rail does not take', { identifier: 'a-b' }],
    ['with a value of zero', { value: 0 }],
  ])('%s is refused', async (_, more) => {
    expect((await create(more)).status).toBe(400)
  })
})

test('own txids and static codes survive a restart', async () => {
  const name = id()
  await fault('txid_differs', { operation: 'issueCharge' })
  const { charge } = (await woovi.createCharge(name)).body
  const { pixQrCode } = (await woovi.post('/qrcode-static', { name: 'Caixa' })).body
  const { home } = simulator
  await woovi.close()
  await simulator.stop()
  simulator = await openSimulatorFixture({ home })
  woovi = openWooviClient()
  expect((await woovi.get(`/charge/${name}`)).body.charge.transactionID).toBe(charge.transactionID)
  expect((await woovi.get(`/qrcode-static/${pixQrCode.identifier}`)).body).toEqual({ pixQrCode })
})
