import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from '@jest/globals'
import { readRunningProcesses, type Stack } from '../../support/stack.ts'
import { type ApiResource, createPayoutActions, randomPixKey } from './payout-actions.ts'
import { pollUntil } from './poll-until.ts'
import type { TestStack } from './test-stack.ts'

/** Reais of each item, and the most of one transfer. */
const ITEM_REAIS = 1
/** The worker starts again, and takes the tasks of the one that was killed. */
const REST_MS = 500

/** `refusedLine`: of the item that a limit refuses. `limitMs`: longest time between two kills, and after the last one. */
export type KilledBatch = { items: number; kills: number; refusedLine: number; limitMs: number }

/**
 * Carries out a batch whose worker is killed again and again. Expects that each item leaves at most once, that all but the refused one
 * are paid, and that the counts are those of the items. Returns its seconds.
 */
export async function carryOutKilledBatch(
  { stack, stage }: { stack: Stack; stage: TestStack },
  { items: count, kills, refusedLine, limitMs }: KilledBatch,
): Promise<number> {
  const merchant = await stage.createMerchant({ providers: [{ balance: 2 * count * ITEM_REAIS }] })
  const { api } = merchant
  expect((await api.put('/api/v1/limits', { per_transfer: ITEM_REAIS })).status).toBe(200)
  const items = Array.from({ length: count }, (_, index) => ({
    value: index + 1 === refusedLine ? ITEM_REAIS + 0.5 : ITEM_REAIS,
    pix_key: randomPixKey(),
    external_ref: `item-${index + 1}`,
  }))
  const path = '/api/v1/transfers/batches'
  const key = randomUUID()
  const startedAtMs = Date.now()
  const { uuid } = (await api.post(path, { items }, { key })).body.data
  const read = async (): Promise<ApiResource> => (await api.get(`${path}/${uuid}`)).body.data
  for (let kill = 1; kill <= kills; kill++) {
    const most = count - (count / (kills + 2)) * kill
    await pollUntil(read, ({ counts }) => counts.pending <= most, { limitMs })
    const { worker } = await readRunningProcesses(stack.home)
    process.kill(worker!.pid, 'SIGKILL')
    await pollUntil(
      () => readRunningProcesses(stack.home),
      now => now.worker !== undefined && now.worker.pid !== worker!.pid,
    )
    await sleep(REST_MS)
  }
  const ended = await pollUntil(read, ({ status }) => status === 'COMPLETED', { limitMs })
  const seconds = (Date.now() - startedAtMs) / 1_000
  expect(ended.counts).toMatchObject({ paid: count - 1, failed: 1, pending: 0, processing: 0 })
  expect(await createPayoutActions(stage).listPaidOut(merchant)).toHaveLength(count - 1)
  const refused = (await api.get(`${path}/${uuid}/items?status=FAILED`)).body.data
  expect(refused).toMatchObject([{ line: refusedLine, error: { code: 'over_limit', limit: 'per_transfer' } }])
  const [rows] = await stage.sql<Record<'items' | 'transfers' | 'paid', number>>(
    `select count(*)::int as items, count(t.uuid)::int as transfers, count(*) filter (where t.state = 'paid')::int as paid
     from transfer_batch_item i left join transfer t on t.uuid = i.transfer_uuid and t.batch_uuid = i.batch_uuid where i.batch_uuid = ?`,
    [uuid],
  )
  expect(rows).toEqual({ items: count, transfers: count, paid: count - 1 })
  const [other] = await stage.sql<{ count: number }>(
    'select count(*)::int as count from transfer where batch_uuid = ? or account_uuid = ?',
    [uuid, merchant.uuid],
  )
  expect(other!.count).toBe(count)
  // The first answer may have been lost: the key finds the batch, and nothing is sent again.
  const again = await api.post(path, { items }, { key })
  expect([again.status, again.body.data.uuid]).toEqual([202, uuid])
  await stage.waitUntilLedgerAgrees({ connections: merchant.connections })
  expect(await createPayoutActions(stage).listPaidOut(merchant)).toHaveLength(count - 1)
  return seconds
}
