import { expect, test } from '@jest/globals'
import { delivered, giveBack, issued, known, settled, silent } from '../support/workflow-story-lines.ts'
import { stage } from '../support/workflow-story-stage.ts'

const on = stage()
const HOUR = 3_600_000

test('a charge is issued and paid by notice', async () => {
  const story = await on.charge({ issueCharge: [issued()], followCharge: [known('paid')] })
  expect(await story.isTold()).toBe(true)
  await story.endsAs('paid')
  expect(story.asked).toEqual(['issueCharge', 'followCharge'])
  expect(story.told.shown).toEqual(['PENDING', 'PAID'])
  expect(story.told.waits).toEqual(['payload expires: 24 h 1 min, woken'])
})

test('a payment on its way is asked about, each time a little later, until it is settled', async () => {
  const story = await on.charge({
    issueCharge: [issued()],
    followCharge: [known('paying'), known('paying'), known('paying'), known('paying'), known('paid')],
  })
  await story.isTold()
  await story.endsAs('paid')
  expect(story.told.shown).toEqual(['PENDING', 'PROCESSING', 'PAID'])
  expect(story.told.waits.slice(1)).toEqual([
    'ask again: 5 s',
    'ask again: 10 s',
    'ask again: 30 s',
    'ask again: 1 min',
  ])
})

test('a payment that is settled meanwhile is seen by its notice, before the next question is due', async () => {
  // The server's clock goes on by itself too: on a busy machine five seconds pass between two lines of a test.
  const story = await on.charge(
    { issueCharge: [issued()], followCharge: [known('paying'), known('paid')] },
    { timeScale: 1 / 1_000 },
  )
  await story.isTold()
  await story.isAsked(2)
  await story.isTold()
  await story.isAsked(3)
  await story.endsAs('paid')
  expect(story.told.waits.filter(wait => !wait.endsWith(', woken'))).toEqual([])
})

test('a provider that does not answer a notice is asked until it does', async () => {
  const story = await on.charge({
    issueCharge: [issued()],
    followCharge: [silent(), silent(), known('paid')],
  })
  await story.isTold()
  await story.endsAs('paid')
  expect(story.told.waits.slice(1)).toEqual(['ask again: 5 s', 'ask again: 10 s'])
})

test('a notice that comes before the charge is issued is looked at as soon as it is', async () => {
  const story = await on.charge({
    issueCharge: [
      async story => {
        expect(await story.isTold()).toBe(true)
        return issued()(story)
      },
    ],
    followCharge: [known('paid')],
  })
  await story.endsAs('paid')
  expect(story.told.waits).toEqual([])
})

test('repeated notices are answered by one question, and change nothing', async () => {
  const story = await on.charge({
    issueCharge: [issued()],
    followCharge: [
      async story => {
        await Promise.all([story.isTold(), story.isTold(), story.isTold()])
        return known('paying')
      },
      known('paid'),
    ],
  })
  await story.isTold()
  await story.endsAs('paid')
  expect(story.asked).toEqual(['issueCharge', 'followCharge', 'followCharge'])
})

test('a notice that proves nothing leaves the charge waiting for its payer', async () => {
  const story = await on.charge({
    issueCharge: [issued()],
    followCharge: [known('pending'), known('paid')],
  })
  await story.isTold()
  await story.isAsked(2)
  await story.passes(3 * HOUR)
  await story.isTold()
  await story.endsAs('paid')
  expect(story.told.shown).toEqual(['PENDING', 'PAID'])
})

test('a payment that fails leaves the charge pending, and it expires later', async () => {
  const story = await on.charge({
    issueCharge: [issued()],
    followCharge: [known('paying'), known('pending'), known('expired')],
  })
  await story.isTold()
  await story.endsAs('expired')
  expect(story.asked).toEqual(['issueCharge', 'followCharge', 'followCharge', 'followCharge closing'])
  expect(story.told.shown).toEqual(['PENDING', 'PROCESSING', 'PENDING', 'EXPIRED'])
})

test('a second payment is sent back by a life of its own, and each event is delivered by one', async () => {
  const [movement, event] = [on.uuid(), on.uuid()]
  const story = await on.charge({
    issueCharge: [issued()],
    followCharge: [known('paid', { returns: [giveBack(movement)], deliveries: [event] })],
    sendReturn: [settled()],
    deliver: [delivered],
  })
  await story.isTold()
  await story.endsAs('paid')
  expect(story.told.children.sort()).toEqual([`return/${movement}`, `webhook/${event}`])
})

test('a delivery that was started already is left alone', async () => {
  const event = on.uuid()
  const story = await on.charge({
    issueCharge: [issued()],
    followCharge: [known('paying', { deliveries: [event] }), known('paid', { deliveries: [event] })],
    deliver: [delivered],
  })
  await story.isTold()
  await story.endsAs('paid')
  expect(story.told.children).toEqual([`webhook/${event}`])
})

test('every wait of a charge is divided by the time scale', async () => {
  const story = await on.charge(
    {
      issueCharge: [issued({ expiresInMs: 60 * HOUR })],
      followCharge: [silent(), silent(), known('paid')],
    },
    { timeScale: 60 },
  )
  await story.endsAs('paid')
  expect(story.told.waits).toEqual(['payload expires: 60 h', 'ask again: 83 ms', 'ask again: 167 ms'])
})

/** The provider answers, and lists no payment. */
const nothingListed = (state: 'pending' | 'expired' = 'pending') => ({ ...known(state), paymentsListed: 0 })

test('a notice that runs ahead of what its provider lists is followed until the payment is listed', async () => {
  const story = await on.charge({
    issueCharge: [issued()],
    followCharge: [nothingListed(), silent(), nothingListed(), nothingListed(), known('paid')],
  })
  await story.isTold()
  await story.endsAs('paid')
  expect(story.told.waits.slice(1)).toEqual([
    'ask again: 5 s',
    'ask again: 10 s',
    'ask again: 30 s',
    'ask again: 1 min',
  ])
})

test('a notice that nothing ever confirms is followed until the payload expires', async () => {
  const looks = Array.from({ length: 6 }, () => nothingListed())
  const story = await on.charge({
    issueCharge: [issued()],
    followCharge: [...looks, ...Array.from({ length: 23 }, () => nothingListed()), nothingListed('expired')],
  })
  await story.isTold()
  await story.endsAs('expired')
  expect(story.told.waits.slice(1, 7)).toEqual([
    'ask again: 5 s',
    'ask again: 10 s',
    'ask again: 30 s',
    'ask again: 1 min',
    'ask again: 5 min',
    'ask again: 1 h',
  ])
})

test('what a provider looks up without a notice, or lists something of, is not followed', async () => {
  const story = await on.charge({
    issueCharge: [issued()],
    followCharge: [{ ...known('pending'), paymentsListed: 1 }, nothingListed('expired')],
  })
  await story.isTold()
  await story.endsAs('expired')
  expect(story.told.waits.slice(1)).toEqual(['payload expires: 24 h 1 min'])
})
