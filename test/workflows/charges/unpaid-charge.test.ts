import { expect, test } from '@jest/globals'
import type { Story } from '../../support/workflow-story.ts'
import {
  chargeIssued,
  chargeKnown,
  chargeNoAnswer,
  chargeRow,
  chargeStillOpen,
  failActivity,
  payoutSettled,
  pendingChargeRow,
  unmatchedReturn,
  webhookDelivered,
} from '../../support/workflow-story-answers.ts'
import { SLOWLY, setUpWorkflowStories } from '../../support/workflow-story-suite.ts'

const stories = setUpWorkflowStories()
const HOUR = 3_600_000
type Cancellation = Awaited<ReturnType<Story['startCancel']>>

test('a charge is cancelled at its provider, then in the database', async () => {
  const event = stories.uuid()
  const story = await stories.charge({
    issueCharge: [chargeIssued()],
    cancelCharge: [chargeKnown('cancelled', { deliveries: [event] })],
    attemptDelivery: [webhookDelivered],
  })
  expect(await story.cancelCharge()).toEqual({ kind: 'closed', state: 'cancelled' })
  await story.finishWith('cancelled')
  expect(story.history.statuses).toEqual(['PENDING', 'CANCELLED'])
  expect(story.attemptedDeliveries).toEqual([event])
})

test('a charge that turns out to be paid is not cancelled', async () => {
  const story = await stories.charge({ issueCharge: [chargeIssued()], cancelCharge: [chargeKnown('paid')] })
  expect(await story.cancelCharge()).toEqual({ kind: 'closed', state: 'paid' })
  await story.finishWith('paid')
})

test('a charge whose payment is in progress is not cancelled, and is polled until it settles', async () => {
  const story = await stories.charge(
    {
      issueCharge: [chargeIssued()],
      cancelCharge: [chargeKnown('paying')],
      pollCharge: [chargeKnown('paid')],
    },
    { timeScale: SLOWLY },
  )
  expect(await story.cancelCharge('first')).toEqual({ kind: 'closed', state: 'paying' })
  expect(await story.cancelCharge('second')).toEqual({ kind: 'closed', state: 'paying' })
  await story.finishWith('paid')
})

test('a provider’s refusal to cancel an open payload is final: the charge stays pending', async () => {
  const story = await stories.charge({
    issueCharge: [chargeIssued()],
    cancelCharge: [chargeKnown('pending')],
    pollCharge: [chargeKnown('expired')],
  })
  expect(await story.cancelCharge()).toEqual({ kind: 'closed', state: 'pending' })
  await story.finishWith('expired')
  expect(story.calls).toEqual(['issueCharge', 'cancelCharge', 'pollCharge isPayloadExpired'])
})

test('a charge stays pending without an answer, and is cancelled as soon as there is one', async () => {
  const story = await stories.charge({
    issueCharge: [chargeIssued()],
    cancelCharge: [chargeNoAnswer(), chargeNoAnswer(), chargeNoAnswer(), chargeKnown('cancelled')],
  })
  expect(await story.cancelCharge()).toEqual({ kind: 'no_answer' })
  await story.finishWith('cancelled')
  expect(story.history.statuses).toEqual(['PENDING', 'CANCELLED'])
  expect(story.history.timers.slice(1)).toEqual(['next poll: 5 s', 'next poll: 10 s', 'next poll: 30 s'])
})

test('after a lost answer "not found" cancels once it has come after the settle window, and a minute later', async () => {
  const notFound = { ...chargeNoAnswer('not_found'), settleWindowMs: 640_000 }
  const story = await stories.charge({
    issueCharge: [chargeIssued()],
    cancelCharge: [chargeNoAnswer(), ...Array(7).fill(notFound), chargeKnown('cancelled')],
  })
  expect(await story.cancelCharge()).toEqual({ kind: 'no_answer' })
  await story.finishWith('cancelled')
  expect(story.calls.at(-1)).toBe('cancelCharge isAbsenceProved')
  // The sixth is what is left of the window: less, where the first five took longer on a busy machine.
  const waits = ['5 s', '10 s', '30 s', '1 min', '5 min', '(4|3\\.9\\d*) min', '1 min', '1 ms']
  expect(story.history.timers.slice(1)).toEqual(
    waits.map(wait => expect.stringMatching(new RegExp(`^next poll: ${wait}$`))),
  )
})

test('a cancellation without an answer outlasts the payload', async () => {
  const story = await stories.charge({
    issueCharge: [chargeIssued({ expiresInMs: 15_000 })],
    cancelCharge: [...Array(6).fill(chargeNoAnswer()), chargeKnown('expired')],
  })
  await story.cancelCharge()
  await story.finishWith('expired')
  expect(story.calls).toEqual(['issueCharge', ...Array(7).fill('cancelCharge')])
})

test('a repeated cancel request does not wait for the schedule', async () => {
  const story = await stories.charge(
    { issueCharge: [chargeIssued()], cancelCharge: [chargeNoAnswer(), chargeKnown('cancelled')] },
    { timeScale: SLOWLY },
  )
  expect(await story.cancelCharge('first')).toEqual({ kind: 'no_answer' })
  expect(await story.cancelCharge('second')).toEqual({ kind: 'closed', state: 'cancelled' })
  await story.finishWith('cancelled')
  expect(story.history.timers.at(-1)).toBe('next poll: 1 h 23 min, woken')
})

test('a repeated identical cancel request gets the same answer', async () => {
  const story = await stories.charge({
    issueCharge: [chargeIssued()],
    cancelCharge: [chargeKnown('pending')],
    pollCharge: [chargeKnown('expired')],
  })
  expect(await story.cancelCharge('same')).toEqual({ kind: 'closed', state: 'pending' })
  expect(await story.cancelCharge('same')).toEqual({ kind: 'closed', state: 'pending' })
  await story.finishWith('expired')
})

test('two concurrent cancel requests get the same answer', async () => {
  let secondCancellation: Cancellation | undefined
  const story = await stories.charge({
    issueCharge: [chargeIssued()],
    cancelCharge: [
      async story => {
        secondCancellation = await story.startCancel('second')
        return chargeKnown('cancelled')
      },
    ],
  })
  expect(await story.cancelCharge('first')).toEqual({ kind: 'closed', state: 'cancelled' })
  expect(await secondCancellation?.result()).toEqual({ kind: 'closed', state: 'cancelled' })
  await story.finishWith('cancelled')
})

test('a cancellation during a poll after a notification waits for the poll', async () => {
  let cancelled: Cancellation | undefined
  const story = await stories.charge({
    issueCharge: [chargeIssued()],
    pollCharge: [
      async story => {
        cancelled = await story.startCancel()
        return chargeKnown('paid')
      },
    ],
  })
  await story.notifyLate()
  await story.waitForCalls(2)
  await story.finishWith('paid')
  expect(await cancelled?.result()).toEqual({ kind: 'closed', state: 'paid' })
  expect(story.calls).toEqual(['issueCharge', 'pollCharge'])
})

test('a charge that is being issued is cancelled once it is issued', async () => {
  let cancelled: Cancellation | undefined
  const story = await stories.charge({
    issueCharge: [
      failActivity, // The cancellation arrives during the regular activity: a local one holds the workflow task.
      async story => {
        cancelled = await story.startCancel()
        return chargeIssued()(story)
      },
    ],
    cancelCharge: [chargeKnown('cancelled')],
  })
  expect(await cancelled?.result()).toEqual({ kind: 'closed', state: 'cancelled' })
  await story.finishWith('cancelled')
})

test('a workflow that has ended is reopened to answer, and calls no provider', async () => {
  const story = await stories.charge({
    issueCharge: [chargeIssued()],
    pollCharge: [chargeKnown('paid')],
    getCharge: [chargeRow('paid')],
  })
  await story.notify()
  expect(await story.finish()).toBe('paid')
  expect(await story.cancelCharge()).toEqual({ kind: 'closed', state: 'paid' })
  await story.finishWith('paid')
})

test('a pending charge whose workflow was lost is reopened and cancelled', async () => {
  const story = await stories.chargeWithoutWorkflow({
    getCharge: [pendingChargeRow()],
    cancelCharge: [chargeKnown('cancelled')],
  })
  expect(await story.cancelCharge()).toEqual({ kind: 'closed', state: 'cancelled' })
  await story.finishWith('cancelled')
})

test('a cancelled charge that is paid nevertheless becomes paid', async () => {
  const story = await stories.charge({
    issueCharge: [chargeIssued()],
    cancelCharge: [chargeKnown('cancelled')],
    getCharge: [{ state: 'cancelled', expiresAt: null, cancelRequested: true }],
    pollCharge: [chargeKnown('paying'), chargeKnown('paid')],
  })
  await story.passTime(HOUR)
  await story.cancelCharge()
  expect(await story.finish()).toBe('cancelled')
  await story.reopenByNotification()
  await story.finishWith('paid')
  expect(story.history.statuses).toEqual(['CANCELLED', 'PROCESSING', 'PAID'])
})

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

test('an operator’s confirmation is polled for at once, or at the next poll where its signal is lost', async () => {
  const notListed = chargeNoAnswer('payment_not_listed')
  const signalledCharge = await stories.charge({
    issueCharge: [chargeIssued()],
    pollCharge: [...Array(6).fill(notListed), chargeKnown('expired')],
  })
  await signalledCharge.passTime(24.25 * HOUR)
  await signalledCharge.waitForCalls(7)
  await signalledCharge.notify()
  await signalledCharge.finishWith('expired')
  expect(signalledCharge.history.timers.at(-1)).toBe('next poll: 1 h, woken')
  const unsignalledCharge = await stories.charge({
    issueCharge: [chargeIssued()],
    pollCharge: [...Array(7).fill(notListed), chargeKnown('expired')],
  })
  await unsignalledCharge.finishWith('expired')
  expect(unsignalledCharge.history.timers.at(-1)).toBe('next poll: 1 h')
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
