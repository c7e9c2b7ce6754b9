import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import type { InboxAnswerBody } from '../../../packages/simulator/control/schemas.ts'
import { readRunningProcesses, type Stack, startStack } from '../../support/stack.ts'
import { createPayoutActions, type PayoutActions } from '../support/payout-actions.ts'
import { pollUntil } from '../support/poll-until.ts'
import { type Merchant, openTestStack, type TestStack } from '../support/test-stack.ts'

/** Call-outs of approvals through the running service; the inbox of the simulator is the server of the merchant. */

const LIMITS = '/api/v1/limits'
const YES = { body: '{"approve":true}' }
const NO = { body: '{"approve":false}' }

let stack: Stack
let stage: TestStack
let payouts: PayoutActions
beforeAll(async () => {
  // Of the waits between requests; a request has five seconds all the same.
  stack = await startStack({ timeScale: 10 })
  stage = await openTestStack(stack.home)
  payouts = createPayoutActions(stage)
})
afterAll(async () => {
  await stage?.close()
  expect(await stack.stop()).toBe(0)
})

/** A merchant whose transfers of more than ten reais need its server and Bia. The merchant's token is of Ana. */
async function createMerchantWithServer(response: InboxAnswerBody) {
  const merchant = await stage.createMerchant({ providers: [{ balance: 1_000 }] })
  const { api, uuid: accountUuid } = merchant
  await stage.sql(`update token set author = 'ana' where account_uuid = ?`, [accountUuid])
  const inbox = `approvals-${accountUuid}`
  await stage.simulator.setInboxResponse(inbox, response)
  const approvals = { above: 10, callout_url: `${stage.local.inbox_url}/${inbox}` }
  const { status, body } = await api.put(LIMITS, { approvals })
  expect(status).toBe(200)
  const bia = api.withToken(await stage.token({ accountUuid, author: 'bia' }))
  return { merchant, bia, inbox, secret: body.data.callout_token as string }
}

const order = async (merchant: Merchant) => {
  const { status, body } = await payouts.send(merchant, { value: 20 })
  expect([status, body.data.status]).toEqual([201, 'PENDING'])
  return body.data
}
const awaitStatus = (merchant: Merchant, uuid: string, status: string) =>
  pollUntil(
    () => payouts.transfer(merchant, uuid),
    transfer => transfer.status === status,
  )

test('a transfer is paid once the server and a person have approved it', async () => {
  const { merchant, bia, inbox, secret } = await createMerchantWithServer(YES)
  const { uuid, approval } = await order(merchant)
  // It is asked after the request of the order was answered.
  expect(approval.callout).toEqual({ approved: null, at: null, requests: 0, code: null })
  const asked = await pollUntil(
    () => payouts.transfer(merchant, uuid),
    ({ approval }) => approval.callout.approved === true,
  )
  expect(asked.status).toBe('PENDING')
  const messages = await stage.simulator.listInbox(inbox)
  expect(messages).toHaveLength(1)
  const { headers, body } = messages[0]!
  expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({
    id: uuid,
    type: 'TRANSFER_APPROVAL',
    data: { uuid, value: 20 },
  })
  expect((await bia.post(`/api/v1/transfers/${uuid}/approve`)).status).toBe(200)
  await awaitStatus(merchant, uuid, 'PAID')
  expect(await payouts.listPaidOut(merchant)).toHaveLength(1)
  await stage.waitUntilLedgerAgrees(merchant)
})

test('a transfer that the server refuses is cancelled, though a person has approved it', async () => {
  const { merchant, bia } = await createMerchantWithServer(NO)
  const { uuid } = await order(merchant)
  await bia.post(`/api/v1/transfers/${uuid}/approve`)
  const { approval } = await awaitStatus(merchant, uuid, 'CANCELLED')
  expect(approval.rejected).toMatchObject({ by: 'callout', reason: 'callout_refused' })
  expect(await payouts.listPaidOut(merchant)).toEqual([])
  await stage.waitUntilLedgerAgrees(merchant)
})

test('a transfer whose server never answers is asked three times, and is cancelled', async () => {
  const { merchant, inbox } = await createMerchantWithServer({ status: 500 })
  const { uuid } = await order(merchant)
  const { approval } = await awaitStatus(merchant, uuid, 'CANCELLED')
  expect(approval).toMatchObject({
    rejected: { by: 'callout', reason: 'callout_bad_status' },
    callout: { approved: false, requests: 3, code: 'callout_bad_status' },
  })
  const ids = (await stage.simulator.listInbox(inbox)).map(({ headers }) => headers['webhook-id'])
  expect(ids).toEqual([uuid, uuid, uuid])
})

test('a transfer is cancelled by its maker while its server is silent', async () => {
  const { merchant, inbox } = await createMerchantWithServer({ ...YES, delay_ms: 4_000 })
  const { uuid } = await order(merchant)
  await pollUntil(
    () => stage.simulator.listInbox(inbox),
    messages => messages.length === 1,
  )
  const { body } = await merchant.api.post(`/api/v1/transfers/${uuid}/cancel`)
  expect(body.data?.status).toBe('CANCELLED')
  expect(await payouts.listPaidOut(merchant)).toEqual([])
})

test('a batch is carried out once the server and a person have approved its sum', async () => {
  const { merchant, bia, inbox } = await createMerchantWithServer(YES)
  const items = ['a', 'b'].map(external_ref => ({
    value: 8,
    pix_key: `${external_ref}@example.com`,
    external_ref,
  }))
  const { uuid, status } = (await merchant.api.post('/api/v1/transfers/batches', { items })).body.data
  expect(status).toBe('DRAFT')
  const read = async () => (await merchant.api.get(`/api/v1/transfers/batches/${uuid}`)).body.data
  await pollUntil(read, ({ approval }) => approval.callout.approved === true)
  expect(JSON.parse((await stage.simulator.listInbox(inbox))[0]!.body)).toMatchObject({
    type: 'BATCH_APPROVAL',
    data: { uuid, value: 16 },
  })
  await bia.post(`/api/v1/transfers/batches/${uuid}/approve`)
  const { counts } = await pollUntil(read, batch => batch.status === 'COMPLETED')
  expect([counts.paid, (await stage.simulator.listInbox(inbox)).length]).toEqual([2, 1])
})

test('a worker that is killed during a request of a call-out: the next one asks again by the same id, and one verdict is stored', async () => {
  const { merchant, bia, inbox } = await createMerchantWithServer({ ...YES, delay_ms: 4_500 })
  const { uuid } = await order(merchant)
  await pollUntil(
    () => stage.simulator.listInbox(inbox),
    messages => messages.length === 1,
  )
  const { worker } = await readRunningProcesses(stack.home)
  process.kill(worker!.pid, 'SIGKILL')
  await stage.simulator.setInboxResponse(inbox, YES)
  await bia.post(`/api/v1/transfers/${uuid}/approve`)
  const { approval } = await awaitStatus(merchant, uuid, 'PAID')
  expect(approval.callout).toMatchObject({ approved: true, requests: 2 })
  const ids = (await stage.simulator.listInbox(inbox)).map(({ headers }) => headers['webhook-id'])
  expect(ids).toEqual([uuid, uuid])
  expect(
    await stage.sql(`select verdict from approval where subject_uuid = ? and approver = 'callout'`, [uuid]),
  ).toEqual([{ verdict: 'approve' }])
  expect(await payouts.listPaidOut(merchant)).toHaveLength(1)
})
