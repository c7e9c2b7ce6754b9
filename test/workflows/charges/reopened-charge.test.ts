import { expect, test } from '@jest/globals'
import {
  chargeKnown,
  chargeNoAnswer,
  chargeRow,
  payoutSettled,
  pendingChargeRow,
  unmatchedReturn,
  webhookDelivered,
} from '../../support/workflow-story-answers.ts'
import { setUpWorkflowStories } from '../../support/workflow-story-suite.ts'

const stories = setUpWorkflowStories()

test('a late payment reopens an expired charge, which ends as paid', async () => {
  const story = await stories.notifiedCharge({
    getCharge: [chargeRow('expired')],
    pollCharge: [chargeKnown('paying'), chargeKnown('paid')],
  })
  await story.finishWith('paid')
  expect(story.calls).toEqual(['getCharge', 'pollCharge', 'pollCharge'])
  expect(story.history.statuses).toEqual(['EXPIRED', 'PROCESSING', 'PAID'])
})

test('a late payment that fails leaves the charge expired', async () => {
  const story = await stories.notifiedCharge({
    getCharge: [chargeRow('expired')],
    pollCharge: [chargeKnown('paying'), chargeKnown('expired')],
  })
  await story.finishWith('expired')
  expect(story.history.statuses).toEqual(['EXPIRED', 'PROCESSING', 'EXPIRED'])
})

test('a late payment of a cancelled charge that fails leaves it cancelled', async () => {
  const story = await stories.notifiedCharge({
    getCharge: [chargeRow('cancelled')],
    pollCharge: [chargeKnown('paying'), chargeKnown('cancelled')],
  })
  await story.finishWith('cancelled')
  expect(story.history.statuses).toEqual(['CANCELLED', 'PROCESSING', 'CANCELLED'])
})

test.each(['refunding', 'partially_refunded', 'refunded'] as const)(
  'a charge that is %s and paid again returns the second payment, and keeps its state',
  async state => {
    const [movement, event] = [stories.uuid(), stories.uuid()]
    const story = await stories.notifiedCharge({
      getCharge: [chargeRow(state)],
      pollCharge: [chargeKnown(state, { returns: [unmatchedReturn(movement)], deliveries: [event] })],
      sendReturn: [payoutSettled()],
      attemptDelivery: [webhookDelivered],
    })
    await story.finishWith(state)
    expect(story.history.childWorkflowIds).toEqual([`return/${movement}`])
    expect(story.attemptedDeliveries).toEqual([event])
  },
)

test('a reopened charge does not end before its provider has answered', async () => {
  const story = await stories.notifiedCharge({
    getCharge: [chargeRow('expired')],
    pollCharge: [chargeNoAnswer(), chargeNoAnswer(), chargeKnown('paid')],
  })
  await story.finishWith('paid')
  expect(story.history.timers).toEqual(['next poll: 5 s', 'next poll: 10 s'])
})

test('a paid charge that is paid again returns the second payment, and stays paid', async () => {
  const movement = stories.uuid()
  const story = await stories.notifiedCharge({
    getCharge: [chargeRow('paid')],
    pollCharge: [chargeKnown('paid', { returns: [unmatchedReturn(movement)] })],
    sendReturn: [payoutSettled()],
  })
  await story.finishWith('paid')
  expect(story.history.childWorkflowIds).toEqual([`return/${movement}`])
})

test('a notification without a payment lets a reopened charge end in its state', async () => {
  const story = await stories.notifiedCharge({
    getCharge: [chargeRow('refunded')],
    pollCharge: [chargeKnown('refunded')],
  })
  await story.finishWith('refunded')
})

test('a charge may be reopened again and again', async () => {
  const story = await stories.notifiedCharge({
    getCharge: [chargeRow('expired'), chargeRow('expired'), chargeRow('paid')],
    pollCharge: [chargeKnown('expired'), chargeKnown('paid'), chargeKnown('paid')],
  })
  expect(await story.finish()).toBe('expired')
  await story.reopenByNotification()
  expect(await story.finish()).toBe('paid')
  await story.reopenByNotification()
  await story.finishWith('paid')
})

test('a pending charge whose workflow was lost continues from its row, its cancellation included', async () => {
  const story = await stories.notifiedCharge({
    getCharge: [pendingChargeRow({ cancelRequested: true })],
    pollCharge: [chargeKnown('pending')],
    cancelCharge: [chargeNoAnswer(), chargeKnown('cancelled')],
  })
  await story.finishWith('cancelled')
  expect(story.calls).toEqual(['getCharge', 'pollCharge', 'cancelCharge', 'cancelCharge'])
})

test('an unavailable database keeps a reopened charge waiting, not failing', async () => {
  const story = await stories.notifiedCharge({
    getCharge: [
      () => {
        throw new Error('no connection')
      },
      chargeRow('expired'),
    ],
    pollCharge: [chargeKnown('expired')],
  })
  await story.finishWith('expired')
})

test('a reopened static code polls no provider, whatever a notification says', async () => {
  const story = await stories.notifiedCharge({
    getCharge: [pendingChargeRow({ isStatic: true, expiresAt: null })],
  })
  await story.finishWith('pending')
  expect(story.calls).toEqual(['getCharge'])
})

test('a static code whose cancellation was requested is cancelled without a poll', async () => {
  const story = await stories.notifiedCharge({
    getCharge: [pendingChargeRow({ isStatic: true, expiresAt: null, cancelRequested: true })],
    cancelCharge: [chargeKnown('cancelled')],
  })
  await story.finishWith('cancelled')
  expect(story.calls).toEqual(['getCharge', 'cancelCharge'])
})
