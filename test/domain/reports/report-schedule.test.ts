import { expect, test } from '@jest/globals'
import {
  findLastDueDay,
  findReportedDays,
  type ReportTimes,
} from '../../../src/domain/reports/report-schedule.ts'

const DAILY: ReportTimes = { frequency: 'DAILY', weekday: null, hour: 6 }
const MONDAYS: ReportTimes = { frequency: 'WEEKLY', weekday: 1, hour: 0 }
const SUNDAYS: ReportTimes = { frequency: 'WEEKLY', weekday: 7, hour: 23 }

const MONTHLY: ReportTimes = { frequency: 'MONTHLY', weekday: null, hour: 6 }

// 2026-11-30 is a Monday; Brasília is three hours behind UTC.
test.each([
  ['2026-11-30T09:04:59Z', DAILY, '2026-11-29'],
  ['2026-11-30T09:05:00Z', DAILY, '2026-11-30'],
  ['2026-12-01T09:04:59Z', DAILY, '2026-11-30'],
  ['2026-11-30T03:04:59Z', MONDAYS, '2026-11-23'],
  ['2026-11-30T03:05:00Z', MONDAYS, '2026-11-30'],
  ['2026-12-06T12:00:00Z', MONDAYS, '2026-11-30'],
  ['2026-12-07T02:04:59Z', SUNDAYS, '2026-11-29'],
  ['2026-12-07T02:05:00Z', SUNDAYS, '2026-12-06'],
  ['2026-12-01T09:04:59Z', MONTHLY, '2026-11-01'],
  ['2026-12-01T09:05:00Z', MONTHLY, '2026-12-01'],
  ['2027-01-01T09:04:59Z', MONTHLY, '2026-12-01'],
])('at %s the schedule %j was due last on %s', (at, times, day) => {
  expect(findLastDueDay(times, new Date(at))).toBe(day)
})

test('a daily report is of the day before, a weekly one of the seven days, a monthly one of the month', () => {
  expect(findReportedDays(DAILY, '2026-03-01')).toEqual({ dateFrom: '2026-02-28', dateTo: '2026-02-28' })
  expect(findReportedDays(MONDAYS, '2026-11-30')).toEqual({ dateFrom: '2026-11-23', dateTo: '2026-11-29' })
  expect(findReportedDays(MONTHLY, '2026-03-01')).toEqual({ dateFrom: '2026-02-01', dateTo: '2026-02-28' })
  expect(findReportedDays(MONTHLY, '2027-01-01')).toEqual({ dateFrom: '2026-12-01', dateTo: '2026-12-31' })
})
