import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { SHOP } from '../../simulator/support/simulator-fixture.ts'
import { createWooviClient } from '../../simulator/support/woovi-client.ts'
import { openSimulatedProvider, pollUntil, type SimulatedProvider } from '../support/simulated.ts'

/** Woovi's own ids and its panel: the adapter asks by its own id, reads what comes, and believes no event. */

let shop: SimulatedProvider
beforeAll(async () => {
  shop = await openSimulatedProvider('woovi')
})
beforeEach(() => shop.control.clearFaults())
afterAll(() => shop.close())

const fault = (
  kind: 'txid_differs' | 'order_left' | 'order_removed' | 'accepted_then_reported_removed',
  operation: 'issueCharge' | 'sendTransfer',
  delay_ms?: number,
) =>
  shop.control.addFault({
    provider: 'PROVIDER_A',
    fault: kind,
    operation,
    ...(delay_ms === undefined ? {} : { delay_ms }),
  })

test('a charge keeps the txid and payload that Woovi chose, and is polled by our id', async () => {
  await fault('txid_differs', 'issueCharge')
  const charge = await shop.issueCharge(1234)
  expect(charge.txid).toMatch(/^[0-9a-f]{32}$/)
  expect(charge.txid).not.toBe(charge.reference)
  expect(await shop.control.listCharges()).toContainEqual({
    account: 'shop',
    reference: charge.reference,
    txid: charge.txid,
    status: 'active',
  })
  expect(await shop.provider.issueCharge(shop.order(1))).toMatchObject({ kind: 'accepted' })
  const { reference, txid, payload } = charge
  expect(await shop.provider.findCharge(reference)).toMatchObject({
    status: 'open',
    charge: { txid, payload },
  })
  // Woovi finds it by its own id too, which is none of ours.
  expect(await shop.provider.findCharge(txid)).toMatchObject({ kind: 'no_answer' })

  const { end_to_end: endToEnd } = await shop.control.pay({ payload })
  expect(await shop.waitForNotification(item => item.endToEnd === endToEnd)).toMatchObject({
    kind: 'payment',
    reference,
  })
  const payment = { endToEnd, txid, reference, cents: 1234, status: 'settled' }
  expect(await shop.provider.findCharge(reference)).toMatchObject({
    status: 'completed',
    payments: [payment],
  })
  expect(await shop.provider.findPayment(endToEnd)).toMatchObject({ kind: 'found', payment })
})

test('a repeated request is the same charge, with the txid that Woovi chose', async () => {
  await fault('txid_differs', 'issueCharge')
  const order = shop.order(500)
  const first = await shop.provider.issueCharge(order)
  expect(await shop.provider.issueCharge(order)).toEqual(first)
  expect(await shop.provider.cancelCharge(order.reference)).toEqual({ kind: 'cancelled' })
})

test('a payment removed in the panel is notified with our id, and its lookup does not find it', async () => {
  await fault('order_left', 'sendTransfer')
  const order = shop.transferRequest()
  expect(await shop.provider.sendTransfer(order)).toMatchObject({ kind: 'awaiting_approval' })
  await shop.control.removeOrder(order.id)
  const notification = await shop.waitForNotification(item => item.reference === order.id)
  expect(notification).toMatchObject({ kind: 'transfer', endToEnd: null })
  expect(JSON.parse(notification.raw)).toMatchObject({
    event: 'OPENPIX:MOVEMENT_REMOVED',
    payment: { correlationID: order.id },
  })
  expect(await shop.provider.findTransfer(order.id)).toEqual({ kind: 'not_found' })
})

test('a payment that will be removed awaits its approval until then', async () => {
  await fault('order_removed', 'sendTransfer', 400)
  const order = shop.transferRequest()
  const send = () => shop.provider.sendTransfer(order)
  expect(await shop.stage.whileClockIsStopped(send)).toMatchObject({ kind: 'awaiting_approval' })
  await pollUntil(
    () => shop.provider.findTransfer(order.id),
    ({ kind }) => kind === 'not_found',
  )
})

test('a payment notified as removed that is paid nevertheless is in process, then settled', async () => {
  await fault('accepted_then_reported_removed', 'sendTransfer', 400)
  const order = shop.transferRequest()
  const send = () => shop.provider.sendTransfer(order)
  expect(await shop.stage.whileClockIsStopped(send)).toMatchObject({
    kind: 'accepted',
    payout: { status: 'in_process' },
  })
  await shop.waitForNotification(item => item.reference === order.id)
  expect(await shop.waitForEnd(() => shop.provider.findTransfer(order.id))).toMatchObject({
    status: 'settled',
  })
})

test('a PIX of a static code is notified with its end-to-end id, and belongs to no charge', async () => {
  const { facts, ca } = shop.stage
  const woovi = createWooviClient(facts.providers[SHOP.provider].base_url, { ca, ...SHOP })
  const { pixQrCode, brCode } = (await woovi.post('/qrcode-static', { name: 'Balcao', value: 420 })).body
  await woovi.close()
  const { end_to_end: endToEnd } = await shop.control.pay({ payload: brCode })
  const notification = await shop.waitForNotification(item => item.endToEnd === endToEnd)
  expect(notification).toMatchObject({ kind: 'payment', reference: null })
  expect(JSON.parse(notification.raw)).toMatchObject({ pixQrCode, charge: null })
  const payment = { cents: 420, reference: null, txid: pixQrCode.identifier, status: 'settled' }
  expect(await shop.provider.findPayment(endToEnd)).toMatchObject({ kind: 'found', payment })
})
