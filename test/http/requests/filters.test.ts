import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { chargeRoutes } from '../../../src/api/charges/routes.ts'
import { disputeRoutes } from '../../../src/api/disputes/routes.ts'
import { eventRoutes } from '../../../src/api/events/routes.ts'
import { ledgerRoutes } from '../../../src/api/ledger/routes.ts'
import { buildCreationRange, buildListPage, readPage } from '../../../src/api/operations/pagination.ts'
import { transferRoutes } from '../../../src/api/transfers/routes.ts'
import { chargesQuery } from '../../../src/contract/charges/charge.ts'
import type { PageQuery } from '../../../src/contract/shared/fields.ts'
import {
  endOfDay,
  isTimeZone,
  listLastDays,
  momentOfLocalTime,
  startOfDay,
} from '../../../src/contract/shared/time-zone.ts'
import { recoverDeliveriesBody } from '../../../src/contract/webhooks/webhook-delivery.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

describe('date filters', () => {
  /** Dates for "from the beginning" and "without end": PostgreSQL and JavaScript write such years differently. */

  let fixture: ApiFixture
  let token: string
  beforeAll(async () => {
    fixture = await openApiFixture([chargeRoutes, transferRoutes, disputeRoutes, eventRoutes, ledgerRoutes])
    const account = await fixture.insertAccount()
    await fixture.insertTransfer(await fixture.insertConnection(account))
    token = await fixture.insertToken({ accountUuid: account })
  })
  afterAll(() => fixture?.close())

  const FILTERS = [
    ['payments', 'date'],
    ['payments', 'payment_date'],
    ['transfers', 'date'],
    ['transfers', 'transfer_date'],
    ['meds', 'date'],
    ['events', 'date'],
    ['ledger', 'date'],
  ] as const

  test.each(FILTERS)(
    '%s: the earliest and the latest %s find the same as a list without them',
    async (list, name) => {
      const all = await fixture.call('GET', `/api/v1/${list}`, { token })
      const query = `${name}_from=0001-01-01&${name}_to=9999-12-31`
      const response = await fixture.call('GET', `/api/v1/${list}?${query}`, { token })
      expect([all.status, response.status]).toEqual([200, 200])
      if (name === 'date') expect(response.body).toEqual(all.body)
    },
  )

  test.each(FILTERS)('%s: a %s in the year 0 is refused', async (list, name) => {
    for (const end of ['from', 'to']) {
      const { status, body } = await fixture.call('GET', `/api/v1/${list}?${name}_${end}=0000-12-31`, {
        token,
      })
      expect([status, Object.keys(body.errors)]).toEqual([422, [`${name}_${end}`]])
    }
  })

  test.each(FILTERS)(
    '%s: a last %s before the first one is refused, and an equal one is not',
    async (list, name) => {
      const read = (to: string) =>
        fixture.call('GET', `/api/v1/${list}?${name}_from=2026-03-02&${name}_to=${to}`, { token })
      const { status, body } = await read('2026-03-01')
      expect([status, body.errors]).toEqual([422, { [`${name}_to`]: ['must not be before the first day'] }])
      expect((await read('2026-03-02')).status).toBe(200)
    },
  )

  test('recovery from the year 0, which PostgreSQL does not know, is refused', () => {
    const accepted = (since: string) => recoverDeliveriesBody.safeParse({ since }).success
    expect(accepted('0001-01-01T00:00:00Z')).toBe(true)
    expect(accepted('0001-01-01T00:00:00+01:00')).toBe(false)
    expect(accepted('0000-12-31T00:00:00Z')).toBe(false)
  })
})

describe('time zone', () => {
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
      {
        name: 'on 31 December',
        day: '2026-12-31',
        zone: 'Pacific/Kiritimati',
        at: '2026-12-30T10:00:00.000Z',
      },
      { name: 'by half an hour', day: '2026-11-21', zone: 'Asia/Kolkata', at: '2026-11-20T18:30:00.000Z' },
      { name: 'on a leap day', day: '2028-02-29', zone: 'America/Sao_Paulo', at: '2028-02-29T03:00:00.000Z' },
      // Brazil set its clocks from 00:00 to 01:00, so that this day had 23 hours, and back from 00:00 to 23:00.
      {
        name: 'at one o’clock',
        day: '2018-11-04',
        zone: 'America/Sao_Paulo',
        at: '2018-11-04T03:00:00.000Z',
      },
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
})

describe('pagination', () => {
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
      expect(buildListPage({ query: { page, per_page }, total, rows: rows(on), nextCursor: null })).toEqual({
        data: rows(on),
        meta: { current_page: page, from, last_page, per_page, to, total, next_cursor: null },
      })
    })

    test('starts after the previous pages, and is read with one row more', async () => {
      const read: object[] = []
      const { data, meta } = await readPage({
        name: 'rows',
        query: { page: 3, per_page: 10 },
        count: () => 31,
        read: async range => {
          read.push(range)
          return created(11)
        },
      })
      expect(read).toEqual([{ limit: 11, offset: 20, after: undefined }])
      expect(data).toHaveLength(10)
      expect(meta).toMatchObject({ current_page: 3, total: 31, next_cursor: expect.any(String) })
    })
  })

  const created = (count: number) =>
    rows(count).map(index => ({ createdAt: new Date(1_000 - index), uuid: randomUUID() }))

  describe('a page by cursor', () => {
    const all = created(5)
    /** Reads a page of `all`, of which `after` says how many rows come before it. */
    const list = (query: PageQuery & { status?: string }, name = 'rows') =>
      readPage({
        name,
        query,
        count: () => {
          throw new Error('a page by cursor counts nothing')
        },
        read: async ({ limit, offset, after }) => {
          expect(offset).toBe(0)
          const start = after ? all.findIndex(({ uuid }) => uuid === after[1]) + 1 : 0
          if (after) expect(after[0]).toBe(all[start - 1]!.createdAt.toISOString())
          return all.slice(start, start + limit)
        },
      })
    const errorsOf = (page: Promise<unknown>) =>
      page.then(
        () => undefined,
        error => error.details.errors,
      )

    test.each([1, 2, 3, 5, 100])(
      'shows every row once, %i at a time, and null at the end',
      async per_page => {
        const foundRows = []
        for (let cursor: string | null = ''; cursor !== null; ) {
          const { data, meta } = await list({ per_page, cursor })
          foundRows.push(...data)
          expect(meta).toEqual({ per_page, next_cursor: meta.next_cursor })
          cursor = meta.next_cursor
        }
        expect(foundRows).toEqual(all)
      },
    )

    test('begins with 15 rows, or as many as the query names', async () => {
      expect((await list({ cursor: '' })).meta.per_page).toBe(15)
      expect((await list({ cursor: '', uuid: Array(40).fill('') })).meta.per_page).toBe(40)
    })

    test('may change its size, but not its filters, its list or its page', async () => {
      const { next_cursor } = (await list({ per_page: 1, cursor: '', status: 'PAID' })).meta
      const cursor = next_cursor!
      expect((await list({ per_page: 2, cursor, status: 'PAID' })).data).toEqual(all.slice(1, 3))
      for (const [query, message, name] of [
        [{ cursor, status: 'FAILED' }, 'must be sent with the filters of its list'],
        [{ cursor }, 'must be sent with the filters of its list'],
        [{ cursor, status: 'PAID' }, 'must be a cursor of this list', 'others'],
        [{ cursor, status: 'PAID', page: 1 }, 'must not be sent together with page'],
      ] as const)
        expect(await errorsOf(list(query, name))).toEqual({ cursor: [message] })
    })

    test('ends after 24 hours', async () => {
      const { next_cursor } = (await list({ per_page: 1, cursor: '' })).meta
      const [name, digest, expiresAt, position] = JSON.parse(
        Buffer.from(next_cursor!, 'base64url').toString(),
      )
      expect(expiresAt).toBeGreaterThan(Date.now() + 86_300_000)
      const expired = JSON.stringify([name, digest, Date.now(), position])
      const cursor = Buffer.from(expired).toString('base64url')
      expect(await errorsOf(list({ cursor }))).toEqual({ cursor: ['must be younger than 24 hours'] })
      for (const place of [['yesterday', position[1]], [position[0], '1'], [], [position[0]]]) {
        const forged = Buffer.from(JSON.stringify([name, digest, expiresAt, place])).toString('base64url')
        expect(await errorsOf(list({ cursor: forged }))).toEqual({
          cursor: ['must be empty or the `next_cursor` of a page'],
        })
      }
    })

    test.each(['x', 'null', 'bnVsbA', '%00', 'eyJhIjoxfQ'])('%j is none', async cursor => {
      expect(await errorsOf(list({ cursor }))).toEqual({
        cursor: ['must be empty or the `next_cursor` of a page'],
      })
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
      expect(buildCreationRange({ date_from: from, date_to: to })).toEqual(between)
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
})
