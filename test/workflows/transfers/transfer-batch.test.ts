import { expect, test } from '@jest/globals'
import type { BatchState, BatchWaitReason } from '../../../src/domain/transfers/transfer-batch.ts'
import type { AdvanceBatchResult } from '../../../src/workflows/contracts/transfer-batches.ts'
import { failActivity, webhookDelivered } from '../../support/workflow-story-answers.ts'
import { setUpWorkflowStories } from '../../support/workflow-story-suite.ts'

const stories = setUpWorkflowStories()
const HOUR = 3_600_000

const NOTHING = { deliveries: [], returns: [] }
const started = (startedCount: number): AdvanceBatchResult => ({
  ...NOTHING,
  state: 'processing',
  startedCount,
  next: { kind: 'step' },
})
const waits = (
  reason: BatchWaitReason,
  waitMs: number,
  state: BatchState = 'processing',
): AdvanceBatchResult => ({
  ...NOTHING,
  state,
  startedCount: 0,
  next: { kind: 'wait', reason, waitMs },
})
const ended = (state: BatchState, deliveries: string[] = []): AdvanceBatchResult => ({
  ...NOTHING,
  state,
  startedCount: 0,
  deliveries,
  next: { kind: 'end' },
})

test('a batch starts its items step by step, waits for the last transfers, and delivers its event', async () => {
  const event = stories.uuid()
  const story = await stories.transferBatch({
    advanceBatch: [
      waits('scheduled', HOUR),
      started(3),
      failActivity,
      waits('insufficient_balance', 60_000),
      started(1),
      waits('unfinished_items', 1_000),
      waits('unfinished_items', 2_000),
      ended('completed', [event]),
    ],
    attemptDelivery: [webhookDelivered],
  })
  await story.finishWith('completed')
  expect(story.history.timers).toEqual([
    'scheduled: 1 h',
    'insufficient_balance: 1 min',
    'unfinished_items: 1 s',
    'unfinished_items: 2 s',
  ])
  expect(story.history.childWorkflowIds).toEqual([`webhook/${event}`])
})

test('a batch continues as new every 500 items', async () => {
  const story = await stories.transferBatch({
    advanceBatch: [started(400), started(100), started(20), ended('completed')],
  })
  await story.finishWith('completed')
  expect(story.history.queuedActivities).toEqual(['advanceBatch', 'advanceBatch'])
})

test('a batch that waits for its approval goes on as soon as it is given', async () => {
  const story = await stories.transferBatch({
    advanceBatch: [waits('approval', 24 * HOUR, 'draft'), started(0), started(2), ended('completed')],
  })
  await story.waitForCalls(1)
  await story.applyBatchDecision()
  await story.finishWith('completed')
  expect(story.history.timers).toEqual(['approval: 24 h, woken'])
})

test('a batch that is cancelled while it waits ends at once', async () => {
  const story = await stories.transferBatch({
    advanceBatch: [started(16), waits('account_blocked', 60_000), ended('cancelled')],
    cancelBatch: [true],
  })
  await story.waitForCalls(2)
  expect(await story.cancelBatch()).toBe(true)
  await story.finishWith('cancelled')
  expect(story.calls).toEqual(['advanceBatch', 'advanceBatch', 'cancelBatch', 'advanceBatch'])
})
