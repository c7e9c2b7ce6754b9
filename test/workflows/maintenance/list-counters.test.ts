import { expect, test } from '@jest/globals'
import { setUpWorkflowStories } from '../../support/workflow-story-suite.ts'

const stories = setUpWorkflowStories()

test('what has changed is folded, and how much is told', async () => {
  const story = await stories.listCounters({ foldListCounters: [42] })
  await story.finishWith(42)
  expect(story.calls).toEqual(['foldListCounters'])
})
