import { describe, expect, test } from '@jest/globals'
import { buildDayRange, buildListPage, newestFirstOptions } from '../../../src/api/operations/pagination.ts'
import { chargesQuery } from '../../../src/contract/charges/charge.ts'

const rows = (count: number) => Array.from({ length: count }, (_, index) => index)

describe('a page', () => {
  test.each([
    { name: 'first of several', page: 1, per_page: 15, total: 31, on: 15, from: 1, to: 15, last_page: 3 },
    { name: 'in the middle', page: 2, per_page: 15, total: 31, on: 15, from: 16, to: 30, last_page: 3 },
    { name: 'last, not full', page: 3, per_page: 15, total: 31, on: 1, from: 31, to: 31, last_page: 3 },
    { name: 'last, full', page: 2, per_page: 15, total: 30, on: 15, from: 16, to: 30, last_page: 2 },
    { name: 'past the end', page: 4, per_page: 15, total: 31, on: 0, from: 0, to: 0, last_page: 3 },
    { name: 'of an empty list', page: 1, per_page: 15, total: 0, on: 0, from: 0, to: 0, last_page: 1 },
    { name: 'of one each', page: 2, per_page: 1, total: 2, on: 1, from: 2, to: 2, last_page: 2 },
  ])('$name', ({ page, per_page, total, on, from, to, last_page }) => {
    expect(buildListPage({ page, per_page, total, rows: rows(on) })).toEqual({
      data: rows(on),
      meta: { current_page: page, from, last_page, per_page, to, total },
    })
  })

  test('starts after the previous pages', () => {
    expect(newestFirstOptions({ page: 3, per_page: 10 })).toMatchObject({ limit: 10, offset: 20 })
  })
})

describe('days', () => {
  test.each([
    { name: 'none', from: undefined, to: undefined, between: undefined },
    {
      name: 'one, both ends included',
      from: '2026-11-21',
      to: '2026-11-21',
      between: { $gte: new Date('2026-11-21T00:00:00Z'), $lt: new Date('2026-11-22T00:00:00Z') },
    },
    {
      name: 'over a leap day',
      from: undefined,
      to: '2028-02-28',
      between: { $lt: new Date('2028-02-29T00:00:00Z') },
    },
    {
      name: 'without an end',
      from: '2026-12-31',
      to: undefined,
      between: { $gte: new Date('2026-12-31T00:00:00Z') },
    },
  ])('$name', ({ from, to, between }) => {
    expect(buildDayRange({ from, to, timeZone: 'UTC' })).toEqual(between)
  })
})

test.each([
  ['10.5', 1050],
  ['10', 1000],
  ['0x10', undefined],
  ['1e1', undefined],
  [' ', undefined],
  ['', undefined],
  ['-1', undefined],
])('an amount in a query is written in plain digits: %j', (value_min, cents) => {
  expect(chargesQuery.safeParse({ value_min }).data?.value_min).toBe(cents)
})
