import { describe, expect, test } from '@jest/globals'
import type { ActivityResult } from '../../support/workflow-story.ts'
import { payoutSettled } from '../../support/workflow-story-answers.ts'
import { setUpWorkflowStories } from '../../support/workflow-story-suite.ts'

const stories = setUpWorkflowStories()

const foundAt: ActivityResult<'restoreReturn'> = { kind: 'found', connectionUuid: 'connection-a' }
const unordered: ActivityResult<'sendReturn'> = {
  ...{ kind: 'rejected', code: 'not_ordered', finality: 'final', deliveries: [], returns: [] },
}
const known = { kind: 'known', failure: null } as const
const unknown = { kind: 'unknown', code: 'not_found' } as const
const restored = { orderedAt: '2026-11-01T00:00:00.000Z' }

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

describe('an ordered return that is newer than its restored database', () => {
  test('is looked up once its deposit is restored, and not sent', async () => {
    const story = await stories.orderedReturn(
      {
        rebuildReturnOrder: [unknown, known],
        restoreReturn: [foundAt],
        pollReturn: [payoutSettled()],
      },
      restored,
    )
    await story.finishWith('settled')
    expect(story.calls).toEqual(['rebuildReturnOrder', 'rebuildReturnOrder', 'restoreReturn', 'pollReturn'])
  })

  test('is looked up although its workflow was about to send it', async () => {
    const story = await stories.orderedReturn({
      sendReturn: [unordered],
      rebuildReturnOrder: [known],
      restoreReturn: [foundAt],
      pollReturn: [payoutSettled()],
    })
    await story.finishWith('settled')
    expect(story.calls).toEqual(['sendReturn', 'rebuildReturnOrder', 'restoreReturn', 'pollReturn'])
  })

  test('ends where its deposit was returned meanwhile', async () => {
    const failure = { kind: 'known', failure: 'deposit_not_returnable' } as const
    const story = await stories.orderedReturn({ rebuildReturnOrder: [failure] }, restored)
    await story.finishWith('rejected')
    expect(story.calls).toEqual(['rebuildReturnOrder'])
  })
})
