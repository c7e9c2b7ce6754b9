import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { buildCreationRange, buildListPage, readPage } from '../../../src/api/operations/pagination.ts'
import { chargesQuery } from '../../../src/contract/charges/charge.ts'
import type { PageQuery } from '../../../src/contract/shared/fields.ts'

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

  test.each([1, 2, 3, 5, 100])('shows every row once, %i at a time, and null at the end', async per_page => {
    const foundRows = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { data, meta } = await list({ per_page, cursor })
      foundRows.push(...data)
      expect(meta).toEqual({ per_page, next_cursor: meta.next_cursor })
      cursor = meta.next_cursor
    }
    expect(foundRows).toEqual(all)
  })

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
    const [name, digest, expiresAt, position] = JSON.parse(Buffer.from(next_cursor!, 'base64url').toString())
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
