import { expect, test } from '@jest/globals'
import type { ActivityResult, Story } from '../../support/workflow-story.ts'
import { chargeKnown, NO_FOLLOW_UPS } from '../../support/workflow-story-answers.ts'
import { setUpWorkflowStories } from '../../support/workflow-story-suite.ts'

/** Debits of a recurrence: charges that one provider makes, and is polled for each day (SPEC §2). */

const stories = setUpWorkflowStories()
const DAY_MS = 86_400_000
const WINDOW_MS = 600_000
const NOT_FOUND = { kind: 'not_found', settleWindowMs: WINDOW_MS } as const
const AGAIN = { kind: 'again', code: 'timeout' } as const

/** Made, and to be polled after so long. */
const made =
  (pollInMs = DAY_MS) =>
  async (story: Story): Promise<ActivityResult<'issueDebit'>> => ({
    kind: 'closed',
    state: 'pending',
    connectionUuid: 'connection-a',
    expiresAt: new Date((await story.now()) + pollInMs).toISOString(),
    orphans: [],
    ...NO_FOLLOW_UPS,
  })
/** In this state, and to be polled after a day. */
const polled = (state: 'pending' | 'debiting') => async (story: Story) => ({
  ...chargeKnown(state),
  expiresAt: new Date((await story.now()) + DAY_MS).toISOString(),
})
const REFUSED: ActivityResult<'issueDebit'> = {
  kind: 'closed',
  state: 'failed',
  connectionUuid: 'connection-a',
  expiresAt: null,
  orphans: [],
  ...NO_FOLLOW_UPS,
}

test('a debit is polled on its day and at the end of each day, until its provider ends it', async () => {
  const story = await stories.debit({
    issueDebit: [made()],
    pollCharge: [polled('debiting'), polled('debiting'), chargeKnown('failed')],
  })
  await story.finishWith('failed')
  expect(story.history.timers).toEqual(Array(3).fill('payload expires: 24 h 1 min'))
  expect(story.history.statuses).toEqual(['PENDING', 'PROCESSING', 'FAILED'])
})

test('a lost answer is requested again on the schedule, and other candidates are none', async () => {
  const story = await stories.debit({ issueDebit: [AGAIN, AGAIN, made()], pollCharge: [chargeKnown('paid')] })
  await story.finishWith('paid')
  expect(story.calls).toEqual([...Array(3).fill('issueDebit order'), 'pollCharge isPayloadExpired'])
  expect(story.history.timers.slice(0, 2)).toEqual([
    'no response: next request: 5 s',
    'no response: next request: 10 s',
  ])
})

test('a refused repeat fails the debit once it was twice not found, after the settle window', async () => {
  const story = await stories.debit({ issueDebit: [AGAIN, NOT_FOUND, NOT_FOUND, NOT_FOUND, REFUSED] })
  await story.finishWith('failed')
  expect(story.calls.at(-1)).toBe('issueDebit order isAbsenceProved')
  expect(story.calls.filter(call => call.endsWith('isAbsenceProved'))).toHaveLength(1)
  expect(story.history.timers.slice(1)).toEqual([
    'not found: next look-up: 10 min',
    'not found: next look-up: 1 min',
  ])
})

test('a notification of a try is polled for at once', async () => {
  const story = await stories.debit({ issueDebit: [made()], pollCharge: [chargeKnown('cancelled')] })
  await story.waitForCalls(1)
  await story.notify()
  await story.finishWith('cancelled')
  expect(story.calls).toEqual(['issueDebit order', 'pollCharge'])
})

test('a retry is a revision of a debit that is in progress', async () => {
  const story = await stories.debit({
    issueDebit: [made(1_000)],
    pollCharge: [polled('debiting'), chargeKnown('paid')],
    reviseCharge: [polled('debiting')],
  })
  await story.waitForCalls(1)
  await story.notify()
  await story.waitForCalls(2)
  expect(await story.reviseCharge()).toEqual({ kind: 'closed', state: 'debiting' })
  await story.finishWith('paid')
})
