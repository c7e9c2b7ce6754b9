import { expect, test } from '@jest/globals'
import { setUpWorkflowStories } from '../../support/workflow-story-suite.ts'

const stories = setUpWorkflowStories()

test('changed counters are folded, and their number is returned', async () => {
  const story = await stories.listCounters({ foldListCounters: [42] })
  await story.finishWith(42)
  expect(story.calls).toEqual(['foldListCounters'])
})
