import { expect, test } from '@jest/globals'
import type { Story } from '../support/workflow-story.ts'
import { delivered, issued, known, now, nowPending, silent } from '../support/workflow-story-lines.ts'
import { stage } from '../support/workflow-story-stage.ts'

const on = stage()
const HOUR = 3_600_000
type Cancellation = Awaited<ReturnType<Story['startsToCancel']>>

test('a charge is cancelled at its provider, then here', async () => {
  const event = on.uuid()
  const story = await on.charge({
    issueCharge: [issued()],
    cancelCharge: [known('cancelled', { deliveries: [event] })],
    deliver: [delivered],
  })
  expect(await story.cancels()).toEqual({ kind: 'over', state: 'cancelled' })
  await story.endsAs('cancelled')
  expect(story.told.shown).toEqual(['PENDING', 'CANCELLED'])
  expect(story.told.children).toEqual([`webhook/${event}`])
})

test('a charge that turns out to be paid is not cancelled', async () => {
  const story = await on.charge({ issueCharge: [issued()], cancelCharge: [known('paid')] })
  expect(await story.cancels()).toEqual({ kind: 'over', state: 'paid' })
  await story.endsAs('paid')
})

test('a charge whose payment is on its way is not cancelled, and is asked about until it is settled', async () => {
  const story = await on.charge({
    issueCharge: [issued()],
    cancelCharge: [known('paying')],
    followCharge: [known('paid')],
  })
  expect(await story.cancels('first')).toEqual({ kind: 'over', state: 'paying' })
  expect(await story.cancels('second')).toEqual({ kind: 'over', state: 'paying' })
  await story.endsAs('paid')
})

test('a provider that will not cancel an open payload has decided: the charge stays pending', async () => {
  const story = await on.charge({
    issueCharge: [issued()],
    cancelCharge: [known('pending')],
    followCharge: [known('expired')],
  })
  expect(await story.cancels()).toEqual({ kind: 'over', state: 'pending' })
  await story.endsAs('expired')
  expect(story.asked).toEqual(['issueCharge', 'cancelCharge', 'followCharge closing'])
})

test('without an answer the charge stays pending, and is cancelled as soon as there is one', async () => {
  const story = await on.charge({
    issueCharge: [issued()],
    cancelCharge: [silent(), silent(), silent(), known('cancelled')],
  })
  expect(await story.cancels()).toEqual({ kind: 'no_answer' })
  await story.endsAs('cancelled')
  expect(story.told.shown).toEqual(['PENDING', 'CANCELLED'])
  expect(story.told.waits.slice(1)).toEqual(['ask again: 5 s', 'ask again: 10 s', 'ask again: 30 s'])
})

test('a cancellation without an answer outlasts the payload', async () => {
  const story = await on.charge({
    issueCharge: [issued({ expiresInMs: 15_000 })],
    cancelCharge: [...Array(6).fill(silent()), known('expired')],
  })
  await story.cancels()
  await story.endsAs('expired')
  expect(story.asked).toEqual(['issueCharge', ...Array(7).fill('cancelCharge')])
})

test('one who asks again does not wait for the schedule', async () => {
  const story = await on.charge({ issueCharge: [issued()], cancelCharge: [silent(), known('cancelled')] })
  expect(await story.cancels('first')).toEqual({ kind: 'no_answer' })
  expect(await story.cancels('second')).toEqual({ kind: 'over', state: 'cancelled' })
  await story.endsAs('cancelled')
  expect(story.told.waits.at(-1)).toBe('ask again: 5 s, woken')
})

test('the same request to cancel, repeated, gets the same answer', async () => {
  const story = await on.charge({
    issueCharge: [issued()],
    cancelCharge: [known('pending')],
    followCharge: [known('expired')],
  })
  expect(await story.cancels('same')).toEqual({ kind: 'over', state: 'pending' })
  expect(await story.cancels('same')).toEqual({ kind: 'over', state: 'pending' })
  await story.endsAs('expired')
})

test('two who cancel at once are told the same', async () => {
  let second: Cancellation | undefined
  const story = await on.charge({
    issueCharge: [issued()],
    cancelCharge: [
      async story => {
        second = await story.startsToCancel('second')
        return known('cancelled')
      },
    ],
  })
  expect(await story.cancels('first')).toEqual({ kind: 'over', state: 'cancelled' })
  expect(await second?.result()).toEqual({ kind: 'over', state: 'cancelled' })
  await story.endsAs('cancelled')
})

test('a cancellation that meets a question about a notice waits for it', async () => {
  let cancelled: Cancellation | undefined
  const story = await on.charge({
    issueCharge: [issued()],
    followCharge: [
      async story => {
        cancelled = await story.startsToCancel()
        return known('paid')
      },
    ],
  })
  await story.isToldLate()
  await story.isAsked(2)
  await story.endsAs('paid')
  expect(await cancelled?.result()).toEqual({ kind: 'over', state: 'paid' })
  expect(story.asked).toEqual(['issueCharge', 'followCharge'])
})

test('a charge that is still being issued is cancelled when it has been', async () => {
  let cancelled: Cancellation | undefined
  const story = await on.charge({
    issueCharge: [
      async story => {
        cancelled = await story.startsToCancel()
        return issued()(story)
      },
    ],
    cancelCharge: [known('cancelled')],
  })
  expect(await cancelled?.result()).toEqual({ kind: 'over', state: 'cancelled' })
  await story.endsAs('cancelled')
})

test('a life that is over is woken to say so, and asks nobody', async () => {
  const story = await on.charge({
    issueCharge: [issued()],
    followCharge: [known('paid')],
    chargeNow: [now('paid')],
  })
  await story.isTold()
  expect(await story.ends()).toBe('paid')
  expect(await story.cancels()).toEqual({ kind: 'over', state: 'paid' })
  await story.endsAs('paid')
})

test('a pending charge whose life was lost is woken and cancelled', async () => {
  const story = await on.lostCharge({ chargeNow: [nowPending()], cancelCharge: [known('cancelled')] })
  expect(await story.cancels()).toEqual({ kind: 'over', state: 'cancelled' })
  await story.endsAs('cancelled')
})

test('a cancelled charge that is paid nevertheless was paid', async () => {
  const story = await on.charge({
    issueCharge: [issued()],
    cancelCharge: [known('cancelled')],
    chargeNow: [{ state: 'cancelled', expiresAt: null, cancelRequested: true }],
    followCharge: [known('paying'), known('paid')],
  })
  await story.passes(HOUR)
  await story.cancels()
  expect(await story.ends()).toBe('cancelled')
  await story.isToldAgain()
  await story.endsAs('paid')
  expect(story.told.shown).toEqual(['CANCELLED', 'PROCESSING', 'PAID'])
})
