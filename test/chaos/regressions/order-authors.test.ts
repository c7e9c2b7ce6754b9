import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { recordUnmatchedPayment } from '../../../src/activities/unmatched/record.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import type { IncomingPix, IssuedCharge } from '../../../src/domain/providers/provider.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

/** Who has ordered an operation is stored with its row, in the transaction of the row. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

const userUuid = randomUUID()
const at = new Date().toISOString()
const endToEndOf = (letter: string) => `${letter}${randomUUID().replaceAll('-', '').slice(1)}`
const newOrder = () => ({ uuid: randomUUID(), requestId: 'r', timeScale: 1, userUuid })

const issuedCharge = (uuid: string) =>
  ({
    txid: uuid.replaceAll('-', ''),
    payload: 'payload',
    pixKey: 'key',
    receiver: RECEIVER,
    expiresAt: new Date(Date.now() + 60_000).toISOString(),
  }) as IssuedCharge
const RECEIVER = {
  name: 'Loja',
  document: '11222333000181',
  account_number: '1',
  account_agency: '1',
  bank: { code: '', name: '', ispb: '' },
  account_type: 'PAYMENT' as const,
}

type Merchant = Awaited<ReturnType<typeof fixture.createMerchant>>

/** Opens one operation of each noun, and returns its uuid. */
const ORDERS: Record<string, (merchant?: Merchant) => Promise<string>> = {
  async charge(merchant?: Merchant) {
    const { accountUuid, connectionUuid } = merchant ?? (await fixture.createMerchant(0))
    const order = newOrder()
    const charge = issuedCharge(order.uuid)
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
    const chargeUuid = await ORDERS.charge!(merchant)
    const txid = chargeUuid.replaceAll('-', '')
    const payment = {
      endToEnd: endToEndOf('E'),
      txid,
      cents: 1_000,
      status: 'settled',
      at,
      payer: null,
      pixKey: 'key',
      reference: null,
    } as unknown as IncomingPix
    const found = {
      kind: 'found',
      status: 'completed',
      charge: issuedCharge(chargeUuid),
      payments: [payment],
    }
    fixture.scriptProvider({ findCharge: async () => found as never })
    await fixture.providers.pollCharge({ chargeUuid, isPayloadExpired: false })
    const order = newOrder()
    await fixture.records.openRefund({ ...order, ...merchant, chargeUuid, valueCents: 100, fingerprint: 'f' })
    return order.uuid
  },
  async deposit_return() {
    const { accountUuid, connectionUuid } = await fixture.createMerchant(0)
    const payment = {
      endToEnd: endToEndOf('E'),
      txid: '',
      cents: 1_000,
      status: 'settled',
      at,
    } as IncomingPix
    const { uuid: depositUuid } = await runInTransaction(fixture.orm, async em => {
      const connection = await em.findOneOrFail(Connection, connectionUuid)
      return recordUnmatchedPayment(em, { connection, payment, reason: 'deposit', requestId: 'r' })
    })
    const order = newOrder()
    await fixture.records.orderDepositReturn({
      ...order,
      depositUuid,
      accountUuid,
      connectionUuid,
      fingerprint: 'f',
    })
    return order.uuid
  },
  async pix_key() {
    const { accountUuid, connectionUuid } = await fixture.createMerchant(0)
    const order = newOrder()
    await fixture.records.openPixKey({
      ...order,
      accountUuid,
      connectionUuid,
      type: 'RANDOM',
      details: fixture.seal.seal({ key: null, fingerprint: 'f' }),
    })
    return order.uuid
  },
}

test.each(Object.entries(ORDERS))('a %s has the user who ordered it', async (table, order) => {
  const uuid = await order()
  const rows = await fixture.sql(`select user_uuid, token_number from ${table} where uuid = ?`, [uuid])
  expect(rows).toEqual([{ user_uuid: userUuid, token_number: null }])
})
