import { expect, test } from '@jest/globals'
import type { Story } from '../../support/workflow-story.ts'
import {
  chargeIssued,
  chargeKnown,
  chargeNoAnswer,
  chargeRow,
  chargeStillOpen,
  pendingChargeRow,
} from '../../support/workflow-story-answers.ts'
import { SLOWLY, setUpWorkflowStories } from '../../support/workflow-story-suite.ts'

/** Revisions of a charge with a due date (SPEC §2). */

const stories = setUpWorkflowStories()
const DAY_MS = 86_400_000
const CLOSED_PENDING = { kind: 'closed', state: 'pending' }

/** The provider has revised the charge, whose payload expires after this time. */
const revised = (expiresInMs: number) => async (story: Story) => ({
  ...chargeKnown('pending'),
  expiresAt: new Date((await story.now()) + expiresInMs).toISOString(),
})

test('a revised charge expires by its new terms', async () => {
  const story = await stories.charge({
    issueCharge: [chargeIssued()],
    reviseCharge: [revised(3 * DAY_MS)],
    pollCharge: [chargeKnown('expired')],
  })
  expect(await story.reviseCharge()).toEqual(CLOSED_PENDING)
  await story.finishWith('expired')
  expect(story.calls).toEqual(['issueCharge', 'reviseCharge order', 'pollCharge isPayloadExpired'])
  expect(story.history.timers.at(-1)).toBe('payload expires: 72 h 1 min')
})

test('the Temporal UI shows the value of the last revision', async () => {
  const story = await stories.charge({
    issueCharge: [chargeIssued()],
    reviseCharge: [async () => ({ ...chargeKnown('pending'), valueCents: 20_000 })],
    pollCharge: [chargeKnown('expired')],
  })
  await story.reviseCharge()
  await story.finishWith('expired')
  expect(story.history.changedCents).toEqual([20_000])
})

test('a lost answer of a revision is asked for on the schedule, and the same is sent again', async () => {
  const story = await stories.charge({
    issueCharge: [chargeIssued()],
    reviseCharge: [chargeNoAnswer(), chargeNoAnswer(), chargeNoAnswer(), revised(DAY_MS)],
    pollCharge: [chargeKnown('expired')],
  })
  expect(await story.reviseCharge()).toEqual({ kind: 'no_answer' })
  await story.finishWith('expired')
  expect(story.calls.slice(1, 5)).toEqual(Array(4).fill('reviseCharge order'))
  expect(story.history.timers.slice(1, 4)).toEqual(['next poll: 5 s', 'next poll: 10 s', 'next poll: 30 s'])
})

test('a repeated revision joins the one without an answer, and does not wait for the schedule', async () => {
  const story = await stories.charge(
    {
      issueCharge: [chargeIssued()],
      reviseCharge: [chargeNoAnswer(), chargeKnown('pending')],
      cancelCharge: [chargeKnown('cancelled')],
    },
    { timeScale: SLOWLY },
  )
  expect(await story.reviseCharge('same', 'first request')).toEqual({ kind: 'no_answer' })
  expect(await story.reviseCharge('same', 'second request')).toEqual(CLOSED_PENDING)
  await story.cancelCharge()
  await story.finishWith('cancelled')
})

test('another revision is not begun while one has no answer', async () => {
  const story = await stories.charge(
    {
      issueCharge: [chargeIssued()],
      reviseCharge: [chargeNoAnswer()],
      cancelCharge: [chargeKnown('cancelled')],
    },
    { timeScale: SLOWLY },
  )
  expect(await story.reviseCharge('first')).toEqual({ kind: 'no_answer' })
  expect(await story.reviseCharge('second')).toEqual(CLOSED_PENDING)
  await story.cancelCharge()
  await story.finishWith('cancelled')
  expect(story.calls).toEqual(['issueCharge', 'reviseCharge order', 'cancelCharge'])
})

test('a charge that is paid during its revision ends as paid', async () => {
  const story = await stories.charge({
    issueCharge: [chargeIssued()],
    reviseCharge: [chargeNoAnswer(), chargeKnown('paid')],
  })
  expect(await story.reviseCharge()).toEqual({ kind: 'no_answer' })
  await story.finishWith('paid')
})

test('a payment that starts wins over a revision, which goes on where it fails', async () => {
  const story = await stories.charge(
    {
      issueCharge: [chargeIssued()],
      reviseCharge: [chargeKnown('paying'), chargeKnown('pending')],
      pollCharge: [chargeKnown('pending'), chargeKnown('expired')],
    },
    { timeScale: 1 },
  )
  expect(await story.reviseCharge()).toEqual({ kind: 'closed', state: 'paying' })
  await story.finishWith('expired')
  expect(story.calls).toEqual([
    'issueCharge',
    'reviseCharge order',
    'pollCharge',
    'reviseCharge order',
    'pollCharge isPayloadExpired',
  ])
})

test('a notification of a payment during a revision is polled for before the next call', async () => {
  const story = await stories.charge({
    issueCharge: [chargeIssued()],
    reviseCharge: [
      async (story: Story) => {
        await story.notify()
        return chargeNoAnswer()
      },
    ],
    pollCharge: [chargeKnown('paid')],
  })
  expect(await story.reviseCharge()).toEqual({ kind: 'no_answer' })
  await story.finishWith('paid')
  expect(story.calls).toEqual(['issueCharge', 'reviseCharge order', 'pollCharge'])
})

test('a cancellation goes before a revision without an answer', async () => {
  const story = await stories.charge(
    {
      issueCharge: [chargeIssued()],
      reviseCharge: [
        async (story: Story) => {
          await story.startCancel()
          return chargeNoAnswer()
        },
      ],
      cancelCharge: [chargeKnown('cancelled')],
    },
    { timeScale: SLOWLY },
  )
  expect(await story.reviseCharge()).toEqual({ kind: 'no_answer' })
  await story.finishWith('cancelled')
})

test('a reopened workflow asks for the answer of a stored revision', async () => {
  const story = await stories.notifiedCharge({
    getCharge: [pendingChargeRow({ openRevision: 'stored' })],
    pollCharge: [chargeKnown('pending'), chargeKnown('expired')],
    reviseCharge: [chargeKnown('pending')],
  })
  await story.finishWith('expired')
  expect(story.calls).toEqual(['getCharge', 'pollCharge', 'reviseCharge', 'pollCharge isPayloadExpired'])
})

test('a payload that its provider calls open beyond its last day stays pending until the provider ends it', async () => {
  const story = await stories.charge({
    issueCharge: [chargeIssued({ expiresInMs: 60_000 })],
    pollCharge: [chargeStillOpen(), chargeStillOpen(), chargeKnown('expired')],
  })
  await story.finishWith('expired')
  expect(story.calls.slice(1)).toEqual(Array(3).fill('pollCharge isPayloadExpired'))
})

test('a charge that has ended is not revised', async () => {
  const story = stories.chargeWithoutWorkflow({ getCharge: [chargeRow('cancelled')] })
  expect(await story.reviseCharge()).toEqual({ kind: 'closed', state: 'cancelled' })
  await story.finishWith('cancelled')
})
