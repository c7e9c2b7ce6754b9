import { expect, test } from '@jest/globals'
import { codeSendingEnded, codeSendingRetry, failActivity } from '../../support/workflow-story-answers.ts'
import { setUpWorkflowStories } from '../../support/workflow-story-suite.ts'

const stories = setUpWorkflowStories()

test('a link for a new password is sent again until a messenger accepts it', async () => {
  const story = await stories.passwordReset({
    sendPasswordReset: [codeSendingRetry, failActivity, codeSendingEnded('sent')],
  })
  await story.finishWith('sent')
  expect(story.history.timers).toEqual(['wait before attempt 2: 1 s'])
})

test('an address without a user ends the workflow', async () => {
  const story = await stories.passwordReset({ sendPasswordReset: [{ kind: 'closed', outcome: 'no_user' }] })
  await story.finishWith('no_user')
})
