import { describe, expect, test } from '@jest/globals'
import {
  failActivity,
  payoutDeclined,
  payoutInProcess,
  payoutNotFound,
  payoutProvenAbsent,
  payoutRejected,
  payoutSettled,
  payoutUnknown,
  payoutUnreachable,
  webhookDelivered,
} from '../../support/workflow-story-answers.ts'
import { setUpWorkflowStories } from '../../support/workflow-story-suite.ts'

const stories = setUpWorkflowStories()
const SETTLE_MS = 600_000
const POLL_INTERVAL_MS = 60_000

test('an unmatched PIX is returned to its payer immediately, with its event', async () => {
  const event = stories.uuid()
  const story = await stories.return({
    sendReturn: [payoutSettled({ deliveries: [event] })],
    attemptDelivery: [webhookDelivered],
  })
  await story.finishWith('settled')
  expect(story.calls).toEqual(['sendReturn', 'attemptDelivery'])
  expect(story.attemptedDeliveries).toEqual([event])
})

test('a return in process is settled by notification', async () => {
  const story = await stories.return({ sendReturn: [payoutInProcess], pollReturn: [payoutSettled()] })
  await story.waitForCalls(1)
  await story.notify()
  await story.waitForCalls(2)
  await story.finishWith('settled')
  expect(story.calls).toEqual(['sendReturn', 'pollReturn'])
})

test('a return in process whose notification is lost is polled on the schedule', async () => {
  const story = await stories.return({
    sendReturn: [payoutInProcess],
    pollReturn: [...Array(6).fill(payoutInProcess), payoutSettled()],
  })
  await story.finishWith('settled')
  expect(story.history.timers.map(wait => wait.split(': ').at(-1))).toEqual([
    '5 s',
    '10 s',
    '30 s',
    '1 min',
    '5 min',
    '1 h',
    '1 h',
  ])
})

test('a refusal is final', async () => {
  const story = await stories.return({ sendReturn: [payoutRejected] })
  await story.finishWith('rejected')
  expect(story.calls).toEqual(['sendReturn'])
})

test('a temporary refusal is final too: no provider documents that the id may be used again', async () => {
  const providerDenied = { ...payoutDeclined, code: 'provider_denied' } as const
  const story = await stories.return({ sendReturn: [providerDenied] })
  await story.finishWith('rejected')
  expect(story.calls).toEqual(['sendReturn'])
})

test('a return that is accepted and refused later is refused', async () => {
  const story = await stories.return({ sendReturn: [payoutInProcess], pollReturn: [payoutRejected] })
  await story.finishWith('rejected')
})

describe('a provider that another worker reaches', () => {
  test('is sent the return again within seconds, as if for the first time', async () => {
    const notConnected = { kind: 'not_connected' } as const
    const story = await stories.return({
      sendReturn: [notConnected, notConnected, notConnected, notConnected, notConnected, payoutInProcess],
      pollReturn: [payoutSettled()],
    })
    await story.finishWith('settled')
    expect(story.calls).toEqual([...Array(6).fill('sendReturn'), 'pollReturn'])
    expect(story.history.timers).toEqual([
      'its worker reached no provider: send again: 500 ms',
      'its worker reached no provider: send again: 1 s',
      'its worker reached no provider: send again: 2 s',
      'its worker reached no provider: send again: 2 s',
      'its worker reached no provider: send again: 2 s',
      'in_process: next poll: 5 s',
    ])
  })
})

describe('a provider that cannot be reached', () => {
  test('is tried again every quarter of an hour', async () => {
    const story = await stories.return({
      sendReturn: [payoutUnreachable, payoutUnreachable, payoutSettled()],
    })
    await story.finishWith('settled')
    expect(story.calls).toEqual(['sendReturn', 'sendReturn', 'sendReturn'])
    expect(story.history.timers).toEqual(['provider unreachable: 15 min', 'provider unreachable: 15 min'])
  })

  test('is not tried again because of one notification', async () => {
    const story = await stories.return({
      sendReturn: [
        async story => {
          await story.notify()
          return payoutUnreachable
        },
        payoutUnreachable,
        payoutSettled(),
      ],
      pollReturn: [payoutNotFound],
    })
    await story.finishWith('settled')
    // The notification brings the second attempt forward; the third waits its time.
    expect(story.history.timers.at(-1)).toBe('provider unreachable: 15 min')
    expect(story.calls).toEqual(['sendReturn', 'pollReturn', 'sendReturn', 'sendReturn'])
    expect(story.callTimesMs[3]! - story.callTimesMs[2]!).toBeGreaterThanOrEqual(15 * 60_000)
  })

  test('is polled first after a notification of an unsent return, which may have been sent before a restore', async () => {
    const story = await stories.return({
      sendReturn: [payoutUnreachable],
      pollReturn: [payoutUnknown, payoutSettled()],
    })
    await story.waitForCalls(1)
    await story.notify()
    await story.finishWith('settled')
    expect(story.calls).toEqual(['sendReturn', 'pollReturn', 'pollReturn'])
  })

  test('is tried again when a poll shows that nothing was started', async () => {
    const story = await stories.return({
      sendReturn: [failActivity, payoutSettled()],
      pollReturn: [{ kind: 'not_started' }],
    })
    await story.finishWith('settled')
    expect(story.calls).toEqual(['sendReturn', 'pollReturn', 'sendReturn'])
  })
})

describe('an unknown outcome', () => {
  test('is polled until it is found', async () => {
    const story = await stories.return({
      sendReturn: [payoutUnknown],
      pollReturn: [payoutUnknown, payoutUnknown, payoutUnknown, payoutInProcess, payoutSettled()],
    })
    await story.finishWith('settled')
    expect(story.calls).toEqual(['sendReturn', ...Array(5).fill('pollReturn')])
  })

  test('is sent once more when two polls after the settle window prove its absence', async () => {
    const story = await stories.return({
      sendReturn: [payoutUnknown, payoutSettled()],
      pollReturn: payoutProvenAbsent,
    })
    await story.finishWith('settled')
    expect(story.calls).toEqual(['sendReturn', ...Array(7).fill('pollReturn'), 'sendReturn isResend'])
    const [, first, , , , , afterWindow, last] = story.callTimesMs
    expect(afterWindow! - first!).toBeGreaterThanOrEqual(SETTLE_MS)
    expect(last! - afterWindow!).toBeGreaterThanOrEqual(POLL_INTERVAL_MS)
  })

  test('is found as soon as its provider lists it, however long the proof of absence would take', async () => {
    const story = await stories.return({
      sendReturn: [payoutUnknown],
      pollReturn: [payoutNotFound, payoutNotFound, payoutSettled()],
    })
    await story.finishWith('settled')
    expect(story.history.timers).toEqual([
      'alert operators: outcome unknown: 10 min, woken',
      'unknown: next poll: 5 s',
      'not_found: next poll: 10 s',
      'not_found: next poll: 30 s',
    ])
  })

  test('is not sent again when it is found at the second poll', async () => {
    const story = await stories.return({
      sendReturn: [payoutUnknown],
      pollReturn: [payoutNotFound, payoutNotFound, payoutInProcess, payoutSettled()],
    })
    await story.finishWith('settled')
  })

  test('is not sent again because a poll gets no answer', async () => {
    const story = await stories.return({
      sendReturn: [payoutUnknown],
      pollReturn: [
        payoutNotFound,
        payoutUnknown,
        payoutUnknown,
        payoutNotFound,
        payoutUnknown,
        payoutSettled(),
      ],
    })
    await story.finishWith('settled')
  })

  test('is not sent again early, however many notifications arrive: they start polls, and prove nothing', async () => {
    const story = await stories.return({
      sendReturn: [payoutUnknown, payoutSettled()],
      pollReturn: Array(8).fill(payoutNotFound),
    })
    await story.waitForCalls(1)
    for (const times of [2, 3, 4]) {
      await story.passTime(1_000)
      await story.notify()
      await story.waitForCalls(times)
    }
    await story.passTime(SETTLE_MS)
    await story.waitForCalls(7)
    await story.notify()
    await story.waitForCalls(8)
    await story.finishWith('settled')
    expect(story.calls).toEqual(['sendReturn', ...Array(8).fill('pollReturn'), 'sendReturn isResend'])
    const [, first, , , , , afterWindow, , last] = story.callTimesMs
    expect(afterWindow! - first!).toBeGreaterThanOrEqual(SETTLE_MS)
    expect(last! - afterWindow!).toBeGreaterThanOrEqual(POLL_INTERVAL_MS)
  })

  test('of the second call counts as a first one: only a new proof sends it a third time', async () => {
    const story = await stories.return({
      sendReturn: [payoutUnknown, payoutUnknown, payoutSettled()],
      pollReturn: [...payoutProvenAbsent, ...payoutProvenAbsent],
    })
    await story.finishWith('settled')
    expect(story.calls.filter(asked => asked.startsWith('send'))).toEqual([
      'sendReturn',
      'sendReturn isResend',
      'sendReturn isResend',
    ])
  })

  test('of a call that broke off is never sent again without proof', async () => {
    const story = await stories.return({
      sendReturn: [failActivity],
      pollReturn: [payoutUnknown, payoutSettled()],
    })
    await story.finishWith('settled')
    expect(story.calls).toEqual(['sendReturn', 'pollReturn', 'pollReturn'])
  })

  test('of a repeat that broke off is polled too', async () => {
    const story = await stories.return({
      sendReturn: [payoutUnknown, failActivity],
      pollReturn: [...payoutProvenAbsent, payoutSettled()],
    })
    await story.finishWith('settled')
  })
})

test('a return that its provider once had is never sent again, even if it is not found any more', async () => {
  const story = await stories.return({
    sendReturn: [payoutInProcess],
    pollReturn: [payoutNotFound, payoutNotFound, payoutNotFound, payoutNotFound, payoutSettled()],
  })
  await story.finishWith('settled')
  expect(story.calls).toEqual(['sendReturn', ...Array(5).fill('pollReturn')])
})

test('a return that its provider once found on a poll is never sent again either', async () => {
  const story = await stories.return({
    sendReturn: [payoutUnknown],
    pollReturn: [
      payoutNotFound,
      payoutInProcess,
      payoutNotFound,
      payoutNotFound,
      payoutNotFound,
      payoutSettled(),
    ],
  })
  await story.finishWith('settled')
})

test('every wait is divided by the time scale', async () => {
  const story = await stories.return(
    { sendReturn: [payoutUnknown, payoutSettled()], pollReturn: payoutProvenAbsent },
    10,
  )
  await story.finishWith('settled')
  const waits = story.history.timers.map(wait => wait.split(': ').at(-1))
  const restOfWindow = waits.splice(6, 1)
  expect(waits).toEqual(['1 min', '500 ms', '1 s', '3 s', '6 s', '30 s', '6 s'])
  expect(Number.parseFloat(restOfWindow[0]!)).toBeLessThan((SETTLE_MS - 400_000) / 10_000)
})

describe('a late notification', () => {
  test('reopens a refused return, which settles after all', async () => {
    const event = stories.uuid()
    const story = await stories.notifiedReturn({
      sendReturn: [payoutRejected],
      pollReturn: [payoutUnknown, payoutSettled({ deliveries: [event] })],
      attemptDelivery: [webhookDelivered],
    })
    await story.finishWith('settled')
    expect(story.calls).toEqual(['sendReturn', 'pollReturn', 'pollReturn', 'attemptDelivery'])
    expect(story.attemptedDeliveries).toEqual([event])
  })

  test('without news leaves the return refused, and nothing is sent', async () => {
    const story = await stories.notifiedReturn({ sendReturn: [payoutRejected], pollReturn: [payoutNotFound] })
    await story.finishWith('rejected')
    expect(story.calls).toEqual(['sendReturn', 'pollReturn'])
  })

  test('that arrives while the provider still refuses is polled before the workflow ends', async () => {
    const story = await stories.return({
      sendReturn: [
        async story => {
          await story.notify()
          return payoutRejected
        },
      ],
      pollReturn: [payoutSettled()],
    })
    await story.finishWith('settled')
  })
})

describe('an unreturnable payment that an operator keeps', () => {
  test('is credited to its account by one activity', async () => {
    const story = await stories.keepUnmatchedPayment({ keepUnmatchedPayment: [true] })
    await story.finishWith('kept')
    expect(story.calls).toEqual(['keepUnmatchedPayment'])
  })

  test('and that does not wait any more keeps its state', async () => {
    const story = await stories.keepUnmatchedPayment({ keepUnmatchedPayment: [false] })
    await story.finishWith('nothing')
  })
})
