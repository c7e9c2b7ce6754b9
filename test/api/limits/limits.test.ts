import { expect, test } from '@jest/globals'
import { expectOneOriginal } from '../../support/one-original.ts'
import { openMoneySuite } from '../support/money-suite.ts'
import { randomPixKey } from '../support/payout-actions.ts'
import { pollUntil } from '../support/poll-until.ts'
import type { Merchant } from '../support/test-stack.ts'

/** What a caller of POST /transfers and of a refund reads where a limit of the account refuses it. */

const { stage, payouts, createMerchant } = await openMoneySuite()

const limit = async ({ api }: Merchant, body: object) =>
  expect((await api.put('/api/v1/limits', body)).status).toBe(200)
const readDay = async ({ api }: Merchant) => (await api.get('/api/v1/limits/usage')).body.data.per_day
const MIDNIGHT = expect.stringMatching(/T03:00:00\.000000Z$/)

test('a transfer above the limit of the day is 422 over_limit with what is left, and is FAILED', async () => {
  const merchant = await createMerchant({ providers: [{ balance: 100 }] })
  await limit(merchant, { per_day: 15 })
  await payouts.sendAndSettle(merchant)
  const key = 'over the day'
  const body = { pix_key: randomPixKey() }
  const refused = await payouts.send(merchant, body, { key })
  const { code, data } = refused.body
  expect([refused.status, code, data.status]).toEqual([422, 'over_limit', 'FAILED'])
  expect(data.error).toMatchObject({
    code: 'over_limit',
    limit: 'per_day',
    left: 5,
    resets_at: MIDNIGHT,
    attempts: [{ outcome: 'rejected', code: 'over_limit' }],
  })
  const replayed = await payouts.send(merchant, body, { key })
  expect([replayed.status, replayed.body.data.uuid]).toEqual([422, data.uuid])
  expectOneOriginal([refused, replayed])
  expect((await payouts.transfer(merchant, data.uuid)).error).toEqual(data.error)
  expect(await payouts.listPaidOut(merchant)).toHaveLength(1)
  await payouts.sendAndSettle(merchant, { value: 5 })
  expect(await readDay(merchant)).toMatchObject({ limit: 15, used: 15, left: 0 })
})

test('a transfer above the limit of one, or to a receiver that is not allowed, names that limit', async () => {
  const merchant = await createMerchant({ providers: [{ balance: 100 }] })
  await limit(merchant, {
    per_transfer: 9.99,
    allowed_receivers_only: true,
    trusted_receivers: [{ pix_key: 'known@example.com' }],
  })
  const above = (await payouts.send(merchant, { pix_key: 'known@example.com' })).body
  expect(above.data.error).toMatchObject({ limit: 'per_transfer', left: 9.99, resets_at: null })
  const unknown = (await payouts.send(merchant, { value: 1 })).body
  expect(unknown.data.error).toMatchObject({ limit: 'allowed_receivers_only', left: 0, resets_at: null })
  await payouts.sendAndSettle(merchant, { value: 9.99, pix_key: 'known@example.com' })
})

test('an order like one of a moment ago is 409 possible_duplicate with that transfer, unless it is meant', async () => {
  const merchant = await createMerchant({ providers: [{ balance: 100 }] })
  await limit(merchant, { duplicate_guard: { seconds: 600 } })
  const body = { value: 7, pix_key: randomPixKey() }
  const first = await payouts.sendAndSettle(merchant, body)
  const refused = await payouts.send(merchant, body)
  expect([refused.status, refused.body.code]).toEqual([409, 'possible_duplicate'])
  const { data } = refused.body
  expect(data).toMatchObject({ status: 'FAILED', error: { transfer_uuid: first.uuid } })
  expect((await payouts.transfer(merchant, data.uuid)).error.transfer_uuid).toBe(first.uuid)
  await payouts.sendAndSettle(merchant, { ...body, allow_duplicate: true })
  await payouts.sendAndSettle(merchant, { ...body, value: 7.01 })
  expect(await payouts.listPaidOut(merchant)).toHaveLength(3)
})

test('a transfer that every provider refuses gives its room back', async () => {
  const merchant = await createMerchant({ providers: [{ balance: 100 }] })
  await limit(merchant, { per_day: 10 })
  await payouts.injectFault(merchant.connection, 'sendTransfer', 'refused', { times: 1 })
  const refused = await payouts.send(merchant)
  expect(refused.body.code).toBe('provider_rejected')
  expect(await readDay(merchant)).toMatchObject({ used: 0, left: 10 })
  await payouts.sendAndSettle(merchant)
})

test('a refund counts per day, and is 422 over_limit beyond it', async () => {
  const merchant = await createMerchant({ providers: [{ balance: 100 }] })
  const charge = await payouts.createPaidCharge(merchant, { value: 20 })
  await limit(merchant, { per_day: 15, per_transfer: 1, per_receiver_per_day: 1 })
  const path = `/api/v1/payments/${charge.uuid}/refunds`
  expect((await payouts.requestRefund(merchant, charge, { value: 10 })).status).toBe(200)
  await pollUntil(
    () => merchant.api.get(path),
    ({ body }) => body.data[0].refund.status === 'COMPLETED',
  )
  const refused = await payouts.requestRefund(merchant, charge, { value: 5.01 })
  expect([refused.status, refused.body.code]).toEqual([422, 'over_limit'])
  expect(refused.body.data.refund).toMatchObject({
    status: 'FAILED',
    error: { code: 'over_limit', limit: 'per_day', left: 5, resets_at: MIDNIGHT },
  })
  expect(await readDay(merchant)).toMatchObject({ used: 10, left: 5 })
  await stage.waitUntilLedgerAgrees(merchant)
})
