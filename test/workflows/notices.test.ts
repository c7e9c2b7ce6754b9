import { expect, test } from '@jest/globals'
import { delivered, taken, toldMeanwhile, unanswered, unknownPix } from '../support/workflow-story-lines.ts'
import { stage } from '../support/workflow-story-stage.ts'

const on = stage()

test('a PIX that names no charge of ours is taken as a deposit, and told', async () => {
  const event = on.uuid()
  const story = await on.deposit({ takeDeposit: [taken({ deliveries: [event] })], deliver: [delivered] })
  await story.endsAs('taken')
  expect(story.told.children).toEqual([`webhook/${event}`])
})

test('one that a charge of ours expects is left to that charge', async () => {
  const story = await on.deposit({ takeDeposit: [{ kind: 'expected' }] })
  await story.endsAs('expected')
  expect(story.told.children).toEqual([])
})

test('a forged one comes to nothing after a second look', async () => {
  const story = await on.deposit({ takeDeposit: [unknownPix, unknownPix] })
  await story.endsAs('absent')
  expect(story.told.waits).toEqual(['second look: 1 min'])
})

test('one whose notice ran ahead of the provider is taken at the second look', async () => {
  const story = await on.deposit({ takeDeposit: [unknownPix, taken()] })
  await story.endsAs('taken')
})

test('a repeated notice does not make the second look the last one too early', async () => {
  const story = await on.deposit({ takeDeposit: [unknownPix, unknownPix, taken()] })
  await story.isAsked(1)
  await story.isTold()
  await story.isAsked(2)
  await story.endsAs('taken')
  expect(story.askedAt[2]! - story.askedAt[0]!).toBeGreaterThanOrEqual(60_000)
})

test('one that is told of again while the last look is made is looked for once more', async () => {
  const story = await on.deposit({ takeDeposit: [unknownPix, toldMeanwhile(unknownPix), taken()] })
  await story.endsAs('taken')
  expect(story.told.waits).toEqual(['second look: 1 min'])
})

test('without an answer its provider is asked until there is one', async () => {
  const story = await on.deposit({ takeDeposit: [unanswered(), unanswered('in_process'), taken()] })
  await story.endsAs('taken')
  expect(story.told.waits).toEqual(['no answer: ask again: 5 s', 'no answer: ask again: 10 s'])
})

test('a sweep hands over what waits, once', async () => {
  const story = await on.sweep({ sweepNotices: [{ waiting: 3, handedOver: 2 }] })
  expect(await story.ends()).toEqual({ waiting: 3, handedOver: 2 })
})

test('a sweep that breaks off leaves its work to the next one', async () => {
  const story = await on.sweep({
    sweepNotices: [
      () => {
        throw new Error('no connection')
      },
    ],
  })
  await expect(story.ends()).rejects.toThrow()
  expect(story.asked).toEqual(['sweepNotices'])
})
