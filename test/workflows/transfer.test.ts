import { describe, expect, test } from '@jest/globals'
import {
  crash,
  declined,
  delivered,
  inProcess,
  isLiveAt,
  neverThere,
  noBalance,
  notThere,
  refused,
  SEEN,
  settled,
  stands,
  unknown,
  unreachable,
} from '../support/workflow-story-lines.ts'
import { stage } from '../support/workflow-story-stage.ts'

const on = stage()
const HOUR = 3_600_000
const paused = { ...unreachable, code: 'paused' } as typeof unreachable

test('a transfer that settles at once is paid, and told', async () => {
  const event = on.uuid()
  const story = await on.transfer({
    sendTransfer: [settled()],
    transferNow: [stands('paid', { deliveries: [event] })],
    deliver: [delivered],
  })
  await story.endsAs('paid')
  expect(story.asked).toEqual(['sendTransfer order', 'transferNow', 'deliver'])
  expect(story.told.children).toEqual([`webhook/${event}`])
})

test('what its settlement said of it is not asked again', async () => {
  const event = on.uuid()
  const paid = { state: 'paid', connectionUuid: 'connection-b' } as const
  const story = await on.transfer({
    sendTransfer: [inProcess],
    askTransfer: [settled({ transfer: paid, deliveries: [event] })],
    deliver: [delivered],
  })
  await story.endsAs('paid')
  expect(story.asked).toEqual(['sendTransfer order', 'askTransfer', 'deliver'])
  expect(story.told.children).toEqual([`webhook/${event}`])
})

test('what the start of a transfer shows is not shown again: an operator finds it by what changes', async () => {
  const story = await on.transfer({
    sendTransfer: [unreachable, inProcess],
    askTransfer: [settled({ transfer: { state: 'paid', connectionUuid: 'connection-b' } })],
  })
  await story.endsAs('paid')
  expect(story.told).toMatchObject({ shown: ['PAID'], upserts: 1 })
})

test('the request is answered when a provider has accepted, and the life goes on to the settlement', async () => {
  const story = await on.transfer({
    sendTransfer: [inProcess],
    askTransfer: [inProcess, settled()],
    transferNow: [stands('paid')],
  })
  await story.isAnswered()
  expect(story.asked).toEqual(['sendTransfer order'])
  await story.endsAs('paid')
  expect(story.told.waits).toEqual(['in_process: ask again: 5 s', 'in_process: ask again: 10 s'])
})

test('one that is accepted and rejected later has failed, and no other provider is tried', async () => {
  const story = await on.transfer({
    sendTransfer: [inProcess],
    askTransfer: [refused],
    failTransfer: [stands('failed')],
  })
  await story.endsAs('failed')
})

describe('the row of a transfer', () => {
  test('is written by its first sending, and by no other', async () => {
    const story = await on.transfer({
      sendTransfer: [unreachable, settled()],
      transferNow: [stands('paid')],
    })
    await story.endsAs('paid')
    expect(story.asked).toEqual(['sendTransfer order', 'sendTransfer', 'transferNow'])
  })

  test('is written by the next sending where the first broke off before it', async () => {
    const story = await on.transfer({
      sendTransfer: [crash, settled()],
      askTransfer: [{ kind: 'never_begun' }],
      transferNow: [stands('paid')],
    })
    await story.endsAs('paid')
    expect(story.asked).toEqual(['sendTransfer order', 'askTransfer', 'sendTransfer order', 'transferNow'])
  })

  test('is never written again once it was there, whatever database its provider is asked from', async () => {
    const story = await on.transfer({
      sendTransfer: [crash, crash, settled()],
      askTransfer: [unknown, { kind: 'never_begun' }, { kind: 'never_begun' }],
      transferNow: [stands('paid')],
    })
    await story.endsAs('paid')
    expect(story.asked.filter(asked => asked.startsWith('send'))).toEqual([
      'sendTransfer order',
      'sendTransfer',
      'sendTransfer',
    ])
  })
})

describe('the candidates', () => {
  test('a transfer whose first provider is down goes out once, through the second', async () => {
    const story = await on.transfer({
      sendTransfer: [unreachable, unknown],
      askTransfer: [unknown, settled()],
      transferNow: [stands('paid')],
    })
    await story.endsAs('paid')
    expect(story.asked.filter(asked => asked.includes('end'))).toEqual(['sendTransfer order', 'sendTransfer'])
  })

  test('a refusal whose cause is the provider lets the next one try', async () => {
    const story = await on.transfer({
      sendTransfer: [declined, settled()],
      transferNow: [stands('paid')],
    })
    await story.endsAs('paid')
  })

  test('a refusal whose reason travels with the payment ends it', async () => {
    const story = await on.transfer({
      sendTransfer: [refused],
      failTransfer: [stands('failed')],
    })
    await story.endsAs('failed')
    expect(story.asked).toEqual(['sendTransfer order', 'failTransfer'])
  })

  test('a history that was rolled back goes on with the attempt that is live', async () => {
    const story = await on.transfer({
      sendTransfer: [{ kind: 'elsewhere', connectionUuid: 'connection-b' }],
      askTransfer: [inProcess, settled()],
      transferNow: [stands('paid')],
    })
    await story.endsAs('paid')
    expect(story.askedThrough).toEqual([
      'sendTransfer connection-a',
      'askTransfer connection-b',
      'askTransfer connection-b',
      'transferNow',
    ])
  })

  test('one whose attempts cannot be stored is sent on the schedule of a first one', async () => {
    const neverBegun = { kind: 'never_begun' } as const
    const story = await on.transfer({
      sendTransfer: [crash, crash, crash, settled()],
      askTransfer: [neverBegun, neverBegun, neverBegun],
      transferNow: [stands('paid')],
    })
    await story.endsAs('paid')
    expect(story.told.waits).toEqual([
      'alert operators: outcome unknown: 10 min, woken',
      ...Array(3).fill('unknown: ask again: 5 s'),
    ])
  })

  test('an order that stands at its provider is not absent before it has been gone for the whole window', async () => {
    const standing = { kind: 'unknown', code: 'awaiting_approval' } as const
    const story = await on.transfer({
      sendTransfer: [standing, declined, settled()],
      askTransfer: [notThere, standing, ...Array(5).fill(notThere)],
      transferNow: [stands('paid')],
    })
    await story.endsAs('paid')
    expect(story.asked.filter(asked => asked.startsWith('send'))).toEqual([
      'sendTransfer order',
      'sendTransfer again',
      'sendTransfer',
    ])
    const again = story.askedAt[story.asked.indexOf('sendTransfer again')]!
    expect(again - story.askedAt[2]!).toBeGreaterThanOrEqual(660_000)
  })

  test('when all have refused it has failed', async () => {
    const story = await on.transfer({
      sendTransfer: [noBalance, unreachable],
      failTransfer: [stands('failed')],
    })
    await story.endsAs('failed')
  })

  test('an unknown outcome never brings in the next one, however long it lasts', async () => {
    const story = await on.transfer({
      sendTransfer: [unknown],
      askTransfer: [...Array(10).fill(unknown), settled()],
      transferNow: [stands('paid')],
    })
    await story.endsAs('paid')
    expect(story.asked.filter(asked => asked.startsWith('send'))).toEqual(['sendTransfer order'])
  })

  test('a sending that broke off is unknown too', async () => {
    const story = await on.transfer({
      sendTransfer: [crash],
      askTransfer: [settled()],
      transferNow: [stands('paid')],
    })
    await story.endsAs('paid')
  })

  test('one that is proved absent is sent once more through the same', async () => {
    const story = await on.transfer({
      sendTransfer: [unknown, settled()],
      askTransfer: neverThere,
      transferNow: [stands('paid')],
    })
    await story.endsAs('paid')
    expect(story.asked.filter(asked => asked.startsWith('send'))).toEqual([
      'sendTransfer order',
      'sendTransfer again',
    ])
  })
})

describe('an attempt that a worker began after it was given up', () => {
  test('is followed to its settlement before the transfer ends', async () => {
    const story = await on.transfer({
      sendTransfer: [unreachable, declined, unknown],
      failTransfer: [isLiveAt('connection-a')],
      askTransfer: [inProcess, settled()],
      transferNow: [stands('paid')],
    })
    await story.endsAs('paid')
    expect(story.askedThrough.slice(2)).toEqual([
      'failTransfer',
      'sendTransfer connection-a',
      'askTransfer connection-a',
      'askTransfer connection-a',
      'transferNow',
    ])
  })

  test('lets the transfer fail once it has come to nothing', async () => {
    const story = await on.transfer({
      sendTransfer: [unreachable, declined, unknown, declined],
      failTransfer: [isLiveAt('connection-a'), stands('failed')],
      askTransfer: neverThere,
    })
    await story.endsAs('failed')
    expect(story.asked.slice(-2)).toEqual(['sendTransfer again', 'failTransfer'])
  })

  test('refuses the cancellation of a transfer that waits, which goes on', async () => {
    const story = await on.scheduledTransfer(HOUR, {
      storeTransfer: [stands('created')],
      endWaiting: [isLiveAt('connection-a')],
      sendTransfer: [unknown, noBalance, noBalance, settled()],
      askTransfer: [unreachable],
      transferNow: [stands('paid')],
    })
    await story.isAnswered()
    expect(await story.cancelsTransfer()).toBe(false)
    await story.endsAs('paid')
    expect(story.told.waits.slice(-2)).toEqual(['try again: 15 min', 'try again: 15 min'])
  })

  test('keeps a transfer from expiring until it has come to nothing', async () => {
    const story = await on.scheduledTransfer(-25 * HOUR, {
      storeTransfer: [stands('created')],
      endWaiting: [isLiveAt('connection-b'), stands('expired')],
      sendTransfer: [unknown],
      askTransfer: [unreachable],
    })
    await story.endsAs('expired')
    expect(story.askedThrough).toEqual([
      'storeTransfer',
      'endWaiting',
      'sendTransfer connection-b',
      'askTransfer connection-b',
      'endWaiting',
    ])
  })
})

test('one that comes too late is stored as failed, and calls nobody', async () => {
  const story = await on.transfer({
    sendTransfer: [refused],
    failTransfer: [stands('failed')],
  })
  await story.endsAs('failed')
  expect(story.asked).toEqual(['sendTransfer order', 'failTransfer'])
})

describe('a transfer that waits for its time', () => {
  test('is answered at once and sent then', async () => {
    const story = await on.scheduledTransfer(HOUR, {
      storeTransfer: [stands('created')],
      sendTransfer: [settled()],
      transferNow: [stands('paid')],
    })
    await story.isAnswered()
    expect(story.asked).toEqual(['storeTransfer'])
    await story.endsAs('paid')
    expect(story.askedAt[1]! - story.askedAt[0]!).toBeGreaterThanOrEqual(HOUR - 10_000)
  })

  test('shows that it waits from its start on, and what became of it in the end', async () => {
    const story = await on.scheduledTransfer(HOUR, {
      storeTransfer: [stands('created')],
      sendTransfer: [settled({ transfer: { state: 'paid', connectionUuid: 'connection-a' } })],
    })
    await story.endsAs('paid')
    expect(story.told).toMatchObject({ shown: ['PAID'], upserts: 1 })
  })

  test('is cancelled before it is sent', async () => {
    const story = await on.scheduledTransfer(HOUR, {
      storeTransfer: [stands('created')],
      endWaiting: [stands('cancelled')],
    })
    await story.isAnswered()
    expect(await story.cancelsTransfer()).toBe(true)
    await story.endsAs('cancelled')
  })

  test('is not cancelled while it is being sent', async () => {
    const story = await on.scheduledTransfer(1_000, {
      storeTransfer: [stands('created')],
      sendTransfer: [
        async story => {
          expect(await story.cancelsTransfer()).toBe(false)
          return settled()
        },
      ],
      transferNow: [stands('paid')],
    })
    await story.endsAs('paid')
  })

  test('is tried again every quarter of an hour while nobody can send it', async () => {
    const story = await on.scheduledTransfer(HOUR, {
      storeTransfer: [stands('created')],
      sendTransfer: [noBalance, noBalance, unreachable, unreachable, settled()],
      transferNow: [stands('paid')],
    })
    await story.endsAs('paid')
    expect(story.told.waits.slice(1)).toEqual(['try again: 15 min', 'try again: 15 min'])
  })

  test('is tried again where only one of its providers declined and another was out of reach', async () => {
    const story = await on.scheduledTransfer(HOUR, {
      storeTransfer: [stands('created')],
      sendTransfer: [unreachable, declined, settled()],
      transferNow: [stands('paid')],
    })
    await story.endsAs('paid')
    expect(story.told.waits.slice(1)).toEqual(['try again: 15 min'])
  })

  test('is cancelled between two tries', async () => {
    const story = await on.scheduledTransfer(1_000, {
      storeTransfer: [stands('created')],
      sendTransfer: [noBalance, noBalance],
      endWaiting: [stands('cancelled')],
    })
    await story.passes(2_000)
    await story.isAsked(3)
    // Refused until the last answer has been taken.
    for (let time = 0; !(await story.cancelsTransfer(`cancel ${time}`)); ) time++
    await story.endsAs('cancelled')
  })

  test('is given up after a day without being sent', async () => {
    const story = await on.scheduledTransfer(HOUR, {
      storeTransfer: [stands('created')],
      sendTransfer: Array(2 * 96).fill(unreachable),
      endWaiting: [stands('expired')],
    })
    await story.endsAs('expired')
  })

  test('expires without being sent where the service was away until a day after its time', async () => {
    const story = await on.scheduledTransfer(-25 * HOUR, {
      storeTransfer: [stands('created')],
      endWaiting: [stands('expired')],
    })
    await story.endsAs('expired')
    expect(story.asked).toEqual(['storeTransfer', 'endWaiting'])
  })

  test('is sent after the end of a pause that lasted longer than a day', async () => {
    const story = await on.scheduledTransfer(HOUR, {
      storeTransfer: [stands('created')],
      sendTransfer: [...Array(2 * 120).fill(paused), settled()],
      transferNow: [stands('paid')],
    })
    await story.endsAs('paid')
  })

  test('is sent after a pause that began while the service was away', async () => {
    const story = await on.scheduledTransfer(-25 * HOUR, {
      storeTransfer: [stands('created')],
      endWaiting: [stands('created')],
      sendTransfer: [settled()],
      transferNow: [stands('paid')],
    })
    await story.endsAs('paid')
    expect(story.asked).toEqual(['storeTransfer', 'endWaiting', 'sendTransfer', 'transferNow'])
  })
})

describe('a scheduled transfer whose outcome is unknown', () => {
  test('does not expire, however late it is: its provider is asked until it knows', async () => {
    const story = await on.scheduledTransfer(HOUR, {
      storeTransfer: [stands('created')],
      sendTransfer: [unknown],
      askTransfer: [...Array(40).fill(unknown), settled()],
      transferNow: [stands('paid')],
    })
    await story.endsAs('paid')
    expect(story.asked.filter(asked => asked.startsWith('send'))).toEqual(['sendTransfer'])
    expect(story.askedAt.at(-1)! - story.askedAt[0]!).toBeGreaterThan(25 * HOUR)
    expect(story.told.outcomes).toEqual(['unknown', null])
  })

  test('is tried again when its absence is proved and nobody can be reached then', async () => {
    const story = await on.scheduledTransfer(HOUR, {
      storeTransfer: [stands('created')],
      sendTransfer: [unknown, unreachable, unreachable, settled()],
      askTransfer: neverThere,
      transferNow: [stands('paid')],
    })
    await story.endsAs('paid')
    expect(story.asked.filter(asked => asked.startsWith('send'))).toEqual([
      'sendTransfer',
      'sendTransfer again',
      'sendTransfer',
      'sendTransfer',
    ])
  })
})

test('a transfer that is being sent at once takes no cancellation', async () => {
  const story = await on.transfer({
    sendTransfer: [
      async story => {
        expect(await story.cancelsTransfer()).toBe(false)
        return settled()
      },
    ],
    transferNow: [stands('paid')],
  })
  await story.endsAs('paid')
})

describe('a late word', () => {
  test('of a return by the recipient wakes a paid transfer', async () => {
    const event = on.uuid()
    const story = await on.wokenTransfer({
      askTransfer: [settled()],
      transferNow: [stands('refunded', { deliveries: [event] }), stands('refunded')],
      deliver: [delivered],
    })
    await story.endsAs('refunded')
    expect(story.told.children).toEqual([`webhook/${event}`])
  })

  test('of a return that its provider does not list yet is followed until it does', async () => {
    const story = await on.wokenTransfer(
      {
        askTransfer: [settled(), settled(), settled()],
        transferNow: [...Array(4).fill(stands('paid')), ...Array(2).fill(stands('refunded'))],
      },
      { tellsReturn: true },
    )
    await story.endsAs('refunded')
    expect(story.told.waits).toEqual([
      'return not listed yet: ask again: 5 s',
      'return not listed yet: ask again: 10 s',
    ])
  })

  test('of a part that comes back, and of the rest, are two: the life is woken for each', async () => {
    const story = await on.wokenTransfer({
      askTransfer: [settled(), settled()],
      transferNow: [...Array(2).fill(stands('partially_refunded')), ...Array(2).fill(stands('refunded'))],
    })
    expect(await story.ends()).toBe('partially_refunded')
    await story.isToldAgain()
    await story.endsAs('refunded')
    expect(story.told.shown).toEqual(['REFUNDED'])
  })

  test('of a settlement after the failure makes it paid', async () => {
    const story = await on.wokenTransfer({
      askTransfer: [settled()],
      transferNow: [stands('paid'), stands('paid')],
    })
    await story.endsAs('paid')
  })

  test('that comes while the one before is being told is heard as well', async () => {
    const event = on.uuid()
    const story = await on.wokenTransfer({
      askTransfer: [settled(), settled()],
      transferNow: [
        stands('paid'),
        async story => {
          await story.isTold()
          return stands('paid', { deliveries: [event] })
        },
        // A record is read again where its child's end comes in between.
        ...Array(6).fill(stands('refunded')),
      ],
      deliver: [delivered],
    })
    expect(await story.ends()).toBe('refunded')
    expect(story.asked.filter(asked => asked === 'askTransfer')).toHaveLength(2)
  })

  test('is asked for until the provider answers', async () => {
    const story = await on.wokenTransfer({
      askTransfer: [unknown, unknown, settled()],
      transferNow: Array(4).fill(stands('paid')),
    })
    await story.endsAs('paid')
    expect(story.told.waits).toEqual(['no answer: ask again: 5 s', 'no answer: ask again: 10 s'])
  })

  test('of a return that could not be told when the transfer settled is asked for, after the answer', async () => {
    const unsaid = { ...settled(), returnsUnsaid: true } as const
    const story = await on.transfer({
      sendTransfer: [unsaid],
      transferNow: [stands('paid'), stands('paid'), stands('refunded')],
      askTransfer: [unsaid, settled()],
    })
    await story.isAnswered()
    await story.endsAs('refunded')
    expect(story.told.waits).toEqual(['no answer: ask again: 5 s'])
  })

  test('from another connection is heard before the life ends', async () => {
    const story = await on.transfer({
      sendTransfer: [
        declined,
        async story => {
          await story.isTold('connection-a')
          return settled()
        },
      ],
      askTransfer: [declined],
      transferNow: [stands('paid'), stands('paid')],
    })
    await story.endsAs('paid')
  })
})

describe('the word of an operator', () => {
  const rejected = {
    ...SEEN,
    as: 'rejected',
    reason: 'the provider confirmed it by telephone',
  } as const
  const paid = {
    ...SEEN,
    as: 'settled',
    endToEnd: 'E12345678202601011200abcdefghijk',
    reason: 'seen on its statement',
  } as const

  test('ends what no provider can tell', async () => {
    const story = await on.transfer({
      sendTransfer: [unknown],
      askTransfer: [unknown],
      settleTransfer: [settled()],
      transferNow: [stands('paid')],
    })
    await story.passes(6_000)
    await story.isAsked(2)
    await story.isSettledBy(paid)
    await story.endsAs('paid')
  })

  test('that it was rejected lets the next candidate try', async () => {
    const story = await on.transfer({
      sendTransfer: [unknown, settled()],
      settleTransfer: [declined],
      transferNow: [stands('paid')],
    })
    await story.isAsked(1)
    await story.isSettledBy(rejected)
    await story.endsAs('paid')
  })

  test('about one candidate says nothing about the next one', async () => {
    const story = await on.transfer({
      sendTransfer: [unknown, unknown],
      askTransfer: [
        async story => {
          await story.isSettledBy(rejected)
          return declined
        },
        settled(),
      ],
      transferNow: [stands('paid')],
    })
    await story.endsAs('paid')
  })

  test('is heard before anything is sent a second time', async () => {
    const story = await on.transfer({
      sendTransfer: [unknown],
      askTransfer: [
        notThere,
        notThere,
        async story => {
          await story.isSettledBy(paid)
          return notThere
        },
      ],
      settleTransfer: [settled()],
      transferNow: [stands('paid')],
    })
    await story.endsAs('paid')
  })

  test('that comes too late changes nothing', async () => {
    const story = await on.transfer({
      sendTransfer: [
        async story => {
          await story.isTold('connection-b')
          return settled()
        },
      ],
      askTransfer: [
        async story => {
          await story.isSettledBy(rejected)
          return unknown
        },
        declined,
      ],
      transferNow: [stands('paid'), stands('paid'), stands('paid')],
    })
    await story.endsAs('paid')
    expect(story.told.waits).toEqual(['no answer: ask again: 5 s'])
  })
})
