import { shiftDay } from '../business-days.ts'

/** How often a recurrence is charged. */
export type RecurrenceFrequency = 'weekly' | 'monthly' | 'quarterly' | 'semiannual' | 'annual'

const MONTHS_PER_CYCLE = { monthly: 1, quarterly: 3, semiannual: 6, annual: 12 } as const

/**
 * Computes the number of the cycle that contains a day, 0 for the one that begins on `startsOn`; negative before it. A month without
 * the day of `startsOn` begins its cycle on its last day.
 */
export function computeCycle(
  { startsOn, frequency }: { startsOn: string; frequency: RecurrenceFrequency },
  day: string,
): number {
  if (frequency === 'weekly') return Math.floor((toTime(day) - toTime(startsOn)) / WEEK_MS)
  const months = MONTHS_PER_CYCLE[frequency]
  const estimate = Math.floor((countMonths(day) - countMonths(startsOn)) / months)
  return addMonths(startsOn, estimate * months) > day ? estimate - 1 : estimate
}

/** Computes the day on which a cycle begins, as `computeCycle` counts them. */
export function computeCycleStart(
  { startsOn, frequency }: { startsOn: string; frequency: RecurrenceFrequency },
  cycle: number,
): string {
  return frequency === 'weekly'
    ? shiftDay(startsOn, 7 * cycle)
    : addMonths(startsOn, cycle * MONTHS_PER_CYCLE[frequency])
}

/** Days after the first try within which an automatic charge may be tried again (PERMITE_3R_7D). */
const RETRY_DAYS = 7
/** Retries of an automatic charge after its first try. */
export const MAX_RETRIES = 3

/** Computes the last day on which a charge may be tried. */
export function findLastTryDay(firstTryOn: string, allowsRetries: boolean): string {
  return allowsRetries ? shiftDay(firstTryOn, RETRY_DAYS) : firstTryOn
}

const WEEK_MS = 7 * 86_400_000

function toTime(day: string): number {
  return Date.parse(`${day}T00:00:00Z`)
}

function countMonths(day: string): number {
  return Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1
}

function addMonths(day: string, months: number): string {
  const count = countMonths(day) + months
  const [year, month] = [Math.floor(count / 12), count % 12]
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  const date = new Date(Date.UTC(year, month, Math.min(Number(day.slice(8)), lastDay)))
  return date.toISOString().slice(0, 10)
}
