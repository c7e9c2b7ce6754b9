import { expect, test } from '@jest/globals'
import { codeSendingEnded, codeSendingRetry, failActivity } from '../../support/workflow-story-answers.ts'
import { setUpWorkflowStories } from '../../support/workflow-story-suite.ts'

const stories = setUpWorkflowStories()

test('a code is stored, answered, and sent', async () => {
  const story = await stories.authCode({ storeAuthCode: [stored], sendAuthCode: [codeSendingEnded('sent')] })
  await story.finishWith('sent')
  expect(story.calls).toEqual(['storeAuthCode', 'sendAuthCode'])
})

test('a code is answered as soon as it is stored, however long its sending takes', async () => {
  const story = await stories.authCode({
    storeAuthCode: [stored],
    sendAuthCode: [codeSendingRetry, codeSendingEnded('sent')],
  })
  await story.awaitAccepted()
  await story.finishWith('sent')
})

test('a code that no messenger can send is retried on the schedule until it expires', async () => {
  const story = await stories.authCode({
    storeAuthCode: [stored],
    sendAuthCode: [...Array(6).fill(codeSendingRetry), codeSendingEnded('expired')],
  })
  await story.finishWith('expired')
  expect(story.history.timers).toEqual([
    'wait before attempt 2: 1 s',
    'wait before attempt 3: 5 s',
    'wait before attempt 4: 15 s',
    'wait before attempt 5: 30 s',
    'wait before attempt 6: 1 min',
    'wait before attempt 7: 1 min',
  ])
})

test('a send that breaks off is repeated, because a code may arrive twice', async () => {
  const story = await stories.authCode({
    storeAuthCode: [stored],
    sendAuthCode: [failActivity, codeSendingEnded('sent')],
  })
  await story.finishWith('sent')
  expect(story.calls).toEqual(['storeAuthCode', 'sendAuthCode', 'sendAuthCode'])
})

test('a code whose address is refused is not sent again', async () => {
  const story = await stories.authCode({
    storeAuthCode: [stored],
    sendAuthCode: [codeSendingEnded('refused')],
  })
  await story.finishWith('refused')
})

/** Storing answers nothing. */
function stored() {}
