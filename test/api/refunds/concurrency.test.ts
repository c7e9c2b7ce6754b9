import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { openMoneySuite } from '../support/money-suite.ts'
import type { ApiResource } from '../support/payout-actions.ts'
import { pollUntil } from '../support/poll-until.ts'
import type { Merchant } from '../support/test-stack.ts'

/** SPEC §3: a payer is never paid back more than was received, however often and concurrently refunds are requested. */

const { stage, payouts, createMerchant } = await openMoneySuite()

const sum = (values: number[]) => Math.round(values.reduce((all, value) => all + value * 100, 0)) / 100
/** Every refund of a charge, once none of them runs any more. */
const waitUntilNoRefundRuns = (merchant: Merchant, { uuid }: ApiResource) =>
  pollUntil(
    () => allRefunds(merchant, uuid),
    all => all.every(({ refund }) => refund.status !== 'PROCESSING'),
  )

async function allRefunds({ api }: Merchant, uuid: string): Promise<ApiResource[]> {
  const all: ApiResource[] = []
  for (let page = 1; ; page++) {
    const { body } = await api.get(`/api/v1/payments/${uuid}/refunds?per_page=100&page=${page}`)
    all.push(...body.data)
    if (page >= body.meta.last_page) return all
  }
}

/** One that lost the race, came when nothing was left, or waited for the lock longer than its deadline. */
const LOST = [
  '409 refund_in_progress',
  '422 validation_failed',
  '409 charge_not_refundable',
  '503 not_confirmed',
  '503 overloaded',
  '503 not_started',
]

test('of a hundred concurrent refunds of a third each one runs at a time, and never more than the payment is refunded', async () => {
  const merchant = await createMerchant()
  const charge = await payouts.createPaidCharge(merchant)
  let accepted = 0
  for (let round = 0; round < 4; round++) {
    // Four hundred within two seconds are more than one token's rate limit.
    const api = merchant.api.withToken(await stage.token({ accountUuid: merchant.uuid })).sendingOnce()
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => payouts.requestRefund({ api }, charge, { value: 3.5 })),
    )
    const codes = new Map<string, number>()
    for (const { status, body } of answers) {
      const outcome = status === 200 ? 'accepted' : `${status} ${body.code}`
      codes.set(outcome, (codes.get(outcome) ?? 0) + 1)
    }
    accepted += codes.get('accepted') ?? 0
    codes.delete('accepted')
    for (const outcome of codes.keys()) expect(LOST).toContain(outcome)
    await waitUntilNoRefundRuns(merchant, charge)
  }
  const refunds = await waitUntilNoRefundRuns(merchant, charge)
  const completed = refunds.filter(({ refund }) => refund.status === 'COMPLETED')
  expect(completed).toHaveLength(2)
  expect(accepted).toBeLessThanOrEqual(2)
  expect(sum((await payouts.listPaidOut(merchant)).map(({ value }) => value))).toBe(7)
  const losers = refunds.filter(({ refund }) => refund.status === 'FAILED')
  for (const { refund } of losers) {
    expect(['refund_in_progress', 'refund_above_remainder', 'not_started']).toContain(refund.error.code)
    expect(refund.pix_refund.status).toBe('FAILED')
  }
  expect(await stage.readBalances(merchant.uuid, merchant.connection.providerAccountUuid)).toEqual({
    available: 300,
    outside: -300,
  })
})

test('concurrent refunds in whole, in parts and by key, with transfers of the same money, move every centavo once', async () => {
  const merchant = await createMerchant()
  const recipient = await stage.createRecipient(merchant)
  const splits = [{ type: 'PERCENTAGE', value: 12.34, recipient_account_uuid: recipient.uuid }]
  const charges = await Promise.all(
    Array.from({ length: 8 }, () => payouts.createPaidCharge(merchant, { value: 9.99, splits })),
  )
  const key = randomUUID()
  await Promise.all(
    charges.flatMap(charge => [
      ...[undefined, { value: 0.01 }, { value: 5 }, { value: 9.99 }].map(body =>
        payouts.requestRefund({ api: merchant.api.sendingOnce() }, charge, body),
      ),
      ...Array.from({ length: 3 }, () => payouts.requestRefund(merchant, charge, { value: 0.02 }, { key })),
      payouts.send(merchant, { value: 3 }),
    ]),
  )
  for (const charge of charges) {
    const refunds = await waitUntilNoRefundRuns(merchant, charge)
    const back = sum(
      refunds.filter(({ refund }) => refund.status === 'COMPLETED').map(({ refund }) => refund.value),
    )
    expect(back).toBeLessThanOrEqual(9.99)
    const { status } = await merchant.api.readCharge(charge.uuid)
    expect(status).toBe(back === 0 ? 'PAID' : back === 9.99 ? 'REFUNDED' : 'PARTIALLY_REFUNDED')
    const { end_to_end } = charge.payment.pix.transaction
    const lines = (await payouts.listPaidOut(merchant)).filter(
      line => line.original_end_to_end === end_to_end,
    )
    expect(sum(lines.map(({ value }) => value))).toBe(back)
  }
  await pollUntil(
    async () => (await merchant.api.get('/api/v1/transfers?per_page=100')).body.data as ApiResource[],
    all =>
      all.length === charges.length && all.every(({ status }) => status === 'PAID' || status === 'FAILED'),
  )
})

test('the database holds the remainder and one running refund per charge', async () => {
  const merchant = await createMerchant()
  const charge = await payouts.createPaidCharge(merchant)
  const set = (change: string) => stage.sql(`update charge set ${change} where uuid = ?`, [charge.uuid])
  for (const change of [
    'refunded_cents = 1001',
    'refunding_cents = 1001',
    'disputed_cents = 1001',
    'refunded_cents = 500, refunding_cents = 400, disputed_cents = 101',
    'received_cents = -1',
  ])
    await expect(set(change)).rejects.toThrow(/charge_remainder|charge_received_cents_check/)
  for (const change of ['refunded_cents = 500', 'refunding_cents = 500'])
    await expect(set(change)).rejects.toThrow(/charge_returns/)
  await expect(set('disputed_cents = 100')).rejects.toThrow(/does not keep what its disputes claim/)

  await payouts.requestRefund(merchant, charge, { value: 1 })
  const [{ refund }] = (await waitUntilNoRefundRuns(merchant, charge)) as [ApiResource]
  const two = (state: string) =>
    stage.sql(
      `insert into refund (uuid, charge_uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents,
         request_id, fingerprint, created_at, updated_at)
       select gen_random_uuid(), charge_uuid, account_uuid, connection_uuid, provider_account_uuid, ?, 1, 'x', 'x', now(), now()
       from refund, generate_series(1, 2) where uuid = ?`,
      [state, refund.uuid],
    )
  for (const state of ['sending', 'settling']) await expect(two(state)).rejects.toThrow(/refund_one_running/)

  await expect(
    stage.sql(`update split set return_requested_cents = credited_cents + 1 where charge_uuid = ?`, [
      (await splitCharge(merchant)).uuid,
    ]),
  ).rejects.toThrow(/split_return_requested_cents_check/)
})

async function splitCharge(merchant: Merchant): Promise<ApiResource> {
  const recipient = await stage.createRecipient(merchant)
  return payouts.createPaidCharge(merchant, {
    splits: [{ type: 'FIXED', value: 1, recipient_account_uuid: recipient.uuid }],
  })
}
