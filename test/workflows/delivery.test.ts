import { expect, test } from '@jest/globals'
import { DELIVERY_WAITS_MS } from '../../src/domain/webhook.ts'
import { again, crash, delivered } from '../support/workflow-story-lines.ts'
import { stage } from '../support/workflow-story-stage.ts'

const on = stage()

test('an event is delivered at the first try', async () => {
  const story = await on.delivery({ deliver: [delivered] })
  await story.endsAs('DELIVERED')
  expect(story.told.waits).toEqual([])
})

test('a failing endpoint is tried on the schedule, each wait as the try has set it', async () => {
  const story = await on.delivery({ deliver: [...DELIVERY_WAITS_MS.map(again), delivered] })
  await story.endsAs('DELIVERED')
  expect(story.told.waits.map(wait => wait.split(': ').at(-1))).toEqual([
    '5 s',
    '5 min',
    '30 min',
    '2 h',
    '5 h',
    '10 h',
    '14 h',
    '20 h',
    '24 h',
  ])
  const between = story.askedAt.slice(1).map((at, index) => at - story.askedAt[index]!)
  between.forEach((ms, index) => {
    expect(ms).toBeGreaterThanOrEqual(DELIVERY_WAITS_MS[index]!)
    expect(ms).toBeLessThan(DELIVERY_WAITS_MS[index]! + 60_000)
  })
})

test('it is given up when there is no next try', async () => {
  const story = await on.delivery({ deliver: [again(5_000), { kind: 'over', outcome: 'FAILED' }] })
  await story.endsAs('FAILED')
})

test('a delivery that was cancelled meanwhile ends at its next try', async () => {
  const story = await on.delivery({ deliver: [again(5_000), { kind: 'over', outcome: 'CANCELLED' }] })
  await story.endsAs('CANCELLED')
})

test('a try that breaks off on our side is made again', async () => {
  const story = await on.delivery({ deliver: [crash, delivered] })
  await story.endsAs('DELIVERED')
  expect(story.told.waits).toEqual([])
})

test('every wait is divided by the time scale', async () => {
  const story = await on.delivery({ deliver: [again(5_000), again(300_000), delivered] }, 1_000)
  await story.endsAs('DELIVERED')
  expect(story.told.waits).toEqual(['before try 2: 5 ms', 'before try 3: 300 ms'])
})

test('one whose row was changed is looked at at once, not after a day', async () => {
  const story = await on.delivery({ deliver: [again(86_400_000), { kind: 'over', outcome: 'CANCELLED' }] })
  await story.isAsked(1)
  await story.isToldOfAChange()
  await story.endsAs('CANCELLED')
  expect(story.askedAt[1]! - story.askedAt[0]!).toBeLessThan(60_000)
})

test('a change that comes while a try is under way is not overlooked', async () => {
  const story = await on.delivery({
    deliver: [
      async self => {
        await self.isToldOfAChange()
        return again(86_400_000)
      },
      { kind: 'over', outcome: 'CANCELLED' },
    ],
  })
  await story.endsAs('CANCELLED')
  expect(story.askedAt[1]! - story.askedAt[0]!).toBeLessThan(60_000)
})

test('one that is sent again while it ends goes on', async () => {
  const story = await on.delivery({
    deliver: [
      async self => {
        await self.isToldOfAChange()
        return delivered
      },
      again(5_000),
      delivered,
    ],
  })
  await story.endsAs('DELIVERED')
  expect(story.told.waits).toHaveLength(1)
})
