import { describe, expect, test } from '@jest/globals'
import {
  attemptRunningAt,
  failActivity,
  payoutDeclined,
  payoutInProcess,
  payoutNoBalance,
  payoutNotFound,
  payoutProvenAbsent,
  payoutRejected,
  payoutSettled,
  payoutUnknown,
  payoutUnreachable,
  SETTLED_ATTEMPT,
  transferRow,
  webhookDelivered,
} from '../../support/workflow-story-answers.ts'
import { setUpWorkflowStories } from '../../support/workflow-story-suite.ts'

const stories = setUpWorkflowStories()
const HOUR = 3_600_000
const paused = { ...payoutUnreachable, code: 'paused' } as typeof payoutUnreachable

test('a transfer that settles at once is paid, and told', async () => {
  const event = stories.uuid()
  const story = await stories.transfer({
    sendTransfer: [payoutSettled()],
    getTransfer: [transferRow('paid', { deliveries: [event] })],
    attemptDelivery: [webhookDelivered],
  })
  await story.finishWith('paid')
  expect(story.calls).toEqual(['sendTransfer order', 'getTransfer', 'attemptDelivery'])
  expect(story.history.childWorkflowIds).toEqual([`webhook/${event}`])
})

test('what its settlement said of it is not asked again', async () => {
  const event = stories.uuid()
  const paid = { state: 'paid', connectionUuid: 'connection-b' } as const
  const story = await stories.transfer({
    sendTransfer: [payoutInProcess],
    pollTransfer: [payoutSettled({ transfer: paid, deliveries: [event] })],
    attemptDelivery: [webhookDelivered],
  })
  await story.finishWith('paid')
  expect(story.calls).toEqual(['sendTransfer order', 'pollTransfer', 'attemptDelivery'])
  expect(story.history.childWorkflowIds).toEqual([`webhook/${event}`])
})

test('what the start of a transfer shows is not shown again: an operator finds it by what changes', async () => {
  const story = await stories.transfer({
    sendTransfer: [payoutUnreachable, payoutInProcess],
    pollTransfer: [payoutSettled({ transfer: { state: 'paid', connectionUuid: 'connection-b' } })],
  })
  await story.finishWith('paid')
  expect(story.history).toMatchObject({ statuses: ['PAID'], upsertCount: 1 })
})

test('the request is answered when a provider has accepted, and the life goes on to the settlement', async () => {
  const story = await stories.transfer({
    sendTransfer: [payoutInProcess],
    pollTransfer: [payoutInProcess, payoutSettled()],
    getTransfer: [transferRow('paid')],
  })
  await story.awaitAccepted()
  expect(story.calls).toEqual(['sendTransfer order'])
  await story.finishWith('paid')
  expect(story.history.timers).toEqual(['in_process: ask again: 5 s', 'in_process: ask again: 10 s'])
})

test('one that is accepted and rejected later has failed, and no other provider is tried', async () => {
  const story = await stories.transfer({
    sendTransfer: [payoutInProcess],
    pollTransfer: [payoutRejected],
    failTransfer: [transferRow('failed')],
  })
  await story.finishWith('failed')
})

describe('the row of a transfer', () => {
  test('is written by its first sending, and by no other', async () => {
    const story = await stories.transfer({
      sendTransfer: [payoutUnreachable, payoutSettled()],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
    expect(story.calls).toEqual(['sendTransfer order', 'sendTransfer', 'getTransfer'])
  })

  test('is written by the next sending where the first broke off before it', async () => {
    const story = await stories.transfer({
      sendTransfer: [failActivity, payoutSettled()],
      pollTransfer: [{ kind: 'not_started' }],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
    expect(story.calls).toEqual(['sendTransfer order', 'pollTransfer', 'sendTransfer order', 'getTransfer'])
  })

  test('is never written again once it was there, whatever database its provider is asked from', async () => {
    const story = await stories.transfer({
      sendTransfer: [failActivity, failActivity, payoutSettled()],
      pollTransfer: [payoutUnknown, { kind: 'not_started' }, { kind: 'not_started' }],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
    expect(story.calls.filter(asked => asked.startsWith('send'))).toEqual([
      'sendTransfer order',
      'sendTransfer',
      'sendTransfer',
    ])
  })
})

describe('the candidates', () => {
  test('a transfer whose first provider is down goes out once, through the second', async () => {
    const story = await stories.transfer({
      sendTransfer: [payoutUnreachable, payoutUnknown],
      pollTransfer: [payoutUnknown, payoutSettled()],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
    expect(story.calls.filter(asked => asked.includes('end'))).toEqual(['sendTransfer order', 'sendTransfer'])
  })

  test('a refusal whose cause is the provider lets the next one try', async () => {
    const story = await stories.transfer({
      sendTransfer: [payoutDeclined, payoutSettled()],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
  })

  test('a refusal whose reason travels with the payment ends it', async () => {
    const story = await stories.transfer({
      sendTransfer: [payoutRejected],
      failTransfer: [transferRow('failed')],
    })
    await story.finishWith('failed')
    expect(story.calls).toEqual(['sendTransfer order', 'failTransfer'])
  })

  test('a history that was rolled back goes on with the attempt that is live', async () => {
    const story = await stories.transfer({
      sendTransfer: [{ kind: 'redirect', connectionUuid: 'connection-b' }],
      pollTransfer: [payoutInProcess, payoutSettled()],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
    expect(story.callsByConnection).toEqual([
      'sendTransfer connection-a',
      'pollTransfer connection-b',
      'pollTransfer connection-b',
      'getTransfer',
    ])
  })

  test('one whose attempts cannot be stored is sent on the schedule of a first one', async () => {
    const neverBegun = { kind: 'not_started' } as const
    const story = await stories.transfer({
      sendTransfer: [failActivity, failActivity, failActivity, payoutSettled()],
      pollTransfer: [neverBegun, neverBegun, neverBegun],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
    expect(story.history.timers).toEqual([
      'alert operators: outcome unknown: 10 min, woken',
      ...Array(3).fill('unknown: ask again: 5 s'),
    ])
  })

  test('an order that stands at its provider is not absent before it has been gone for the whole window', async () => {
    const standing = { kind: 'unknown', code: 'awaiting_approval' } as const
    const story = await stories.transfer({
      sendTransfer: [standing, payoutDeclined, payoutSettled()],
      pollTransfer: [payoutNotFound, standing, ...Array(5).fill(payoutNotFound)],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
    expect(story.calls.filter(asked => asked.startsWith('send'))).toEqual([
      'sendTransfer order',
      'sendTransfer isResend',
      'sendTransfer',
    ])
    const again = story.callTimesMs[story.calls.indexOf('sendTransfer isResend')]!
    expect(again - story.callTimesMs[2]!).toBeGreaterThanOrEqual(660_000)
  })

  test('when all have refused it has failed', async () => {
    const story = await stories.transfer({
      sendTransfer: [payoutNoBalance, payoutUnreachable],
      failTransfer: [transferRow('failed')],
    })
    await story.finishWith('failed')
  })

  test('an unknown outcome never brings in the next one, however long it lasts', async () => {
    const story = await stories.transfer({
      sendTransfer: [payoutUnknown],
      pollTransfer: [...Array(10).fill(payoutUnknown), payoutSettled()],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
    expect(story.calls.filter(asked => asked.startsWith('send'))).toEqual(['sendTransfer order'])
  })

  test('a sending that broke off is unknown too', async () => {
    const story = await stories.transfer({
      sendTransfer: [failActivity],
      pollTransfer: [payoutSettled()],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
  })

  test('one that is proved absent is sent once more through the same', async () => {
    const story = await stories.transfer({
      sendTransfer: [payoutUnknown, payoutSettled()],
      pollTransfer: payoutProvenAbsent,
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
    expect(story.calls.filter(asked => asked.startsWith('send'))).toEqual([
      'sendTransfer order',
      'sendTransfer isResend',
    ])
  })
})

describe('an attempt that a worker began after it was given up', () => {
  test('is followed to its settlement before the transfer ends', async () => {
    const story = await stories.transfer({
      sendTransfer: [payoutUnreachable, payoutDeclined, payoutUnknown],
      failTransfer: [attemptRunningAt('connection-a')],
      pollTransfer: [payoutInProcess, payoutSettled()],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
    expect(story.callsByConnection.slice(2)).toEqual([
      'failTransfer',
      'sendTransfer connection-a',
      'pollTransfer connection-a',
      'pollTransfer connection-a',
      'getTransfer',
    ])
  })

  test('lets the transfer fail once it has come to nothing', async () => {
    const story = await stories.transfer({
      sendTransfer: [payoutUnreachable, payoutDeclined, payoutUnknown, payoutDeclined],
      failTransfer: [attemptRunningAt('connection-a'), transferRow('failed')],
      pollTransfer: payoutProvenAbsent,
    })
    await story.finishWith('failed')
    expect(story.calls.slice(-2)).toEqual(['sendTransfer isResend', 'failTransfer'])
  })

  test('refuses the cancellation of a transfer that waits, which goes on', async () => {
    const story = await stories.scheduledTransfer(HOUR, {
      storeTransfer: [transferRow('created')],
      endScheduledTransfer: [attemptRunningAt('connection-a')],
      sendTransfer: [payoutUnknown, payoutNoBalance, payoutNoBalance, payoutSettled()],
      pollTransfer: [payoutUnreachable],
      getTransfer: [transferRow('paid')],
    })
    await story.awaitAccepted()
    expect(await story.cancelTransfer()).toBe(false)
    await story.finishWith('paid')
    expect(story.history.timers.slice(-2)).toEqual(['try again: 15 min', 'try again: 15 min'])
  })

  test('keeps a transfer from expiring until it has come to nothing', async () => {
    const story = await stories.scheduledTransfer(-25 * HOUR, {
      storeTransfer: [transferRow('created')],
      endScheduledTransfer: [attemptRunningAt('connection-b'), transferRow('expired')],
      sendTransfer: [payoutUnknown],
      pollTransfer: [payoutUnreachable],
    })
    await story.finishWith('expired')
    expect(story.callsByConnection).toEqual([
      'storeTransfer',
      'endScheduledTransfer',
      'sendTransfer connection-b',
      'pollTransfer connection-b',
      'endScheduledTransfer',
    ])
  })
})

test('one that comes too late is stored as failed, and calls nobody', async () => {
  const story = await stories.transfer({
    sendTransfer: [payoutRejected],
    failTransfer: [transferRow('failed')],
  })
  await story.finishWith('failed')
  expect(story.calls).toEqual(['sendTransfer order', 'failTransfer'])
})

describe('a transfer that waits for its time', () => {
  test('is answered at once and sent then', async () => {
    const story = await stories.scheduledTransfer(HOUR, {
      storeTransfer: [transferRow('created')],
      sendTransfer: [payoutSettled()],
      getTransfer: [transferRow('paid')],
    })
    await story.awaitAccepted()
    expect(story.calls).toEqual(['storeTransfer'])
    await story.finishWith('paid')
    expect(story.callTimesMs[1]! - story.callTimesMs[0]!).toBeGreaterThanOrEqual(HOUR - 10_000)
  })

  test('shows that it waits from its start on, and what became of it in the end', async () => {
    const story = await stories.scheduledTransfer(HOUR, {
      storeTransfer: [transferRow('created')],
      sendTransfer: [payoutSettled({ transfer: { state: 'paid', connectionUuid: 'connection-a' } })],
    })
    await story.finishWith('paid')
    expect(story.history).toMatchObject({ statuses: ['PAID'], upsertCount: 1 })
  })

  test('is cancelled before it is sent', async () => {
    const story = await stories.scheduledTransfer(HOUR, {
      storeTransfer: [transferRow('created')],
      endScheduledTransfer: [transferRow('cancelled')],
    })
    await story.awaitAccepted()
    expect(await story.cancelTransfer()).toBe(true)
    await story.finishWith('cancelled')
  })

  test('is not cancelled while it is being sent', async () => {
    const story = await stories.scheduledTransfer(1_000, {
      storeTransfer: [transferRow('created')],
      sendTransfer: [
        async story => {
          expect(await story.cancelTransfer()).toBe(false)
          return payoutSettled()
        },
      ],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
  })

  test('is tried again every quarter of an hour while nobody can send it', async () => {
    const story = await stories.scheduledTransfer(HOUR, {
      storeTransfer: [transferRow('created')],
      sendTransfer: [payoutNoBalance, payoutNoBalance, payoutUnreachable, payoutUnreachable, payoutSettled()],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
    expect(story.history.timers.slice(1)).toEqual(['try again: 15 min', 'try again: 15 min'])
  })

  test('is tried again where only one of its providers declined and another was out of reach', async () => {
    const story = await stories.scheduledTransfer(HOUR, {
      storeTransfer: [transferRow('created')],
      sendTransfer: [payoutUnreachable, payoutDeclined, payoutSettled()],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
    expect(story.history.timers.slice(1)).toEqual(['try again: 15 min'])
  })

  test('is cancelled between two tries', async () => {
    const story = await stories.scheduledTransfer(1_000, {
      storeTransfer: [transferRow('created')],
      sendTransfer: [payoutNoBalance, payoutNoBalance],
      endScheduledTransfer: [transferRow('cancelled')],
    })
    await story.passTime(2_000)
    await story.waitForCalls(3)
    // Refused until the last answer has been taken.
    for (let time = 0; !(await story.cancelTransfer(`cancel ${time}`)); ) time++
    await story.finishWith('cancelled')
  })

  test('is given up after a day without being sent', async () => {
    const story = await stories.scheduledTransfer(HOUR, {
      storeTransfer: [transferRow('created')],
      sendTransfer: Array(2 * 96).fill(payoutUnreachable),
      endScheduledTransfer: [transferRow('expired')],
    })
    await story.finishWith('expired')
  })

  test('expires without being sent where the service was away until a day after its time', async () => {
    const story = await stories.scheduledTransfer(-25 * HOUR, {
      storeTransfer: [transferRow('created')],
      endScheduledTransfer: [transferRow('expired')],
    })
    await story.finishWith('expired')
    expect(story.calls).toEqual(['storeTransfer', 'endScheduledTransfer'])
  })

  test('is sent after the end of a pause that lasted longer than a day', async () => {
    const story = await stories.scheduledTransfer(HOUR, {
      storeTransfer: [transferRow('created')],
      sendTransfer: [...Array(2 * 120).fill(paused), payoutSettled()],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
  })

  test('is sent after a pause that began while the service was away', async () => {
    const story = await stories.scheduledTransfer(-25 * HOUR, {
      storeTransfer: [transferRow('created')],
      endScheduledTransfer: [transferRow('created')],
      sendTransfer: [payoutSettled()],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
    expect(story.calls).toEqual(['storeTransfer', 'endScheduledTransfer', 'sendTransfer', 'getTransfer'])
  })
})

describe('a scheduled transfer whose outcome is unknown', () => {
  test('does not expire, however late it is: its provider is asked until it knows', async () => {
    const story = await stories.scheduledTransfer(HOUR, {
      storeTransfer: [transferRow('created')],
      sendTransfer: [payoutUnknown],
      pollTransfer: [...Array(40).fill(payoutUnknown), payoutSettled()],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
    expect(story.calls.filter(asked => asked.startsWith('send'))).toEqual(['sendTransfer'])
    expect(story.callTimesMs.at(-1)! - story.callTimesMs[0]!).toBeGreaterThan(25 * HOUR)
    expect(story.history.outcomes).toEqual(['unknown', null])
  })

  test('is tried again when its absence is proved and nobody can be reached then', async () => {
    const story = await stories.scheduledTransfer(HOUR, {
      storeTransfer: [transferRow('created')],
      sendTransfer: [payoutUnknown, payoutUnreachable, payoutUnreachable, payoutSettled()],
      pollTransfer: payoutProvenAbsent,
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
    expect(story.calls.filter(asked => asked.startsWith('send'))).toEqual([
      'sendTransfer',
      'sendTransfer isResend',
      'sendTransfer',
      'sendTransfer',
    ])
  })
})

test('a transfer that is being sent at once takes no cancellation', async () => {
  const story = await stories.transfer({
    sendTransfer: [
      async story => {
        expect(await story.cancelTransfer()).toBe(false)
        return payoutSettled()
      },
    ],
    getTransfer: [transferRow('paid')],
  })
  await story.finishWith('paid')
})

describe('a late word', () => {
  test('of a return by the recipient wakes a paid transfer', async () => {
    const event = stories.uuid()
    const story = await stories.notifiedTransfer({
      pollTransfer: [payoutSettled()],
      getTransfer: [transferRow('refunded', { deliveries: [event] }), transferRow('refunded')],
      attemptDelivery: [webhookDelivered],
    })
    await story.finishWith('refunded')
    expect(story.history.childWorkflowIds).toEqual([`webhook/${event}`])
  })

  test('of a return that its provider does not list yet is followed until it does', async () => {
    const story = await stories.notifiedTransfer(
      {
        pollTransfer: [payoutSettled(), payoutSettled(), payoutSettled()],
        getTransfer: [...Array(4).fill(transferRow('paid')), ...Array(2).fill(transferRow('refunded'))],
      },
      { isAboutReturn: true },
    )
    await story.finishWith('refunded')
    expect(story.history.timers).toEqual([
      'return not listed yet: ask again: 5 s',
      'return not listed yet: ask again: 10 s',
    ])
  })

  test('of a part that comes back, and of the rest, are two: the life is woken for each', async () => {
    const story = await stories.notifiedTransfer({
      pollTransfer: [payoutSettled(), payoutSettled()],
      getTransfer: [
        ...Array(2).fill(transferRow('partially_refunded')),
        ...Array(2).fill(transferRow('refunded')),
      ],
    })
    expect(await story.finish()).toBe('partially_refunded')
    await story.reopenByNotification()
    await story.finishWith('refunded')
    expect(story.history.statuses).toEqual(['REFUNDED'])
  })

  test('of a settlement after the failure makes it paid', async () => {
    const story = await stories.notifiedTransfer({
      pollTransfer: [payoutSettled()],
      getTransfer: [transferRow('paid'), transferRow('paid')],
    })
    await story.finishWith('paid')
  })

  test('that comes while the one before is being told is heard as well', async () => {
    const event = stories.uuid()
    const story = await stories.notifiedTransfer({
      pollTransfer: [payoutSettled(), payoutSettled()],
      getTransfer: [
        transferRow('paid'),
        async story => {
          await story.notify()
          return transferRow('paid', { deliveries: [event] })
        },
        // A record is read again where its child's end comes in between.
        ...Array(6).fill(transferRow('refunded')),
      ],
      attemptDelivery: [webhookDelivered],
    })
    expect(await story.finish()).toBe('refunded')
    expect(story.calls.filter(asked => asked === 'pollTransfer')).toHaveLength(2)
  })

  test('is asked for until the provider answers', async () => {
    const story = await stories.notifiedTransfer({
      pollTransfer: [payoutUnknown, payoutUnknown, payoutSettled()],
      getTransfer: Array(4).fill(transferRow('paid')),
    })
    await story.finishWith('paid')
    expect(story.history.timers).toEqual(['no answer: ask again: 5 s', 'no answer: ask again: 10 s'])
  })

  test('of a return that could not be told when the transfer settled is asked for, after the answer', async () => {
    const unsaid = { ...payoutSettled(), returnsUnknown: true } as const
    const story = await stories.transfer({
      sendTransfer: [unsaid],
      getTransfer: [transferRow('paid'), transferRow('paid'), transferRow('refunded')],
      pollTransfer: [unsaid, payoutSettled()],
    })
    await story.awaitAccepted()
    await story.finishWith('refunded')
    expect(story.history.timers).toEqual(['no answer: ask again: 5 s'])
  })

  test('from another connection is heard before the life ends', async () => {
    const story = await stories.transfer({
      sendTransfer: [
        payoutDeclined,
        async story => {
          await story.notify('connection-a')
          return payoutSettled()
        },
      ],
      pollTransfer: [payoutDeclined],
      getTransfer: [transferRow('paid'), transferRow('paid')],
    })
    await story.finishWith('paid')
  })
})

describe('the word of an operator', () => {
  const rejected = {
    ...SETTLED_ATTEMPT,
    as: 'rejected',
    reason: 'the provider confirmed it by telephone',
  } as const
  const paid = {
    ...SETTLED_ATTEMPT,
    as: 'settled',
    endToEnd: 'E12345678202601011200abcdefghijk',
    reason: 'seen on its statement',
  } as const

  test('ends what no provider can tell', async () => {
    const story = await stories.transfer({
      sendTransfer: [payoutUnknown],
      pollTransfer: [payoutUnknown],
      manuallySettleTransfer: [payoutSettled()],
      getTransfer: [transferRow('paid')],
    })
    await story.passTime(6_000)
    await story.waitForCalls(2)
    await story.settleManually(paid)
    await story.finishWith('paid')
  })

  test('that it was rejected lets the next candidate try', async () => {
    const story = await stories.transfer({
      sendTransfer: [payoutUnknown, payoutSettled()],
      manuallySettleTransfer: [payoutDeclined],
      getTransfer: [transferRow('paid')],
    })
    await story.waitForCalls(1)
    await story.settleManually(rejected)
    await story.finishWith('paid')
  })

  test('about one candidate says nothing about the next one', async () => {
    const story = await stories.transfer({
      sendTransfer: [payoutUnknown, payoutUnknown],
      pollTransfer: [
        async story => {
          await story.settleManually(rejected)
          return payoutDeclined
        },
        payoutSettled(),
      ],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
  })

  test('is heard before anything is sent a second time', async () => {
    const story = await stories.transfer({
      sendTransfer: [payoutUnknown],
      pollTransfer: [
        payoutNotFound,
        payoutNotFound,
        async story => {
          await story.settleManually(paid)
          return payoutNotFound
        },
      ],
      manuallySettleTransfer: [payoutSettled()],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
  })

  test('that comes too late changes nothing', async () => {
    const story = await stories.transfer({
      sendTransfer: [
        async story => {
          await story.notify('connection-b')
          return payoutSettled()
        },
      ],
      pollTransfer: [
        async story => {
          await story.settleManually(rejected)
          return payoutUnknown
        },
        payoutDeclined,
      ],
      getTransfer: [transferRow('paid'), transferRow('paid'), transferRow('paid')],
    })
    await story.finishWith('paid')
    expect(story.history.timers).toEqual(['no answer: ask again: 5 s'])
  })
})
