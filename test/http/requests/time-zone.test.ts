import { describe, expect, test } from '@jest/globals'
import {
  endOfDay,
  isTimeZone,
  listLastDays,
  momentOfLocalTime,
  startOfDay,
} from '../../../src/contract/shared/time-zone.ts'

/** When days begin and end in a time zone. */

describe('a day begins', () => {
  test.each([
    { name: 'in UTC', day: '2026-11-21', zone: 'UTC', at: '2026-11-21T00:00:00.000Z' },
    { name: 'in Brazil', day: '2026-11-21', zone: 'America/Sao_Paulo', at: '2026-11-21T03:00:00.000Z' },
    {
      name: 'by a name in any case',
      day: '2026-11-21',
      zone: 'america/sao_paulo',
      at: '2026-11-21T03:00:00.000Z',
    },
    { name: 'on New Year', day: '2027-01-01', zone: 'America/Sao_Paulo', at: '2027-01-01T03:00:00.000Z' },
    { name: 'on 31 December', day: '2026-12-31', zone: 'Pacific/Kiritimati', at: '2026-12-30T10:00:00.000Z' },
    { name: 'by half an hour', day: '2026-11-21', zone: 'Asia/Kolkata', at: '2026-11-20T18:30:00.000Z' },
    { name: 'on a leap day', day: '2028-02-29', zone: 'America/Sao_Paulo', at: '2028-02-29T03:00:00.000Z' },
    // Brazil set its clocks from 00:00 to 01:00, so that this day had 23 hours, and back from 00:00 to 23:00.
    { name: 'at one o’clock', day: '2018-11-04', zone: 'America/Sao_Paulo', at: '2018-11-04T03:00:00.000Z' },
    { name: 'an hour later', day: '2018-02-18', zone: 'America/Sao_Paulo', at: '2018-02-18T03:00:00.000Z' },
    { name: 'in summer', day: '2018-02-17', zone: 'America/Sao_Paulo', at: '2018-02-17T02:00:00.000Z' },
    // Cuba sets its clocks back from 01:00 to 00:00: there are two midnights, and the first one begins the day.
    {
      name: 'at the first midnight',
      day: '2026-11-01',
      zone: 'America/Havana',
      at: '2026-11-01T04:00:00.000Z',
    },
    {
      name: 'after the second midnight',
      day: '2026-11-02',
      zone: 'America/Havana',
      at: '2026-11-02T05:00:00.000Z',
    },
    {
      name: 'before clocks change by day',
      day: '2026-10-25',
      zone: 'Europe/Lisbon',
      at: '2026-10-24T23:00:00.000Z',
    },
    { name: 'after they have', day: '2026-10-26', zone: 'Europe/Lisbon', at: '2026-10-26T00:00:00.000Z' },
    // Toronto once set its clocks from 23:30 to 00:30.
    {
      name: 'within its first hour',
      day: '1919-03-31',
      zone: 'America/Toronto',
      at: '1919-03-31T04:30:00.000Z',
    },
    {
      name: 'by local mean time',
      day: '1900-01-01',
      zone: 'America/Sao_Paulo',
      at: '1900-01-01T03:06:28.000Z',
    },
    { name: 'in year 1', day: '0001-01-01', zone: 'Asia/Tokyo', at: '0001-01-01T00:00:00.000Z' },
    { name: 'in year 9999', day: '9999-12-31', zone: 'America/Sao_Paulo', at: '9999-12-31T03:00:00.000Z' },
  ])('$name', ({ day, zone, at }) => {
    expect(startOfDay(day, zone).toISOString()).toBe(at)
  })
})

test.each([
  ['2026-12-31', 'America/Sao_Paulo', '2027-01-01T03:00:00.000Z'],
  ['2018-11-03', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z'],
  ['9999-12-30', 'America/Sao_Paulo', '9999-12-31T03:00:00.000Z'],
  ['9999-12-31', 'America/Sao_Paulo', '9999-12-31T23:59:59.999Z'],
  ['9999-12-31', 'Pacific/Kiritimati', '9999-12-31T23:59:59.999Z'],
])('%s in %s ends at %s', (day, zone, at) => {
  expect(endOfDay(day, zone).toISOString()).toBe(at)
})

test('a day that a zone left out is empty', () => {
  // Samoa went from 29 to 31 December 2011.
  expect(endOfDay('2011-12-30', 'Pacific/Apia')).toEqual(startOfDay('2011-12-30', 'Pacific/Apia'))
})

test.each(['America/Sao_Paulo', 'America/Havana', 'Europe/Lisbon', 'Africa/Cairo', 'Australia/Lord_Howe'])(
  'every day ends where the next one begins in %s',
  zone => {
    const dateFormat = new Intl.DateTimeFormat('en-CA', { dateStyle: 'short', timeZone: zone })
    let at = startOfDay('2026-01-01', zone)
    for (let day = Date.parse('2026-01-01'); day < Date.parse('2027-01-01'); day += 86_400_000) {
      const name = new Date(day).toISOString().slice(0, 10)
      const next = endOfDay(name, zone)
      expect([dateFormat.format(at), dateFormat.format(next.getTime() - 1)]).toEqual([name, name])
      at = next
    }
  },
)

test.each([
  ['America/Sao_Paulo', true],
  ['Etc/GMT+3', true],
  ['utc', true],
  ['-03:00', false],
  ['+03', false],
  ['Brasilia', false],
  ['', false],
  ['UTC\0', false],
])('%j is an IANA time zone: %s', (name, is) => {
  expect(isTimeZone(name)).toBe(is)
})

test.each([
  ['2026-11-27T08:30', 'America/Sao_Paulo', '2026-11-27T11:30:00.000Z'],
  ['2026-11-27T00:00', 'America/Manaus', '2026-11-27T04:00:00.000Z'],
  ['2026-11-27T00:00', 'America/Noronha', '2026-11-27T02:00:00.000Z'],
  // New York set its clocks forward from 2:00 to 3:00, and back from 2:00 to 1:00.
  ['2026-03-08T02:30', 'America/New_York', '2026-03-08T07:00:00.000Z'],
  ['2026-11-01T01:30', 'America/New_York', '2026-11-01T05:30:00.000Z'],
])('%s in %s is %s', (text, zone, at) => {
  expect(momentOfLocalTime(text, zone).toISOString()).toBe(at)
})

test('the last days end with today, by the clocks of the zone', () => {
  const at = new Date('2026-03-01T03:30:00Z')
  const days = (zone: string) =>
    listLastDays(2, zone, at).map(({ day, beginsAt }) => [day, beginsAt.toISOString()])
  expect(days('America/Noronha')).toEqual([
    ['2026-02-28', '2026-02-28T02:00:00.000Z'],
    ['2026-03-01', '2026-03-01T02:00:00.000Z'],
  ])
  expect(days('America/Manaus')).toEqual([
    ['2026-02-27', '2026-02-27T04:00:00.000Z'],
    ['2026-02-28', '2026-02-28T04:00:00.000Z'],
  ])
})
