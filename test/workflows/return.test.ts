import { describe, expect, test } from '@jest/globals'
import {
  crash,
  declined,
  delivered,
  inProcess,
  neverThere,
  notThere,
  refused,
  settled,
  unknown,
  unreachable,
} from '../support/workflow-story-lines.ts'
import { stage } from '../support/workflow-story-stage.ts'

const on = stage()
const SETTLE_MS = 600_000
const LOOK_MS = 60_000

test('an unmatched PIX goes back to its payer at once, and is told', async () => {
  const event = on.uuid()
  const story = await on.return({ sendReturn: [settled({ deliveries: [event] })], deliver: [delivered] })
  await story.endsAs('settled')
  expect(story.asked).toEqual(['sendReturn', 'deliver'])
  expect(story.told.children).toEqual([`webhook/${event}`])
})

test('one in process is settled by notice', async () => {
  const story = await on.return({ sendReturn: [inProcess], askReturn: [settled()] })
  await story.isAsked(1)
  await story.isTold()
  await story.isAsked(2)
  await story.endsAs('settled')
  expect(story.asked).toEqual(['sendReturn', 'askReturn'])
})

test('one in process whose notice is lost is asked about on the schedule', async () => {
  const story = await on.return({
    sendReturn: [inProcess],
    askReturn: [...Array(6).fill(inProcess), settled()],
  })
  await story.endsAs('settled')
  expect(story.told.waits.map(wait => wait.split(': ').at(-1))).toEqual([
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
  const story = await on.return({ sendReturn: [refused] })
  await story.endsAs('rejected')
  expect(story.asked).toEqual(['sendReturn'])
})

test('a refusal for a cause that may pass is final too: no provider documents that the id may be used again', async () => {
  const denied = { ...declined, code: 'provider_denied' } as const
  const story = await on.return({ sendReturn: [denied] })
  await story.endsAs('rejected')
  expect(story.asked).toEqual(['sendReturn'])
})

test('one that is taken and refused later has been refused', async () => {
  const story = await on.return({ sendReturn: [inProcess], askReturn: [refused] })
  await story.endsAs('rejected')
})

describe('a provider that cannot be reached', () => {
  test('is tried again every quarter of an hour', async () => {
    const story = await on.return({ sendReturn: [unreachable, unreachable, settled()] })
    await story.endsAs('settled')
    expect(story.asked).toEqual(['sendReturn', 'sendReturn', 'sendReturn'])
    expect(story.told.waits).toEqual(['provider unreachable: 15 min', 'provider unreachable: 15 min'])
  })

  test('is not tried over and over because of one notice', async () => {
    const story = await on.return({
      sendReturn: [
        async story => {
          await story.isTold()
          return unreachable
        },
        unreachable,
        settled(),
      ],
      askReturn: [notThere],
    })
    await story.endsAs('settled')
    // The notice hurries the second try; the third waits its time.
    expect(story.told.waits.at(-1)).toBe('provider unreachable: 15 min')
    expect(story.asked).toEqual(['sendReturn', 'askReturn', 'sendReturn', 'sendReturn'])
    expect(story.askedAt[3]! - story.askedAt[2]!).toBeGreaterThanOrEqual(15 * 60_000)
  })

  test('is asked first where a notice tells of what never left: it may have gone before a restore', async () => {
    const story = await on.return({
      sendReturn: [unreachable],
      askReturn: [unknown, settled()],
    })
    await story.isAsked(1)
    await story.isTold()
    await story.endsAs('settled')
    expect(story.asked).toEqual(['sendReturn', 'askReturn', 'askReturn'])
  })

  test('is tried again when a question shows that nothing was begun', async () => {
    const story = await on.return({
      sendReturn: [crash, settled()],
      askReturn: [{ kind: 'never_begun' }],
    })
    await story.endsAs('settled')
    expect(story.asked).toEqual(['sendReturn', 'askReturn', 'sendReturn'])
  })
})

describe('an unknown outcome', () => {
  test('is asked about until it is found', async () => {
    const story = await on.return({
      sendReturn: [unknown],
      askReturn: [unknown, unknown, unknown, inProcess, settled()],
    })
    await story.endsAs('settled')
    expect(story.asked).toEqual(['sendReturn', ...Array(5).fill('askReturn')])
  })

  test('is sent once more when two looks after the settle window prove that it never arrived', async () => {
    const story = await on.return({
      sendReturn: [unknown, settled()],
      askReturn: neverThere,
    })
    await story.endsAs('settled')
    expect(story.asked).toEqual(['sendReturn', ...Array(7).fill('askReturn'), 'sendReturn again'])
    const [, first, , , , , afterWindow, last] = story.askedAt
    expect(afterWindow! - first!).toBeGreaterThanOrEqual(SETTLE_MS)
    expect(last! - afterWindow!).toBeGreaterThanOrEqual(LOOK_MS)
  })

  test('is found as soon as its provider lists it, however long its absence would take to prove', async () => {
    const story = await on.return({ sendReturn: [unknown], askReturn: [notThere, notThere, settled()] })
    await story.endsAs('settled')
    expect(story.told.waits).toEqual([
      'alert operators: outcome unknown: 10 min, woken',
      'unknown: ask again: 5 s',
      'absent: ask again: 10 s',
      'absent: ask again: 30 s',
    ])
  })

  test('is not sent again when it turns up at the second look', async () => {
    const story = await on.return({
      sendReturn: [unknown],
      askReturn: [notThere, notThere, inProcess, settled()],
    })
    await story.endsAs('settled')
  })

  test('is not sent again because a look brings no answer', async () => {
    const story = await on.return({
      sendReturn: [unknown],
      askReturn: [notThere, unknown, unknown, notThere, unknown, settled()],
    })
    await story.endsAs('settled')
  })

  test('is not sent again early, however many notices come: they make it look, and prove nothing', async () => {
    const story = await on.return({
      sendReturn: [unknown, settled()],
      askReturn: Array(8).fill(notThere),
    })
    await story.isAsked(1)
    for (const times of [2, 3, 4]) {
      await story.passes(1_000)
      await story.isTold()
      await story.isAsked(times)
    }
    await story.passes(SETTLE_MS)
    await story.isAsked(7)
    await story.isTold()
    await story.isAsked(8)
    await story.endsAs('settled')
    expect(story.asked).toEqual(['sendReturn', ...Array(8).fill('askReturn'), 'sendReturn again'])
    const [, first, , , , , afterWindow, , last] = story.askedAt
    expect(afterWindow! - first!).toBeGreaterThanOrEqual(SETTLE_MS)
    expect(last! - afterWindow!).toBeGreaterThanOrEqual(LOOK_MS)
  })

  test('of the second sending counts as a first one: only a new proof sends it a third time', async () => {
    const story = await on.return({
      sendReturn: [unknown, unknown, settled()],
      askReturn: [...neverThere, ...neverThere],
    })
    await story.endsAs('settled')
    expect(story.asked.filter(asked => asked.startsWith('send'))).toEqual([
      'sendReturn',
      'sendReturn again',
      'sendReturn again',
    ])
  })

  test('is what a sending that broke off has: it is never sent again without proof', async () => {
    const story = await on.return({ sendReturn: [crash], askReturn: [unknown, settled()] })
    await story.endsAs('settled')
    expect(story.asked).toEqual(['sendReturn', 'askReturn', 'askReturn'])
  })

  test('of a repeat that broke off is asked about too', async () => {
    const story = await on.return({
      sendReturn: [unknown, crash],
      askReturn: [...neverThere, settled()],
    })
    await story.endsAs('settled')
  })
})

test('what its provider once had is never sent again, even if it is not found any more', async () => {
  const story = await on.return({
    sendReturn: [inProcess],
    askReturn: [notThere, notThere, notThere, notThere, settled()],
  })
  await story.endsAs('settled')
  expect(story.asked).toEqual(['sendReturn', ...Array(5).fill('askReturn')])
})

test('what its provider once showed on a question is never sent again either', async () => {
  const story = await on.return({
    sendReturn: [unknown],
    askReturn: [notThere, inProcess, notThere, notThere, notThere, settled()],
  })
  await story.endsAs('settled')
})

test('every wait is divided by the time scale', async () => {
  const story = await on.return({ sendReturn: [unknown, settled()], askReturn: neverThere }, 10)
  await story.endsAs('settled')
  const lengths = story.told.waits.map(wait => wait.split(': ').at(-1))
  const restOfWindow = lengths.splice(6, 1)
  expect(lengths).toEqual(['1 min', '500 ms', '1 s', '3 s', '6 s', '30 s', '6 s'])
  expect(Number.parseFloat(restOfWindow[0]!)).toBeLessThan((SETTLE_MS - 400_000) / 10_000)
})

describe('a late word', () => {
  test('wakes a refused return, which has settled after all', async () => {
    const event = on.uuid()
    const story = await on.wokenReturn({
      sendReturn: [refused],
      askReturn: [unknown, settled({ deliveries: [event] })],
      deliver: [delivered],
    })
    await story.endsAs('settled')
    expect(story.asked).toEqual(['sendReturn', 'askReturn', 'askReturn', 'deliver'])
    expect(story.told.children).toEqual([`webhook/${event}`])
  })

  test('that says nothing new leaves it refused, and nothing is sent', async () => {
    const story = await on.wokenReturn({ sendReturn: [refused], askReturn: [notThere] })
    await story.endsAs('rejected')
    expect(story.asked).toEqual(['sendReturn', 'askReturn'])
  })

  test('that comes while the provider still refuses is heard before the life ends', async () => {
    const story = await on.return({
      sendReturn: [
        async story => {
          await story.isTold()
          return refused
        },
      ],
      askReturn: [settled()],
    })
    await story.endsAs('settled')
  })
})

describe('one that cannot go back, and that an operator keeps', () => {
  test('is its account’s by one step', async () => {
    const story = await on.keep({ keepUnmatched: [1_000] })
    await story.endsAs('kept')
    expect(story.asked).toEqual(['keepUnmatched'])
  })

  test('and that does not wait any more stays what it is', async () => {
    const story = await on.keep({ keepUnmatched: [0] })
    await story.endsAs('nothing')
  })
})
