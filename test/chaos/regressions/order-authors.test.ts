import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openActivityFixture } from '../support/activity-fixture.ts'
import { buildIssuedCharge, createPaidCharge, createUnmatchedPayment } from '../support/money-fixture.ts'

/** Who has ordered an operation is stored with its row, in the transaction of the row. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

const userUuid = randomUUID()
const newOrder = () => ({ uuid: randomUUID(), requestId: 'r', timeScale: 1, userUuid })

/** Opens one operation of each noun, and returns its uuid. */
const ORDERS: Record<string, () => Promise<string>> = {
  async charge() {
    const { accountUuid, connectionUuid } = await fixture.createMerchant(0)
    const order = newOrder()
    const charge = buildIssuedCharge(order.uuid)
    fixture.scriptProvider({ issueCharge: async () => ({ kind: 'accepted', charge }) })
    await fixture.providers.issueCharge({
      ...order,
      accountUuid,
      candidates: [connectionUuid],
      valueCents: 1_000,
      expiresInSeconds: 60,
      details: fixture.seal.seal({ splits: [], fingerprint: 'f' }),
    })
    return order.uuid
  },
  async transfer() {
    const order = fixture.transferInput(await fixture.createMerchant(1_000), { userUuid })
    await fixture.records.storeTransfer(order)
    return order.uuid
  },
  async refund() {
    const merchant = await fixture.createMerchant(0)
    const chargeUuid = await createPaidCharge(fixture, merchant)
    const order = newOrder()
    await fixture.records.openRefund({ ...order, ...merchant, chargeUuid, valueCents: 100, fingerprint: 'f' })
    return order.uuid
  },
  async deposit_return() {
    const merchant = await fixture.createMerchant(0)
    const depositUuid = await createUnmatchedPayment(fixture, merchant, 'deposit')
    const order = newOrder()
    await fixture.records.orderDepositReturn({ ...order, ...merchant, depositUuid, fingerprint: 'f' })
    return order.uuid
  },
  async pix_key() {
    const merchant = await fixture.createMerchant(0)
    const order = newOrder()
    await fixture.records.openPixKey({
      ...order,
      ...merchant,
      type: 'RANDOM',
      details: fixture.seal.seal({ key: null, fingerprint: 'f' }),
    })
    return order.uuid
  },
  async report() {
    const { accountUuid } = await fixture.createMerchant(0)
    const order = newOrder()
    await fixture.records.openReport({
      ...order,
      accountUuid,
      connectionUuid: null,
      isSimulated: true,
      kind: 'LEDGER',
      format: 'CSV',
      decimalMark: 'POINT',
      dateFrom: '2026-10-01',
      dateTo: '2026-10-31',
      fingerprint: 'f',
    })
    return order.uuid
  },
}

test.each(Object.entries(ORDERS))('a %s has the user who ordered it', async (table, order) => {
  const uuid = await order()
  const rows = await fixture.sql(`select user_uuid, token_number from ${table} where uuid = ?`, [uuid])
  expect(rows).toEqual([{ user_uuid: userUuid, token_number: null }])
})
