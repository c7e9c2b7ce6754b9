import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { addDays } from '../../../src/domain/charges/business-days.ts'
import { chargeMachine } from '../../../src/domain/charges/charge.ts'
import {
  openRecurrenceTimeline,
  type RecurrenceTimeline,
  type TimelineDebit,
  type TimelineMerchant,
  type TimelineRecurrence,
} from './support/recurrence-timeline.ts'

/**
 * A monthly and a weekly recurrence at each provider API that has recurrences, all on one clock that skips ahead: six weeks of them, and two
 * years where `TRILHO_TEST_RECURRENCE_DAYS` says so (`npm run test:nightly`). Nothing is told of the first debit of each month, which polls
 * alone must find, and each payer lacks the money in some months.
 */

const DIALECTS = ['efi', 'inter', 'woovi', 'stark'] as const
type Dialect = (typeof DIALECTS)[number]
const FREQUENCIES = ['WEEKLY', 'MONTHLY'] as const
type Frequency = (typeof FREQUENCIES)[number]
const MAX_TRIES = 4
/** Days after its due day in which a debit comes to its end. */
const DAYS_OF_TRIES = 10
/** Of a busy machine; two or three of an idle one pass in a second. */
const MAX_DAY_MS = 20_000
const DAYS = Number(process.env.TRILHO_TEST_RECURRENCE_DAYS ?? 42)

type Subject = { dialect: Dialect; frequency: Frequency; recurrence: TimelineRecurrence }

let timeline: RecurrenceTimeline
const merchants = new Map<Dialect, TimelineMerchant>()
const subjects: Subject[] = []
let firstDay: string
let lastDay: string

beforeAll(async () => {
  timeline = await openRecurrenceTimeline()
  firstDay = addDays(timeline.today(), 10)
  lastDay = addDays(firstDay, DAYS)
  for (const dialect of DIALECTS) {
    const merchant = await timeline.createMerchant(dialect)
    merchants.set(dialect, merchant)
    for (const frequency of FREQUENCIES) {
      const recurrence = await timeline.order(merchant, { startsOn: firstDay, frequency })
      subjects.push({ dialect, frequency, recurrence })
      await timeline.control.decideRecurrence(recurrence.railId, { decision: 'accept' })
    }
  }
  await passDays()
}, DAYS * MAX_DAY_MS)
afterAll(() => timeline?.close())

/** Each payer lacks the money in the first days of every fourth month. */
const hasMoney = (day: string, place: number) =>
  Number(day.slice(8)) > LAST_POOR_DAY || (Number(day.slice(5, 7)) + place) % 4 > 0
const LAST_POOR_DAY = 12

/** The debit whose notifications are lost, by recurrence and month. */
const lostDebits = new Map<string, string>()

/** Tells whether the notifications of a debit are lost: it is the first of its recurrence in its month. */
function isLost({ uuid, recurrence, debitOn }: TimelineDebit): boolean {
  const month = `${recurrence} ${debitOn.slice(0, 7)}`
  const lost = lostDebits.get(month) ?? uuid
  lostDebits.set(month, lost)
  return lost === uuid
}

async function passDays(): Promise<void> {
  const endDay = addDays(lastDay, DAYS_OF_TRIES)
  for (let day = timeline.today(); day <= endDay; day = addDays(day, 1)) {
    await timeline.passUntil(day, 12)
    for (const [place, { recurrence }] of subjects.entries())
      if (hasMoney(day, place) !== hasMoney(addDays(day, -1), place))
        await timeline.control.setRecurrenceFunds(recurrence.railId, {
          value: hasMoney(day, place) ? null : 1,
        })
    await timeline.control.advanceDay({ days: 0 })
    for (const debit of await timeline.listDebits()) {
      if (debit.debitOn > day) continue
      if (!isLost(debit)) await timeline.notifyDebit(debit)
      const { status } = debit.tries.at(-1) ?? {}
      const hasFailed = status === 'REJECTED' || status === 'EXPIRED'
      // Woovi tries again by itself.
      if (hasFailed && debit.dialect !== 'woovi' && debit.tries.length < MAX_TRIES)
        await timeline.retry(debit, addDays(day, 2))
    }
  }
  await timeline.passUntil(addDays(endDay, 1), 12)
}

/** Counts the days, from the first to the last one, on which a cycle is due. */
function countDueDays(frequency: Frequency): number {
  if (frequency === 'WEEKLY') return Math.floor(DAYS / 7) + 1
  const [first, last] = [firstDay, lastDay].map(day => day.split('-').map(Number)) as [number[], number[]]
  const months = (last[0]! - first[0]!) * 12 + last[1]! - first[1]!
  return months + (last[2]! >= first[2]! ? 1 : 0)
}

describe.each(DIALECTS)('at %s', dialect => {
  test.each(FREQUENCIES)('a %s recurrence has one charge a cycle, of at most four tries', async frequency => {
    const { recurrence } = subjects.find(one => one.dialect === dialect && one.frequency === frequency)!
    const debits = await timeline.listDebits(recurrence.uuid)
    const cycles = debits.map(({ cycle }) => cycle)
    expect(cycles).toEqual(cycles.map((_, index) => index + 1))
    const dueCount = countDueDays(frequency)
    expect(cycles.length).toBeGreaterThanOrEqual(dueCount)
    for (const { state, tries } of debits.slice(0, dueCount)) {
      expect(chargeMachine.isFinal(state)).toBe(true)
      expect(tries.length).toBeLessThanOrEqual(MAX_TRIES)
    }
    const { charges } = await timeline.control.findRecurrence(recurrence.railId)
    expect(charges).toHaveLength(debits.length)
    expect(charges.filter(({ status }) => status === 'completed')).toHaveLength(
      debits.filter(({ state }) => state === 'paid').length,
    )
  })

  test('what nothing told is as final as the rest', async () => {
    const lost = new Set(lostDebits.values())
    const debits = (
      await Promise.all(
        subjects
          .filter(one => one.dialect === dialect)
          .map(({ recurrence }) => timeline.listDebits(recurrence.uuid)),
      )
    ).flat()
    const untold = debits.filter(({ uuid }) => lost.has(uuid))
    // Of each of the two recurrences, at least one a month.
    expect(untold.length).toBeGreaterThanOrEqual(2 * Math.floor(DAYS / 31))
    for (const { state } of untold) expect(chargeMachine.isFinal(state)).toBe(true)
  })

  test('the ledger is exact', async () => {
    const merchant = merchants.get(dialect)!
    const paid = await Promise.all(
      subjects
        .filter(one => one.dialect === dialect)
        .map(async ({ recurrence }) =>
          (await timeline.listDebits(recurrence.uuid)).filter(one => one.state === 'paid'),
        ),
    )
    const { available = 0 } = await timeline.readBalances(merchant)
    expect(available).toBe(5_000 * paid.flat().length)
    expect(await timeline.findLedgerFaults([merchant])).toEqual([])
  })
})
