import { expect, test } from '@jest/globals'
import {
  chargeIssued,
  chargeKnown,
  chargeNoAnswer,
  chargeStillOpen,
  payoutSettled,
  unmatchedReturn,
} from '../../support/workflow-story-answers.ts'
import { setUpWorkflowStories } from '../../support/workflow-story-suite.ts'

const stories = setUpWorkflowStories()

test('a charge expires a minute after its payload, when its provider says so', async () => {
  const story = await stories.charge({ issueCharge: [chargeIssued()], pollCharge: [chargeKnown('expired')] })
  await story.finishWith('expired')
  expect(story.calls).toEqual(['issueCharge', 'pollCharge isPayloadExpired'])
  expect(story.history.statuses).toEqual(['PENDING', 'EXPIRED'])
  expect(story.history.timers).toEqual(['payload expires: 24 h 1 min'])
})

test('a charge never expires by time alone: without an answer the provider is polled on the schedule', async () => {
  const story = await stories.charge({
    issueCharge: [chargeIssued()],
    pollCharge: [...Array(8).fill(chargeNoAnswer()), chargeKnown('expired')],
  })
  await story.finishWith('expired')
  expect(story.history.statuses).toEqual(['PENDING', 'EXPIRED'])
  expect(story.history.timers).toEqual([
    'payload expires: 24 h 1 min',
    'next poll: 5 s',
    'next poll: 10 s',
    'next poll: 30 s',
    'next poll: 1 min',
    'next poll: 5 min',
    'next poll: 1 h',
    'next poll: 1 h',
    'next poll: 1 h',
  ])
})

test('a payload that the provider still reports as open is polled until it is closed', async () => {
  const story = await stories.charge({
    issueCharge: [chargeIssued()],
    pollCharge: [chargeStillOpen(), chargeStillOpen(), chargeKnown('expired')],
  })
  await story.finishWith('expired')
  expect(story.history.timers.slice(1)).toEqual(['next poll: 5 s', 'next poll: 10 s'])
})

test('a payment set aside while the provider reports a payload as open starts its return immediately', async () => {
  const movement = stories.uuid()
  const story = await stories.charge({
    issueCharge: [chargeIssued()],
    pollCharge: [chargeStillOpen({ returns: [unmatchedReturn(movement)] }), chargeKnown('expired')],
    sendReturn: [payoutSettled()],
  })
  await story.finishWith('expired')
  expect(story.history.childWorkflowIds).toEqual([`return/${movement}`])
})

test('a charge that stays pending past its time is polled on the schedule, not immediately', async () => {
  const story = await stories.charge({
    issueCharge: [chargeIssued()],
    pollCharge: [
      chargeKnown('pending'),
      chargeKnown('pending'),
      chargeKnown('pending'),
      chargeKnown('expired'),
    ],
  })
  await story.finishWith('expired')
  expect(story.history.timers.slice(1)).toEqual(['next poll: 5 s', 'next poll: 10 s', 'next poll: 30 s'])
})

test('a payment in the last second is accepted, because it is in progress when the time is over', async () => {
  const story = await stories.charge({
    issueCharge: [chargeIssued()],
    pollCharge: [chargeKnown('paying'), chargeNoAnswer(), chargeKnown('paid')],
  })
  await story.finishWith('paid')
  expect(story.calls).toEqual(['issueCharge', 'pollCharge isPayloadExpired', 'pollCharge', 'pollCharge'])
  expect(story.history.statuses).toEqual(['PENDING', 'PROCESSING', 'PAID'])
})

test('a charge whose payment fails after its time expires', async () => {
  const story = await stories.charge({
    issueCharge: [chargeIssued()],
    pollCharge: [chargeKnown('paying'), chargeKnown('expired')],
  })
  await story.finishWith('expired')
  expect(story.history.statuses).toEqual(['PENDING', 'PROCESSING', 'EXPIRED'])
})

test('a notification at the time of expiry starts an immediate poll, with the time already over', async () => {
  const story = await stories.charge({
    issueCharge: [chargeIssued()],
    pollCharge: [chargeNoAnswer(), chargeKnown('paid')],
  })
  await story.passTime(90_000_000)
  await story.waitForCalls(2)
  await story.notify()
  await story.waitForCalls(3)
  await story.finishWith('paid')
  expect(story.calls).toEqual(['issueCharge', 'pollCharge isPayloadExpired', 'pollCharge isPayloadExpired'])
})
