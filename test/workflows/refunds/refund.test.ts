import { describe, expect, test } from '@jest/globals'
import {
  failActivity,
  payoutInProcess,
  payoutProvenAbsent,
  payoutRejected,
  payoutSettled,
  payoutUnknown,
  payoutUnreachable,
  refundOpened,
  refundRow,
  SETTLED_ATTEMPT,
  webhookDelivered,
} from '../../support/workflow-story-answers.ts'
import { SLOWLY, setUpWorkflowStories } from '../../support/workflow-story-suite.ts'

const stories = setUpWorkflowStories()

test('a refund that settles immediately is completed, with its event', async () => {
  const events = [stories.uuid(), stories.uuid()]
  const story = await stories.refund({
    openRefund: [refundOpened('sending')],
    sendRefund: [payoutSettled({ deliveries: events })],
    attemptDelivery: [webhookDelivered, webhookDelivered],
  })
  await story.finishWith('settled')
  expect(story.calls.slice(0, 2)).toEqual(['openRefund', 'sendRefund'])
  expect(story.history.statuses).toEqual(['COMPLETED'])
})

test('the request is answered when the provider has accepted, and the workflow continues to the settlement', async () => {
  const story = await stories.refund(
    {
      openRefund: [refundOpened('sending')],
      sendRefund: [payoutInProcess],
      pollRefund: [payoutInProcess, payoutSettled()],
    },
    { timeScale: SLOWLY },
  )
  await story.awaitAccepted()
  expect(story.calls).toEqual(['openRefund', 'sendRefund'])
  await story.finishWith('settled')
})

test('a refund that the charge no longer allows is stored as failed, and no provider is called', async () => {
  const story = await stories.refund({ openRefund: [refundOpened('failed')] })
  await story.finishWith('failed')
  expect(story.calls).toEqual(['openRefund'])
  expect(story.history.statuses).toEqual(['FAILED'])
})

test.each([
  ['refused', payoutRejected],
  ['unreachable', payoutUnreachable],
])('a refund that is %s has failed, because no other provider can send it', async (_, sent) => {
  const story = await stories.refund({ openRefund: [refundOpened('sending')], sendRefund: [sent] })
  await story.finishWith('failed')
})

test('a refund that is accepted and rejected later has failed, with its event', async () => {
  const event = stories.uuid()
  const story = await stories.refund({
    openRefund: [refundOpened('sending')],
    sendRefund: [payoutInProcess],
    pollRefund: [payoutInProcess, Object.assign({}, payoutRejected, { deliveries: [event] })],
    attemptDelivery: [webhookDelivered],
  })
  await story.finishWith('failed')
  expect(story.history.statuses).toEqual(['FAILED'])
  expect(story.attemptedDeliveries).toEqual([event])
})

test('a refund whose attempt was not even stored is sent as if for the first time', async () => {
  const story = await stories.refund({
    openRefund: [refundOpened('sending')],
    sendRefund: [failActivity, payoutSettled()],
    pollRefund: [{ kind: 'not_started' }],
  })
  await story.finishWith('settled')
  expect(story.calls.filter(asked => asked.startsWith('send'))).toEqual(['sendRefund', 'sendRefund'])
})

test('a refund settled by notification does not wait for the schedule', async () => {
  const story = await stories.refund({
    openRefund: [refundOpened('sending')],
    sendRefund: [payoutInProcess],
    pollRefund: [payoutSettled()],
  })
  await story.waitForCalls(2)
  await story.notify()
  await story.waitForCalls(3)
  await story.finishWith('settled')
})

describe('an unknown outcome', () => {
  test('is polled, and shown to the operator after ten minutes', async () => {
    const story = await stories.refund({
      openRefund: [refundOpened('sending')],
      sendRefund: [failActivity],
      pollRefund: [...Array(7).fill(payoutUnknown), payoutSettled()],
    })
    await story.finishWith('settled')
    expect(story.history.outcomes).toEqual(['unknown', null])
  })

  test('that ends within ten minutes is not shown', async () => {
    const story = await stories.refund({
      openRefund: [refundOpened('sending')],
      sendRefund: [payoutUnknown],
      pollRefund: [payoutUnknown, payoutSettled()],
    })
    await story.finishWith('settled')
    expect(story.history.outcomes).toEqual([])
  })

  test('that the provider then accepts is not shown, however long it takes to settle', async () => {
    const story = await stories.refund({
      openRefund: [refundOpened('sending')],
      sendRefund: [payoutUnknown],
      pollRefund: [...Array(9).fill(payoutInProcess), payoutSettled()],
    })
    await story.finishWith('settled')
    expect(story.history.outcomes).toEqual([])
  })

  test('is sent once more when its absence is proved', async () => {
    const story = await stories.refund({
      openRefund: [refundOpened('sending')],
      sendRefund: [payoutUnknown, payoutSettled()],
      pollRefund: payoutProvenAbsent,
    })
    await story.finishWith('settled')
    expect(story.calls.filter(asked => asked.startsWith('send'))).toEqual([
      'sendRefund',
      'sendRefund isResend',
    ])
  })
})

test.each([
  [
    'settled',
    { ...SETTLED_ATTEMPT, as: 'settled', endToEnd: `D${'1'.repeat(31)}`, reason: 'seen on its statement' },
  ],
  ['failed', { ...SETTLED_ATTEMPT, as: 'rejected', reason: 'the provider confirmed it by telephone' }],
] as const)('an operator settles an unknown refund as %s', async (state, word) => {
  const story = await stories.refund(
    {
      openRefund: [refundOpened('sending')],
      sendRefund: [payoutUnknown],
      pollRefund: [payoutUnknown],
      manuallySettleRefund: [state === 'settled' ? payoutSettled() : payoutRejected],
    },
    { timeScale: SLOWLY },
  )
  await story.passTime(6_000 / SLOWLY)
  await story.waitForCalls(3)
  await story.settleManually(word)
  await story.finishWith(state)
  expect(story.calls.at(-1)).toBe('manuallySettleRefund')
})

describe('a late notification', () => {
  test('reopens a failed refund, which settles after all', async () => {
    const event = stories.uuid()
    const story = await stories.notifiedRefund({
      getRefund: [refundRow('failed'), refundRow('settled')],
      pollRefund: [payoutSettled({ deliveries: [event] })],
      attemptDelivery: [webhookDelivered],
    })
    await story.finishWith('settled')
    expect(story.attemptedDeliveries).toEqual([event])
  })

  test('that arrives while the provider still refuses is polled before the workflow ends', async () => {
    const story = await stories.refund({
      openRefund: [refundOpened('sending')],
      sendRefund: [
        async story => {
          await story.notify()
          return payoutRejected
        },
      ],
      getRefund: [refundRow('settled')],
      pollRefund: [payoutSettled()],
    })
    await story.finishWith('settled')
  })

  test('is polled until the provider answers', async () => {
    const story = await stories.notifiedRefund({
      getRefund: [refundRow('failed'), refundRow('failed')],
      pollRefund: [payoutUnknown, payoutUnknown, payoutRejected],
    })
    await story.finishWith('failed')
    expect(story.history.timers).toEqual(['no response: next poll: 5 s', 'no response: next poll: 10 s'])
  })
})
