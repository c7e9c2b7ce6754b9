import { addDays } from '../charges/business-days.ts'
import { computeBrasiliaDay } from '../shared/brasilia-day.ts'
import { HOUR } from '../shared/intervals.ts'
import { CLOSING_DELAY_MS, type ReportDays } from './report.ts'

/** Schedules of reports: each orders a report of the days before, every day, every week or every month. */

export const REPORT_FREQUENCIES = ['DAILY', 'WEEKLY', 'MONTHLY'] as const

/** When a report is ordered, by the clocks of Brasília. `weekday`: of WEEKLY, from 1 for Monday to 7. */
export type ReportTimes = {
  frequency: (typeof REPORT_FREQUENCIES)[number]
  weekday?: number | null | undefined
  hour: number
}

/** Most schedules of an account. */
export const MAX_REPORT_SCHEDULES = 20

const DAYS_OF_WEEK = 7

/**
 * Finds the day on which a schedule was due last, at a moment: it is due a little after its hour, when the days before do not change
 * any more.
 */
export function findLastDueDay({ frequency, weekday, hour }: ReportTimes, at: Date): string {
  const day = computeBrasiliaDay(new Date(at.getTime() - hour * HOUR - CLOSING_DELAY_MS))
  if (frequency === 'MONTHLY') return findFirstDayOfMonth(day)
  if (!weekday) return day
  const dayOfWeek = new Date(day).getUTCDay()
  return addDays(day, -((dayOfWeek - weekday + DAYS_OF_WEEK) % DAYS_OF_WEEK))
}

/** Lists the first and the last day of the report that is due on a day: the day, the seven days or the month before. */
export function findReportedDays({ frequency, weekday }: ReportTimes, dueDay: string): ReportDays {
  const dateTo = addDays(dueDay, -1)
  if (frequency === 'MONTHLY') return { dateFrom: findFirstDayOfMonth(dateTo), dateTo }
  return { dateFrom: weekday ? addDays(dueDay, -DAYS_OF_WEEK) : dateTo, dateTo }
}

const findFirstDayOfMonth = (day: string) => `${day.slice(0, 'YYYY-MM'.length)}-01`
