import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect } from '@jest/globals'
import { referenceOf } from '../../../src/domain/pix/identifiers.ts'
import { runConcurrentTests } from '../support/concurrent-tests.ts'
import { type ApiResource, createPayoutActions, type PayoutActions } from '../support/payout-actions.ts'
import { pollUntil } from '../support/poll-until.ts'
import { type Merchant, openSharedTestStack, type TestStack } from '../support/test-stack.ts'

/** A merchant returns a deposit to its payer by the API: whole, once, and by whichever answer of the provider. */

let stack: TestStack
let payouts: PayoutActions
beforeAll(async () => {
  stack = await openSharedTestStack()
  payouts = createPayoutActions(stack)
})
afterAll(() => stack.close())

const balances = ({ uuid, connection }: Merchant) => stack.readBalances(uuid, connection.providerAccountUuid)
const read = async ({ api }: Merchant, uuid: string): Promise<ApiResource> =>
  (await api.get(`/api/v1/deposits/${uuid}`)).body.data
const order = ({ api }: Pick<Merchant, 'api'>, uuid: string, request?: object) =>
  api.post(`/api/v1/deposits/${uuid}/return`, undefined, request)
const waitForReturn = (merchant: Merchant, uuid: string, status: string): Promise<ApiResource> =>
  pollUntil(
    () => read(merchant, uuid),
    deposit => deposit.return?.status === status,
  )

/** A deposit of R$ 10.00, by its PIX_TRANSACTION event. */
async function receiveDeposit(merchant: Merchant): Promise<ApiResource> {
  await stack.simulator.deposit({ account: merchant.connection.account, value: 10 })
  const events = await pollUntil(
    () => payouts.listPixEvents(merchant),
    all => all.length > 0,
  )
  return events[0]
}

const listReturnEvents = async (merchant: Merchant, { uuid }: { uuid: string }) =>
  (await payouts.listPixEvents(merchant)).filter((pix: ApiResource) => pix.original_uuid === uuid)

async function expectReturnedOnce(merchant: Merchant, deposit: ApiResource) {
  await waitForReturn(merchant, deposit.uuid, 'COMPLETED')
  await stack.waitUntilLedgerAgrees(merchant)
  expect(await balances(merchant)).toEqual({})
  expect(await payouts.listPaidOut(merchant)).toMatchObject([{ kind: 'refund' }])
  expect(await listReturnEvents(merchant, deposit)).toMatchObject([
    { type: 'EXTERNAL_REFUND', status: 'SETTLED', value: 10 },
  ])
}

const returnedAt = (dialect: 'efi' | 'woovi') => async () => {
  const merchant = await stack.createMerchant({ providers: [{ dialect }] })
  const deposit = await receiveDeposit(merchant)
  expect(await read(merchant, deposit.uuid)).toMatchObject({ reason: 'deposit', value: 10, return: null })
  const key = randomUUID()
  const answer = await order(merchant, deposit.uuid, { key })
  expect(answer).toMatchObject({
    status: 200,
    body: { data: { uuid: deposit.uuid, return: { status: 'PROCESSING' } } },
  })
  await expectReturnedOnce(merchant, deposit)
  const replay = await order(merchant, deposit.uuid, { key })
  expect(replay.headers.get('idempotent-replayed')).toBe('true')
  expect(replay.body).toEqual(answer.body)
  expect(await order(merchant, deposit.uuid)).toMatchObject({
    status: 409,
    body: { code: 'deposit_not_returnable' },
  })
  const lines = (await merchant.api.get('/api/v1/ledger')).body.data as ApiResource[]
  const pixLines = lines.filter(({ end_to_end }) => end_to_end)
  expect(pixLines.map(({ type, value }) => [type, value])).toEqual([
    ['EXTERNAL_REFUND', 10],
    ['EXTERNAL_TRANSFER', 10],
  ])
}

runConcurrentTests({
  'is returned at Efi, and a repeat with its key gets the response again': returnedAt('efi'),
  'is returned at Woovi, and a repeat with its key gets the response again': returnedAt('woovi'),

  async 'that its provider refuses to return is the account’s again, and is not sent twice'() {
    const merchant = await stack.createMerchant()
    const deposit = await receiveDeposit(merchant)
    await payouts.injectFault(merchant.connection, 'refund', 'refused')
    expect(await order(merchant, deposit.uuid)).toMatchObject({ status: 200 })
    const failed = await waitForReturn(merchant, deposit.uuid, 'FAILED')
    expect(failed.return.error).toMatchObject({ code: expect.any(String), message: expect.any(String) })
    expect(await balances(merchant)).toEqual({ available: 1_000, outside: -1_000 })
    await stack.waitUntilLedgerAgrees(merchant)
    expect(await listReturnEvents(merchant, deposit)).toMatchObject([{ status: 'FAILED' }])
    expect(await order(merchant, deposit.uuid)).toMatchObject({ status: 409 })
    expect(await payouts.listPaidOut(merchant)).toEqual([])
    // A provider that carries it out all the same is believed.
    const path = `/v2/pix/${deposit.end_to_end}/devolucao/${referenceOf(deposit.uuid)}`
    await stack.callEfi(merchant.connection, path, { valor: '10.00' })
    await waitForReturn(merchant, deposit.uuid, 'COMPLETED')
    await stack.waitUntilLedgerAgrees(merchant)
    expect(await balances(merchant)).toEqual({})
  },

  async 'is sent once the provider is reachable again, and its money is held until then'() {
    const merchant = await stack.createMerchant()
    const deposit = await receiveDeposit(merchant)
    const reach = await payouts.makeUnreachable(merchant.connection)
    expect(await order(merchant, deposit.uuid)).toMatchObject({ status: 200 })
    expect(await read(merchant, deposit.uuid)).toMatchObject({ return: { status: 'PROCESSING' } })
    expect((await balances(merchant)).available ?? 0).toBe(0)
    await reach()
    await payouts.allowProbe(merchant.connection)
    await expectReturnedOnce(merchant, deposit)
  },

  async 'of which the provider’s answer is lost is returned once'() {
    const merchant = await stack.createMerchant()
    const deposit = await receiveDeposit(merchant)
    await payouts.injectFault(merchant.connection, 'refund', 'timeout_then_done')
    await order(merchant, deposit.uuid)
    await expectReturnedOnce(merchant, deposit)
  },

  async 'is returned once by parallel requests, with one key, with several and without'() {
    const merchant = await stack.createMerchant()
    const deposit = await receiveDeposit(merchant)
    const key = randomUUID()
    const unkeyed = { api: merchant.api.sendingOnce() }
    const answers = await Promise.all([
      ...[0, 1, 2].map(() => order(merchant, deposit.uuid, { key })),
      ...[0, 1, 2].map(() => order(merchant, deposit.uuid)),
      ...[0, 1].map(() => order(unkeyed, deposit.uuid)),
    ])
    const byKey = new Set(answers.slice(0, 3).map(({ status }) => status))
    expect(byKey.size).toBe(1)
    const accepted = answers.filter(({ status }) => status === 200)
    expect(new Set(accepted.map(({ body }) => body.data.return.uuid)).size).toBe(1)
    const codes = answers.filter(({ status }) => status !== 200).map(({ body }) => body.code)
    for (const code of codes)
      expect(['return_in_progress', 'deposit_not_returnable', 'not_confirmed']).toContain(code)
    await expectReturnedOnce(merchant, deposit)
  },
})
