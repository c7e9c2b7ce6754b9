import { expect, test } from '@jest/globals'
import { giveBack, issued, known, settled, silent, stillOpen } from '../support/workflow-story-lines.ts'
import { stage } from '../support/workflow-story-stage.ts'

const on = stage()

test('a charge expires a minute after its payload, by the word of its provider', async () => {
  const story = await on.charge({ issueCharge: [issued()], followCharge: [known('expired')] })
  await story.endsAs('expired')
  expect(story.asked).toEqual(['issueCharge', 'followCharge closing'])
  expect(story.told.shown).toEqual(['PENDING', 'EXPIRED'])
  expect(story.told.waits).toEqual(['payload expires: 24 h 1 min'])
})

test('no time makes it expire: without an answer the provider is asked on the schedule', async () => {
  const story = await on.charge({
    issueCharge: [issued()],
    followCharge: [...Array(8).fill(silent()), known('expired')],
  })
  await story.endsAs('expired')
  expect(story.told.shown).toEqual(['PENDING', 'EXPIRED'])
  expect(story.told.waits).toEqual([
    'payload expires: 24 h 1 min',
    'ask again: 5 s',
    'ask again: 10 s',
    'ask again: 30 s',
    'ask again: 1 min',
    'ask again: 5 min',
    'ask again: 1 h',
    'ask again: 1 h',
    'ask again: 1 h',
  ])
})

test('a payload that the provider still holds open is asked about until it is closed', async () => {
  const story = await on.charge({
    issueCharge: [issued()],
    followCharge: [stillOpen(), stillOpen(), known('expired')],
  })
  await story.endsAs('expired')
  expect(story.told.waits.slice(1)).toEqual(['ask again: 5 s', 'ask again: 10 s'])
})

test('what is set aside while the provider still holds a payload open begins its way back at once', async () => {
  const movement = on.uuid()
  const story = await on.charge({
    issueCharge: [issued()],
    followCharge: [stillOpen({ returns: [giveBack(movement)] }), known('expired')],
    sendReturn: [settled()],
  })
  await story.endsAs('expired')
  expect(story.told.children).toEqual([`return/${movement}`])
})

test('a charge that an answer leaves pending past its time is asked about on the schedule, not at once', async () => {
  const story = await on.charge({
    issueCharge: [issued()],
    followCharge: [known('pending'), known('pending'), known('pending'), known('expired')],
  })
  await story.endsAs('expired')
  expect(story.told.waits.slice(1)).toEqual(['ask again: 5 s', 'ask again: 10 s', 'ask again: 30 s'])
})

test('a payment at the last second is taken: it is on its way when the time is over', async () => {
  const story = await on.charge({
    issueCharge: [issued()],
    followCharge: [known('paying'), silent(), known('paid')],
  })
  await story.endsAs('paid')
  expect(story.asked).toEqual(['issueCharge', 'followCharge closing', 'followCharge', 'followCharge'])
  expect(story.told.shown).toEqual(['PENDING', 'PROCESSING', 'PAID'])
})

test('a payment that fails after the time is over makes it expire', async () => {
  const story = await on.charge({
    issueCharge: [issued()],
    followCharge: [known('paying'), known('expired')],
  })
  await story.endsAs('expired')
  expect(story.told.shown).toEqual(['PENDING', 'PROCESSING', 'EXPIRED'])
})

test('a notice at the time of expiry makes it ask at once, with the time that is over', async () => {
  const story = await on.charge({
    issueCharge: [issued()],
    followCharge: [silent(), known('paid')],
  })
  await story.passes(90_000_000)
  await story.isAsked(2)
  await story.isTold()
  await story.isAsked(3)
  await story.endsAs('paid')
  expect(story.asked).toEqual(['issueCharge', 'followCharge closing', 'followCharge closing'])
})
