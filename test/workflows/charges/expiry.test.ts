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

test('a charge expires a minute after its payload, by the word of its provider', async () => {
  const story = await stories.charge({ issueCharge: [chargeIssued()], pollCharge: [chargeKnown('expired')] })
  await story.finishWith('expired')
  expect(story.calls).toEqual(['issueCharge', 'pollCharge isPayloadExpired'])
  expect(story.history.statuses).toEqual(['PENDING', 'EXPIRED'])
  expect(story.history.timers).toEqual(['payload expires: 24 h 1 min'])
})

test('no time makes it expire: without an answer the provider is asked on the schedule', async () => {
  const story = await stories.charge({
    issueCharge: [chargeIssued()],
    pollCharge: [...Array(8).fill(chargeNoAnswer()), chargeKnown('expired')],
  })
  await story.finishWith('expired')
  expect(story.history.statuses).toEqual(['PENDING', 'EXPIRED'])
  expect(story.history.timers).toEqual([
    'payload expires: 24 h 1 min',
    'ask again: 5 s',
    'ask again: 10 s',
    'ask again: 30 s',
    'ask again: 1 min',
    'ask again: 5 min',
    'ask again: 1 h',
    'ask again: 1 h',
    'ask again: 1 h',
  ])
})

test('a payload that the provider still holds open is asked about until it is closed', async () => {
  const story = await stories.charge({
    issueCharge: [chargeIssued()],
    pollCharge: [chargeStillOpen(), chargeStillOpen(), chargeKnown('expired')],
  })
  await story.finishWith('expired')
  expect(story.history.timers.slice(1)).toEqual(['ask again: 5 s', 'ask again: 10 s'])
})

test('what is set aside while the provider still holds a payload open begins its way back at once', async () => {
  const movement = stories.uuid()
  const story = await stories.charge({
    issueCharge: [chargeIssued()],
    pollCharge: [chargeStillOpen({ returns: [unmatchedReturn(movement)] }), chargeKnown('expired')],
    sendReturn: [payoutSettled()],
  })
  await story.finishWith('expired')
  expect(story.history.childWorkflowIds).toEqual([`return/${movement}`])
})

test('a charge that an answer leaves pending past its time is asked about on the schedule, not at once', async () => {
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
  expect(story.history.timers.slice(1)).toEqual(['ask again: 5 s', 'ask again: 10 s', 'ask again: 30 s'])
})

test('a payment at the last second is taken: it is on its way when the time is over', async () => {
  const story = await stories.charge({
    issueCharge: [chargeIssued()],
    pollCharge: [chargeKnown('paying'), chargeNoAnswer(), chargeKnown('paid')],
  })
  await story.finishWith('paid')
  expect(story.calls).toEqual(['issueCharge', 'pollCharge isPayloadExpired', 'pollCharge', 'pollCharge'])
  expect(story.history.statuses).toEqual(['PENDING', 'PROCESSING', 'PAID'])
})

test('a payment that fails after the time is over makes it expire', async () => {
  const story = await stories.charge({
    issueCharge: [chargeIssued()],
    pollCharge: [chargeKnown('paying'), chargeKnown('expired')],
  })
  await story.finishWith('expired')
  expect(story.history.statuses).toEqual(['PENDING', 'PROCESSING', 'EXPIRED'])
})

test('a notice at the time of expiry makes it ask at once, with the time that is over', async () => {
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
