import { describe, expect, test } from '@jest/globals'
import {
  addDays,
  countBusinessDays,
  findBusinessDay,
  listBankHolidays,
} from '../../../src/domain/charges/business-days.ts'

describe('the national bank holidays', () => {
  test('of a year with 20 November', () => {
    expect(listBankHolidays(2026)).toEqual([
      '2026-01-01',
      '2026-02-16',
      '2026-02-17',
      '2026-04-03',
      '2026-04-21',
      '2026-05-01',
      '2026-06-04',
      '2026-09-07',
      '2026-10-12',
      '2026-11-02',
      '2026-11-15',
      '2026-11-20',
      '2026-12-25',
    ])
  })

  test('do not include 20 November before 2024', () => {
    expect(listBankHolidays(2023)).not.toContain('2023-11-20')
    expect(listBankHolidays(2024)).toContain('2024-11-20')
  })

  test.each([
    ['2020-04-12'],
    ['2024-03-31'],
    ['2025-04-20'],
    ['2027-03-28'],
    ['2030-04-21'],
    ['2038-04-25'],
    ['2049-04-18'],
    ['2076-04-19'],
  ])('Good Friday is two days before Easter Sunday %s', easter => {
    const goodFriday = new Date(Date.parse(easter) - 2 * 86_400_000).toISOString().slice(0, 10)
    expect(listBankHolidays(Number(easter.slice(0, 4)))).toContain(goodFriday)
  })
})

describe('business days', () => {
  test.each([
    ['a Tuesday', '2026-06-09', '2026-06-09'],
    ['a Saturday', '2026-06-06', '2026-06-08'],
    ['a Sunday', '2026-06-07', '2026-06-08'],
    ['Good Friday', '2026-04-03', '2026-04-06'],
    ['Saturday before Carnival', '2026-02-14', '2026-02-18'],
    ['Christmas on a Friday', '2020-12-25', '2020-12-28'],
    ['the last day of a year', '2020-12-31', '2020-12-31'],
    ['29 February of a leap year', '2028-02-29', '2028-03-01'],
  ])('the first on or after %s', (_name, day, expected) => {
    expect(findBusinessDay(day)).toBe(expected)
  })

  test.each([
    ['a week', '2026-06-08', '2026-06-15', 5],
    ['a weekend', '2026-06-05', '2026-06-07', 0],
    ['Friday to Monday', '2026-06-05', '2026-06-08', 1],
    ['over Corpus Christi', '2026-06-03', '2026-06-05', 1],
    ['the same day', '2026-06-08', '2026-06-08', 0],
    ['backwards', '2026-06-15', '2026-06-08', 0],
  ])('counted over %s', (_name, after, until, expected) => {
    expect(countBusinessDays(after, until)).toBe(expected)
  })

  test('counted over two years are those found one by one', () => {
    const days = Array.from({ length: 800 }, (_, offset) => addDays('2027-11-30', offset))
    const found = days.map(day => findBusinessDay(day) === day)
    for (const [index, day] of days.entries())
      expect(countBusinessDays(days[0]!, day)).toBe(found.slice(1, index + 1).filter(Boolean).length)
  })
})
