import { expect, test } from '@jest/globals'
import { openMoneySuite } from '../support/money-suite.ts'
import { pollUntil } from '../support/poll-until.ts'

/** Charges with a debtor at Stark Bank, which are invoices: of these the bank shows the end-to-end id (docs/providers/stark.md). */

const { stage, payouts, createMerchant } = await openMoneySuite()
const PAYER = { name: 'Ana Souza', document: '52998224725' }

test('an invoice is paid, shown with its end-to-end id, and refunded in two parts', async () => {
  const { api } = await createMerchant({
    providers: [{ provider: 'PROVIDER_D', dialect: 'stark', sendsNotifications: true }],
  })
  const { uuid, payment } = await api.createCharge({ debtor: PAYER, verify_sender: true, match: 'FULL' })
  const refused = stage.simulator.pay({
    payload: payment.payload,
    payer: { ...PAYER, document: '12345678909' },
  })
  await expect(refused).rejects.toThrow(/another payer is named/)

  const { end_to_end } = await stage.simulator.pay({ payload: payment.payload, payer: PAYER })
  const paid = await pollUntil(
    () => api.readCharge(uuid),
    ({ status }) => status === 'PAID',
  )
  expect(paid.payment).toMatchObject({
    verify_sender: true,
    pix: { sender: PAYER, transaction: { end_to_end } },
  })
  for (const path of ['payments', 'ledger', 'events']) {
    const { body } = await api.get(`/api/v1/${path}?end_to_end=${end_to_end}`)
    expect([path, body.data.length > 0]).toEqual([path, true])
  }

  for (const [value, after] of [
    [4, 'PARTIALLY_REFUNDED'],
    [6, 'REFUNDED'],
  ] as const) {
    expect((await api.post(`/api/v1/payments/${uuid}/refund`, { value })).status).toBe(200)
    await pollUntil(
      () => api.readCharge(uuid),
      ({ status }) => status === after,
    )
  }
})

test('a refund of an invoice that fails at the bank gives the money back, and another one settles', async () => {
  const merchant = await createMerchant({
    providers: [{ provider: 'PROVIDER_D', dialect: 'stark', sendsNotifications: true }],
  })
  const { api, connection } = merchant
  const { uuid, payment } = await api.createCharge({ debtor: PAYER })
  await stage.simulator.pay({ payload: payment.payload, payer: PAYER })
  await pollUntil(
    () => api.readCharge(uuid),
    ({ status }) => status === 'PAID',
  )
  await payouts.injectFault(connection, 'refund', 'accepted_then_rejected')
  const refund = () => api.post(`/api/v1/payments/${uuid}/refund`, { value: 3 })
  expect((await refund()).status).toBe(200)
  const { body } = await pollUntil(
    () => api.get(`/api/v1/refunds?charge_uuid=${uuid}`),
    one => one.body.data[0]?.status === 'FAILED',
  )
  expect(body.data).toHaveLength(1)
  expect(await api.readCharge(uuid)).toMatchObject({ status: 'PAID', refunded_value: 0 })
  expect((await refund()).status).toBe(200)
  await pollUntil(
    () => api.readCharge(uuid),
    ({ status }) => status === 'PARTIALLY_REFUNDED',
  )
})

test('an invoice is cancelled at the bank, where it cannot be paid any more', async () => {
  const { api } = await createMerchant({ providers: [{ provider: 'PROVIDER_D', dialect: 'stark' }] })
  const { uuid, payment } = await api.createCharge({ debtor: PAYER })
  await api.carryOut('POST', `/api/v1/payments/${uuid}/cancel`)
  expect(await api.readCharge(uuid)).toMatchObject({ status: 'CANCELLED' })
  await expect(stage.simulator.pay({ payload: payment.payload, payer: PAYER })).rejects.toThrow('removed')
})
