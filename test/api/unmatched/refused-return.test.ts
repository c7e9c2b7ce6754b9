import { afterAll, beforeAll, expect } from '@jest/globals'
import { requestUnmatchedKeep, requestUnmatchedReturn, StaleReturn } from '../../../src/admin/unmatched.ts'
import { referenceOf } from '../../../src/domain/pix/identifiers.ts'
import { runConcurrentTests } from '../support/concurrent-tests.ts'
import { type ApiResource, createPayoutActions, type PayoutActions } from '../support/payout-actions.ts'
import { pollUntil } from '../support/poll-until.ts'
import { type Merchant, openSharedTestStack, type TestStack } from '../support/test-stack.ts'

/** An unmatched PIX whose return its provider refused: it waits in `pending`, and is returned once. */

let stack: TestStack
let payouts: PayoutActions
beforeAll(async () => {
  stack = await openSharedTestStack()
  payouts = createPayoutActions(stack)
})
afterAll(() => stack.close())

type UnreturnedPayment = { uuid: string; end_to_end: string; disposition: string }

const balances = ({ uuid, connection }: Merchant) => stack.readBalances(uuid, connection.providerAccountUuid)
const HELD = { available: 1_000, pending: 1_000, outside: -2_000 }
const RETURNED_BALANCES = { available: 1_000, outside: -1_000 }

/** The movement of a second payment, once it has the expected state. */
const waitForDisposition = ({ uuid }: Merchant, wanted: string): Promise<UnreturnedPayment> =>
  pollUntil(
    async () => {
      const rows = await stack.sql<UnreturnedPayment>(
        `select uuid, end_to_end, disposition from movement where account_uuid = ? and reason = 'second_payment'`,
        [uuid],
      )
      return rows[0]!
    },
    stray => stray?.disposition === wanted,
  )

/** A charge that was paid twice, and whose second payment its provider would not take back. */
async function strayOf(merchant: Merchant): Promise<UnreturnedPayment> {
  await payouts.injectFault(merchant.connection, 'refund', 'refused')
  const charge = await payouts.createPaidCharge(merchant)
  await stack.simulator.pay({ payload: charge.payment.payload, force: true })
  const stray = await waitForDisposition(merchant, 'not_returned')
  expect(await balances(merchant)).toEqual(HELD)
  expect(await payouts.listPaidOut(merchant)).toEqual([])
  return stray
}

/** It was returned once to its payer, and reported once. */
async function expectReturned(merchant: Merchant, stray: UnreturnedPayment) {
  await waitForDisposition(merchant, 'returned')
  await stack.waitUntilLedgerAgrees(merchant)
  expect(await balances(merchant)).toEqual(RETURNED_BALANCES)
  const events = (await payouts.listPixEvents(merchant)).filter(
    (pix: ApiResource) => pix.movement_type === 'OUT',
  )
  expect(events).toMatchObject([
    { type: 'EXTERNAL_REFUND', status: 'SETTLED', value: 10, original_uuid: stray.uuid },
  ])
}

/** The merchant's dispute, once it has the expected state. */
const med = ({ api, connection }: Merchant, wanted: object): Promise<ApiResource> =>
  pollUntil(
    async () => {
      // Its provider's list is read in the next round, even for the account that has waited longest.
      await stack.sql('update provider_account set disputes_polled_at = null where uuid = ?', [
        connection.providerAccountUuid,
      ])
      return (await api.get('/api/v1/meds')).body.data[0]
    },
    (now: ApiResource) => now && Object.entries(wanted).every(([name, value]) => now[name] === value),
    { everyMs: 250 },
  )

runConcurrentTests({
  async 'that settles although the provider refused it is posted when the provider reports it'() {
    const merchant = await stack.createMerchant()
    const stray = await strayOf(merchant)
    await stack.callEfi(
      merchant.connection,
      `/v2/pix/${stray.end_to_end}/devolucao/${referenceOf(stray.uuid)}`,
      {
        valor: '10.00',
      },
    )
    await expectReturned(merchant, stray)
    expect(await payouts.listAttempts(stray)).toMatchObject([{ operation: 'return', state: 'settled' }])
  },

  async 'that is disputed blocks none of the account’s own money: the provider’s return takes the waiting amount'() {
    const merchant = await stack.createMerchant()
    const stray = await strayOf(merchant)
    const { id } = await stack.simulator.openDispute({ end_to_end: stray.end_to_end, type: 'SCAM' })
    expect(await med(merchant, { status: 'PENDING' })).toMatchObject({ value: 10, blocked_value: 0 })
    expect(await balances(merchant)).toEqual(HELD)
    await stack.simulator.decideDispute(id, 'agreed')
    await med(merchant, { status: 'ACCEPTED', resolved: true })
    await expectReturned(merchant, stray)
    expect(await payouts.listAttempts(stray)).toMatchObject([{ operation: 'return', state: 'rejected' }])
  },

  async 'that an operator keeps belongs to the account, and is not returned again'() {
    const merchant = await stack.createMerchant()
    const stray = await strayOf(merchant)
    const temporal = { client: () => stack.connectTemporal(), taskQueue: 'trilho', timeScale: 1 }
    const seen = { disposition: 'not_returned', sending: 1, cents: 1_000 } as const
    const word = { uuid: stray.uuid, expected: seen, actor: 'op', reason: 'the payer’s account is closed' }
    await expect(
      requestUnmatchedKeep(temporal, stack.orm.em.fork(), { ...word, expected: { ...seen, sending: 0 } }),
    ).rejects.toThrow(StaleReturn)
    await requestUnmatchedKeep(temporal, stack.orm.em.fork(), word)
    await waitForDisposition(merchant, 'kept')
    expect(await balances(merchant)).toEqual({ available: 2_000, outside: -2_000 })
    await stack.waitUntilLedgerAgrees(merchant)
    for (const act of [requestUnmatchedKeep, requestUnmatchedReturn])
      await expect(act(temporal, stack.orm.em.fork(), word)).rejects.toThrow(StaleReturn)
    expect(await payouts.listPaidOut(merchant)).toEqual([])
  },

  async 'that is disputed in part is returned in part, and the rest keeps waiting'() {
    const merchant = await stack.createMerchant()
    const stray = await strayOf(merchant)
    const { id } = await stack.simulator.openDispute({ end_to_end: stray.end_to_end, type: 'SCAM', value: 4 })
    await med(merchant, { status: 'PENDING' })
    await stack.simulator.decideDispute(id, 'agreed')
    await med(merchant, { status: 'ACCEPTED', resolved: true })
    await stack.waitUntilLedgerAgrees(merchant)
    expect(await balances(merchant)).toEqual({ available: 1_000, pending: 600, outside: -1_600 })
    await waitForDisposition(merchant, 'not_returned')
  },
})
