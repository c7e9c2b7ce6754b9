import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createPayoutActions, type PayoutActions, randomPixKey } from '../support/payout-actions.ts'
import { openSharedTestStack, type TestStack } from '../support/test-stack.ts'

/** A transfer above the limit of a connection: another one sends it whole, and without one it is refused. */

let stack: TestStack
let payouts: PayoutActions
beforeAll(async () => {
  stack = await openSharedTestStack()
  payouts = createPayoutActions(stack)
})
afterAll(() => stack.close())

const setLimit = ({ uuid }: { uuid: string }, cents: number | null) =>
  stack.sql('update connection set max_transfer_cents = ? where uuid = ?', [cents, uuid])

test('a candidate with a lower limit is skipped without a call, and shows its limit', async () => {
  const merchant = await stack.createMerchant({
    providers: [{ balance: 50 }, { provider: 'PROVIDER_B', dialect: 'woovi', balance: 50 }],
  })
  const [limited, other] = merchant.connections
  await setLimit(limited!, 1_000)
  const body = (await merchant.api.get(`/api/v1/providers/${limited!.uuid}`)).body
  expect(body.data.max_per_transfer).toBe(10)
  expect((await merchant.api.get(`/api/v1/providers/${other!.uuid}`)).body.data.max_per_transfer).toBeNull()

  const above = await payouts.send(merchant, { value: 10.01 })
  const paid = await payouts.waitForStatus(merchant, above.body.data.uuid, 'PAID')
  expect(paid).toMatchObject({ value: 10.01, attempts: [{ provider: 'PROVIDER_B', outcome: 'settled' }] })
  const within = await payouts.send(merchant, { value: 10 })
  expect(await payouts.waitForStatus(merchant, within.body.data.uuid, 'PAID')).toMatchObject({
    attempts: [{ provider: 'PROVIDER_A', outcome: 'settled' }],
  })
  await stack.waitUntilLedgerAgrees(merchant)
})

test('a value above every limit is 422 on value with the highest limit, beside the other errors', async () => {
  const merchant = await stack.createMerchant({ providers: [{ balance: 50 }, { balance: 50 }] })
  await setLimit(merchant.connections[0]!, 1_000)
  await setLimit(merchant.connections[1]!, 2_000)
  const order = { value: 20.01, pix_key: randomPixKey(), type: 'PIX' }
  const refused = await merchant.api.post('/api/v1/transfers', order, { key: randomUUID() })
  expect([refused.status, refused.body.code, refused.body.errors]).toEqual([
    422,
    'validation_failed',
    { value: ['must not exceed 20.00: no provider of this transfer sends more at once'] },
  ])
  const past = { ...order, scheduled_for: '2020-01-01T10:00:00Z' }
  expect(Object.keys((await merchant.api.post('/api/v1/transfers', past)).body.errors).sort()).toEqual([
    'scheduled_for',
    'value',
  ])
  const named = { ...order, value: 15, provider_uuid: merchant.connections[0]!.uuid }
  expect((await merchant.api.post('/api/v1/transfers', named)).status).toBe(422)
  expect(await stack.sql('select uuid from transfer where account_uuid = ?', [merchant.uuid])).toEqual([])
})
