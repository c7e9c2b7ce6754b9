import { describe, expect, test } from '@jest/globals'
import { payoutSettled } from '../../support/workflow-story-answers.ts'
import { setUpWorkflowStories } from '../../support/workflow-story-suite.ts'

const stories = setUpWorkflowStories()

describe('an order to return a deposit', () => {
  test('that holds its money starts the workflow of the return', async () => {
    const deposit = stories.uuid()
    const order = { uuid: deposit, connectionUuid: 'connection-a' }
    const story = await stories.depositReturn({
      orderDepositReturn: [{ failure: null, returns: [order] }],
      sendReturn: [payoutSettled()],
    })
    await story.finishWith('ordered')
    expect(story.history.childWorkflowIds).toEqual([`return/${deposit}`])
  })

  test('that is refused starts nothing', async () => {
    const story = await stories.depositReturn({
      orderDepositReturn: [{ failure: 'return_in_progress', returns: [] }],
    })
    await story.finishWith('refused')
    expect(story.history.childWorkflowIds).toEqual([])
  })
})
