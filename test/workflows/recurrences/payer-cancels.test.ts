import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { addDays, findBusinessDay } from '../../../src/domain/charges/business-days.ts'
import type { ChargeState } from '../../../src/domain/charges/charge.ts'
import {
  openRecurrenceTimeline,
  type RecurrenceTimeline,
  type TimelineMerchant,
  type TimelineRecurrence,
} from './support/recurrence-timeline.ts'

/**
 * The payer cancels the recurrence in their bank at each point of its life and of that of a debit. No notification arrives: polls alone find
 * what has become of it. Each point has a merchant of its own, and all pass through the same days.
 */

/** The points, in the order of time, with the states of the charges of the first cycles after them. */
const POINTS = {
  'before its code is read': [],
  'after the authorization, which is not known yet': [],
  'before the charge of the first cycle': [],
  'while the charge is being created': ['failed'],
  'after the charge was created by a request without an answer': ['cancelled'],
  'once the bank has the charge': ['cancelled'],
  'on the day before the debit': ['cancelled'],
  'on the day of the debit, before it is tried': ['cancelled'],
  'after a try in the morning without money': ['cancelled'],
  'after the payment, which is not known yet': ['paid'],
  'after the payment, once it is known': ['paid'],
  'after a failed debit': ['cancelled'],
  'after a retry was ordered': ['cancelled'],
  'while the charge of the next cycle waits for its day': ['paid', 'cancelled'],
} as const satisfies Record<string, readonly ChargeState[]>
type Point = keyof typeof POINTS
const ALL_POINTS = Object.keys(POINTS) as Point[]

type Subject = { merchant: TimelineMerchant; recurrence: TimelineRecurrence }

let timeline: RecurrenceTimeline
let subjects: Record<Point, Subject>
beforeAll(async () => {
  timeline = await openRecurrenceTimeline()
  const dueDay = findWednesday(addDays(timeline.today(), 8))
  const created = await Promise.all(
    ALL_POINTS.map(async (point): Promise<[Point, Subject]> => {
      const merchant = await timeline.createMerchant('efi')
      return [point, { merchant, recurrence: await timeline.order(merchant, { startsOn: dueDay }) }]
    }),
  )
  subjects = Object.fromEntries(created) as Record<Point, Subject>
  await passThroughPoints(dueDay)
})
afterAll(() => timeline?.close())

const railIdOf = (point: Point) => subjects[point].recurrence.railId
const cancelAt = (point: Point) => timeline.control.cancelRecurrence(railIdOf(point))

/** Finds the next Wednesday that is a business day. */
function findWednesday(day: string): string {
  const isFound = new Date(day).getUTCDay() === 3 && findBusinessDay(day) === day
  return isFound ? day : findWednesday(addDays(day, 1))
}

async function passThroughPoints(dueDay: string): Promise<void> {
  await cancelAt('before its code is read')
  for (const point of ALL_POINTS.slice(1))
    await timeline.control.decideRecurrence(railIdOf(point), { decision: 'accept' })
  await cancelAt('after the authorization, which is not known yet')

  const creationDay = addDays(dueDay, -4)
  // A day before that, an authorized recurrence is polled at the latest.
  await timeline.passUntil(addDays(creationDay, -2), 12)
  await cancelAt('before the charge of the first cycle')
  cancelWhileCreated()
  await timeline.passUntil(creationDay, 10)
  await cancelAt('once the bank has the charge')

  await timeline.passUntil(addDays(dueDay, -1), 20)
  await cancelAt('on the day before the debit')
  for (const point of [
    'after a try in the morning without money',
    'after a failed debit',
    'after a retry was ordered',
  ] as const)
    await timeline.control.setRecurrenceFunds(railIdOf(point), { value: 1 })
  // The simulator makes the tries of a day by itself a minute later.
  await timeline.passUntil(dueDay, 0)
  await cancelAt('on the day of the debit, before it is tried')
  await timeline.control.advanceDay({ days: 0, until: 'MORNING' })
  await cancelAt('after a try in the morning without money')
  await cancelAt('after the payment, which is not known yet')
  await timeline.control.advanceDay({ days: 0 })

  await timeline.passUntil(addDays(dueDay, 1), 8)
  await cancelAt('after the payment, once it is known')
  await cancelAt('after a failed debit')
  const [failed] = await listDebitsAt('after a retry was ordered')
  await timeline.retry(failed!, addDays(dueDay, 3))
  await timeline.passUntil(addDays(dueDay, 2), 8)
  await cancelAt('after a retry was ordered')

  // The charge of the next cycle was created at nine on the third day.
  await timeline.passUntil(addDays(dueDay, 4), 8)
  await cancelAt('while the charge of the next cycle waits for its day')
  for (let day = addDays(dueDay, 5); day <= addDays(dueDay, 9); day = addDays(day, 1)) {
    await timeline.passUntil(day, 8)
    await timeline.control.advanceDay({ days: 0 })
  }
}

/** Has two payers cancel: before the first request of their charge, and before its repeat where the first one gets no answer. */
function cancelWhileCreated(): void {
  const creating = 'while the charge is being created'
  const unanswered = 'after the charge was created by a request without an answer'
  const steps: Record<string, (() => Promise<unknown>)[]> = {
    [railIdOf(creating)]: [() => cancelAt(creating)],
    [railIdOf(unanswered)]: [
      () => timeline.loseAnswer(subjects[unanswered].merchant, 'issueAutomaticCharge'),
      () => cancelAt(unanswered),
    ],
  }
  timeline.interceptActivities(async ({ name, input }) => {
    if (name === 'issueDebit') await steps[input?.order?.debit?.railId ?? '']?.shift()?.()
  })
}

function listDebitsAt(point: Point) {
  return timeline.listDebits(subjects[point].recurrence.uuid)
}

test.each(ALL_POINTS)('the payer cancels %s', async point => {
  const { merchant, recurrence } = subjects[point]
  const states: readonly ChargeState[] = POINTS[point]
  expect(await timeline.readRecurrence(recurrence.uuid)).toMatchObject({
    state: 'cancelled',
    cancelledBy: 'payer',
  })
  const debits = await listDebitsAt(point)
  expect(debits.map(({ state }) => state)).toEqual(states)

  const { charges } = await timeline.control.findRecurrence(recurrence.railId)
  const paidCount = charges.filter(({ status }) => status === 'completed').length
  expect(states.filter(state => state === 'paid')).toHaveLength(paidCount)
  expect(await timeline.findLedgerFaults([merchant])).toEqual([])
  const { available = 0 } = await timeline.readBalances(merchant)
  expect(available).toBe(5_000 * paidCount)
})
