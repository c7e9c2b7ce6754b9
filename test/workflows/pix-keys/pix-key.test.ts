import { describe, expect, test } from '@jest/globals'
import {
  codeSendingEnded,
  codeSendingRetry,
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
const openedKey = { openPixKey: ['creating' as const] }

describe('a PIX key', () => {
  test('is created by one call', async () => {
    const story = await stories.pixKey({ ...openedKey, createKey: [pixKeyEnded('active')] })
    await story.finishWith('active')
    expect(story.calls).toEqual(['openPixKey', 'createKey'])
    expect(story.history.statuses).toEqual(['ACTIVE'])
  })

  test('that its provider refuses is not created', async () => {
    const story = await stories.pixKey({ ...openedKey, createKey: [pixKeyEnded('refused')] })
    await story.finishWith('refused')
    expect(story.history.statuses).toEqual(['REFUSED'])
  })

  test('that is not allowed is stored as refused, and no provider is called', async () => {
    const story = await stories.pixKey({ openPixKey: ['refused'] })
    await story.finishWith('refused')
    expect(story.calls).toEqual(['openPixKey'])
  })

  test('whose answer was lost is found in the list immediately', async () => {
    const story = await stories.pixKey({
      ...openedKey,
      createKey: [pixKeyUnknown],
      pollPixKey: [pixKeyEnded('active')],
    })
    await story.finishWith('active')
    expect(story.history.timers).toEqual([])
  })

  test('whose outcome is known is returned to the waiting request', async () => {
    const story = await stories.pixKey({
      ...openedKey,
      createKey: [pixKeyUnknown],
      pollPixKey: [pixKeyUnknown, pixKeyEnded('active')],
    })
    const answer = story.awaitAccepted()
    await story.waitForCalls(3)
    await story.finishWith('active')
    await answer
  })

  test('is looked up again on the schedule while its provider does not list its keys', async () => {
    const story = await stories.pixKey({
      ...openedKey,
      createKey: [pixKeyUnknown],
      pollPixKey: [...Array(7).fill(pixKeyUnknown), pixKeyEnded('active')],
    })
    await story.finishWith('active')
    expect(story.history.timers.map(wait => wait.split(': ').at(-1))).toEqual([
      ...['5 s', '10 s', '30 s', '1 min', '5 min', '1 h', '1 h'],
    ])
  })

  test('that two polls after the settle window do not find is absent, and not requested again', async () => {
    const story = await stories.pixKey({
      ...openedKey,
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

  test('that appears late is created', async () => {
    const story = await stories.pixKey({
      ...openedKey,
      createKey: [pixKeyUnknown],
      pollPixKey: [payoutNotFound, payoutNotFound, pixKeyEnded('active')],
    })
    await story.finishWith('active')
  })

  test('whose call broke off is looked up, and requested again only where nothing was started', async () => {
    const story = await stories.pixKey({
      ...openedKey,
      createKey: [failActivity, pixKeyEnded('active')],
      pollPixKey: [pixKeyNotStarted],
    })
    await story.finishWith('active')
    expect(story.calls).toEqual(['openPixKey', 'createKey', 'pollPixKey', 'createKey'])
  })

  test('waits by the time scale', async () => {
    const story = await stories.pixKey(
      { ...openedKey, createKey: [pixKeyUnknown], pollPixKey: [pixKeyUnknown, pixKeyEnded('active')] },
      1_000,
    )
    await story.finishWith('active')
    expect(story.history.timers.map(wait => wait.split(': ').at(-1))).toEqual(['5 ms'])
  })
})

describe('a removal of a PIX key', () => {
  test('takes one call', async () => {
    const story = await stories.pixKeyRemoval({ deleteKey: [pixKeyEnded('removed')] })
    await story.finishWith('removed')
    expect(story.calls).toEqual(['deleteKey'])
  })

  test('that its provider refuses leaves the key', async () => {
    const story = await stories.pixKeyRemoval({ deleteKey: [pixKeyEnded('active')] })
    await story.finishWith('active')
  })

  test('with an unknown outcome is done once the key is not listed any more', async () => {
    const story = await stories.pixKeyRemoval({
      deleteKey: [pixKeyUnknown],
      pollPixKeyRemoval: [pixKeyEnded('removed')],
    })
    await story.finishWith('removed')
  })

  test('is repeated while the key is listed, also after an interruption', async () => {
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
