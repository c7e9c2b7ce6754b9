import { describe, expect, test } from '@jest/globals'
import {
  crash,
  delivered,
  inProcess,
  neverThere,
  opened,
  refundIs,
  refused,
  SEEN,
  settled,
  unknown,
  unreachable,
} from '../support/workflow-story-lines.ts'
import { stage } from '../support/workflow-story-stage.ts'

const on = stage()

test('a refund that settles at once is told', async () => {
  const events = [on.uuid(), on.uuid()]
  const story = await on.refund({
    openRefund: [opened('sending')],
    sendRefund: [settled({ deliveries: events })],
    deliver: [delivered, delivered],
  })
  await story.endsAs('settled')
  expect(story.asked.slice(0, 2)).toEqual(['openRefund', 'sendRefund'])
  expect(story.told.shown).toEqual(['COMPLETED'])
})

test('the request is answered when the provider has accepted, and the life goes on to the settlement', async () => {
  const story = await on.refund({
    openRefund: [opened('sending')],
    sendRefund: [inProcess],
    askRefund: [inProcess, settled()],
  })
  await story.isAnswered()
  expect(story.asked).toEqual(['openRefund', 'sendRefund'])
  await story.endsAs('settled')
})

test('one that the charge does not allow any more is stored as failed, and calls nobody', async () => {
  const story = await on.refund({ openRefund: [opened('failed')] })
  await story.endsAs('failed')
  expect(story.asked).toEqual(['openRefund'])
  expect(story.told.shown).toEqual(['FAILED'])
})

test.each([
  ['refused', refused],
  ['unreachable', unreachable],
])('one that is %s has failed: no other provider can send it', async (_, sent) => {
  const story = await on.refund({ openRefund: [opened('sending')], sendRefund: [sent] })
  await story.endsAs('failed')
})

test('one that is accepted and rejected later has failed, and is told', async () => {
  const event = on.uuid()
  const story = await on.refund({
    openRefund: [opened('sending')],
    sendRefund: [inProcess],
    askRefund: [inProcess, Object.assign({}, refused, { deliveries: [event] })],
    deliver: [delivered],
  })
  await story.endsAs('failed')
  expect(story.told.shown).toEqual(['FAILED'])
  expect(story.told.children).toEqual([`webhook/${event}`])
})

test('one whose attempt was not even stored is sent as if for the first time', async () => {
  const story = await on.refund({
    openRefund: [opened('sending')],
    sendRefund: [crash, settled()],
    askRefund: [{ kind: 'never_begun' }],
  })
  await story.endsAs('settled')
  expect(story.asked.filter(asked => asked.startsWith('send'))).toEqual(['sendRefund', 'sendRefund'])
})

test('one that is settled by notice does not wait for the schedule', async () => {
  const story = await on.refund({
    openRefund: [opened('sending')],
    sendRefund: [inProcess],
    askRefund: [settled()],
  })
  await story.isAsked(2)
  await story.isTold()
  await story.isAsked(3)
  await story.endsAs('settled')
})

describe('an unknown outcome', () => {
  test('is asked about, and shown to the operator after ten minutes', async () => {
    const story = await on.refund({
      openRefund: [opened('sending')],
      sendRefund: [crash],
      askRefund: [...Array(7).fill(unknown), settled()],
    })
    await story.endsAs('settled')
    expect(story.told.outcomes).toEqual(['unknown', null])
  })

  test('that is over within ten minutes is not', async () => {
    const story = await on.refund({
      openRefund: [opened('sending')],
      sendRefund: [unknown],
      askRefund: [unknown, settled()],
    })
    await story.endsAs('settled')
    expect(story.told.outcomes).toEqual([])
  })

  test('is sent once more when its absence is proved', async () => {
    const story = await on.refund({
      openRefund: [opened('sending')],
      sendRefund: [unknown, settled()],
      askRefund: neverThere,
    })
    await story.endsAs('settled')
    expect(story.asked.filter(asked => asked.startsWith('send'))).toEqual(['sendRefund', 'sendRefund again'])
  })
})

test.each([
  ['settled', { ...SEEN, as: 'settled', endToEnd: `D${'1'.repeat(31)}`, reason: 'seen on its statement' }],
  ['failed', { ...SEEN, as: 'rejected', reason: 'the provider confirmed it by telephone' }],
] as const)('an operator ends what no provider can tell as %s', async (state, word) => {
  const story = await on.refund({
    openRefund: [opened('sending')],
    sendRefund: [unknown],
    askRefund: [unknown],
    settleRefund: [state === 'settled' ? settled() : refused],
  })
  await story.passes(6_000)
  await story.isAsked(3)
  await story.isSettledBy(word)
  await story.endsAs(state)
  expect(story.asked.at(-1)).toBe('settleRefund')
})

describe('a late word', () => {
  test('wakes a failed refund, which has settled after all', async () => {
    const event = on.uuid()
    const story = await on.wokenRefund({
      refundNow: [refundIs('failed'), refundIs('settled')],
      askRefund: [settled({ deliveries: [event] })],
      deliver: [delivered],
    })
    await story.endsAs('settled')
    expect(story.told.children).toEqual([`webhook/${event}`])
  })

  test('that comes while the provider still refuses is heard before the life ends', async () => {
    const story = await on.refund({
      openRefund: [opened('sending')],
      sendRefund: [
        async story => {
          await story.isTold()
          return refused
        },
      ],
      refundNow: [refundIs('failed'), refundIs('settled')],
      askRefund: [settled()],
    })
    await story.endsAs('settled')
  })

  test('is asked for until the provider answers', async () => {
    const story = await on.wokenRefund({
      refundNow: [refundIs('failed'), refundIs('failed')],
      askRefund: [unknown, unknown, refused],
    })
    await story.endsAs('failed')
    expect(story.told.waits).toEqual(['no answer: ask again: 5 s', 'no answer: ask again: 10 s'])
  })
})
