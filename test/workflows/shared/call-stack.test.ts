import { expect, test } from '@jest/globals'
import { chargeIssued, chargeKnown } from '../../support/workflow-story-answers.ts'
import { setUpWorkflowStories } from '../../support/workflow-story-suite.ts'

const stories = setUpWorkflowStories()

test('the Call Stack of the Temporal UI names our source lines that a workflow waits at', async () => {
  const story = await stories.charge({ issueCharge: [chargeIssued()], pollCharge: [chargeKnown('expired')] })
  const stack = await story.readCallStack()
  expect(stack).toMatch(/ at isStepDue \(.*workflows\/charges\/charge\.workflow\.ts:\d+/)
  expect(stack).toMatch(/ at waitForNextPoll \(.*workflows\/charges\/charge\.workflow\.ts:\d+/)
  await story.finishWith('expired')
})
