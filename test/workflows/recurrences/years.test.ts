import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { addDays } from '../../../src/domain/charges/business-days.ts'
import { chargeMachine } from '../../../src/domain/charges/charge.ts'
import {
  openRecurrenceTimeline,
  type RecurrenceTimeline,
  type TimelineMerchant,
  type TimelineRecurrence,
} from './support/recurrence-timeline.ts'

/**
 * A monthly and a weekly recurrence at each provider API that has recurrences, all on one clock that skips ahead: six weeks of them, and two
 * years where `TRILHO_TEST_RECURRENCE_DAYS` says so (`npm run test:nightly`). Notifications are lost on the first day of each month, and
 * each payer lacks the money in some.
 */

const DIALECTS = ['efi', 'inter', 'woovi', 'stark'] as const
type Dialect = (typeof DIALECTS)[number]
const FREQUENCIES = ['WEEKLY', 'MONTHLY'] as const
type Frequency = (typeof FREQUENCIES)[number]
const DAYS_OF_CYCLE = { WEEKLY: 7, MONTHLY: 31 } satisfies Record<Frequency, number>
const MAX_TRIES = 4
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

async function passDays(): Promise<void> {
  for (let day = timeline.today(); day <= lastDay; day = addDays(day, 1)) {
    await timeline.passUntil(day, 12)
    for (const [place, { recurrence }] of subjects.entries())
      if (hasMoney(day, place) !== hasMoney(addDays(day, -1), place))
        await timeline.control.setRecurrenceFunds(recurrence.railId, {
          value: hasMoney(day, place) ? null : 1,
        })
    await timeline.control.advanceDay({ days: 0 })
    // The first notification of a month is lost: the daily poll finds what it would have told.
    if (day.endsWith('-01')) continue
    for (const debit of await timeline.listDebits()) {
      if (debit.debitOn > day) continue
      await timeline.notifyDebit(debit)
      const { status } = debit.tries.at(-1) ?? {}
      const hasFailed = status === 'REJECTED' || status === 'EXPIRED'
      // Woovi tries again by itself.
      if (hasFailed && debit.dialect !== 'woovi' && debit.tries.length < MAX_TRIES)
        await timeline.retry(debit, addDays(day, 2))
    }
  }
  await timeline.passUntil(addDays(lastDay, 10), 12)
}

describe.each(DIALECTS)('at %s', dialect => {
  test.each(FREQUENCIES)('a %s recurrence has one charge a cycle, of at most four tries', async frequency => {
    const { recurrence } = subjects.find(one => one.dialect === dialect && one.frequency === frequency)!
    const debits = await timeline.listDebits(recurrence.uuid)
    const ended = debits.filter(({ debitOn }) => debitOn <= lastDay)
    expect(debits.map(({ cycle }) => cycle)).toEqual(debits.map((_, index) => index + 1))
    expect(ended.length).toBeGreaterThanOrEqual(Math.floor(DAYS / DAYS_OF_CYCLE[frequency]))
    for (const { state, tries } of ended) {
      expect(chargeMachine.isFinal(state)).toBe(true)
      expect(tries.length).toBeLessThanOrEqual(MAX_TRIES)
    }
    const { charges } = await timeline.control.findRecurrence(recurrence.railId)
    expect(charges.filter(({ status }) => status === 'completed')).toHaveLength(
      debits.filter(({ state }) => state === 'paid').length,
    )
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
