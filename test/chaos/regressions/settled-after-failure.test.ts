import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { reconcile } from '../../../src/activities/reconciliation/reconcile.ts'
import { referenceOf } from '../../../src/domain/pix/identifiers.ts'
import type { StatementEntry } from '../../../src/domain/providers/provider.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'
import { createPaidCharge, createUnmatchedPayment } from '../support/money-fixture.ts'

/** Payouts that were called FAILED, and whose money left the provider all the same. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

const REFUSED = { kind: 'rejected', finality: 'final', code: 'no', message: 'no' } as const
const railId = (letter: 'E' | 'D') => `${letter}${randomUUID().replaceAll('-', '').slice(1)}`
const ago = (ms: number) => new Date(Date.now() - ms).toISOString()
const MINUTE_MS = 60_000

type Merchant = { accountUuid: string; connectionUuid: string }
/** Each creates a payout that its provider refused; `read` reads its state and that of its attempt. */
const PAYOUTS = {
  async transfer(merchant: Merchant) {
    const order = fixture.transferInput(merchant, { valueCents: 1_000 })
    const key = { uuid: order.uuid, connectionUuid: merchant.connectionUuid }
    await fixture.records.storeTransfer(order)
    fixture.scriptProvider({ sendTransfer: async () => REFUSED })
    await fixture.providers.sendTransfer({ ...key, isResend: false })
    expect(await fixture.records.failTransfer(order.uuid)).toMatchObject({ state: 'failed' })
    return { uuid: order.uuid, sql: 'select state from transfer where uuid = ?', settled: 'paid' }
  },
  async refund(merchant: Merchant) {
    const chargeUuid = await createPaidCharge(fixture, merchant)
    const order = { uuid: randomUUID(), chargeUuid, ...merchant, valueCents: 1_000 }
    await fixture.records.openRefund({ ...order, fingerprint: 'f', requestId: 'r', timeScale: 1 })
    fixture.scriptProvider({ refund: async () => REFUSED })
    const key = { uuid: order.uuid, connectionUuid: merchant.connectionUuid }
    await fixture.providers.sendRefund({ ...key, isResend: false })
    return { uuid: order.uuid, sql: 'select state from refund where uuid = ?', settled: 'settled' }
  },
  async return(merchant: Merchant) {
    const uuid = await createUnmatchedPayment(fixture, merchant)
    fixture.scriptProvider({ refund: async () => REFUSED })
    const key = { uuid, connectionUuid: merchant.connectionUuid }
    await fixture.providers.sendReturn({ ...key, isResend: false })
    return { uuid, sql: 'select disposition as state from movement where uuid = ?', settled: 'returned' }
  },
}

async function compare(connectionUuid: string, entries: StatementEntry[]) {
  const [row] = await fixture.sql<{ uuid: string }>(
    'select provider_account_uuid as uuid from connection where uuid = ?',
    [connectionUuid],
  )
  fixture.scriptProvider({
    listDisputes: async () => ({ kind: 'found', disputes: [] }),
    statement: async () => ({ kind: 'found', entries }),
  })
  const period = { from: ago(48 * 60 * MINUTE_MS), to: new Date().toISOString() }
  return reconcile(fixture.dependencies)({ providerAccountUuid: row!.uuid, ...period })
}

const movementsOf = (endToEnd: string) =>
  fixture.sql('select status, reason from movement where end_to_end = ?', [endToEnd])

describe.each(Object.entries(PAYOUTS))(
  'a failed %s whose money the statement lists as gone',
  (noun, create) => {
    const entryOf = (uuid: string, changes: Partial<StatementEntry> = {}): StatementEntry => ({
      endToEnd: railId(noun === 'transfer' ? 'E' : 'D'),
      reference: referenceOf(uuid),
      direction: 'OUT',
      cents: 1_000,
      at: ago(10 * MINUTE_MS),
      ...changes,
    })

    test('settles late, is booked once, and is shown to the operator', async () => {
      const merchant = await fixture.createMerchant(1_000)
      const payout = await create(merchant)
      const before = await fixture.readBalances(merchant.accountUuid)
      const entry = entryOf(payout.uuid)
      expect(await compare(merchant.connectionUuid, [entry])).toMatchObject({ differences: 0, repaired: 1 })
      expect(await fixture.sql(payout.sql, [payout.uuid])).toEqual([{ state: payout.settled }])
      expect(await movementsOf(entry.endToEnd)).toEqual([{ status: 'SETTLED', reason: 'late_settlement' }])
      const after = await fixture.readBalances(merchant.accountUuid)
      expect(after.outside ?? 0).toBe((before.outside ?? 0) + 1_000)
      // A later comparison finds both in agreement.
      expect(await compare(merchant.connectionUuid, [entry])).toMatchObject({ differences: 0, matched: 1 })
      expect(await fixture.readBalances(merchant.accountUuid)).toEqual(after)
    })

    test('is announced by the next sweep of deliveries, because its workflow has ended', async () => {
      const merchant = await fixture.createMerchant(1_000)
      const payout = await create(merchant)
      await fixture.sql(
        `insert into webhook (uuid, account_uuid, url, sealed_secret, masked_secret, events, fingerprint, created_at)
         values (?, ?, 'https://example.com', ?, 'whsec_…', array['PIX_TRANSACTION'], 'f', now())`,
        [randomUUID(), merchant.accountUuid, fixture.seal.seal('whsec_x')],
      )
      await compare(merchant.connectionUuid, [entryOf(payout.uuid)])
      const deliveries = await fixture.sql(
        `select d.sweep_at <= now() as due from delivery d join event e on e.uuid = d.event_uuid where e.account_uuid = ?`,
        [merchant.accountUuid],
      )
      expect(deliveries).toEqual([{ due: true }])
    })

    test('is a contradiction where the statement lists another value', async () => {
      const merchant = await fixture.createMerchant(1_000)
      const payout = await create(merchant)
      const before = await fixture.readBalances(merchant.accountUuid)
      await compare(merchant.connectionUuid, [entryOf(payout.uuid, { cents: 1 })])
      expect(await fixture.sql(payout.sql, [payout.uuid])).not.toEqual([{ state: payout.settled }])
      const contradictions =
        'select contradiction_code as code from attempt where subject_uuid = ? and operation = ?'
      expect(await fixture.sql(contradictions, [payout.uuid, noun])).toEqual([{ code: 'value_differs' }])
      expect(await fixture.readBalances(merchant.accountUuid)).toEqual(before)
    })
  },
)

test('a PIX that was booked as one of the panel becomes the movement of the failed transfer that it was', async () => {
  const merchant = await fixture.createMerchant(2_000)
  const transfer = await PAYOUTS.transfer(merchant)
  const entry: StatementEntry = {
    endToEnd: railId('E'),
    reference: null,
    direction: 'OUT',
    cents: 1_000,
    at: ago(25 * 60 * MINUTE_MS),
  }
  await compare(merchant.connectionUuid, [entry]) // Leaves it to a workflow first.
  expect(await compare(merchant.connectionUuid, [entry])).toMatchObject({ booked: 1 })
  const booked = await fixture.readBalances(merchant.accountUuid)
  expect(booked).toEqual({ available: 1_000, outside: -1_000 })
  fixture.scriptProvider({
    findTransfer: async () => ({
      kind: 'found',
      payout: { status: 'settled', cents: 1_000, endToEnd: entry.endToEnd, at: entry.at, returns: [] },
    }),
  })
  const key = { uuid: transfer.uuid, connectionUuid: merchant.connectionUuid }
  expect(await fixture.providers.pollTransfer({ ...key, pollCount: 1 })).toMatchObject({ kind: 'settled' })
  expect(await fixture.sql(transfer.sql, [transfer.uuid])).toEqual([{ state: 'paid' }])
  expect(await movementsOf(entry.endToEnd)).toEqual([{ status: 'SETTLED', reason: 'late_settlement' }])
  expect(await fixture.readBalances(merchant.accountUuid)).toEqual(booked)
})
