import { expect, test } from '@jest/globals'
import { createCommandLine } from '../../support/command-line.ts'
import { openMoneySuite } from '../support/money-suite.ts'
import { pollUntil } from '../support/poll-until.ts'
import type { Merchant } from '../support/test-stack.ts'

/** Transfers that wait for persons who have not ordered them, through the running service. */

const { stage, payouts, createMerchant } = await openMoneySuite()

/** A merchant whose transfers of more than ten reais wait. Bia and Caio have made a token each; the merchant's is of Ana. */
async function createCarefulMerchant(approvals: object = {}) {
  const merchant = await createMerchant({ providers: [{ balance: 100 }] })
  const { uuid: accountUuid } = merchant
  await stage.sql(`update token set author = 'ana' where account_uuid = ?`, [accountUuid])
  const body = { approvals: { above: 10, ...approvals } }
  expect((await merchant.api.put('/api/v1/limits', body)).status).toBe(200)
  const person = async (author: string) => merchant.api.withToken(await stage.token({ accountUuid, author }))
  return { merchant, bia: await person('bia'), caio: await person('caio') }
}

const path = (uuid: string, act: string) => `/api/v1/transfers/${uuid}/${act}`
const awaitStatus = (merchant: Merchant, uuid: string, status: string) =>
  pollUntil(
    () => payouts.transfer(merchant, uuid),
    transfer => transfer.status === status,
  )
const readAvailable = async ({ api }: Merchant) =>
  (await api.get('/api/v1/providers')).body.data[0].balances[0].available_balance

async function order(merchant: Merchant, value = 20) {
  const { status, body } = await payouts.send(merchant, { value })
  expect([status, body.data.status, body.data.approval?.given]).toEqual([201, 'PENDING', []])
  return body.data
}

test('a transfer above the value waits with its money held, and is paid once another person approves', async () => {
  const { merchant, bia } = await createCarefulMerchant()
  const { uuid } = await order(merchant)
  expect(await readAvailable(merchant)).toBe(80)
  expect((await merchant.api.post(path(uuid, 'approve'))).body.code).toBe('approver_is_maker')
  expect(await payouts.listPaidOut(merchant)).toEqual([])
  const approved = await bia.post(path(uuid, 'approve'))
  expect([approved.status, approved.body.data.approval.given]).toEqual([
    200,
    [{ by: 'bia', at: expect.any(String) }],
  ])
  const paid = await awaitStatus(merchant, uuid, 'PAID')
  expect(paid.history.map(({ status }: { status: string }) => status)).toEqual([
    'PENDING',
    'PROCESSING',
    'PAID',
  ])
  expect((await bia.post(path(uuid, 'approve'))).status).toBe(200)
  expect((await bia.post(path(uuid, 'reject'), { reason: 'too late' })).body.code).toBe(
    'not_waiting_for_approval',
  )
  expect(await payouts.listPaidOut(merchant)).toHaveLength(1)
  await stage.waitUntilLedgerAgrees(merchant)
})

test('the answer of its request is repeated by its key, whatever was decided', async () => {
  const { merchant, bia } = await createCarefulMerchant()
  const key = 'held'
  const body = { value: 20, pix_key: 'maria@example.com' }
  const first = await payouts.send(merchant, body, { key })
  await bia.post(path(first.body.data.uuid, 'approve'))
  await awaitStatus(merchant, first.body.data.uuid, 'PAID')
  const again = await payouts.send(merchant, body, { key })
  expect([again.status, again.body]).toEqual([201, first.body])
})

test('a rejected one is cancelled, and its money is available again', async () => {
  const { merchant, bia } = await createCarefulMerchant()
  const { uuid } = await order(merchant)
  expect((await bia.post(path(uuid, 'reject'), { reason: 'wrong supplier' })).status).toBe(200)
  const { approval } = await awaitStatus(merchant, uuid, 'CANCELLED')
  expect(approval.rejected).toMatchObject({ by: 'bia', reason: 'wrong supplier' })
  expect([await readAvailable(merchant), await payouts.listPaidOut(merchant)]).toEqual([100, []])
  await stage.waitUntilLedgerAgrees(merchant)
})

test('one that its maker cancels is cancelled', async () => {
  const { merchant, bia } = await createCarefulMerchant()
  const { uuid } = await order(merchant)
  expect((await merchant.api.post(path(uuid, 'cancel'))).body.data?.status).toBe('CANCELLED')
  expect((await bia.post(path(uuid, 'approve'))).body.code).toBe('not_waiting_for_approval')
  expect(await readAvailable(merchant)).toBe(100)
})

test('two persons at once approve one that needs two, which is sent once', async () => {
  const { merchant, bia, caio } = await createCarefulMerchant({ count: 2 })
  const { uuid } = await order(merchant)
  const answers = await Promise.all([bia, caio, bia, caio].map(api => api.post(path(uuid, 'approve'))))
  expect(answers.map(one => one.status)).toEqual([200, 200, 200, 200])
  await awaitStatus(merchant, uuid, 'PAID')
  expect(await payouts.listPaidOut(merchant)).toHaveLength(1)
})

test('one whose signal was lost is sent by the sweep', async () => {
  const { merchant } = await createCarefulMerchant()
  const { uuid } = await order(merchant)
  await stage.sql(
    `insert into approval (subject_uuid, verdict, approver, at) values (?, 'approve', 'bia', clock_timestamp())`,
    [uuid],
  )
  await stage.sql(
    `update approval_request set decision = 'approved', decided_at = clock_timestamp() where subject_uuid = ?`,
    [uuid],
  )
  await awaitStatus(merchant, uuid, 'PAID')
})

test('an operator decides by the command, except about what a token of the same operator has ordered', async () => {
  const trilho = (...words: string[]) => createCommandLine({ TRILHO_HOME: stage.home.folder })(...words)
  const { merchant } = await createCarefulMerchant()
  const [first, second] = [await order(merchant), await order(merchant)]
  const by = (who: string) => ['--by', who, '--reason', 'told by telephone']
  expect(await trilho('transfer', 'approve', first.uuid, ...by('Ana'))).toMatchObject({
    code: 1,
    lines: [{ error: expect.stringMatching(/another person must/) }],
  })
  expect((await trilho('acts', '--subject', `transfer/${first.uuid}`)).lines).toEqual([])
  expect(await trilho('transfer', 'approve', first.uuid, ...by('ops'))).toMatchObject({ code: 0 })
  expect((await awaitStatus(merchant, first.uuid, 'PAID')).approval.given).toMatchObject([{ by: 'ops' }])
  expect(await trilho('transfer', 'reject', second.uuid, ...by('ops'))).toMatchObject({ code: 0 })
  const { approval } = await awaitStatus(merchant, second.uuid, 'CANCELLED')
  expect(approval.rejected).toMatchObject({ by: 'ops', reason: 'told by telephone' })
  expect((await trilho('acts', '--subject', `transfer/${second.uuid}`)).lines).toMatchObject([
    { action: 'transfer_reject', actor: 'ops', reason: 'told by telephone' },
  ])
})
