import { expect, test } from '@jest/globals'
import {
  crash,
  delivered,
  foreignMed,
  medIs,
  medKnown,
  replySent,
  toldMeanwhile,
  unanswered,
  unknownMed,
} from '../support/workflow-story-lines.ts'
import { stage } from '../support/workflow-story-stage.ts'

const on = stage()

const HOUR = 3_600_000
/** A deadline that stands while time passes: 50 hours from the first time it is asked for. */
function deadline(inMs: number) {
  let dueAt: string | undefined
  return async (story: { now(): Promise<number> }) => {
    dueAt ??= new Date((await story.now()) + inMs).toISOString()
    return dueAt
  }
}

test('an open dispute is warned of 48, 24 and 6 hours before its deadline, then awaits what the provider decides', async () => {
  const due = deadline(50 * HOUR)
  const open = (warnedHours: number | null) => async (story: Parameters<ReturnType<typeof medIs>>[0]) => ({
    ...(await medIs('open', { warnedHours })(story)),
    dueAt: await due(story),
  })
  const known = (warnedHours: number | null) => async (story: Parameters<ReturnType<typeof medIs>>[0]) => ({
    kind: 'known' as const,
    ...(await open(warnedHours)(story)),
  })
  const story = await on.med({
    medNow: [null],
    followMed: [
      ...[0, 0, 0, 0, 0, 0].map(() => known(null)),
      ...[6, 12, 18, 24].map(() => known(48)),
      ...[30, 36, 42].map(() => known(24)),
      known(6),
      medKnown('analysing'),
      medKnown('rejected'),
    ],
    warnOfMed: [open(48), open(24), open(6)],
    passMedDeadline: [medIs('analysing')],
  })
  await story.endsAs('rejected')
  expect(story.asked.filter(name => name !== 'followMed')).toEqual([
    'medNow',
    'warnOfMed',
    'warnOfMed',
    'warnOfMed',
    'passMedDeadline',
  ])
  const hours = story.asked
    .map((name, index) => [name, Math.round((story.askedAt[index]! - story.askedAt[0]!) / HOUR)] as const)
    .filter(([name]) => name === 'warnOfMed' || name === 'passMedDeadline')
    .map(([, hour]) => hour)
  expect(hours).toEqual([2, 26, 44, 50])
  expect(story.told.shown).toEqual(['PENDING', 'PROCESSING', 'REJECTED'])
})

test('every wait of a dispute is divided by the time scale', async () => {
  const story = await on.med(
    {
      medNow: [null],
      followMed: [medKnown('open', { dueInMs: 60_000, warnedHours: 6 }), medKnown('cancelled')],
    },
    3_600,
  )
  await story.endsAs('cancelled')
  expect(story.told.waits).toEqual(['look at the provider: 4 ms'])
})

test('a reply shows PROCESSING before the provider is told, and the provider’s decision ends it', async () => {
  const story = await on.med({
    medNow: [null, medIs('analysing', { replyWanted: true })],
    followMed: [medKnown('open'), medKnown('rejected')],
    takeMedReply: ['taken'],
    sendMedReply: [replySent('over', 'analysing')],
  })
  await story.isAsked(2)
  expect(await story.replies()).toBe('taken')
  await story.endsAs('rejected')
  expect(story.asked).toEqual(['medNow', 'followMed', 'takeMedReply', 'medNow', 'sendMedReply', 'followMed'])
})

test('a second reply hears that there was one, and the provider is told once', async () => {
  const story = await on.med({
    medNow: [null, medIs('analysing', { replyWanted: true })],
    followMed: [medKnown('open'), medKnown('accepted'), medKnown('resolved')],
    takeMedReply: ['taken', 'med_already_answered'],
    sendMedReply: [replySent('over', 'analysing')],
  })
  await story.isAsked(2)
  const answers = await Promise.all([story.replies('one'), story.replies('two')])
  expect(answers.toSorted()).toEqual(['med_already_answered', 'taken'])
  await story.endsAs('resolved')
  expect(story.told.shown).toEqual(['PENDING', 'PROCESSING', 'ACCEPTED'])
})

test('a reply whose answer is lost is asked about, and told again only where the dispute is still open there', async () => {
  const story = await on.med({
    medNow: [null, medIs('analysing', { replyWanted: true })],
    followMed: [
      medKnown('open'),
      unanswered(),
      medKnown('analysing', { replyWanted: true }),
      medKnown('analysing'),
      medKnown('cancelled'),
    ],
    takeMedReply: ['taken'],
    sendMedReply: [replySent('again', 'analysing'), replySent('again', 'analysing')],
  })
  await story.isAsked(2)
  await story.replies()
  await story.endsAs('cancelled')
  expect(story.asked.slice(3)).toEqual([
    'medNow',
    'sendMedReply',
    'followMed',
    'followMed',
    'sendMedReply',
    'followMed',
    'followMed',
  ])
  expect(story.told.waits.slice(-4)).toEqual([
    'tell the reply again: 5 s',
    'look at the provider: 5 s',
    'tell the reply again: 10 s',
    'look at the provider: 1 min',
  ])
})

test('a reply whose telling broke off with its worker is asked about first: it may have arrived', async () => {
  const story = await on.med({
    medNow: [null, medIs('analysing', { replyWanted: true })],
    followMed: [medKnown('open'), medKnown('analysing'), medKnown('rejected')],
    takeMedReply: ['taken'],
    sendMedReply: [crash],
  })
  await story.isAsked(2)
  await story.replies()
  await story.endsAs('rejected')
  expect(story.asked.slice(3)).toEqual(['medNow', 'sendMedReply', 'followMed', 'followMed'])
})

test('a reply that the provider refuses leaves the dispute open for another', async () => {
  const wanted = medIs('analysing', { replyWanted: true })
  const story = await on.med({
    medNow: [null, wanted, wanted],
    followMed: [medKnown('open'), medKnown('rejected')],
    takeMedReply: ['taken', 'taken'],
    sendMedReply: [replySent('over', 'open'), replySent('over', 'analysing')],
  })
  await story.isAsked(2)
  await story.replies('one')
  await story.isAsked(5)
  expect(await story.replies('two')).toBe('taken')
  await story.endsAs('rejected')
  expect(story.told.shown).toEqual(['PENDING', 'PROCESSING', 'PENDING', 'PROCESSING', 'REJECTED'])
})

test('a reply to a dispute whose deadline has just passed is refused by its row', async () => {
  const story = await on.med({
    medNow: [null],
    followMed: [
      medKnown('open', { dueInMs: 0, warnedHours: 6 }),
      medKnown('accepted'),
      medKnown('cancelled'),
    ],
    passMedDeadline: [medIs('analysing')],
    takeMedReply: ['med_not_answerable'],
  })
  await story.isAsked(3)
  expect(await story.replies()).toBe('med_not_answerable')
  await story.endsAs('cancelled')
  expect(story.told.shown).toEqual(['PENDING', 'PROCESSING', 'ACCEPTED', 'CANCELLED'])
})

test('a notice makes it look at once; each of its events is delivered by a life of its own', async () => {
  const events = [on.uuid(), on.uuid()]
  const story = await on.med({
    medNow: [null],
    followMed: [
      medKnown('open', { deliveries: [events[0]!] }),
      medKnown('rejected', { deliveries: [events[1]!] }),
    ],
    deliver: [delivered, delivered],
  })
  await story.isAsked(3)
  await story.isTold()
  await story.endsAs('rejected')
  expect(story.told.children).toEqual(events.map(uuid => `webhook/${uuid}`))
})

test('an accepted one waits for the return, and is asked for until it is there', async () => {
  const story = await on.med({
    medNow: [null],
    followMed: [
      medKnown('accepted'),
      medKnown('accepted'),
      unanswered(),
      medKnown('accepted'),
      medKnown('resolved'),
    ],
  })
  await story.endsAs('resolved')
  expect(story.told.waits).toEqual([
    'look at the provider: 15 s',
    'look at the provider: 30 s',
    'look at the provider: 5 s',
    'look at the provider: 1 min',
  ])
})

test('a provider’s silence keeps no warning and no deadline waiting', async () => {
  const story = await on.med({
    medNow: [medIs('open', { dueInMs: 10_000, warnedHours: 24 })],
    followMed: [unanswered(), unanswered(), unanswered(), medKnown('rejected')],
    warnOfMed: [medIs('open', { dueInMs: 10_000, warnedHours: 6 })],
    passMedDeadline: [medIs('analysing')],
  })
  await story.endsAs('rejected')
  expect(story.asked).toEqual([
    'medNow',
    'followMed',
    'warnOfMed',
    'followMed',
    'passMedDeadline',
    'followMed',
    'followMed',
  ])
})

test('a late word wakes an ended one, which looks once and ends as it was', async () => {
  const story = await on.med({
    medNow: [medIs('resolved')],
    followMed: [unanswered(), medKnown('resolved')],
  })
  await story.endsAs('resolved')
  expect(story.asked).toEqual(['medNow', 'followMed', 'followMed'])
})

test('a reply to an ended one wakes it to say no, and asks nobody', async () => {
  const story = on.lostMed({ medNow: [medIs('rejected')], takeMedReply: ['med_already_answered'] })
  expect(await story.replies()).toBe('med_already_answered')
  await story.endsAs('rejected')
  expect(story.asked).toEqual(['medNow', 'takeMedReply'])
})

test('a life that was lost goes on where its row stands: the reply that was taken is told', async () => {
  const story = await on.med({
    medNow: [medIs('analysing', { replyWanted: true })],
    followMed: [medKnown('analysing', { replyWanted: true }), medKnown('rejected')],
    sendMedReply: [replySent('over', 'analysing')],
  })
  await story.endsAs('rejected')
})

test('a database that breaks off once keeps it waiting, not failing', async () => {
  const story = await on.med({ medNow: [crash, null], followMed: [crash, medKnown('rejected')] })
  await story.endsAs('rejected')
})

test('one that runs ahead of the provider’s books is found by a second look', async () => {
  const story = await on.med({ medNow: [null], followMed: [unknownMed, medKnown('rejected')] })
  await story.endsAs('rejected')
  expect(story.told.waits).toEqual(['second look: 1 min'])
})

test('a forged one comes to nothing', async () => {
  const story = await on.med({ medNow: [null], followMed: [unknownMed, unknownMed] })
  await story.endsAs('foreign')
})

test('one about a PIX that was never ours ends with it', async () => {
  const story = await on.med({ medNow: [null], followMed: [unanswered('pix_not_known'), foreignMed] })
  await story.endsAs('foreign')
})

test.each([
  ['is not known', [unknownMed, toldMeanwhile(unknownMed)]],
  ['is about a PIX that was never ours', [toldMeanwhile(foreignMed)]],
])('one that %s is looked at once more where it is told of during the last look', async (_, looks) => {
  const story = await on.med({ medNow: [null], followMed: [...looks, medKnown('rejected')] })
  await story.endsAs('rejected')
})

test('the providers that tell of no dispute are asked for their lists', async () => {
  const story = await on.medSweep({ sweepMeds: [{ asked: 3, told: 1 }] })
  await story.endsAs({ asked: 3, told: 1 })
})
