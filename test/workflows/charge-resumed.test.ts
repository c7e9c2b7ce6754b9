import { expect, test } from '@jest/globals'
import {
  delivered,
  giveBack,
  known,
  now,
  nowPending,
  settled,
  silent,
} from '../support/workflow-story-lines.ts'
import { stage } from '../support/workflow-story-stage.ts'

const on = stage()

test('a late payment wakes an expired charge, which ends again as paid', async () => {
  const story = await on.wokenCharge({
    chargeNow: [now('expired')],
    followCharge: [known('paying'), known('paid')],
  })
  await story.endsAs('paid')
  expect(story.asked).toEqual(['chargeNow', 'followCharge', 'followCharge'])
  expect(story.told.shown).toEqual(['EXPIRED', 'PROCESSING', 'PAID'])
})

test('a late payment that fails leaves it expired', async () => {
  const story = await on.wokenCharge({
    chargeNow: [now('expired')],
    followCharge: [known('paying'), known('expired')],
  })
  await story.endsAs('expired')
  expect(story.told.shown).toEqual(['EXPIRED', 'PROCESSING', 'EXPIRED'])
})

test('a late payment of a cancelled charge that fails leaves it cancelled', async () => {
  const story = await on.wokenCharge({
    chargeNow: [now('cancelled')],
    followCharge: [known('paying'), known('cancelled')],
  })
  await story.endsAs('cancelled')
  expect(story.told.shown).toEqual(['CANCELLED', 'PROCESSING', 'CANCELLED'])
})

test.each(['refunding', 'partially_refunded', 'refunded'] as const)(
  'a charge that is %s and paid again sends the second payment back, and stands as it stood',
  async state => {
    const [movement, event] = [on.uuid(), on.uuid()]
    const story = await on.wokenCharge({
      chargeNow: [now(state)],
      followCharge: [known(state, { returns: [giveBack(movement)], deliveries: [event] })],
      sendReturn: [settled()],
      deliver: [delivered],
    })
    await story.endsAs(state)
    expect(story.told.children.sort()).toEqual([`return/${movement}`, `webhook/${event}`])
  },
)

test('a woken charge does not end before its provider has answered', async () => {
  const story = await on.wokenCharge({
    chargeNow: [now('expired')],
    followCharge: [silent(), silent(), known('paid')],
  })
  await story.endsAs('paid')
  expect(story.told.waits).toEqual(['ask again: 5 s', 'ask again: 10 s'])
})

test('a paid charge that is paid again sends the second payment back, and is still paid', async () => {
  const movement = on.uuid()
  const story = await on.wokenCharge({
    chargeNow: [now('paid')],
    followCharge: [known('paid', { returns: [giveBack(movement)] })],
    sendReturn: [settled()],
  })
  await story.endsAs('paid')
  expect(story.told.children).toEqual([`return/${movement}`])
})

test('a notice that proves nothing lets a woken charge end as it was', async () => {
  const story = await on.wokenCharge({ chargeNow: [now('refunded')], followCharge: [known('refunded')] })
  await story.endsAs('refunded')
})

test('a charge may be woken again and again', async () => {
  const story = await on.wokenCharge({
    chargeNow: [now('expired'), now('expired'), now('paid')],
    followCharge: [known('expired'), known('paid'), known('paid')],
  })
  expect(await story.ends()).toBe('expired')
  await story.isToldAgain()
  expect(await story.ends()).toBe('paid')
  await story.isToldAgain()
  await story.endsAs('paid')
})

test('a pending charge whose life was lost goes on where its row stands, its cancellation included', async () => {
  const story = await on.wokenCharge({
    chargeNow: [nowPending({ cancelRequested: true })],
    followCharge: [known('pending')],
    cancelCharge: [silent(), known('cancelled')],
  })
  await story.endsAs('cancelled')
  expect(story.asked).toEqual(['chargeNow', 'followCharge', 'cancelCharge', 'cancelCharge'])
})

test('a database that is down keeps a woken charge waiting, not failing', async () => {
  const story = await on.wokenCharge({
    chargeNow: [
      () => {
        throw new Error('no connection')
      },
      now('expired'),
    ],
    followCharge: [known('expired')],
  })
  await story.endsAs('expired')
})
