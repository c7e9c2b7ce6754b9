import { expect, test } from '@jest/globals'
import { carried, crash, notCarried } from '../support/workflow-story-lines.ts'
import { stage } from '../support/workflow-story-stage.ts'

const on = stage()

test('a code is stored, answered, and sent', async () => {
  const story = await on.authCode({ storeAuthCode: [stored], sendAuthCode: [carried('sent')] })
  await story.endsAs('sent')
  expect(story.asked).toEqual(['storeAuthCode', 'sendAuthCode'])
})

test('a code is answered as soon as it is stored, however long its sending takes', async () => {
  const story = await on.authCode({
    storeAuthCode: [stored],
    sendAuthCode: [notCarried, carried('sent')],
  })
  await story.isAnswered()
  await story.endsAs('sent')
})

test('a code that nobody carries is tried again on the schedule, until it expires', async () => {
  const story = await on.authCode({
    storeAuthCode: [stored],
    sendAuthCode: [...Array(6).fill(notCarried), carried('expired')],
  })
  await story.endsAs('expired')
  expect(story.told.waits).toEqual([
    'before try 2: 1 s',
    'before try 3: 5 s',
    'before try 4: 15 s',
    'before try 5: 30 s',
    'before try 6: 1 min',
    'before try 7: 1 min',
  ])
})

test('a sending that breaks off is repeated: a code that comes twice does no harm', async () => {
  const story = await on.authCode({ storeAuthCode: [stored], sendAuthCode: [crash, carried('sent')] })
  await story.endsAs('sent')
  expect(story.asked).toEqual(['storeAuthCode', 'sendAuthCode', 'sendAuthCode'])
})

test('a code whose address is refused is not sent again', async () => {
  const story = await on.authCode({ storeAuthCode: [stored], sendAuthCode: [carried('refused')] })
  await story.endsAs('refused')
})

/** Storing answers nothing. */
function stored() {}
