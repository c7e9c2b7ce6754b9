import { expect, test } from '@jest/globals'
import {
  absent,
  closed,
  delivered,
  giveBack,
  settled,
  toldMeanwhile,
  unanswered,
} from '../support/workflow-story-lines.ts'
import { stage } from '../support/workflow-story-stage.ts'

const on = stage()

test('an orphan is cancelled at its provider', async () => {
  const story = await on.orphan({ closeOrphan: [closed()] })
  await story.ends()
  expect(story.asked).toEqual(['closeOrphan'])
  expect(story.told.waits).toEqual([])
})

test('without an answer its provider is asked until there is one', async () => {
  const story = await on.orphan({ closeOrphan: [...Array(7).fill(unanswered()), closed()] })
  await story.ends()
  expect(story.told.waits).toEqual(
    ['5 s', '10 s', '30 s', '1 min', '5 min', '1 h', '1 h'].map(wait => `no answer: ask again: ${wait}`),
  )
})

test('one that its provider does not know is proved gone by two looks after the settle window', async () => {
  const story = await on.orphan({ closeOrphan: [absent(), absent(), absent(), closed()] })
  await story.ends()
  expect(story.asked).toEqual(['closeOrphan', 'closeOrphan', 'closeOrphan', 'closeOrphan lastLook'])
  expect(story.told.waits).toEqual(['not found: look again: 10 min', 'not found: look again: 1 min'])
})

test('one that arrives within the settle window is cancelled after all', async () => {
  const story = await on.orphan({ closeOrphan: [absent(), closed()] })
  await story.ends()
  expect(story.asked).toEqual(['closeOrphan', 'closeOrphan'])
})

test('notices make it look at once, but prove nothing before the time is over', async () => {
  const story = await on.orphan({
    closeOrphan: [...Array(6).fill(absent()), closed()],
  })
  await story.isAsked(1)
  for (const times of [2, 3]) {
    await story.passes(1_000)
    await story.isTold()
    await story.isAsked(times)
  }
  await story.passes(600_000)
  await story.isAsked(4)
  await story.isTold()
  await story.isAsked(5)
  await story.ends()
  expect(story.asked).toEqual([...Array(6).fill('closeOrphan'), 'closeOrphan lastLook'])
  const [first, , , afterWindow, , , last] = story.askedAt
  expect(afterWindow! - first!).toBeGreaterThanOrEqual(600_000)
  expect(last! - afterWindow!).toBeGreaterThanOrEqual(60_000)
})

test('a payment that reached it is set aside, told and sent back', async () => {
  const [event, movement] = [on.uuid(), on.uuid()]
  const story = await on.orphan({
    closeOrphan: [unanswered('still_open'), closed({ deliveries: [event], returns: [giveBack(movement)] })],
    deliver: [delivered],
    sendReturn: [settled()],
  })
  await story.ends()
  expect(story.told.children.sort()).toEqual([`return/${movement}`, `webhook/${event}`])
})

test('a payment that is told of while its provider closes it is looked for before the life ends', async () => {
  const movement = on.uuid()
  const story = await on.orphan({
    closeOrphan: [toldMeanwhile(closed()), closed({ returns: [giveBack(movement)] })],
    sendReturn: [settled()],
  })
  await story.ends()
  expect(story.asked).toEqual(['closeOrphan', 'closeOrphan', 'sendReturn'])
  expect(story.told.children).toEqual([`return/${movement}`])
})
