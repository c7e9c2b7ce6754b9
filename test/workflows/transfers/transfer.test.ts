import { describe, expect, test } from '@jest/globals'
import {
  attemptRunningAt,
  failActivity,
  payoutDeclined,
  payoutInProcess,
  payoutNoBalance,
  payoutNoBankBalance,
  payoutNotFound,
  payoutProvenAbsent,
  payoutRejected,
  payoutSettled,
  payoutUnknown,
  payoutUnreachable,
  SETTLED_ATTEMPT,
  transferRow,
  webhookDelivered,
  webhookRetry,
} from '../../support/workflow-story-answers.ts'
import { SLOWLY, setUpWorkflowStories } from '../../support/workflow-story-suite.ts'

const stories = setUpWorkflowStories()
const HOUR = 3_600_000
const paused = { ...payoutUnreachable, code: 'paused' } as typeof payoutUnreachable

test('a transfer that settles immediately is paid, with its event', async () => {
  const event = stories.uuid()
  const story = await stories.transfer({
    sendTransfer: [payoutSettled()],
    getTransfer: [transferRow('paid', { deliveries: [event] })],
    attemptDelivery: [webhookDelivered],
  })
  await story.finishWith('paid')
  expect(story.calls).toEqual(['sendTransfer order', 'getTransfer', 'attemptDelivery'])
  expect(story.attemptedDeliveries).toEqual([event])
})

test('the details of a settlement are not polled again', async () => {
  const event = stories.uuid()
  const paid = { state: 'paid', connectionUuid: 'connection-b' } as const
  const story = await stories.transfer({
    sendTransfer: [payoutInProcess],
    pollTransfer: [payoutSettled({ transfer: paid, deliveries: [event] })],
    attemptDelivery: [webhookDelivered],
  })
  await story.finishWith('paid')
  expect(story.calls).toEqual(['sendTransfer order', 'pollTransfer', 'attemptDelivery'])
  expect(story.attemptedDeliveries).toEqual([event])
})

test('the search attributes of the start are not written again: an operator finds a transfer by what changes', async () => {
  const story = await stories.transfer({
    sendTransfer: [payoutUnreachable, payoutInProcess],
    pollTransfer: [payoutSettled({ transfer: { state: 'paid', connectionUuid: 'connection-b' } })],
  })
  await story.finishWith('paid')
  expect(story.history).toMatchObject({ statuses: ['PAID'], upsertCount: 1 })
})

test('the request is answered when a provider has accepted, and the workflow continues to the settlement', async () => {
  const story = await stories.transfer(
    {
      sendTransfer: [payoutInProcess],
      pollTransfer: [payoutInProcess, payoutSettled()],
      getTransfer: [transferRow('paid')],
    },
    { timeScale: SLOWLY },
  )
  await story.awaitAccepted()
  expect(story.calls).toEqual(['sendTransfer order'])
  await story.finishWith('paid')
  expect(story.history.timers).toEqual([
    'in_process: next poll: 1 h 23 min',
    'in_process: next poll: 2 h 47 min',
  ])
})

test('a transfer that is accepted and rejected later has failed, and no other provider is tried', async () => {
  const story = await stories.transfer({
    sendTransfer: [payoutInProcess],
    pollTransfer: [payoutRejected],
    failTransfer: [transferRow('failed')],
  })
  await story.finishWith('failed')
})

describe('the row of a transfer', () => {
  test('is created by its first attempt only', async () => {
    const story = await stories.transfer({
      sendTransfer: [payoutUnreachable, payoutSettled()],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
    expect(story.calls).toEqual(['sendTransfer order', 'sendTransfer', 'getTransfer'])
  })

  test('is created by the next attempt where the first one broke off before it', async () => {
    const story = await stories.transfer({
      sendTransfer: [failActivity, payoutSettled()],
      pollTransfer: [{ kind: 'not_started' }],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
    expect(story.calls).toEqual(['sendTransfer order', 'pollTransfer', 'sendTransfer order', 'getTransfer'])
  })

  test('is never created again once it existed, whatever database the poll reads', async () => {
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

/** The pace of the provider leaves no room for the sending until a time of its own choice. */
const paced = (retryAfterMs: number) => ({ kind: 'paced', retryAfterMs }) as const
const pacedOut = { ...payoutUnreachable, code: 'paced' } as typeof payoutUnreachable
const TURN = 'waits for its turn in the pace of the provider'

/** The connections of the sendings, in order: a and b. */
const sendingsOf = ({ callsByConnection }: { callsByConnection: string[] }) =>
  callsByConnection.filter(call => call.startsWith('sendTransfer')).map(call => call.at(-1))

describe('a transfer that waits for its turn at its provider', () => {
  test('is sent there when it has come, and the request is answered meanwhile', async () => {
    const story = await stories.transfer(
      {
        sendTransfer: [paced(1_200_000), paced(3_000), payoutSettled()],
        getTransfer: [transferRow('paid')],
      },
      { candidates: ['connection-a'] },
    )
    await story.awaitAccepted()
    expect(story.calls).toEqual(['sendTransfer order'])
    await story.finishWith('paid')
    expect(story.calls.slice(0, -1)).toEqual(['sendTransfer order', 'sendTransfer', 'sendTransfer'])
    expect(story.history.timers).toEqual([`${TURN}: 20 min`, `${TURN}: 3 s`])
    expect(story.turnWaitsMs.map(waitMs => Math.round(waitMs / 60_000))).toEqual([60, 40, 40])
  })

  test('is waited for a short time while there is another provider, which is tried then', async () => {
    const story = await stories.transfer({
      sendTransfer: [paced(4_000), pacedOut, payoutSettled()],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
    expect(sendingsOf(story)).toEqual(['a', 'a', 'b'])
    expect(story.turnWaitsMs.map(waitMs => Math.round(waitMs / 1_000))).toEqual([10, 6, 10])
  })

  test('is sent there after all, however long that takes, where no other provider takes it', async () => {
    const story = await stories.transfer({
      sendTransfer: [pacedOut, payoutUnreachable, paced(600_000), payoutSettled()],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
    expect(sendingsOf(story)).toEqual(['a', 'b', 'a', 'a'])
    expect(story.turnWaitsMs.map(waitMs => Math.round(waitMs / 1_000))).toEqual([10, 10, 3_600, 3_000])
  })

  test('is not sent there any more once another provider has refused it finally', async () => {
    const story = await stories.transfer({
      sendTransfer: [pacedOut, payoutRejected],
      failTransfer: [transferRow('failed')],
    })
    await story.finishWith('failed')
    expect(sendingsOf(story)).toEqual(['a', 'b'])
  })

  test('has failed where its turn is further off than an order may wait', async () => {
    const story = await stories.transfer({
      sendTransfer: [pacedOut, pacedOut, pacedOut, pacedOut],
      failTransfer: [transferRow('failed')],
    })
    await story.finishWith('failed')
    expect(sendingsOf(story)).toEqual(['a', 'b', 'a', 'b'])
  })

  test('that a killed worker had recorded as waiting is sent once its row says so', async () => {
    const story = await stories.transfer({
      sendTransfer: [failActivity, paced(2_000), payoutSettled()],
      pollTransfer: [{ kind: 'not_started' }],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
    expect(story.calls.filter(call => call.startsWith('send'))).toHaveLength(3)
  })
})

describe('the candidates', () => {
  test('a provider that only this worker does not reach is sent to again, and no other is tried', async () => {
    const story = await stories.transfer({
      sendTransfer: [{ kind: 'not_connected' }, payoutSettled()],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
    expect(story.calls).toEqual(['sendTransfer order', 'sendTransfer', 'getTransfer'])
    expect(story.history.timers).toEqual(['its worker reached no provider: send again: 500 ms'])
  })

  test('a transfer whose first provider is unreachable is sent once, through the second', async () => {
    const story = await stories.transfer({
      sendTransfer: [payoutUnreachable, payoutUnknown],
      pollTransfer: [payoutUnknown, payoutSettled()],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
    expect(story.calls.filter(asked => asked.includes('end'))).toEqual(['sendTransfer order', 'sendTransfer'])
  })

  test('a refusal caused by the provider starts the next one', async () => {
    const story = await stories.transfer({
      sendTransfer: [payoutDeclined, payoutSettled()],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
  })

  test('a refusal caused by the payment itself ends it', async () => {
    const story = await stories.transfer({
      sendTransfer: [payoutRejected],
      failTransfer: [transferRow('failed')],
    })
    await story.finishWith('failed')
    expect(story.calls).toEqual(['sendTransfer order', 'failTransfer'])
  })

  test('a history that was rolled back continues with the live attempt', async () => {
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

  test('a transfer whose attempts cannot be stored is retried on the schedule of a first attempt', async () => {
    const notStarted = { kind: 'not_started' } as const
    const story = await stories.transfer({
      sendTransfer: [failActivity, failActivity, failActivity, payoutSettled()],
      pollTransfer: [notStarted, notStarted, notStarted],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
    expect(story.history.timers).toEqual([
      'alert operators: outcome unknown: 10 min, woken',
      ...Array(3).fill('unknown: next poll: 5 s'),
    ])
  })

  test('a payment that waits at its provider is absent only after it was not found for the whole window', async () => {
    const awaitingApproval = { kind: 'unknown', code: 'awaiting_approval' } as const
    const story = await stories.transfer({
      sendTransfer: [awaitingApproval, payoutDeclined, payoutSettled()],
      pollTransfer: [payoutNotFound, awaitingApproval, ...Array(5).fill(payoutNotFound)],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
    expect(story.calls.filter(asked => asked.startsWith('send'))).toEqual([
      'sendTransfer order',
      'sendTransfer isResend',
      'sendTransfer',
    ])
    const resentAtMs = story.callTimesMs[story.calls.indexOf('sendTransfer isResend')]!
    expect(resentAtMs - story.callTimesMs[2]!).toBeGreaterThanOrEqual(660_000)
  })

  test('a transfer that all providers have refused has failed', async () => {
    const story = await stories.transfer({
      sendTransfer: [payoutNoBalance, payoutUnreachable],
      failTransfer: [transferRow('failed')],
    })
    await story.finishWith('failed')
  })

  test('an unknown outcome never starts the next provider, however long it lasts', async () => {
    const story = await stories.transfer({
      sendTransfer: [payoutUnknown],
      pollTransfer: [...Array(10).fill(payoutUnknown), payoutSettled()],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
    expect(story.calls.filter(asked => asked.startsWith('send'))).toEqual(['sendTransfer order'])
  })

  test('a poll that the pace of the provider left no room for is repeated within a minute, and the schedule goes on from there', async () => {
    const pacedPoll = { kind: 'unknown', code: 'paced' } as typeof payoutUnknown
    const story = await stories.transfer({
      sendTransfer: [payoutUnknown],
      pollTransfer: [
        ...Array(5).fill(payoutUnknown),
        ...Array(3).fill(pacedPoll),
        payoutUnknown,
        payoutSettled(),
      ],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
    const waits = story.history.timers.slice(1).map(timer => timer.replace(/^unknown: next poll: /, ''))
    expect(waits).toEqual([
      ...['5 s', '10 s', '30 s', '1 min', '5 min', '1 h'],
      ...['1 min', '1 min', '1 min', '5 min'],
    ])
  })

  test('an interrupted call is unknown too', async () => {
    const story = await stories.transfer({
      sendTransfer: [failActivity],
      pollTransfer: [payoutSettled()],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
  })

  test('a transfer that is proved absent is sent once more through the same provider', async () => {
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

describe('an attempt that a worker started after it was given up', () => {
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

  test('lets the transfer fail once it has failed', async () => {
    const story = await stories.transfer({
      sendTransfer: [payoutUnreachable, payoutDeclined, payoutUnknown, payoutDeclined],
      failTransfer: [attemptRunningAt('connection-a'), transferRow('failed')],
      pollTransfer: payoutProvenAbsent,
    })
    await story.finishWith('failed')
    expect(story.calls.slice(-2)).toEqual(['sendTransfer isResend', 'failTransfer'])
  })

  test('refuses the cancellation of a waiting transfer, which continues', async () => {
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
    expect(story.history.timers.slice(-2)).toEqual(['retry: 15 min', 'retry: 15 min'])
  })

  test('keeps a transfer from expiring until it has failed', async () => {
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

test('a transfer past its acceptance deadline is stored as failed, and no provider is called', async () => {
  const story = await stories.transfer({
    sendTransfer: [payoutRejected],
    failTransfer: [transferRow('failed')],
  })
  await story.finishWith('failed')
  expect(story.calls).toEqual(['sendTransfer order', 'failTransfer'])
})

describe('a transfer that waits for its time', () => {
  test('is answered immediately and sent then', async () => {
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

  test('shows its waiting state from the start, and its outcome at the end', async () => {
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

  test('is retried every quarter of an hour while no provider is available', async () => {
    const story = await stories.scheduledTransfer(HOUR, {
      storeTransfer: [transferRow('created')],
      sendTransfer: [payoutNoBalance, payoutNoBalance, payoutUnreachable, payoutUnreachable, payoutSettled()],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
    expect(story.history.timers.slice(1)).toEqual(['retry: 15 min', 'retry: 15 min'])
  })

  test('is retried where only one of its providers refused and another was unreachable', async () => {
    const story = await stories.scheduledTransfer(HOUR, {
      storeTransfer: [transferRow('created')],
      sendTransfer: [payoutUnreachable, payoutDeclined, payoutSettled()],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
    expect(story.history.timers.slice(1)).toEqual(['retry: 15 min'])
  })

  test('fails where all its providers refused it for too little balance there', async () => {
    const story = await stories.scheduledTransfer(HOUR, {
      storeTransfer: [transferRow('created')],
      sendTransfer: [payoutNoBankBalance, payoutNoBankBalance],
      failTransfer: [transferRow('failed')],
    })
    await story.finishWith('failed')
    expect(story.calls).toEqual(['storeTransfer', 'sendTransfer', 'sendTransfer', 'failTransfer'])
  })

  test('is cancelled between two attempts', async () => {
    const story = await stories.scheduledTransfer(1_000, {
      storeTransfer: [transferRow('created')],
      sendTransfer: [payoutNoBalance, payoutNoBalance],
      endScheduledTransfer: [transferRow('cancelled')],
    })
    await story.passTime(2_000)
    await story.waitForCalls(3)
    // Refused until the last answer has been processed.
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

  test('expires without being sent where the service was down until a day after its time', async () => {
    const story = await stories.scheduledTransfer(-25 * HOUR, {
      storeTransfer: [transferRow('created')],
      endScheduledTransfer: [transferRow('expired')],
    })
    await story.finishWith('expired')
    expect(story.calls).toEqual(['storeTransfer', 'endScheduledTransfer'])
  })

  test('is sent after a pause that lasted longer than a day', async () => {
    const story = await stories.scheduledTransfer(HOUR, {
      storeTransfer: [transferRow('created')],
      sendTransfer: [...Array(2 * 120).fill(paused), payoutSettled()],
      getTransfer: [transferRow('paid')],
    })
    await story.finishWith('paid')
  })

  test('is sent after a pause that started while the service was down', async () => {
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
  test('does not expire, however late it is: its provider is polled until it answers', async () => {
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

  test('is retried when its absence is proved and no provider is available then', async () => {
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

test('a transfer that is sent immediately accepts no cancellation', async () => {
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

describe('a late notification', () => {
  test('of a return by the recipient reopens a paid transfer', async () => {
    const event = stories.uuid()
    const story = await stories.notifiedTransfer({
      pollTransfer: [payoutSettled()],
      getTransfer: [transferRow('refunded', { deliveries: [event] }), transferRow('refunded')],
      attemptDelivery: [webhookDelivered],
    })
    await story.finishWith('refunded')
    expect(story.attemptedDeliveries).toEqual([event])
  })

  test('of a return that its provider does not list yet is polled until it is listed', async () => {
    const story = await stories.notifiedTransfer(
      {
        pollTransfer: [payoutSettled(), payoutSettled(), payoutSettled()],
        getTransfer: [...Array(4).fill(transferRow('paid')), ...Array(2).fill(transferRow('refunded'))],
      },
      { isAboutReturn: true },
    )
    await story.finishWith('refunded')
    expect(story.history.timers).toEqual([
      'return not listed yet: next poll: 5 s',
      'return not listed yet: next poll: 10 s',
    ])
  })

  test('of a partial return and of the rest reopens the workflow for each', async () => {
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

  test('that arrives while the previous event is written is polled as well', async () => {
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
      // With a workflow of its own: the signal is seen when that has started.
      attemptDelivery: [webhookRetry(5_000), webhookDelivered],
    })
    expect(await story.finish()).toBe('refunded')
    expect(story.calls.filter(asked => asked === 'pollTransfer')).toHaveLength(2)
  })

  test('is polled until the provider answers', async () => {
    const story = await stories.notifiedTransfer({
      pollTransfer: [payoutUnknown, payoutUnknown, payoutSettled()],
      getTransfer: Array(4).fill(transferRow('paid')),
    })
    await story.finishWith('paid')
    expect(story.history.timers).toEqual(['no response: next poll: 5 s', 'no response: next poll: 10 s'])
  })

  test('of a return unknown at the settlement is polled, after the answer', async () => {
    const settlement = { ...payoutSettled(), returnsUnknown: true } as const
    const story = await stories.transfer({
      sendTransfer: [settlement],
      getTransfer: [transferRow('paid'), transferRow('paid'), transferRow('refunded')],
      pollTransfer: [settlement, payoutSettled()],
    })
    await story.awaitAccepted()
    await story.finishWith('refunded')
    expect(story.history.timers).toEqual(['no response: next poll: 5 s'])
  })

  test('from another connection is polled before the workflow ends', async () => {
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

describe('a manual settlement', () => {
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

  test('ends an unknown outcome', async () => {
    const story = await stories.transfer(
      {
        sendTransfer: [payoutUnknown],
        pollTransfer: [payoutUnknown],
        manuallySettleTransfer: [payoutSettled()],
        getTransfer: [transferRow('paid')],
      },
      { timeScale: SLOWLY },
    )
    await story.passTime(6_000 / SLOWLY)
    await story.waitForCalls(2)
    await story.settleManually(paid)
    await story.finishWith('paid')
  })

  test('as rejected starts the next candidate', async () => {
    const story = await stories.transfer(
      {
        sendTransfer: [payoutUnknown, payoutSettled()],
        manuallySettleTransfer: [payoutDeclined],
        getTransfer: [transferRow('paid')],
      },
      { timeScale: SLOWLY },
    )
    await story.waitForCalls(1)
    await story.settleManually(rejected)
    await story.finishWith('paid')
  })

  test('of one candidate does not apply to the next one', async () => {
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

  test('is applied before anything is sent a second time', async () => {
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

  test('that arrives too late changes nothing', async () => {
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
    expect(story.history.timers).toEqual(['no response: next poll: 5 s'])
  })
})
