/**
 * Calendar of the days on which banks settle. Sources: Resolution CMN 4.880 of 2020 (Saturdays, Sundays, national holidays, Monday and
 * Tuesday of Carnival, Good Friday and Corpus Christi are no business days) and the laws of the national holidays: 662 of 1949 with 10.607 of
 * 2002, 6.802 of 1980, and 14.759 of 2023 for 20 November. Holidays of states and municipalities are not in it: a provider takes them from
 * the payer's municipality. Days are `YYYY-MM-DD`.
 */

import { DAY } from '../shared/intervals.ts'

/** National holidays with a fixed day, and the first year of each where it is younger than PIX. */
const FIXED_HOLIDAYS: { monthDay: string; firstYear?: number }[] = [
  { monthDay: '01-01' },
  { monthDay: '04-21' },
  { monthDay: '05-01' },
  { monthDay: '09-07' },
  { monthDay: '10-12' },
  { monthDay: '11-02' },
  { monthDay: '11-15' },
  { monthDay: '11-20', firstYear: 2024 },
  { monthDay: '12-25' },
]

/** Days from Easter Sunday to Monday and Tuesday of Carnival, Good Friday and Corpus Christi. */
const DAYS_FROM_EASTER = [-48, -47, -2, 60]

/** Lists the national bank holidays of a year. */
export function listBankHolidays(year: number): string[] {
  const easter = findEaster(year)
  return [
    ...FIXED_HOLIDAYS.filter(({ firstYear }) => year >= (firstYear ?? year)).map(
      ({ monthDay }) => `${year}-${monthDay}`,
    ),
    ...DAYS_FROM_EASTER.map(days => addDays(easter, days)),
  ].sort()
}

/** Finds the first day on which banks settle: the day itself, or the next that is one. */
export function findBusinessDay(day: string): string {
  return isBusinessDay(day) ? day : findBusinessDay(addDays(day, 1))
}

/** Counts the business days after one day up to another, the latter included; 0 where it is not later. */
export function countBusinessDays(afterDay: string, untilDay: string): number {
  const days = Math.max(countDays(afterDay, untilDay), 0)
  const isCounted = (day: string) => afterDay < day && day <= untilDay && !isWeekend(day)
  let count = Math.floor(days / 7) * 5
  for (let offset = days % 7; offset > 0; offset -= 1)
    if (!isWeekend(addDays(untilDay, 1 - offset))) count += 1
  for (let year = readYear(afterDay); year <= readYear(untilDay); year += 1)
    count -= listBankHolidays(year).filter(isCounted).length
  return count
}

/** Counts the days from one day to another; negative where the other is earlier. */
export function countDays(fromDay: string, toDay: string): number {
  return (Date.parse(toDay) - Date.parse(fromDay)) / DAY
}

/** Returns the day that is a number of days later. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY).toISOString().slice(0, 10)
}

function isBusinessDay(day: string): boolean {
  return !isWeekend(day) && !listBankHolidays(readYear(day)).includes(day)
}

function isWeekend(day: string): boolean {
  const weekday = new Date(day).getUTCDay()
  return weekday === 0 || weekday === 6
}

function readYear(day: string): number {
  return Number(day.slice(0, 4))
}

/** Finds Easter Sunday of a year of the Gregorian calendar, by the rule of Meeus, Jones and Butcher. */
function findEaster(year: number): string {
  const century = Math.floor(year / 100)
  const yearOfCentury = year % 100
  const lunarYear = year % 19
  const moonCorrection = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3)
  const epact = (19 * lunarYear + century - Math.floor(century / 4) - moonCorrection + 15) % 30
  const daysToSunday =
    (32 + 2 * (century % 4) + 2 * Math.floor(yearOfCentury / 4) - epact - (yearOfCentury % 4)) % 7
  const lateMoon = Math.floor((lunarYear + 11 * epact + 22 * daysToSunday) / 451)
  const dayOfMarch = epact + daysToSunday - 7 * lateMoon + 22
  return addDays(`${year}-03-01`, dayOfMarch - 1)
}
