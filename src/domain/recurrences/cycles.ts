import { addDays, countDays, findBusinessDay } from '../charges/business-days.ts'
import { computeBrasiliaDay, computeBrasiliaDayEnd } from '../shared/brasilia-day.ts'
import { HOUR } from '../shared/intervals.ts'
import type { Frequency, RecurrenceTerms } from './recurrence.ts'

const DAYS_OF_WEEK = 7

/** Months from one due day to the next; a weekly recurrence counts days. */
const MONTHS_OF_CYCLE: Record<Exclude<Frequency, 'WEEKLY'>, number> = {
  MONTHLY: 1,
  QUARTERLY: 3,
  SEMIANNUAL: 6,
  ANNUAL: 12,
}

/**
 * Least and most calendar days from the creation of a charge to its due day: the payer's bank refuses it outside of them (FBRD). Source:
 * Woovi's page on recurring charges created by hand, which cites the Central Bank.
 */
const LEAST_DAYS_AHEAD = 2
const MOST_DAYS_AHEAD = 10

/** Days after its due day until which a debit that its provider makes itself becomes the charge of its cycle: those of its retries. */
const DAYS_OF_OWN_DEBIT = 7

/** Hour of Brasília at which the charge of a cycle is created. */
const CREATION_HOUR = 9

type CycleTerms = Pick<RecurrenceTerms, 'frequency' | 'startsOn' | 'endsOn'>

/** A cycle of a recurrence, which has one charge. Its days are those from `dueDay` to `lastDay`; the first cycle is number 1. */
export type Cycle = {
  number: number
  /** The day of the agreement, which may be no business day. */
  dueDay: string
  /** The day on which a charge of the due day is debited: the next business day, as ajusteDiaUtil of the pix-api asks. */
  debitDay: string
  lastDay: string
}

/** The cycle whose charge is created next, and when. */
export type CycleCreation = { cycle: Cycle; createAt: Date }

/**
 * Finds a cycle by its number; null where the recurrence ends before it is due. Due days are counted from the first one: where that is the
 * 31st, a shorter month has its last day, and the next month the 31st again.
 */
export function findCycle(terms: CycleTerms, number: number): Cycle | null {
  const dueDay = computeDueDay(terms, number)
  if (terms.endsOn !== null && dueDay > terms.endsOn) return null
  const dayBeforeNext = addDays(computeDueDay(terms, number + 1), -1)
  const isCutShort = terms.endsOn !== null && terms.endsOn < dayBeforeNext
  const lastDay = isCutShort ? terms.endsOn! : dayBeforeNext
  return { number, dueDay, debitDay: findBusinessDay(dueDay), lastDay }
}

/**
 * Finds the cycle that a day belongs to; null before the first due day and after the end of the recurrence. The pix-api allows one charge a
 * cycle and says nothing of where a cycle begins.
 */
export function findCycleOfDay(terms: CycleTerms, day: string): Cycle | null {
  if (day < terms.startsOn || (terms.endsOn !== null && day > terms.endsOn)) return null
  return findCycle(terms, countCycles(terms, day))
}

/** Finds the number of the last cycle; null where the recurrence has no end. */
export function findLastCycleNumber(terms: CycleTerms): number | null {
  return terms.endsOn === null ? null : countCycles(terms, terms.endsOn)
}

/** Whether the provider makes the debits itself (`ownDebits` of its capabilities), so that none can be ordered too late. */
type DebitMaker = { isProvider?: boolean }

/**
 * Finds the first and the last day on which a charge of a due day may be created: from 10 to 2 calendar days before, and until the last
 * retry where its provider makes the debit itself.
 */
export function findCreationPeriod(
  dueDay: string,
  { isProvider = false }: DebitMaker = {},
): { firstDay: string; lastDay: string } {
  const lastDay = addDays(dueDay, isProvider ? DAYS_OF_OWN_DEBIT : -LEAST_DAYS_AHEAD)
  return { firstDay: addDays(dueDay, -MOST_DAYS_AHEAD), lastDay }
}

/** Finds the first and the last due day of a charge that is created on a day. */
export function findDueDays(creationDay: string): { firstDay: string; lastDay: string } {
  return {
    firstDay: addDays(creationDay, LEAST_DAYS_AHEAD),
    lastDay: addDays(creationDay, MOST_DAYS_AHEAD),
  }
}

/**
 * Finds the next cycle whose charge can still be created, after the last cycle that has a charge or was skipped (0 where none has), and the
 * cycles before it that can have none any more. `next` is null where the recurrence ends before; its time may have passed, and then the
 * charge is created at once.
 */
export function findNextCreation(
  terms: CycleTerms & Pick<RecurrenceTerms, 'daysBefore'>,
  { afterCycle, now, ...maker }: { afterCycle: number; now: Date } & DebitMaker,
): { next: CycleCreation | null; skipped: Cycle[] } {
  const today = computeBrasiliaDay(now)
  const skipped: Cycle[] = []
  for (let number = afterCycle + 1; ; number += 1) {
    const cycle = findCycle(terms, number)
    if (!cycle) return { next: null, skipped }
    if (today <= findCreationPeriod(cycle.dueDay, maker).lastDay)
      return { next: { cycle, createAt: computeCreationTime(cycle.dueDay, terms.daysBefore) }, skipped }
    skipped.push(cycle)
  }
}

/** Computes the due day of a cycle, whether or not the recurrence ends before. */
export function computeDueDay({ frequency, startsOn }: Omit<CycleTerms, 'endsOn'>, number: number): string {
  const cycles = number - 1
  return frequency === 'WEEKLY'
    ? addDays(startsOn, cycles * DAYS_OF_WEEK)
    : addMonths(startsOn, cycles * MONTHS_OF_CYCLE[frequency])
}

function computeCreationTime(dueDay: string, daysBefore: number): Date {
  const midnight = computeBrasiliaDayEnd(addDays(dueDay, -daysBefore - 1))
  return new Date(midnight.getTime() + CREATION_HOUR * HOUR)
}

/** Counts the due days up to a day, the latter included; the day is not before the first of them. */
function countCycles(terms: CycleTerms, day: string): number {
  const { frequency, startsOn } = terms
  if (frequency === 'WEEKLY') return Math.floor(countDays(startsOn, day) / DAYS_OF_WEEK) + 1
  const months = countMonths(day) - countMonths(startsOn)
  const number = Math.floor(months / MONTHS_OF_CYCLE[frequency]) + 1
  return computeDueDay(terms, number) > day ? number - 1 : number
}

/** Returns the day of a month that is a number of months later, or the last day of that month where it is shorter. */
function addMonths(day: string, months: number): string {
  const year = Math.floor((countMonths(day) + months) / 12)
  const month = (countMonths(day) + months) % 12
  const lastDate = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  const date = Math.min(Number(day.slice(8)), lastDate)
  return new Date(Date.UTC(year, month, date)).toISOString().slice(0, 10)
}

function countMonths(day: string): number {
  return Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1
}
