import { expect, test } from '@jest/globals'
import {
  chargeIssued,
  chargeKnown,
  chargeNotIssued,
  failActivity,
  notFoundWithin,
  orphanClosed,
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
