import { addDays, countDays, findBusinessDay } from './business-days.ts'
import { computeAmountDue, findDueEnd } from './due-amount.ts'
import type { DueTerms, PaidParts } from './due-terms.ts'

/** Days, the first and the last included, on which a charge with a due date costs the same. */
export type DuePeriod = { fromDay: string; toDay: string; amount: PaidParts & { totalCents: number } }

/** Most days before its due day that are looked at: of a charge that is due later, discounts begin within them or are the same. */
const MAX_DAYS_AHEAD = 366

/** Lists the periods of a charge from a day to the last on which it can be paid; none where that is over. */
export function listDuePeriods(originalCents: number, terms: DueTerms, fromDay: string): DuePeriod[] {
  const endDay = findDueEnd(terms)
  const earliestDay = addDays(terms.on, -MAX_DAYS_AHEAD)
  const firstDay = fromDay < earliestDay ? earliestDay : fromDay
  const dayCount = Math.max(countDays(firstDay, endDay) + 1, 0)
  const periods: DuePeriod[] = []
  for (const day of Array.from({ length: dayCount }, (_, offset) => addDays(firstDay, offset))) {
    const amount = computeAmountDue(originalCents, terms, day)
    const current = periods.at(-1)
    if (current?.amount.totalCents === amount.totalCents) current.toDay = day
    else periods.push({ fromDay: day, toDay: day, amount })
  }
  return periods
}

/**
 * Selects the periods that a table shows: the first, those around the due day and the last. `gapBefore` says that periods between the one
 * before and this one are left out.
 */
export function selectDuePeriods(
  periods: DuePeriod[],
  { on }: Pick<DueTerms, 'on'>,
  { before, after }: { before: number; after: number } = { before: 4, after: 6 },
): (DuePeriod & { gapBefore: boolean })[] {
  const dueDay = findBusinessDay(on)
  const dueIndex = Math.max(
    periods.findIndex(({ toDay }) => toDay >= dueDay),
    0,
  )
  const isShown = (index: number) =>
    index === 0 || index === periods.length - 1 || (index >= dueIndex - before && index <= dueIndex + after)
  return periods.flatMap((period, index) =>
    isShown(index) ? [{ ...period, gapBefore: index > 0 && !isShown(index - 1) }] : [],
  )
}

/** Finds the latest due day that is over on a day: one that moves to a business day before it. */
export function findLastOverdueDay(today: string): string {
  let day = addDays(today, -1)
  while (findBusinessDay(day) >= today) day = addDays(day, -1)
  return day
}
