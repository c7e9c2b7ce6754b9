import { expect, test } from '@jest/globals'
import {
  chargeIssued,
  chargeKnown,
  chargeNoAnswer,
  payoutSettled,
  unmatchedReturn,
  webhookDelivered,
  webhookRetry,
} from '../../support/workflow-story-answers.ts'
import { SLOWLY, setUpWorkflowStories } from '../../support/workflow-story-suite.ts'

const stories = setUpWorkflowStories()
const HOUR = 3_600_000

test('a charge is issued, and paid by a notification', async () => {
  const story = await stories.charge({ issueCharge: [chargeIssued()], pollCharge: [chargeKnown('paid')] })
  expect(await story.notify()).toBe(true)
  await story.finishWith('paid')
  expect(story.calls).toEqual(['issueCharge', 'pollCharge'])
  expect(story.history.statuses).toEqual(['PENDING', 'PAID'])
  expect(story.history.timers).toEqual(['payload expires: 24 h 1 min, woken'])
})

test('a payment in progress is polled at growing intervals until it settles', async () => {
  const story = await stories.charge({
    issueCharge: [chargeIssued()],
    pollCharge: [
      chargeKnown('paying'),
      chargeKnown('paying'),
      chargeKnown('paying'),
      chargeKnown('paying'),
      chargeKnown('paid'),
    ],
  })
  await story.notify()
  await story.finishWith('paid')
  expect(story.history.statuses).toEqual(['PENDING', 'PROCESSING', 'PAID'])
  expect(story.history.timers.slice(1)).toEqual([
    'next poll: 5 s',
    'next poll: 10 s',
    'next poll: 30 s',
    'next poll: 1 min',
  ])
})

test('a payment that settles meanwhile is found by its notification, before the next poll is due', async () => {
  const story = await stories.charge(
    { issueCharge: [chargeIssued()], pollCharge: [chargeKnown('paying'), chargeKnown('paid')] },
    { timeScale: SLOWLY },
  )
  await story.notify()
  await story.waitForCalls(2)
  await story.notify()
  await story.waitForCalls(3)
  await story.finishWith('paid')
  expect(story.history.timers.filter(wait => !wait.endsWith(', woken'))).toEqual([])
})

test('a provider that does not answer after a notification is polled until it does', async () => {
  const story = await stories.charge({
    issueCharge: [chargeIssued()],
    pollCharge: [chargeNoAnswer(), chargeNoAnswer(), chargeKnown('paid')],
  })
  await story.notify()
  await story.finishWith('paid')
  expect(story.history.timers.slice(1)).toEqual(['next poll: 5 s', 'next poll: 10 s'])
})

test('a notification that precedes the issuing is polled as soon as the charge is issued', async () => {
  const story = await stories.charge({
    issueCharge: [
      async story => {
        expect(await story.notify()).toBe(true)
        return chargeIssued()(story)
      },
    ],
    pollCharge: [chargeKnown('paid')],
  })
  await story.finishWith('paid')
  expect(story.history.timers).toEqual(['payload expires: 24 h 1 min, woken'])
})

test('repeated notifications are answered by one poll, and change nothing', async () => {
  const story = await stories.charge({
    issueCharge: [chargeIssued()],
    pollCharge: [
      async story => {
        await Promise.all([story.notify(), story.notify(), story.notify()])
        return chargeKnown('paying')
      },
      chargeKnown('paid'),
    ],
  })
  await story.notify()
  await story.finishWith('paid')
  expect(story.calls).toEqual(['issueCharge', 'pollCharge', 'pollCharge'])
})

test('a notification without a payment leaves the charge waiting for its payer', async () => {
  const story = await stories.charge({
    issueCharge: [chargeIssued()],
    pollCharge: [chargeKnown('pending'), chargeKnown('paid')],
  })
  await story.notify()
  await story.waitForCalls(2)
  await story.passTime(3 * HOUR)
  await story.notify()
  await story.finishWith('paid')
  expect(story.history.statuses).toEqual(['PENDING', 'PAID'])
})

test('a payment that fails leaves the charge pending, and it expires later', async () => {
  const story = await stories.charge({
    issueCharge: [chargeIssued()],
    pollCharge: [chargeKnown('paying'), chargeKnown('pending'), chargeKnown('expired')],
  })
  await story.notify()
  await story.finishWith('expired')
  expect(story.calls).toEqual(['issueCharge', 'pollCharge', 'pollCharge', 'pollCharge isPayloadExpired'])
  expect(story.history.statuses).toEqual(['PENDING', 'PROCESSING', 'PENDING', 'EXPIRED'])
})

test('a second payment is returned by its own workflow, and its event is delivered within the task', async () => {
  const [movement, event] = [stories.uuid(), stories.uuid()]
  const story = await stories.charge({
    issueCharge: [chargeIssued()],
    pollCharge: [chargeKnown('paid', { returns: [unmatchedReturn(movement)], deliveries: [event] })],
    sendReturn: [payoutSettled()],
    attemptDelivery: [webhookDelivered],
  })
  await story.notify()
  await story.finishWith('paid')
  expect(story.history.childWorkflowIds).toEqual([`return/${movement}`])
  expect(story.attemptedDeliveries).toEqual([event])
})

test('a delivery that was already started is not started again', async () => {
  const event = stories.uuid()
  const story = await stories.charge({
    issueCharge: [chargeIssued()],
    pollCharge: [
      chargeKnown('paying', { deliveries: [event] }),
      chargeKnown('paid', { deliveries: [event] }),
    ],
    attemptDelivery: [webhookRetry(60_000), webhookRetry(60_000), webhookDelivered],
  })
  await story.notify()
  await story.finishWith('paid')
  expect(story.history.childWorkflowIds).toEqual([`webhook/${event}`])
})

test('every wait of a charge is divided by the time scale', async () => {
  const story = await stories.charge(
    {
      issueCharge: [chargeIssued({ expiresInMs: 60 * HOUR })],
      pollCharge: [chargeNoAnswer(), chargeNoAnswer(), chargeKnown('paid')],
    },
    { timeScale: 60 },
  )
  await story.finishWith('paid')
  expect(story.history.timers).toEqual(['payload expires: 60 h', 'next poll: 83 ms', 'next poll: 167 ms'])
})

/** The provider answers, and lists no payment. */
const nothingListed = (state: 'pending' | 'expired' = 'pending') => ({
  ...chargeKnown(state),
  listedPaymentCount: 0,
})

test('a notification ahead of the provider’s list is followed until the payment is listed', async () => {
  const story = await stories.charge({
    issueCharge: [chargeIssued()],
    pollCharge: [nothingListed(), chargeNoAnswer(), nothingListed(), nothingListed(), chargeKnown('paid')],
  })
  await story.notify()
  await story.finishWith('paid')
  expect(story.history.timers.slice(1)).toEqual([
    'next poll: 5 s',
    'next poll: 10 s',
    'next poll: 30 s',
    'next poll: 1 min',
  ])
})

test('a notification that nothing confirms is followed until the payload expires', async () => {
  const polls = Array.from({ length: 6 }, () => nothingListed())
  const story = await stories.charge({
    issueCharge: [chargeIssued()],
    pollCharge: [...polls, ...Array.from({ length: 23 }, () => nothingListed()), nothingListed('expired')],
  })
  await story.notify()
  await story.finishWith('expired')
  expect(story.history.timers.slice(1, 7)).toEqual([
    'next poll: 5 s',
    'next poll: 10 s',
    'next poll: 30 s',
    'next poll: 1 min',
    'next poll: 5 min',
    'next poll: 1 h',
  ])
})

test('a payment that a provider finds or lists without a notification is not followed', async () => {
  const story = await stories.charge({
    issueCharge: [chargeIssued()],
    pollCharge: [{ ...chargeKnown('pending'), listedPaymentCount: 1 }, nothingListed('expired')],
  })
  await story.notify()
  await story.finishWith('expired')
  expect(story.history.timers.slice(1)).toEqual(['payload expires: 24 h 1 min'])
})
