import { expect, test } from '@jest/globals'
import { setUpWorkflowStories } from '../../support/workflow-story-suite.ts'

const stories = setUpWorkflowStories()

test('a sweep of the deliveries returns its counts', async () => {
  const story = await stories.deliverySweep({ sweepDeliveries: [{ signalled: 3, disabled: 1 }] })
  await story.finishWith({ signalled: 3, disabled: 1 })
})

test('old events are pruned', async () => {
  const story = await stories.eventPruning({ pruneEvents: [{ deleted: 7 }] })
  await story.finishWith({ deleted: 7 })
})

test('missed events are resent, batch by batch', async () => {
  const place = { at: '2026-11-01T10:00:00.000000Z', uuid: '00000000-0000-4000-8000-000000000001' }
  const story = await stories.recovery({
    replayMissedEvents: [
      { recovered: 500, next: place },
      { recovered: 0, next: place },
      { recovered: 12, next: null },
    ],
  })
  await story.finishWith({ recovered: 512 })
  expect(story.calls).toEqual(Array(3).fill('replayMissedEvents'))
})
