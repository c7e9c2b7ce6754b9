import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { readRunningProcesses, type Stack, startStack } from '../../support/stack.ts'
import { createPayoutActions, type PayoutActions, randomPixKey } from '../support/payout-actions.ts'
import { POLL_LIMIT_MS, pollUntil } from '../support/poll-until.ts'
import { openTestStack, type TestStack } from '../support/test-stack.ts'

/** A batch whose workers are killed while it starts items: each item leaves at most once, and the counts are those of the items. */

const ITEM_COUNT = 300
const KILLS = 3
const PATH = '/api/v1/transfers/batches'

let stack: Stack
let stage: TestStack
let payouts: PayoutActions
beforeAll(async () => {
  stack = await startStack()
  stage = await openTestStack(stack.home)
  payouts = createPayoutActions(stage)
})
afterAll(async () => {
  await stage?.close()
  expect(await stack.stop()).toBe(0)
})

test('a batch whose worker is killed again and again sends each item at most once', async () => {
  const merchant = await stage.createMerchant({ providers: [{ balance: 2 * ITEM_COUNT }] })
  const { api } = merchant
  const items = Array.from({ length: ITEM_COUNT }, (_, index) => ({
    value: 1,
    pix_key: randomPixKey(),
    external_ref: `item-${index}`,
  }))
  const { uuid } = (await api.post(PATH, { items }, { key: randomUUID() })).body.data
  const read = async () => (await api.get(`${PATH}/${uuid}`)).body.data
  for (let kills = 1; kills <= KILLS; kills++) {
    const least = (ITEM_COUNT / (KILLS + 2)) * kills
    await pollUntil(read, ({ counts }) => counts.pending <= ITEM_COUNT - least)
    const { worker } = await readRunningProcesses(stack.home)
    process.kill(worker!.pid, 'SIGKILL')
    await pollUntil(
      () => readRunningProcesses(stack.home),
      now => now.worker !== undefined && now.worker.pid !== worker!.pid,
    )
    await sleep(500)
  }
  const ended = await pollUntil(read, ({ status }) => status === 'COMPLETED', { limitMs: 3 * POLL_LIMIT_MS })
  expect(ended.counts.paid).toBe(ITEM_COUNT)
  const left = await payouts.listPaidOut(merchant)
  expect(left).toHaveLength(ITEM_COUNT)
  const [counted] = await stage.sql<{ items: number; transfers: number; paid: number }>(
    `select count(*)::int as items, count(t.uuid)::int as transfers, count(*) filter (where t.state = 'paid')::int as paid
     from transfer_batch_item i left join transfer t on t.uuid = i.transfer_uuid and t.batch_uuid = i.batch_uuid where i.batch_uuid = ?`,
    [uuid],
  )
  expect(counted).toEqual({ items: ITEM_COUNT, transfers: ITEM_COUNT, paid: ITEM_COUNT })
  await stage.waitUntilLedgerAgrees({ connections: merchant.connections })
})
