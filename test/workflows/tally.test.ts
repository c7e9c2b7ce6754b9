import { expect, test } from '@jest/globals'
import { stage } from '../support/workflow-story-stage.ts'

const on = stage()

test('what has changed is folded, and how much is told', async () => {
  const story = await on.tally({ foldTallies: [42] })
  await story.endsAs(42)
  expect(story.asked).toEqual(['foldTallies'])
})
