/**
 * Calendar of the days on which banks settle, from 2025 to 2030, as FEBRABAN publishes it: national holidays, Monday and Tuesday of
 * Carnival, Good Friday and Corpus Christi. Written out, apart from src/domain/charges/business-days.ts, so that an error there is not
 * repeated by the provider that the adapters are tested against. Days are `YYYY-MM-DD`.
 */
const HOLIDAYS: Record<string, readonly string[]> = {
  2025: ['03-03', '03-04', '04-18', '04-21', '05-01', '06-19', '09-07', '10-12', '11-02', '11-15', '11-20'],
  2026: ['02-16', '02-17', '04-03', '04-21', '05-01', '06-04', '09-07', '10-12', '11-02', '11-15', '11-20'],
  2027: ['02-08', '02-09', '03-26', '04-21', '05-01', '05-27', '09-07', '10-12', '11-02', '11-15', '11-20'],
  2028: ['02-28', '02-29', '04-14', '04-21', '05-01', '06-15', '09-07', '10-12', '11-02', '11-15', '11-20'],
  2029: ['02-12', '02-13', '03-30', '04-21', '05-01', '05-31', '09-07', '10-12', '11-02', '11-15', '11-20'],
  2030: ['03-04', '03-05', '04-19', '04-21', '05-01', '06-20', '09-07', '10-12', '11-02', '11-15', '11-20'],
}
const EVERY_YEAR = ['01-01', '12-25']

const DAY_MS = 86_400_000

export function isBankDay(day: string): boolean {
  const [year, monthDay] = [day.slice(0, 4), day.slice(5)]
  const isWeekend = [0, 6].includes(new Date(`${day}T12:00:00Z`).getUTCDay())
  return !isWeekend && !EVERY_YEAR.includes(monthDay) && !(HOLIDAYS[year] ?? []).includes(monthDay)
}

/** Moves a day to the next on which banks settle, unless it is one. */
export function moveToBankDay(day: string): string {
  let moved = day
  while (!isBankDay(moved)) moved = shiftDay(moved, 1)
  return moved
}

export function shiftDay(day: string, days: number): string {
  return new Date(Date.parse(`${day}T12:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)
}

/** Lists the days after one up to another, the latter included. */
export function listDaysAfter(after: string, until: string): string[] {
  const days: string[] = []
  for (let day = shiftDay(after, 1); day <= until; day = shiftDay(day, 1)) days.push(day)
  return days
}
