import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { PayoutReturn, ProviderPayout } from '../../../src/domain/providers/provider.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

/** A return is identified by what it returns and the provider's id of it; its rail id may come later. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

const AT = '2026-11-21T12:00:00Z'
const railId = (letter: string) => letter + randomBytes(16).toString('hex').slice(0, 31)
const returned = (one: Partial<PayoutReturn>): PayoutReturn => ({
  id: null,
  endToEnd: null,
  cents: 100,
  at: AT,
  ...one,
})

/** A transfer of R$ 5.00 that has settled, and the returns that its provider lists from then on. */
async function aTransfer() {
  const merchant = await fixture.createMerchant(1_000)
  const order = fixture.transferInput(merchant)
  const key = { uuid: order.uuid, connectionUuid: merchant.connectionUuid, pollCount: 1 }
  const settled: ProviderPayout = { status: 'settled', cents: 500, endToEnd: railId('E'), at: AT }
  await fixture.records.storeTransfer(order)
  fixture.scriptProvider({
    sendTransfer: async () => ({ kind: 'accepted', payout: { ...settled, returns: [] } }),
  })
  await fixture.providers.sendTransfer({ ...key, isResend: false })
  return {
    async lists(...returns: PayoutReturn[]) {
      fixture.scriptProvider({
        findTransfer: async () => ({ kind: 'found', payout: { ...settled, returns } }),
      })
      await fixture.providers.pollTransfer(key)
      const { available } = await fixture.readBalances(merchant.accountUuid)
      const rows = await fixture.sql<{ return_id: string; end_to_end: string | null; return_of: string }>(
        `select return_id, end_to_end, return_of from movement where transfer_uuid = ? and movement_type = 'IN'
         order by created_at, uuid`,
        [order.uuid],
      )
      expect(rows.every(row => row.return_of === settled.endToEnd)).toBe(true)
      return { back: available! - 500, rows: rows.map(row => [row.return_id, row.end_to_end]) }
    },
  }
}

describe('a return of a transfer is credited once', () => {
  test('whether its rail id comes late, is omitted again, or is the only id', async () => {
    const transfer = await aTransfer()
    const D1 = railId('D')
    const forms = [{ id: 'A' }, { id: 'A', endToEnd: D1 }, { id: 'A' }, { endToEnd: D1 }]
    for (const [place, form] of forms.entries())
      expect(await transfer.lists(returned(form))).toEqual({
        back: 100,
        rows: [['A', place === 0 ? null : D1]],
      })
  })

  test('where its provider first gives one kind of id and later the other', async () => {
    const D1 = railId('D')
    for (const forms of [
      [{ id: 'A' }, { endToEnd: D1 }],
      [{ endToEnd: D1 }, { id: 'A' }],
    ]) {
      const transfer = await aTransfer()
      for (const form of forms) expect((await transfer.lists(returned(form))).back).toBe(100)
    }
  })

  test('where it is listed twice at once', async () => {
    const transfer = await aTransfer()
    expect((await transfer.lists(returned({ id: 'A' }), returned({ id: 'A' }))).back).toBe(100)
  })
})

describe('returns are distinguished', () => {
  test('of two transfers by the same id', async () => {
    for (const transfer of [await aTransfer(), await aTransfer()])
      expect(await transfer.lists(returned({ id: 'D123' }))).toEqual({ back: 100, rows: [['D123', null]] })
  })

  test('of one transfer, of the same value', async () => {
    const transfer = await aTransfer()
    const two = [returned({ id: 'A' }), returned({ id: 'B', endToEnd: railId('D') })]
    expect((await transfer.lists(...two)).back).toBe(200)
    expect((await transfer.lists(...two.toReversed())).back).toBe(200)
  })
})

test('the database refuses a return that is posted twice', async () => {
  const transfer = await aTransfer()
  await transfer.lists(returned({ id: 'A' }))
  await expect(
    fixture.sql(
      `insert into movement select (jsonb_populate_record(m, jsonb_build_object('uuid', gen_random_uuid()))).*
       from movement m where return_id = 'A' and status = 'SETTLED' order by created_at desc limit 1`,
    ),
  ).rejects.toMatchObject({ code: '23505' })
})
