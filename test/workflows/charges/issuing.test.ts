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

test('a candidate that may have issued leaves an orphan, which is closed while the charge goes on', async () => {
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

test('a charge that nobody can issue has failed, and tells so', async () => {
  const event = stories.uuid()
  const story = await stories.charge({
    issueCharge: [chargeNotIssued({ deliveries: [event] })],
    attemptDelivery: [webhookDelivered],
  })
  await story.finishWith('failed')
  expect(story.calls).toEqual(['issueCharge', 'attemptDelivery'])
  expect(story.history.statuses).toEqual(['FAILED'])
})

test('a charge that nobody issued asks nobody, whatever a notice says: its orphans have lives of their own', async () => {
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

test('what the start of a charge shows is not shown again: an operator finds it by what changes', async () => {
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

test('an issuing that broke off is begun again by our id', async () => {
  const story = await stories.charge({
    issueCharge: [failActivity, failActivity, chargeIssued()],
    pollCharge: [chargeKnown('paid')],
  })
  await story.notify()
  await story.finishWith('paid')
  expect(story.calls).toEqual(['issueCharge', 'issueCharge', 'issueCharge', 'pollCharge'])
})

test('an order that is given twice is one charge', async () => {
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
