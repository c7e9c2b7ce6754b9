import { describe, expect, test } from '@jest/globals'
import {
  failActivity,
  payoutNotFound,
  pixKeyEnded,
  pixKeyNotStarted,
  pixKeyStillExists,
  pixKeyUnknown,
} from '../../support/workflow-story-answers.ts'
import { setUpWorkflowStories } from '../../support/workflow-story-suite.ts'

const stories = setUpWorkflowStories()
const SETTLE_MS = 600_000
const POLL_INTERVAL_MS = 60_000
const open = { openPixKey: ['creating' as const] }

describe('a key', () => {
  test('is made by one call', async () => {
    const story = await stories.pixKey({ ...open, createKey: [pixKeyEnded('active')] })
    await story.finishWith('active')
    expect(story.calls).toEqual(['openPixKey', 'createKey'])
    expect(story.history.statuses).toEqual(['ACTIVE'])
  })

  test('that its provider refuses is not made', async () => {
    const story = await stories.pixKey({ ...open, createKey: [pixKeyEnded('refused')] })
    await story.finishWith('refused')
    expect(story.history.statuses).toEqual(['REFUSED'])
  })

  test('that may not be is stored as refused, and no provider is called', async () => {
    const story = await stories.pixKey({ openPixKey: ['refused'] })
    await story.finishWith('refused')
    expect(story.calls).toEqual(['openPixKey'])
  })

  test('whose answer was lost is found in the list at once', async () => {
    const story = await stories.pixKey({
      ...open,
      createKey: [pixKeyUnknown],
      pollPixKey: [pixKeyEnded('active')],
    })
    await story.finishWith('active')
    expect(story.history.timers).toEqual([])
  })

  test('whose answer is known is told to who waits for it', async () => {
    const story = await stories.pixKey({
      ...open,
      createKey: [pixKeyUnknown],
      pollPixKey: [pixKeyUnknown, pixKeyEnded('active')],
    })
    const told = story.awaitAccepted()
    await story.waitForCalls(3)
    await story.finishWith('active')
    await told
  })

  test('is looked for again on the schedule while its provider does not list its keys', async () => {
    const story = await stories.pixKey({
      ...open,
      createKey: [pixKeyUnknown],
      pollPixKey: [...Array(7).fill(pixKeyUnknown), pixKeyEnded('active')],
    })
    await story.finishWith('active')
    expect(story.history.timers.map(wait => wait.split(': ').at(-1))).toEqual([
      ...['5 s', '10 s', '30 s', '1 min', '5 min', '1 h', '1 h'],
    ])
  })

  test('that two looks after the settle window do not find was never made, and is not asked for again', async () => {
    const story = await stories.pixKey({
      ...open,
      createKey: [pixKeyUnknown],
      pollPixKey: Array(8).fill(payoutNotFound),
      failPixKey: ['refused'],
    })
    await story.finishWith('refused')
    expect(story.calls).toEqual(['openPixKey', 'createKey', ...Array(8).fill('pollPixKey'), 'failPixKey'])
    const [, , first, , , , , , afterWindow, last] = story.callTimesMs
    expect(afterWindow! - first!).toBeGreaterThanOrEqual(SETTLE_MS)
    expect(last! - afterWindow!).toBeGreaterThanOrEqual(POLL_INTERVAL_MS)
  })

  test('that turns up late is made', async () => {
    const story = await stories.pixKey({
      ...open,
      createKey: [pixKeyUnknown],
      pollPixKey: [payoutNotFound, payoutNotFound, pixKeyEnded('active')],
    })
    await story.finishWith('active')
  })

  test('whose call broke off is looked for, and asked for again only where nothing was begun', async () => {
    const story = await stories.pixKey({
      ...open,
      createKey: [failActivity, pixKeyEnded('active')],
      pollPixKey: [pixKeyNotStarted],
    })
    await story.finishWith('active')
    expect(story.calls).toEqual(['openPixKey', 'createKey', 'pollPixKey', 'createKey'])
  })

  test('waits by the time scale', async () => {
    const story = await stories.pixKey(
      { ...open, createKey: [pixKeyUnknown], pollPixKey: [pixKeyUnknown, pixKeyEnded('active')] },
      1_000,
    )
    await story.finishWith('active')
    expect(story.history.timers.map(wait => wait.split(': ').at(-1))).toEqual(['5 ms'])
  })
})

describe('a key that is to go', () => {
  test('goes by one call', async () => {
    const story = await stories.pixKeyRemoval({ deleteKey: [pixKeyEnded('removed')] })
    await story.finishWith('removed')
    expect(story.calls).toEqual(['deleteKey'])
  })

  test('stays where its provider refuses', async () => {
    const story = await stories.pixKeyRemoval({ deleteKey: [pixKeyEnded('active')] })
    await story.finishWith('active')
  })

  test('is gone where an unknown removal is not in the list any more', async () => {
    const story = await stories.pixKeyRemoval({
      deleteKey: [pixKeyUnknown],
      pollPixKeyRemoval: [pixKeyEnded('removed')],
    })
    await story.finishWith('removed')
  })

  test('is removed again while the list has it, and whatever breaks off', async () => {
    const story = await stories.pixKeyRemoval({
      deleteKey: [failActivity, pixKeyUnknown, pixKeyEnded('removed')],
      pollPixKeyRemoval: [pixKeyStillExists, pixKeyUnknown, pixKeyStillExists],
    })
    await story.finishWith('removed')
    expect(story.calls).toEqual([
      ...[
        'deleteKey',
        'pollPixKeyRemoval',
        'deleteKey',
        'pollPixKeyRemoval',
        'pollPixKeyRemoval',
        'deleteKey',
      ],
    ])
    expect(story.history.timers.map(wait => wait.split(': ').at(-1))).toEqual(['5 s', '10 s'])
  })
})
