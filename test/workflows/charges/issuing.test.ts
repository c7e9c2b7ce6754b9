import { expect, test } from '@jest/globals'
import {
  afterNotification,
  chargeIssued,
  chargeKnown,
  chargeNotIssued,
  failActivity,
  noAnswer,
  notFoundWithin,
  orphanClosed,
  payoutSettled,
  unmatchedReturn,
  webhookDelivered,
} from '../../support/workflow-story-answers.ts'
import { chargeInput, orderCharge, setUpWorkflowStories } from '../../support/workflow-story-suite.ts'

const stories = setUpWorkflowStories()

test('a candidate that may have issued leaves an orphan, which is closed while the charge continues', async () => {
  const orphan = stories.uuid()
  const story = await stories.charge({
    issueCharge: [chargeIssued({ connectionUuid: 'connection-b', orphans: [orphan] })],
    closeOrphan: [notFoundWithin(), notFoundWithin(), notFoundWithin(), orphanClosed()],
    pollCharge: [chargeKnown('paid')],
  })
  await story.notify()
  await story.finishWith('paid')
  expect(story.history.childWorkflowIds).toEqual([`orphan/${orphan}`])
})

test('a charge that no provider can issue fails, with its event', async () => {
  const event = stories.uuid()
  const story = await stories.charge({
    issueCharge: [chargeNotIssued({ deliveries: [event] })],
    attemptDelivery: [webhookDelivered],
  })
  await story.finishWith('failed')
  expect(story.calls).toEqual(['issueCharge', 'attemptDelivery'])
  expect(story.history.statuses).toEqual(['FAILED'])
})

test('a charge that no provider issued polls none, whatever a notification says: its orphans have workflows of their own', async () => {
  const story = await stories.charge({
    issueCharge: [
      async story => {
        await story.notify()
        return chargeNotIssued({ orphans: [stories.uuid()] })
      },
    ],
    closeOrphan: [orphanClosed()],
  })
  await story.finishWith('failed')
  expect(story.calls).toEqual(['issueCharge', 'closeOrphan'])
})

test('the search attributes of the start are not written again: an operator finds a charge by what changes', async () => {
  const story = await stories.charge({
    issueCharge: [chargeIssued()],
    pollCharge: [chargeKnown('pending'), chargeKnown('paid')],
  })
  await story.notify()
  await story.waitForCalls(2)
  await story.notify()
  await story.finishWith('paid')
  expect(story.history).toMatchObject({ statuses: ['PENDING', 'PAID'], upsertCount: 2 })
})

test('issuing that broke off is started again with our id', async () => {
  const story = await stories.charge({
    issueCharge: [failActivity, failActivity, chargeIssued()],
    pollCharge: [chargeKnown('paid')],
  })
  await story.notify()
  await story.finishWith('paid')
  expect(story.calls).toEqual(['issueCharge', 'issueCharge', 'issueCharge', 'pollCharge'])
})

test('a request given twice is one charge', async () => {
  const uuid = stories.uuid()
  const story = await stories.charge(
    { issueCharge: [chargeIssued()], pollCharge: [chargeKnown('paid')] },
    { uuid },
  )
  await orderCharge(story, chargeInput(uuid))
  await story.notify()
  await story.finishWith('paid')
  expect(story.calls).toEqual(['issueCharge', 'pollCharge'])
})

test('an orphan payload is cancelled at its provider', async () => {
  const story = await stories.orphan({ closeOrphan: [orphanClosed()] })
  await story.finish()
  expect(story.calls).toEqual(['closeOrphan'])
  expect(story.history.timers).toEqual([])
})

test('without an answer the provider is polled until there is one', async () => {
  const story = await stories.orphan({ closeOrphan: [...Array(7).fill(noAnswer()), orphanClosed()] })
  await story.finish()
  expect(story.history.timers).toEqual(
    ['5 s', '10 s', '30 s', '1 min', '5 min', '1 h', '1 h'].map(wait => `no response: next poll: ${wait}`),
  )
})

test('an orphan unknown to its provider is proved absent by two polls after the settle window', async () => {
  const story = await stories.orphan({
    closeOrphan: [notFoundWithin(), notFoundWithin(), notFoundWithin(), orphanClosed()],
  })
  await story.finish()
  expect(story.calls).toEqual(['closeOrphan', 'closeOrphan', 'closeOrphan', 'closeOrphan isFinalPoll'])
  expect(story.history.timers).toEqual(['not found: next poll: 10 min', 'not found: next poll: 1 min'])
})

test('an orphan that appears within the settle window is cancelled after all', async () => {
  const story = await stories.orphan({ closeOrphan: [notFoundWithin(), orphanClosed()] })
  await story.finish()
  expect(story.calls).toEqual(['closeOrphan', 'closeOrphan'])
})

test('notifications start an immediate poll, but prove no absence before the settle window is over', async () => {
  const story = await stories.orphan({
    closeOrphan: [...Array(6).fill(notFoundWithin()), orphanClosed()],
  })
  await story.waitForCalls(1)
  for (const times of [2, 3]) {
    await story.passTime(1_000)
    await story.notify()
    await story.waitForCalls(times)
  }
  await story.passTime(600_000)
  await story.waitForCalls(4)
  await story.notify()
  await story.waitForCalls(5)
  await story.finish()
  expect(story.calls).toEqual([...Array(6).fill('closeOrphan'), 'closeOrphan isFinalPoll'])
  const [first, , , afterWindow, , , last] = story.callTimesMs
  expect(afterWindow! - first!).toBeGreaterThanOrEqual(600_000)
  expect(last! - afterWindow!).toBeGreaterThanOrEqual(60_000)
})

test('a payment of an orphan is set aside, reported and returned', async () => {
  const [event, movement] = [stories.uuid(), stories.uuid()]
  const story = await stories.orphan({
    closeOrphan: [
      noAnswer('still_open'),
      orphanClosed({ deliveries: [event], returns: [unmatchedReturn(movement)] }),
    ],
    attemptDelivery: [webhookDelivered],
    sendReturn: [payoutSettled()],
  })
  await story.finish()
  expect(story.history.childWorkflowIds).toEqual([`return/${movement}`])
  expect(story.attemptedDeliveries).toEqual([event])
})

test('a payment notified while the provider closes the orphan is polled before the workflow ends', async () => {
  const movement = stories.uuid()
  const story = await stories.orphan({
    closeOrphan: [afterNotification(orphanClosed()), orphanClosed({ returns: [unmatchedReturn(movement)] })],
    sendReturn: [payoutSettled()],
  })
  await story.finish()
  expect(story.calls).toEqual(['closeOrphan', 'closeOrphan', 'sendReturn'])
  expect(story.history.childWorkflowIds).toEqual([`return/${movement}`])
})

test('the Call Stack of the Temporal UI names our source lines that a workflow waits at', async () => {
  const story = await stories.charge({ issueCharge: [chargeIssued()], pollCharge: [chargeKnown('expired')] })
  const stack = await story.readCallStack()
  expect(stack).toMatch(/ at isStepDue \(.*workflows\/charges\/charge\.workflow\.ts:\d+/)
  expect(stack).toMatch(/ at waitForNextPoll \(.*workflows\/charges\/charge\.workflow\.ts:\d+/)
  await story.finishWith('expired')
})

test('a static code ends its workflow once it is issued: no provider has it', async () => {
  const story = await stories.charge({ issueCharge: [chargeIssued({ isStatic: true, expiresAt: null })] })
  await story.finishWith('pending')
  expect(story.calls).toEqual(['issueCharge'])
  expect(story.history.timers).toEqual([])
})
