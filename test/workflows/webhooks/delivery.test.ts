import { describe, expect, test } from '@jest/globals'
import { RETRY_SCHEDULE_MS } from '../../../src/domain/webhooks/webhook.ts'
import type { ScriptedAnswer } from '../../support/workflow-story.ts'
import {
  chargeIssued,
  chargeKnown,
  failActivity,
  webhookDelivered,
  webhookRetry,
} from '../../support/workflow-story-answers.ts'
import { setUpWorkflowStories } from '../../support/workflow-story-suite.ts'

const stories = setUpWorkflowStories()

test('an event is delivered at the first attempt', async () => {
  const story = await stories.delivery({ attemptDelivery: [webhookDelivered] })
  await story.finishWith('DELIVERED')
  expect(story.history.timers).toEqual([])
})

test('a failing endpoint is retried on the schedule, each wait as the attempt has set it', async () => {
  const story = await stories.delivery({
    attemptDelivery: [...RETRY_SCHEDULE_MS.map(webhookRetry), webhookDelivered],
  })
  await story.finishWith('DELIVERED')
  expect(story.history.timers.map(wait => wait.split(': ').at(-1))).toEqual([
    '5 s',
    '5 min',
    '30 min',
    '2 h',
    '5 h',
    '10 h',
    '14 h',
    '20 h',
    '24 h',
  ])
  const intervalsMs = story.callTimesMs.slice(1).map((at, index) => at - story.callTimesMs[index]!)
  intervalsMs.forEach((ms, index) => {
    expect(ms).toBeGreaterThanOrEqual(RETRY_SCHEDULE_MS[index]!)
    expect(ms).toBeLessThan(RETRY_SCHEDULE_MS[index]! + 60_000)
  })
})

test('a delivery fails when there is no next attempt', async () => {
  const story = await stories.delivery({
    attemptDelivery: [webhookRetry(5_000), { kind: 'closed', outcome: 'FAILED' }],
  })
  await story.finishWith('FAILED')
})

test('a delivery that was cancelled meanwhile ends at its next attempt', async () => {
  const story = await stories.delivery({
    attemptDelivery: [webhookRetry(5_000), { kind: 'closed', outcome: 'CANCELLED' }],
  })
  await story.finishWith('CANCELLED')
})

test('an attempt that breaks off on our side is repeated', async () => {
  const story = await stories.delivery({ attemptDelivery: [failActivity, webhookDelivered] })
  await story.finishWith('DELIVERED')
  expect(story.history.timers).toEqual([])
})

test('every wait is divided by the time scale', async () => {
  const story = await stories.delivery(
    { attemptDelivery: [webhookRetry(5_000), webhookRetry(300_000), webhookDelivered] },
    1_000,
  )
  await story.finishWith('DELIVERED')
  expect(story.history.timers).toEqual(['wait before attempt 2: 5 ms', 'wait before attempt 3: 300 ms'])
})

test('a delivery whose row has changed is read immediately, not after a day', async () => {
  const story = await stories.delivery({
    attemptDelivery: [webhookRetry(86_400_000), { kind: 'closed', outcome: 'CANCELLED' }],
  })
  await story.waitForCalls(1)
  await story.signalDeliveryChanged()
  await story.finishWith('CANCELLED')
  expect(story.callTimesMs[1]! - story.callTimesMs[0]!).toBeLessThan(60_000)
})

test('a change during an attempt is not missed', async () => {
  const story = await stories.delivery({
    attemptDelivery: [
      async self => {
        await self.signalDeliveryChanged()
        return webhookRetry(86_400_000)
      },
      { kind: 'closed', outcome: 'CANCELLED' },
    ],
  })
  await story.finishWith('CANCELLED')
  expect(story.callTimesMs[1]! - story.callTimesMs[0]!).toBeLessThan(60_000)
})

test('a delivery that is resent while it ends continues', async () => {
  const story = await stories.delivery({
    attemptDelivery: [
      async self => {
        await self.signalDeliveryChanged()
        return webhookDelivered
      },
      webhookRetry(5_000),
      webhookDelivered,
    ],
  })
  await story.finishWith('DELIVERED')
  expect(story.history.timers).toHaveLength(1)
})

describe('the first attempt', () => {
  const paidCharge = (delivery: string, attemptDelivery: ScriptedAnswer<'attemptDelivery'>[]) =>
    stories.charge({
      issueCharge: [chargeIssued()],
      pollCharge: [chargeKnown('paid', { deliveries: [delivery] })],
      attemptDelivery,
    })

  test('is made within the workflow task that records the payment, and needs no workflow', async () => {
    const delivery = stories.uuid()
    const story = await paidCharge(delivery, [webhookDelivered])
    await story.notify()
    await story.finishWith('paid')
    expect(story.attemptedDeliveries).toEqual([delivery])
    expect(story.history.childWorkflowIds).toEqual([])
    expect(story.history.queuedActivities).toEqual([])
  })

  test('that failed is followed by a workflow, which waits before the second', async () => {
    const delivery = stories.uuid()
    const story = await paidCharge(delivery, [webhookRetry(5_000), webhookDelivered])
    await story.notify()
    await story.finishWith('paid')
    expect(story.history.childWorkflowIds).toEqual([`webhook/${delivery}`])
    const [first, second] = story.callTimesMs.slice(-2)
    expect(second! - first!).toBeGreaterThanOrEqual(5_000)
  })

  test('that was interrupted is made by a workflow', async () => {
    const delivery = stories.uuid()
    const story = await paidCharge(delivery, [failActivity, webhookDelivered])
    await story.notify()
    await story.finishWith('paid')
    expect(story.history.childWorkflowIds).toEqual([`webhook/${delivery}`])
  })
})

test('a sweep of the deliveries returns its counts', async () => {
  const story = await stories.deliverySweep({ sweepDeliveries: [{ signalled: 3, disabled: 1 }] })
  await story.finishWith({ signalled: 3, disabled: 1 })
})

test('old events are pruned, and months that are over archived', async () => {
  const story = await stories.eventPruning({
    pruneEvents: [{ deleted: 7 }],
    archiveClosedMonths: [{ archived: 1 }],
  })
  await story.finishWith({ deleted: 7, archived: 1 })
})

test('missed events are resent, batch by batch', async () => {
  const cursor = { at: '2026-11-01T10:00:00.000000Z', uuid: '00000000-0000-4000-8000-000000000001' }
  const story = await stories.recovery({
    replayMissedEvents: [
      { recovered: 500, next: cursor },
      { recovered: 0, next: cursor },
      { recovered: 12, next: null },
    ],
  })
  await story.finishWith({ recovered: 512 })
  expect(story.calls).toEqual(Array(3).fill('replayMissedEvents'))
})
