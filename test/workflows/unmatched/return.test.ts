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

test('an unmatched PIX goes back to its payer at once, and is told', async () => {
  const event = stories.uuid()
  const story = await stories.return({
    sendReturn: [payoutSettled({ deliveries: [event] })],
    attemptDelivery: [webhookDelivered],
  })
  await story.finishWith('settled')
  expect(story.calls).toEqual(['sendReturn', 'attemptDelivery'])
  expect(story.history.childWorkflowIds).toEqual([`webhook/${event}`])
})

test('one in process is settled by notice', async () => {
  const story = await stories.return({ sendReturn: [payoutInProcess], pollReturn: [payoutSettled()] })
  await story.waitForCalls(1)
  await story.notify()
  await story.waitForCalls(2)
  await story.finishWith('settled')
  expect(story.calls).toEqual(['sendReturn', 'pollReturn'])
})

test('one in process whose notice is lost is asked about on the schedule', async () => {
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

test('a refusal for a cause that may pass is final too: no provider documents that the id may be used again', async () => {
  const denied = { ...payoutDeclined, code: 'provider_denied' } as const
  const story = await stories.return({ sendReturn: [denied] })
  await story.finishWith('rejected')
  expect(story.calls).toEqual(['sendReturn'])
})

test('one that is taken and refused later has been refused', async () => {
  const story = await stories.return({ sendReturn: [payoutInProcess], pollReturn: [payoutRejected] })
  await story.finishWith('rejected')
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

  test('is not tried over and over because of one notice', async () => {
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
    // The notice hurries the second try; the third waits its time.
    expect(story.history.timers.at(-1)).toBe('provider unreachable: 15 min')
    expect(story.calls).toEqual(['sendReturn', 'pollReturn', 'sendReturn', 'sendReturn'])
    expect(story.callTimesMs[3]! - story.callTimesMs[2]!).toBeGreaterThanOrEqual(15 * 60_000)
  })

  test('is asked first where a notice tells of what never left: it may have gone before a restore', async () => {
    const story = await stories.return({
      sendReturn: [payoutUnreachable],
      pollReturn: [payoutUnknown, payoutSettled()],
    })
    await story.waitForCalls(1)
    await story.notify()
    await story.finishWith('settled')
    expect(story.calls).toEqual(['sendReturn', 'pollReturn', 'pollReturn'])
  })

  test('is tried again when a question shows that nothing was begun', async () => {
    const story = await stories.return({
      sendReturn: [failActivity, payoutSettled()],
      pollReturn: [{ kind: 'not_started' }],
    })
    await story.finishWith('settled')
    expect(story.calls).toEqual(['sendReturn', 'pollReturn', 'sendReturn'])
  })
})

describe('an unknown outcome', () => {
  test('is asked about until it is found', async () => {
    const story = await stories.return({
      sendReturn: [payoutUnknown],
      pollReturn: [payoutUnknown, payoutUnknown, payoutUnknown, payoutInProcess, payoutSettled()],
    })
    await story.finishWith('settled')
    expect(story.calls).toEqual(['sendReturn', ...Array(5).fill('pollReturn')])
  })

  test('is sent once more when two looks after the settle window prove that it never arrived', async () => {
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

  test('is found as soon as its provider lists it, however long its absence would take to prove', async () => {
    const story = await stories.return({
      sendReturn: [payoutUnknown],
      pollReturn: [payoutNotFound, payoutNotFound, payoutSettled()],
    })
    await story.finishWith('settled')
    expect(story.history.timers).toEqual([
      'alert operators: outcome unknown: 10 min, woken',
      'unknown: ask again: 5 s',
      'not_found: ask again: 10 s',
      'not_found: ask again: 30 s',
    ])
  })

  test('is not sent again when it turns up at the second look', async () => {
    const story = await stories.return({
      sendReturn: [payoutUnknown],
      pollReturn: [payoutNotFound, payoutNotFound, payoutInProcess, payoutSettled()],
    })
    await story.finishWith('settled')
  })

  test('is not sent again because a look brings no answer', async () => {
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

  test('is not sent again early, however many notices come: they make it look, and prove nothing', async () => {
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

  test('of the second sending counts as a first one: only a new proof sends it a third time', async () => {
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

  test('is what a sending that broke off has: it is never sent again without proof', async () => {
    const story = await stories.return({
      sendReturn: [failActivity],
      pollReturn: [payoutUnknown, payoutSettled()],
    })
    await story.finishWith('settled')
    expect(story.calls).toEqual(['sendReturn', 'pollReturn', 'pollReturn'])
  })

  test('of a repeat that broke off is asked about too', async () => {
    const story = await stories.return({
      sendReturn: [payoutUnknown, failActivity],
      pollReturn: [...payoutProvenAbsent, payoutSettled()],
    })
    await story.finishWith('settled')
  })
})

test('what its provider once had is never sent again, even if it is not found any more', async () => {
  const story = await stories.return({
    sendReturn: [payoutInProcess],
    pollReturn: [payoutNotFound, payoutNotFound, payoutNotFound, payoutNotFound, payoutSettled()],
  })
  await story.finishWith('settled')
  expect(story.calls).toEqual(['sendReturn', ...Array(5).fill('pollReturn')])
})

test('what its provider once showed on a question is never sent again either', async () => {
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
  const lengths = story.history.timers.map(wait => wait.split(': ').at(-1))
  const restOfWindow = lengths.splice(6, 1)
  expect(lengths).toEqual(['1 min', '500 ms', '1 s', '3 s', '6 s', '30 s', '6 s'])
  expect(Number.parseFloat(restOfWindow[0]!)).toBeLessThan((SETTLE_MS - 400_000) / 10_000)
})

describe('a late word', () => {
  test('wakes a refused return, which has settled after all', async () => {
    const event = stories.uuid()
    const story = await stories.notifiedReturn({
      sendReturn: [payoutRejected],
      pollReturn: [payoutUnknown, payoutSettled({ deliveries: [event] })],
      attemptDelivery: [webhookDelivered],
    })
    await story.finishWith('settled')
    expect(story.calls).toEqual(['sendReturn', 'pollReturn', 'pollReturn', 'attemptDelivery'])
    expect(story.history.childWorkflowIds).toEqual([`webhook/${event}`])
  })

  test('that says nothing new leaves it refused, and nothing is sent', async () => {
    const story = await stories.notifiedReturn({ sendReturn: [payoutRejected], pollReturn: [payoutNotFound] })
    await story.finishWith('rejected')
    expect(story.calls).toEqual(['sendReturn', 'pollReturn'])
  })

  test('that comes while the provider still refuses is heard before the life ends', async () => {
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

describe('one that cannot go back, and that an operator keeps', () => {
  test('is its account’s by one step', async () => {
    const story = await stories.keepUnmatchedPayment({ keepUnmatchedPayment: [1_000] })
    await story.finishWith('kept')
    expect(story.calls).toEqual(['keepUnmatchedPayment'])
  })

  test('and that does not wait any more stays what it is', async () => {
    const story = await stories.keepUnmatchedPayment({ keepUnmatchedPayment: [0] })
    await story.finishWith('nothing')
  })
})
