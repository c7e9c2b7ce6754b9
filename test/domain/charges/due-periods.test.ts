import { describe, expect, test } from '@jest/globals'
import {
  findLastOverdueDay,
  listDuePeriods,
  selectDuePeriods,
} from '../../../src/domain/charges/due-periods.ts'
import type { DueTerms } from '../../../src/domain/charges/due-terms.ts'

const TERMS: DueTerms = {
  on: '2026-06-09',
  payableDaysAfter: 30,
  fine: { type: 'PERCENTAGE', basisPoints: 200 },
  interest: null,
  abatement: null,
  discount: { kind: 'until', steps: [{ type: 'FIXED', cents: 500, on: '2026-06-01' }] },
}

describe('the days on which a charge costs the same', () => {
  test('are one period until a discount, one until the due day, and one after it', () => {
    const periods = listDuePeriods(10_000, TERMS, '2026-05-20')
    expect(periods.map(({ fromDay, toDay, amount }) => [fromDay, toDay, amount.totalCents])).toEqual([
      ['2026-05-20', '2026-06-01', 9_500],
      ['2026-06-02', '2026-06-09', 10_000],
      ['2026-06-10', '2026-07-09', 10_200],
    ])
  })

  test('are each day of interest', () => {
    const interest = { type: 'PERCENTAGE', basisPoints: 33, per: 'DAY', days: 'CALENDAR' } as const
    const periods = listDuePeriods(10_000, { ...TERMS, interest }, '2026-06-05')
    expect(periods).toHaveLength(31)
    const shown = selectDuePeriods(periods, TERMS, { before: 1, after: 2 })
    expect(shown.map(({ toDay, gapBefore }) => [toDay, gapBefore])).toEqual([
      ['2026-06-09', false],
      ['2026-06-10', false],
      ['2026-06-11', false],
      ['2026-07-09', true],
    ])
  })

  test('begin at most a year before the due day', () => {
    const [first] = listDuePeriods(10_000, TERMS, '2020-01-01')
    expect(first?.fromDay).toBe('2025-06-08')
  })

  test('are none after the last payable day', () => {
    expect(listDuePeriods(10_000, TERMS, '2026-07-10')).toEqual([])
    expect(selectDuePeriods([], TERMS)).toEqual([])
  })
})

describe('the latest overdue due day', () => {
  test.each([
    ['of a Tuesday is Monday', '2026-06-09', '2026-06-08'],
    ['of a Sunday is Friday', '2026-06-07', '2026-06-05'],
    ['of a Monday is Friday', '2026-06-08', '2026-06-05'],
    ['of the day after Corpus Christi is the day before it', '2026-06-05', '2026-06-03'],
  ])('%s', (_name, today, expected) => {
    expect(findLastOverdueDay(today)).toBe(expected)
  })
})
