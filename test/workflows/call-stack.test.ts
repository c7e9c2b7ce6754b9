import { expect, test } from '@jest/globals'
import { issued, known } from '../support/workflow-story-lines.ts'
import { stage } from '../support/workflow-story-stage.ts'

const on = stage()

test('the Call Stack of the Temporal UI names the lines of ours that a life waits at', async () => {
  const story = await on.charge({ issueCharge: [issued()], followCharge: [known('expired')] })
  const stack = await story.callStack()
  expect(stack).toMatch(/ at woken \(.*workflows\/charge\.ts:\d+/)
  expect(stack).toMatch(/ at wait \(.*workflows\/charge\.ts:\d+/)
  await story.endsAs('expired')
})
