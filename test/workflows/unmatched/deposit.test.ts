import { expect, test } from '@jest/globals'
import {
  afterNotification,
  depositNotFound,
  depositRecorded,
  noAnswer,
  webhookDelivered,
} from '../../support/workflow-story-answers.ts'
import { setUpWorkflowStories } from '../../support/workflow-story-suite.ts'

const stories = setUpWorkflowStories()

test('a PIX without a charge is recorded as a deposit, with its event', async () => {
  const event = stories.uuid()
  const story = await stories.deposit({
    recordDeposit: [depositRecorded({ deliveries: [event] })],
    attemptDelivery: [webhookDelivered],
  })
  await story.finishWith('accepted')
  expect(story.attemptedDeliveries).toEqual([event])
})

test('a PIX that a charge of ours expects is left to that charge', async () => {
  const story = await stories.deposit({ recordDeposit: [{ kind: 'expected' }] })
  await story.finishWith('expected')
  expect(story.history.childWorkflowIds).toEqual([])
})

test('a forged notification ends after a second poll without a result', async () => {
  const story = await stories.deposit({ recordDeposit: [depositNotFound, depositNotFound] })
  await story.finishWith('not_found')
  expect(story.history.timers).toEqual(['second poll: 1 min'])
})

test('a PIX notified before the provider lists it is recorded at the second poll', async () => {
  const story = await stories.deposit({ recordDeposit: [depositNotFound, depositRecorded()] })
  await story.finishWith('accepted')
})

test('a repeated notification does not make the second poll the last one too early', async () => {
  const story = await stories.deposit({
    recordDeposit: [depositNotFound, depositNotFound, depositRecorded()],
  })
  await story.waitForCalls(1)
  await story.notify()
  await story.waitForCalls(2)
  await story.finishWith('accepted')
  expect(story.callTimesMs[2]! - story.callTimesMs[0]!).toBeGreaterThanOrEqual(60_000)
})

test('a PIX notified again during the last poll is polled once more', async () => {
  const story = await stories.deposit({
    recordDeposit: [depositNotFound, afterNotification(depositNotFound), depositRecorded()],
  })
  await story.finishWith('accepted')
  expect(story.history.timers).toEqual(['second poll: 1 min'])
})

test('without an answer the provider is polled until there is one', async () => {
  const story = await stories.deposit({
    recordDeposit: [noAnswer(), noAnswer('in_process'), depositRecorded()],
  })
  await story.finishWith('accepted')
  expect(story.history.timers).toEqual(['no response: next poll: 5 s', 'no response: next poll: 10 s'])
})

test('a sweep routes waiting notifications once', async () => {
  const story = await stories.notificationSweep({
    sweepProviderNotifications: [{ waiting: 3, routedCount: 2 }],
  })
  expect(await story.finish()).toEqual({ waiting: 3, routedCount: 2 })
})

test('a sweep that breaks off leaves its work to the next one', async () => {
  const story = await stories.notificationSweep({
    sweepProviderNotifications: [
      () => {
        throw new Error('no connection')
      },
    ],
  })
  await expect(story.finish()).rejects.toThrow()
  expect(story.calls).toEqual(['sweepProviderNotifications'])
})
