import { expect, test } from '@jest/globals'
import { disputeKnown, disputeRow, noAnswer } from '../../support/workflow-story-answers.ts'
import { SLOWLY, setUpWorkflowStories } from '../../support/workflow-story-suite.ts'

const stories = setUpWorkflowStories()

const DAY = 86_400_000
/** What is known of a dispute that its account can withdraw. */
const goingOn = (state: 'open' | 'analysing' | 'accepted', more: object = {}) =>
  disputeKnown(state, { isAnswerable: false, isCancellable: true, isCancelRequested: false, ...more })

test('a request is stored, sent to the provider, and followed until the last bank has returned', async () => {
  const story = await stories.requestedDispute({
    getDispute: [null],
    openRequestedDispute: [disputeRow('requesting', { isAnswerable: false })],
    requestDispute: [goingOn('open')],
    pollDispute: [goingOn('analysing'), goingOn('accepted'), goingOn('accepted'), disputeKnown('resolved')],
  })
  await story.awaitAccepted()
  expect(story.calls.slice(0, 3)).toEqual(['getDispute', 'openRequestedDispute', 'requestDispute'])
  await story.finishWith('resolved')
  expect(story.history.statuses).toEqual(['PENDING', 'PROCESSING', 'ACCEPTED'])
})

test('a request without an answer is sent again after a wait, and its caller is answered meanwhile', async () => {
  const story = await stories.requestedDispute(
    {
      getDispute: [null],
      openRequestedDispute: [disputeRow('requesting', { isAnswerable: false })],
      requestDispute: [noAnswer(), noAnswer(), goingOn('open')],
      pollDispute: [disputeKnown('cancelled')],
    },
    1,
  )
  await story.awaitAccepted()
  await story.finishWith('cancelled')
  expect(story.history.timers.slice(0, 2)).toEqual([
    'request the dispute again: 5 s',
    'request the dispute again: 10 s',
  ])
  expect(story.calls.filter(name => name === 'requestDispute')).toHaveLength(3)
})

test('a request that its provider refuses ends the dispute', async () => {
  const story = await stories.requestedDispute({
    getDispute: [null],
    openRequestedDispute: [disputeRow('requesting', { isAnswerable: false })],
    requestDispute: [disputeKnown('refused', { isAnswerable: false })],
  })
  await story.finishWith('refused')
  expect(story.history.statuses).toEqual(['PENDING', 'REJECTED'])
})

test('a request whose transfer was disputed meanwhile calls no provider', async () => {
  const story = await stories.requestedDispute({
    getDispute: [null],
    openRequestedDispute: [disputeRow('refused', { isAnswerable: false })],
  })
  await story.finishWith('refused')
  expect(story.calls).toEqual(['getDispute', 'openRequestedDispute'])
})

test('a cancellation ends the dispute once the provider has confirmed it', async () => {
  const story = await stories.requestedDispute(
    {
      getDispute: [null],
      openRequestedDispute: [disputeRow('requesting', { isAnswerable: false })],
      requestDispute: [goingOn('open')],
      cancelDispute: [disputeKnown('cancelled')],
    },
    SLOWLY,
  )
  await story.awaitAccepted()
  expect(await story.cancelDispute()).toBe('closed')
  await story.finishWith('cancelled')
  expect(story.history.statuses).toEqual(['PENDING', 'CANCELLED'])
})

test('a cancellation without an answer is repeated until the provider answers', async () => {
  const story = await stories.requestedDispute({
    getDispute: [null],
    openRequestedDispute: [disputeRow('requesting', { isAnswerable: false })],
    requestDispute: [goingOn('open')],
    cancelDispute: [noAnswer(), disputeKnown('cancelled')],
  })
  await story.awaitAccepted()
  expect(await story.cancelDispute()).toBe('no_answer')
  await story.finishWith('cancelled')
  expect(story.calls.filter(name => name === 'cancelDispute')).toHaveLength(2)
})

test('a cancellation that the provider refuses leaves the dispute as it is', async () => {
  const story = await stories.requestedDispute({
    getDispute: [null],
    openRequestedDispute: [disputeRow('requesting', { isAnswerable: false })],
    requestDispute: [goingOn('accepted')],
    cancelDispute: [goingOn('accepted')],
    pollDispute: [disputeKnown('resolved')],
  })
  await story.awaitAccepted()
  expect(await story.cancelDispute()).toBe('closed')
  await story.finishWith('resolved')
  expect(story.calls.filter(name => name === 'cancelDispute')).toHaveLength(1)
})

test('a request that has lost its row opens it again from its order', async () => {
  const story = await stories.requestedDispute({
    getDispute: [null],
    openRequestedDispute: [
      disputeRow('requesting', { isAnswerable: false }),
      disputeRow('requesting', { isAnswerable: false }),
    ],
    requestDispute: [{ kind: 'not_found' }, disputeKnown('cancelled')],
  })
  await story.finishWith('cancelled')
  expect(story.calls).toEqual([
    'getDispute',
    'openRequestedDispute',
    'requestDispute',
    'openRequestedDispute',
    'requestDispute',
  ])
})

test('a dispute that no bank decides is polled for 91 days, and then ends', async () => {
  let openedAtMs: number | undefined
  const pollUntilLapsed = async (story: Parameters<ReturnType<typeof disputeRow>>[0]) => {
    const nowMs = await story.now()
    openedAtMs ??= nowMs
    const isOver = nowMs - openedAtMs > 91 * DAY
    return isOver ? disputeKnown('lapsed')(story) : goingOn('analysing')(story)
  }
  const story = await stories.requestedDispute({
    getDispute: Array.from({ length: 10 }, (_, run) =>
      run === 0 ? null : disputeRow('analysing', { isAnswerable: false }),
    ),
    openRequestedDispute: [disputeRow('requesting', { isAnswerable: false })],
    requestDispute: [goingOn('open')],
    pollDispute: Array.from({ length: 1_000 }, () => pollUntilLapsed),
  })
  expect(await story.finish()).toBe('lapsed')
  const lastCallMs = story.callTimesMs.at(-1)! - openedAtMs!
  expect(lastCallMs).toBeGreaterThan(91 * DAY)
  expect(lastCallMs).toBeLessThan(92 * DAY)
})
