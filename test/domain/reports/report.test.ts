import { describe, expect, test } from '@jest/globals'
import {
  computeReportRange,
  countReportDays,
  hasDayStarted,
  isPartialReport,
  type ReportEvent,
  reportMachine,
} from '../../../src/domain/reports/report.ts'

const EVENTS: ReportEvent[] = ['started', 'built', 'failed', 'removed']

describe('the states of a report', () => {
  test('are those of the table, and no others follow', () => {
    const steps = reportMachine.states.flatMap(state =>
      EVENTS.filter(event => reportMachine.accepts(state, event)).map(
        event => `${state} ${event} ${reportMachine.next(state, event)}`,
      ),
    )
    expect(steps).toEqual([
      'pending started building',
      'pending failed failed',
      'building built ready',
      'building failed failed',
      'ready removed expired',
    ])
    const refused = () => reportMachine.next('expired', 'built')
    expect(refused).toThrow('no built in state expired')
  })

  test('are shown as four statuses, of which the last two are final', () => {
    expect(
      reportMachine.states.map(state => [reportMachine.statusOf(state), reportMachine.isFinal(state)]),
    ).toEqual([
      ['PENDING', false],
      ['PENDING', false],
      ['READY', false],
      ['FAILED', true],
      ['EXPIRED', true],
    ])
  })
})

describe('the days of a report', () => {
  const days = { dateFrom: '2026-10-01', dateTo: '2026-10-31' }

  test('are those of Brasília, both included', () => {
    expect(computeReportRange(days)).toEqual({
      $gte: new Date('2026-10-01T03:00:00Z'),
      $lt: new Date('2026-11-01T03:00:00Z'),
    })
    expect(countReportDays(days)).toBe(31)
    expect(countReportDays({ dateFrom: '2026-10-01', dateTo: '2026-10-01' })).toBe(1)
  })

  test.each([
    ['2026-11-01T02:59:59.999Z', true],
    ['2026-11-01T03:04:59.999Z', true],
    ['2026-11-01T03:05:00Z', false],
    ['2027-01-01T00:00:00Z', false],
  ])('at %s are not all over: %s, for a transaction may have begun before their end', (at, isPartial) => {
    expect(isPartialReport(days, new Date(at))).toBe(isPartial)
  })

  test('begin at midnight in Brasília', () => {
    expect(hasDayStarted('2026-11-01', new Date('2026-11-01T02:59:59Z'))).toBe(false)
    expect(hasDayStarted('2026-11-01', new Date('2026-11-01T03:00:00Z'))).toBe(true)
  })
})
