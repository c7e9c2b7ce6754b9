import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { endPause, startPause } from '../../../src/admin/pauses.ts'
import { buildStaticBrCode } from '../../../src/domain/pix/static-br-code.ts'
import { wakeBatchWorkflow } from '../../../src/temporal/transfer-batches.ts'
import { openMoneySuite } from '../support/money-suite.ts'
import { type ApiResource, randomAccountReceiver, randomPixKey } from '../support/payout-actions.ts'
import { POLL_LIMIT_MS, pollUntil } from '../support/poll-until.ts'
import type { Merchant } from '../support/test-stack.ts'

/** Batches of transfers, from the request to the last transfer: each item at most once, and the counts are those of the items. */

const PATH = '/api/v1/transfers/batches'
const { stage, payouts, createMerchant } = await openMoneySuite()

const buildItems = (count: number, value = 1): ApiResource[] =>
  Array.from({ length: count }, (_, index) => ({
    value,
    pix_key: randomPixKey(),
    external_ref: `item-${index + 1}`,
  }))
async function order({ api }: Merchant, body: object, key: string = randomUUID()): Promise<ApiResource> {
  const answer = await api.post(PATH, body, { key })
  expect([answer.status, answer.body.code]).toEqual([202, undefined])
  return answer.body.data
}
const read = async ({ api }: Merchant, uuid: string): Promise<ApiResource> =>
  (await api.get(`${PATH}/${uuid}`)).body.data
const waitFor = (
  merchant: Merchant,
  uuid: string,
  fits: (batch: ApiResource) => boolean,
): Promise<ApiResource> => pollUntil(() => read(merchant, uuid), fits, { limitMs: 2 * POLL_LIMIT_MS })
const hasEnded = ({ status }: ApiResource) => status === 'COMPLETED' || status === 'CANCELLED'
async function listItems({ api }: Merchant, uuid: string): Promise<ApiResource[]> {
  const items: ApiResource[] = []
  for (let cursor = ''; ; ) {
    const { data, meta } = (await api.get(`${PATH}/${uuid}/items?per_page=100&cursor=${cursor}`)).body
    items.push(...data)
    if (meta.next_cursor === null) return items
    cursor = meta.next_cursor
  }
}
/** Counts are those of the items, and each item left at most once. */
async function expectEachOnce(merchant: Merchant, batch: ApiResource): Promise<ApiResource[]> {
  const items = await listItems(merchant, batch.uuid)
  const counted: Record<string, number> = {}
  for (const { status } of items) counted[status.toLowerCase()] = (counted[status.toLowerCase()] ?? 0) + 1
  expect(items).toHaveLength(batch.total)
  expect(Object.fromEntries(Object.entries(batch.counts).filter(([, count]) => count !== 0))).toEqual(counted)
  const transfers = items.map(one => one.transfer_uuid).filter(uuid => uuid !== undefined)
  expect(new Set(transfers).size).toBe(transfers.length)
  expect(await payouts.listPaidOut(merchant)).toHaveLength(counted.paid ?? 0)
  return items
}

test('an item that a limit refuses is FAILED with its cause, and the rest goes on', async () => {
  const merchant = await createMerchant({ providers: [{ balance: 100 }] })
  const { api, uuid: accountUuid } = merchant
  const inbox = `batch-${accountUuid}`
  const hook = { url: `${stage.local.inbox_url}/${inbox}`, events: ['BATCH'] }
  expect((await api.post('/api/v1/webhooks', hook)).status).toBe(201)
  const all = `all-${accountUuid}`
  await api.post('/api/v1/webhooks', { url: `${stage.local.inbox_url}/${all}` })
  expect((await api.put('/api/v1/limits', { per_transfer: 1 })).status).toBe(200)
  const items = buildItems(40)
  items[29].value = 1.5
  const key = randomUUID()
  const { uuid } = await order(merchant, { items, name: 'Folha' }, key)
  const ended = await waitFor(merchant, uuid, hasEnded)
  expect(ended).toMatchObject({
    status: 'COMPLETED',
    total: 40,
    value: 40.5,
    counts: { paid: 39, failed: 1 },
  })
  const listed = await expectEachOnce(merchant, ended)
  expect(listed[29]).toMatchObject({
    line: 30,
    status: 'FAILED',
    error: { code: 'over_limit', limit: 'per_transfer', left: 1 },
  })
  const transfers = (await api.get(`/api/v1/transfers?batch_uuid=${uuid}&per_page=100`)).body
  expect([transfers.meta.total, new Set(transfers.data.map((one: ApiResource) => one.batch_uuid))]).toEqual([
    40,
    new Set([uuid]),
  ])
  expect((await api.get(`${PATH}/${uuid}/items?status=FAILED`)).body.data).toEqual([listed[29]])
  // The first answer was lost: the key finds the batch, and nothing starts again.
  const again = await order(merchant, { items, name: 'Folha' }, key)
  expect([again.uuid, again.status, again.counts.pending]).toEqual([uuid, 'PROCESSING', 40])
  expect(await payouts.listPaidOut(merchant)).toHaveLength(39)
  const [message] = await pollUntil(
    () => stage.listEvents(inbox),
    ({ length }) => length > 0,
  )
  expect(JSON.parse(message!.body)).toMatchObject({
    type: 'BATCH',
    data: { uuid, status: 'COMPLETED', sequence: 1 },
  })
  await pollUntil(
    () => stage.listEvents(all),
    ({ length }) => length >= 40,
  )
  const types = (await stage.listEvents(all)).map(({ body }) => JSON.parse(body).type)
  expect(types).not.toContain('BATCH')
})

test('a batch that is cancelled in the middle starts no further item; those that were started go on', async () => {
  const merchant = await createMerchant({ providers: [{ balance: 500 }] })
  const { uuid } = await order(merchant, { items: buildItems(200) })
  await waitFor(merchant, uuid, ({ counts }) => counts.paid > 0)
  const cancelled = await merchant.api.post(`${PATH}/${uuid}/cancel`)
  expect([cancelled.status, cancelled.body.data.status]).toEqual([200, 'CANCELLED'])
  expect(cancelled.body.data.counts.cancelled).toBeGreaterThan(0)
  const repeated = await merchant.api.post(`${PATH}/${uuid}/cancel`)
  expect([repeated.status, repeated.body.code]).toEqual([409, 'batch_not_cancellable'])
  const ended = await waitFor(merchant, uuid, ({ counts }) => counts.processing === 0)
  expect(ended.counts.paid + ended.counts.cancelled).toBe(200)
  expect(ended.counts.cancelled).toBe(cancelled.body.data.counts.cancelled)
  await expectEachOnce(merchant, ended)
})

test('items that the balance does not cover wait for it, with WAIT, and fail, with FAIL', async () => {
  const merchant = await createMerchant({ providers: [{ balance: 5 }] })
  const { uuid } = await order(merchant, { items: buildItems(4, 2), on_short_balance: 'WAIT' })
  const short = await waitFor(merchant, uuid, ({ waiting_for }) => waiting_for === 'insufficient_balance')
  expect(short).toMatchObject({ status: 'PROCESSING' })
  await waitFor(merchant, uuid, ({ counts }) => counts.paid === 2 && counts.pending === 2)
  await stage.simulator.deposit({ account: merchant.connection.account, value: 10 })
  const ended = await waitFor(merchant, uuid, hasEnded)
  expect(ended).toMatchObject({ status: 'COMPLETED', counts: { paid: 4 } })
  await expectEachOnce(merchant, ended)
  const failing = await order(merchant, { items: buildItems(10, 2) })
  const failed = await waitFor(merchant, failing.uuid, hasEnded)
  expect(failed.status).toBe('COMPLETED')
  expect(failed.counts.paid).toBeLessThan(10)
  const refused = (await listItems(merchant, failing.uuid)).filter(({ status }) => status === 'FAILED')
  expect(refused).toHaveLength(failed.counts.failed)
  expect(new Set(refused.map(({ error }) => error.code))).toEqual(new Set(['insufficient_balance']))
})

test('where all must be valid, no further item is started once one has failed', async () => {
  const merchant = await createMerchant({ providers: [{ balance: 500 }] })
  expect((await merchant.api.put('/api/v1/limits', { per_receiver_per_day: 1 })).status).toBe(200)
  const items = buildItems(120)
  items[1].pix_key = items[0].pix_key
  const { uuid } = await order(merchant, { items, mode: 'ALL_VALID' })
  const ended = await waitFor(merchant, uuid, one => hasEnded(one) && one.counts.processing === 0)
  expect(ended).toMatchObject({ status: 'CANCELLED', cancel_reason: 'item_failed', counts: { failed: 1 } })
  expect(ended.counts.cancelled).toBeGreaterThan(80)
  await expectEachOnce(merchant, ended)
})

test('nothing is started while the account is blocked, and the batch goes on after it', async () => {
  const merchant = await createMerchant({ providers: [{ balance: 500 }] })
  const setStatus = (status: string) =>
    stage.sql('update account set status = ? where uuid = ?', [status, merchant.uuid])
  const { uuid } = await order(merchant, { items: buildItems(150) })
  await waitFor(merchant, uuid, ({ counts }) => counts.paid > 0)
  await setStatus('BLOCKED')
  const isWaiting = async () => {
    const [row] = await stage.sql<{ wait_reason: string | null }>(
      'select wait_reason from transfer_batch where uuid = ?',
      [uuid],
    )
    return row?.wait_reason
  }
  await pollUntil(isWaiting, reason => reason === 'account_blocked')
  const [{ count } = { count: 0 }] = await stage.sql<{ count: number }>(
    `select count(*)::int as count from transfer_batch_item where batch_uuid = ? and state = 'pending'`,
    [uuid],
  )
  expect(count).toBeGreaterThan(0)
  await setStatus('ACTIVE')
  const ended = await waitFor(merchant, uuid, hasEnded)
  expect(ended.status).toBe('COMPLETED')
  expect(ended.counts.paid).toBeGreaterThanOrEqual(count)
  const items = await expectEachOnce(merchant, ended)
  // Those that were on their way when it was blocked have failed, and say why.
  for (const { status, error } of items) if (status !== 'PAID') expect(error.code).toBe('account_blocked')
})

/** Waits until a batch starts nothing for this reason, and returns how many items are not started. */
async function waitForRest(merchant: Merchant, uuid: string, reason: string): Promise<number> {
  const { counts } = await waitFor(merchant, uuid, ({ waiting_for }) => waiting_for === reason)
  expect(counts.pending).toBeGreaterThan(0)
  return counts.pending
}

test('nothing is started while money out is paused, and the batch goes on after it', async () => {
  const merchant = await createMerchant({ providers: [{ balance: 500 }] })
  const target = { accountUuid: merchant.uuid }
  const { uuid } = await order(merchant, { items: buildItems(150) })
  await waitFor(merchant, uuid, ({ counts }) => counts.paid > 0)
  const by = { actor: 'suite', reason: 'a drill' }
  await startPause(stage.orm.em.fork(), { target, reach: 'money_out', ...by })
  const pending = await waitForRest(merchant, uuid, 'paused')
  await endPause(stage.orm.em.fork(), { target, ...by })
  // By itself it looks again within a minute.
  const client = await stage.connectTemporal()
  const temporal = { client: async () => client, taskQueue: stage.local.task_queue, timeScale: 1 }
  await wakeBatchWorkflow(temporal, { uuid, waitMs: POLL_LIMIT_MS })
  const ended = await waitFor(merchant, uuid, hasEnded)
  expect(ended.status).toBe('COMPLETED')
  expect(ended.counts.paid).toBeGreaterThanOrEqual(pending)
  // Those that were on their way when it was paused have failed, and say why.
  for (const { status, error } of await expectEachOnce(merchant, ended))
    if (status !== 'PAID') expect(error.code).toBe('paused')
})

test('a limit that is lowered in the middle refuses the items that are started afterwards', async () => {
  const merchant = await createMerchant({ providers: [{ balance: 500 }] })
  const { uuid } = await order(merchant, { items: buildItems(120) })
  await waitFor(merchant, uuid, ({ counts }) => counts.paid > 0)
  expect((await merchant.api.put('/api/v1/limits', { per_transfer: 0.5 })).status).toBe(200)
  const ended = await waitFor(merchant, uuid, hasEnded)
  expect(ended).toMatchObject({ status: 'COMPLETED' })
  expect([ended.counts.paid + ended.counts.failed, ended.counts.failed > 60]).toEqual([120, true])
  const failed = (await expectEachOnce(merchant, ended)).filter(({ status }) => status === 'FAILED')
  for (const { error } of failed)
    expect(error).toMatchObject({ code: 'over_limit', limit: 'per_transfer', left: 0.5 })
})

test('items to bank accounts and by codes are such transfers, with the limits of their receivers', async () => {
  const merchant = await createMerchant({
    providers: [{ provider: 'PROVIDER_B', dialect: 'woovi', balance: 100 }],
  })
  expect((await merchant.api.put('/api/v1/limits', { per_receiver_per_day: 2 })).status).toBe(200)
  const receiver = randomAccountReceiver()
  const other = { ...randomAccountReceiver(), account_type: 'SAVINGS' }
  const key = randomPixKey()
  const payload = buildStaticBrCode({ key, cents: 100, txid: 'mesa12', receiverName: 'Ana' })
  const destinations = [
    { receiver },
    { pix_key: key },
    { receiver },
    { receiver: other },
    { receiver },
    { payload },
  ]
  const items = destinations.map((to, index) => ({ value: 1, external_ref: `item-${index + 1}`, ...to }))
  const { uuid } = await order(merchant, { items })
  const ended = await waitFor(merchant, uuid, hasEnded)
  expect(ended).toMatchObject({ status: 'COMPLETED', counts: { paid: 5, failed: 1 } })
  const listed = await expectEachOnce(merchant, ended)
  const refused = listed.find(({ status }) => status === 'FAILED')
  expect(refused).toMatchObject({
    receiver: { account: receiver.account },
    error: { code: 'over_limit', limit: 'per_receiver_per_day' },
  })
  const { data: transfer } = (await merchant.api.get(`/api/v1/transfers/${listed[3].transfer_uuid}`)).body
  expect(transfer.transfer.initiation).toMatchObject({
    type: 'MANUAL',
    pix_key: '',
    receiver: { name: other.name, account_type: 'SAVINGS', bank: { code: '260' } },
  })
  const { data: paid } = (await merchant.api.get(`/api/v1/transfers/${listed[5].transfer_uuid}`)).body
  expect(paid.transfer.initiation).toMatchObject({ type: 'QR_STATIC', txid: 'mesa12', pix_key: key })
})

test('a batch above the sum that needs approval is sent once another person has approved it', async () => {
  const merchant = await createMerchant({ providers: [{ balance: 100 }] })
  const limits = { approvals: { above: 10, count: 1, expires_hours: 24 } }
  expect((await merchant.api.put('/api/v1/limits', limits)).status).toBe(200)
  const tokenOf = async (author: string) =>
    stage.api.withToken(await stage.token({ accountUuid: merchant.uuid, author }))
  const [ana, bia] = [
    await tokenOf(`ana-${merchant.uuid}@shop.com`),
    await tokenOf(`bia-${merchant.uuid}@shop.com`),
  ]
  const maker = { ...merchant, api: ana! }
  const { uuid, status } = await order(maker, { items: buildItems(2, 20) })
  expect(status).toBe('DRAFT')
  await waitFor(maker, uuid, ({ waiting_for }) => waiting_for === 'approval')
  const refused = await ana!.post(`${PATH}/${uuid}/approve`)
  expect([refused.status, refused.body.code]).toEqual([403, 'approver_is_maker'])
  const approved = await bia!.post(`${PATH}/${uuid}/approve`)
  expect([approved.status, approved.body.data.approval.given.length]).toEqual([200, 1])
  expect(approved.body.data.history.map((one: ApiResource) => one.status).slice(0, 2)).toEqual([
    'DRAFT',
    'PROCESSING',
  ])
  const ended = await waitFor(maker, uuid, hasEnded)
  expect(ended).toMatchObject({ status: 'COMPLETED', counts: { paid: 2 } })
  await expectEachOnce(merchant, ended)
  const rejected = await order(maker, { items: buildItems(2, 6) })
  const answer = await bia!.post(`${PATH}/${rejected.uuid}/reject`, { reason: 'wrong month' })
  expect(answer.body.data).toMatchObject({
    status: 'CANCELLED',
    cancel_reason: 'rejected',
    counts: { cancelled: 2 },
    approval: { rejected: { reason: 'wrong month' } },
  })
  const withdrawn = await order(maker, { items: buildItems(2, 6) })
  expect((await ana!.post(`${PATH}/${withdrawn.uuid}/cancel`)).body.data.status).toBe('CANCELLED')
  const late = await bia!.post(`${PATH}/${withdrawn.uuid}/approve`)
  expect([late.status, late.body.code]).toEqual([409, 'not_waiting_for_approval'])
})

test('a batch whose signal was lost is carried out by the sweep', async () => {
  const merchant = await createMerchant({ providers: [{ balance: 100 }] })
  const limits = { approvals: { above: 10, count: 1, expires_hours: 24 } }
  expect((await merchant.api.put('/api/v1/limits', limits)).status).toBe(200)
  const { uuid } = await order(merchant, { items: buildItems(2, 20) })
  await waitFor(merchant, uuid, ({ waiting_for }) => waiting_for === 'approval')
  await stage.sql(
    `insert into approval (subject_uuid, verdict, approver, at) values (?, 'approve', 'bia', clock_timestamp())`,
    [uuid],
  )
  await stage.sql(
    `update approval_request set decision = 'approved', decided_at = clock_timestamp() where subject_uuid = ?`,
    [uuid],
  )
  expect(await waitFor(merchant, uuid, hasEnded)).toMatchObject({ status: 'COMPLETED', counts: { paid: 2 } })
})
