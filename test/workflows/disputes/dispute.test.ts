import { expect, test } from '@jest/globals'
import {
  afterNotification,
  disputeForeign,
  disputeKnown,
  disputeNotFound,
  disputeReplySent,
  disputeRow,
  failActivity,
  noAnswer,
  webhookDelivered,
} from '../../support/workflow-story-answers.ts'
import { SLOWLY, setUpWorkflowStories } from '../../support/workflow-story-suite.ts'

const stories = setUpWorkflowStories()

const HOUR = 3_600_000
/** A deadline that stays fixed while time passes: 50 hours from its first use. */
function deadline(inMs: number) {
  let dueAt: string | undefined
  return async (story: { now(): Promise<number> }) => {
    dueAt ??= new Date((await story.now()) + inMs).toISOString()
    return dueAt
  }
}

test('an open dispute is warned of 48, 24 and 6 hours before its deadline, then awaits the provider’s decision', async () => {
  const due = deadline(50 * HOUR)
  const openRow =
    (warnedHours: number | null) => async (story: Parameters<ReturnType<typeof disputeRow>>[0]) => ({
      ...(await disputeRow('open', { warnedHours })(story)),
      dueAt: await due(story),
    })
  const knownDispute =
    (warnedHours: number | null) => async (story: Parameters<ReturnType<typeof disputeRow>>[0]) => ({
      kind: 'known' as const,
      ...(await openRow(warnedHours)(story)),
    })
  const story = await stories.dispute({
    getDispute: [null],
    pollDispute: [
      ...[0, 0, 0, 0, 0, 0].map(() => knownDispute(null)),
      ...[6, 12, 18, 24].map(() => knownDispute(48)),
      ...[30, 36, 42].map(() => knownDispute(24)),
      knownDispute(6),
      disputeKnown('analysing'),
      disputeKnown('rejected'),
    ],
    recordDisputeWarning: [openRow(48), openRow(24), openRow(6)],
    applyDisputeDeadline: [disputeRow('analysing')],
  })
  await story.finishWith('rejected')
  expect(story.calls.filter(name => name !== 'pollDispute')).toEqual([
    'getDispute',
    'recordDisputeWarning',
    'recordDisputeWarning',
    'recordDisputeWarning',
    'applyDisputeDeadline',
  ])
  const hours = story.calls
    .map(
      (name, index) =>
        [name, Math.round((story.callTimesMs[index]! - story.callTimesMs[0]!) / HOUR)] as const,
    )
    .filter(([name]) => name === 'recordDisputeWarning' || name === 'applyDisputeDeadline')
    .map(([, hour]) => hour)
  expect(hours).toEqual([2, 26, 44, 50])
  expect(story.history.statuses).toEqual(['PENDING', 'PROCESSING', 'REJECTED'])
})

test('every wait of a dispute is divided by the time scale', async () => {
  const story = await stories.dispute(
    {
      getDispute: [null],
      pollDispute: [disputeKnown('open', { dueInMs: 60_000, warnedHours: 6 }), disputeKnown('cancelled')],
    },
    3_600,
  )
  await story.finishWith('cancelled')
  expect(story.history.timers).toEqual(['poll the provider: 4 ms'])
})

test('a reply shows PROCESSING before it is sent to the provider, and the provider’s decision ends it', async () => {
  const story = await stories.dispute({
    getDispute: [null, disputeRow('analysing', { isReplyPending: true })],
    pollDispute: [disputeKnown('open'), disputeKnown('rejected')],
    storeDisputeReply: ['accepted'],
    sendDisputeReply: [disputeReplySent('closed', 'analysing')],
  })
  await story.waitForCalls(2)
  expect(await story.replyToDispute()).toBe('accepted')
  await story.finishWith('rejected')
  expect(story.calls).toEqual([
    'getDispute',
    'pollDispute',
    'storeDisputeReply',
    'getDispute',
    'sendDisputeReply',
    'pollDispute',
  ])
})

test('a second reply is answered with the first one, and the provider is called once', async () => {
  const story = await stories.dispute({
    getDispute: [null, disputeRow('analysing', { isReplyPending: true })],
    pollDispute: [disputeKnown('open'), disputeKnown('accepted'), disputeKnown('resolved')],
    storeDisputeReply: ['accepted', 'med_already_answered'],
    sendDisputeReply: [disputeReplySent('closed', 'analysing')],
  })
  await story.waitForCalls(2)
  const answers = await Promise.all([story.replyToDispute('one'), story.replyToDispute('two')])
  expect(answers.toSorted()).toEqual(['accepted', 'med_already_answered'])
  await story.finishWith('resolved')
  expect(story.history.statuses).toEqual(['PENDING', 'PROCESSING', 'ACCEPTED'])
})

test('a reply whose answer is lost is polled, and sent again only where the dispute is still open there', async () => {
  const story = await stories.dispute({
    getDispute: [null, disputeRow('analysing', { isReplyPending: true })],
    pollDispute: [
      disputeKnown('open'),
      noAnswer(),
      disputeKnown('analysing', { isReplyPending: true }),
      disputeKnown('analysing'),
      disputeKnown('cancelled'),
    ],
    storeDisputeReply: ['accepted'],
    sendDisputeReply: [disputeReplySent('again', 'analysing'), disputeReplySent('again', 'analysing')],
  })
  await story.waitForCalls(2)
  await story.replyToDispute()
  await story.finishWith('cancelled')
  expect(story.calls.slice(3)).toEqual([
    'getDispute',
    'sendDisputeReply',
    'pollDispute',
    'pollDispute',
    'sendDisputeReply',
    'pollDispute',
    'pollDispute',
  ])
  expect(story.history.timers.slice(-4)).toEqual([
    'send the reply again: 5 s',
    'poll the provider: 5 s',
    'send the reply again: 10 s',
    'poll the provider: 1 min',
  ])
})

test('a reply whose sending broke off with its worker is polled first, because it may have arrived', async () => {
  const story = await stories.dispute({
    getDispute: [null, disputeRow('analysing', { isReplyPending: true })],
    pollDispute: [disputeKnown('open'), disputeKnown('analysing'), disputeKnown('rejected')],
    storeDisputeReply: ['accepted'],
    sendDisputeReply: [failActivity],
  })
  await story.waitForCalls(2)
  await story.replyToDispute()
  await story.finishWith('rejected')
  expect(story.calls.slice(3)).toEqual(['getDispute', 'sendDisputeReply', 'pollDispute', 'pollDispute'])
})

test('a reply that the provider refuses leaves the dispute open for another', async () => {
  const storedReply = disputeRow('analysing', { isReplyPending: true })
  const story = await stories.dispute({
    getDispute: [null, storedReply, storedReply],
    pollDispute: [disputeKnown('open'), disputeKnown('rejected')],
    storeDisputeReply: ['accepted', 'accepted'],
    sendDisputeReply: [disputeReplySent('closed', 'open'), disputeReplySent('closed', 'analysing')],
  })
  await story.waitForCalls(2)
  await story.replyToDispute('one')
  await story.waitForCalls(5)
  expect(await story.replyToDispute('two')).toBe('accepted')
  await story.finishWith('rejected')
  expect(story.history.statuses).toEqual(['PENDING', 'PROCESSING', 'PENDING', 'PROCESSING', 'REJECTED'])
})

test('a reply to a dispute whose deadline has just passed is refused by its row', async () => {
  const story = await stories.dispute({
    getDispute: [null],
    pollDispute: [
      disputeKnown('open', { dueInMs: 0, warnedHours: 6 }),
      disputeKnown('accepted'),
      disputeKnown('cancelled'),
    ],
    applyDisputeDeadline: [disputeRow('analysing')],
    storeDisputeReply: ['med_not_answerable'],
  })
  await story.waitForCalls(3)
  expect(await story.replyToDispute()).toBe('med_not_answerable')
  await story.finishWith('cancelled')
  expect(story.history.statuses).toEqual(['PENDING', 'PROCESSING', 'ACCEPTED', 'CANCELLED'])
})

test('a notification starts an immediate poll; each event of a dispute is delivered by its own workflow', async () => {
  const events = [stories.uuid(), stories.uuid()]
  const story = await stories.dispute({
    getDispute: [null],
    pollDispute: [
      disputeKnown('open', { deliveries: [events[0]!] }),
      disputeKnown('rejected', { deliveries: [events[1]!] }),
    ],
    attemptDelivery: [webhookDelivered, webhookDelivered],
  })
  await story.waitForCalls(3)
  await story.notify()
  await story.finishWith('rejected')
  expect(story.history.childWorkflowIds).toEqual(events.map(uuid => `webhook/${uuid}`))
})

test('an accepted dispute waits for its return, and is polled until that exists', async () => {
  const story = await stories.dispute({
    getDispute: [null],
    pollDispute: [
      disputeKnown('accepted'),
      disputeKnown('accepted'),
      noAnswer(),
      disputeKnown('accepted'),
      disputeKnown('resolved'),
    ],
  })
  await story.finishWith('resolved')
  expect(story.history.timers).toEqual([
    'poll the provider: 15 s',
    'poll the provider: 30 s',
    'poll the provider: 5 s',
    'poll the provider: 1 min',
  ])
})

test('a silent provider delays no warning and no deadline', async () => {
  const dueInMs = 10_000 / SLOWLY
  const story = await stories.dispute(
    {
      getDispute: [disputeRow('open', { dueInMs, warnedHours: 24 })],
      pollDispute: [noAnswer(), noAnswer(), noAnswer(), disputeKnown('rejected')],
      recordDisputeWarning: [disputeRow('open', { dueInMs, warnedHours: 6 })],
      applyDisputeDeadline: [disputeRow('analysing')],
    },
    SLOWLY,
  )
  await story.finishWith('rejected')
  expect(story.calls).toEqual([
    'getDispute',
    'pollDispute',
    'recordDisputeWarning',
    'pollDispute',
    'applyDisputeDeadline',
    'pollDispute',
    'pollDispute',
  ])
})

test('a late notification reopens an ended dispute, which polls once and ends in its state', async () => {
  const story = await stories.dispute({
    getDispute: [disputeRow('resolved')],
    pollDispute: [noAnswer(), disputeKnown('resolved')],
  })
  await story.finishWith('resolved')
  expect(story.calls).toEqual(['getDispute', 'pollDispute', 'pollDispute'])
})

test('a reply to an ended dispute reopens it to refuse the reply, and calls no provider', async () => {
  const story = stories.disputeWithoutWorkflow({
    getDispute: [disputeRow('rejected')],
    storeDisputeReply: ['med_already_answered'],
  })
  expect(await story.replyToDispute()).toBe('med_already_answered')
  await story.finishWith('rejected')
  expect(story.calls).toEqual(['getDispute', 'storeDisputeReply'])
})

test('a dispute whose workflow was lost continues from its row: the accepted reply is sent', async () => {
  const story = await stories.dispute({
    getDispute: [disputeRow('analysing', { isReplyPending: true })],
    pollDispute: [disputeKnown('analysing', { isReplyPending: true }), disputeKnown('rejected')],
    sendDisputeReply: [disputeReplySent('closed', 'analysing')],
  })
  await story.finishWith('rejected')
})

test('a database failure keeps a dispute waiting, not failing', async () => {
  const story = await stories.dispute({
    getDispute: [failActivity, null],
    pollDispute: [failActivity, disputeKnown('rejected')],
  })
  await story.finishWith('rejected')
})

test('a dispute notified before the provider lists it is found by a second poll', async () => {
  const story = await stories.dispute({
    getDispute: [null],
    pollDispute: [disputeNotFound, disputeKnown('rejected')],
  })
  await story.finishWith('rejected')
  expect(story.history.timers).toEqual(['second poll: 1 min'])
})

test('a forged notification of a dispute changes nothing', async () => {
  const story = await stories.dispute({ getDispute: [null], pollDispute: [disputeNotFound, disputeNotFound] })
  await story.finishWith('foreign')
})

test('a notified dispute of a foreign PIX ends', async () => {
  const story = await stories.dispute({
    getDispute: [null],
    pollDispute: [noAnswer('pix_not_known'), disputeForeign],
  })
  await story.finishWith('foreign')
})

test.each([
  ['is not known', [disputeNotFound, afterNotification(disputeNotFound)]],
  ['belongs to a foreign PIX', [afterNotification(disputeForeign)]],
])('a dispute that %s is polled once more when it is notified during the last poll', async (_, looks) => {
  const story = await stories.dispute({
    getDispute: [null],
    pollDispute: [...looks, disputeKnown('rejected')],
  })
  await story.finishWith('rejected')
})

test('providers without dispute notifications are polled for their lists', async () => {
  const story = await stories.disputeSweep({ sweepDisputes: [{ polled: 3, signalled: 1 }] })
  await story.finishWith({ polled: 3, signalled: 1 })
})
