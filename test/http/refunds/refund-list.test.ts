import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { chargeRoutes } from '../../../src/api/charges/routes.ts'
import { refundRoutes } from '../../../src/api/refunds/routes.ts'
import type { RefundState } from '../../../src/domain/refunds/refund.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { bookingSql } from '../support/row-inserters.ts'

/** GET /refunds: each filter combined with each other one, on numbered pages and by cursor. */

const LIST = '/api/v1/refunds'
const STATUS_BY_STATE = {
  sending: 'PROCESSING',
  settling: 'PROCESSING',
  settled: 'COMPLETED',
  failed: 'FAILED',
}
const STATES: RefundState[] = ['sending', 'settled', 'failed', 'settling']
/** Around 31 December in UTC, in São Paulo (UTC-3) and in Kiritimati (UTC+14). */
const TIMES = [
  '2026-12-30T09:59:59.999Z',
  '2026-12-31T00:00:00.000Z',
  '2026-12-31T10:00:00.000Z',
  '2027-01-01T00:00:00.000Z',
  '2027-01-01T02:59:59.999Z',
  '2027-01-01T03:00:00.000Z',
]

type Row = { uuid: string; state: RefundState; connection: string; at: string }

let fixture: ApiFixture
let token: string
let connections: string[]
/** Newest first, as the list has them. */
let rows: Row[]
beforeAll(async () => {
  fixture = await openApiFixture([chargeRoutes, refundRoutes])
  const account = await fixture.insertAccount()
  connections = [
    await fixture.insertConnection(account),
    await fixture.insertConnection(account, { provider: 'PROVIDER_B' }),
  ]
  token = await fixture.insertToken({ accountUuid: account })
  rows = TIMES.flatMap((at, time) =>
    STATES.map((state, number) => ({
      uuid: randomUUID(),
      state,
      at,
      connection: connections[(time + number) % 2]!,
    })),
  )
  for (const row of rows) await insertRefund(row)
  rows.sort((one, other) => (one.at + one.uuid < other.at + other.uuid ? 1 : -1))
})
afterAll(() => fixture?.close())

const get = (query: Record<string, string>) =>
  fixture.call('GET', `${LIST}?${new URLSearchParams(query)}`, { token })

type Filter = { query: Record<string, string>; selects(row: Row, dayOf: (at: string) => string): boolean }

/** Each filter with its values; built when the rows are there. */
const listFilters = (): Record<string, Filter[]> => ({
  uuid: [
    {
      query: { uuid: `${rows[1]!.uuid},${rows[8]!.uuid.toUpperCase()},${rows[20]!.uuid},${randomUUID()}` },
      selects: ({ uuid }) => [rows[1]!.uuid, rows[8]!.uuid, rows[20]!.uuid].includes(uuid),
    },
  ],
  status: ['PROCESSING', 'completed', 'FAILED,COMPLETED'].map(status => ({
    query: { status },
    selects: ({ state }: Row) => status.toUpperCase().split(',').includes(STATUS_BY_STATE[state]),
  })),
  date_from: ['2026-12-31', '2027-01-01'].map(day => ({
    query: { date_from: day },
    selects: ({ at }, dayOf) => dayOf(at) >= day,
  })),
  date_to: ['2026-12-30', '2026-12-31'].map(day => ({
    query: { date_to: day },
    selects: ({ at }, dayOf) => dayOf(at) <= day,
  })),
  provider_uuid: [...connections, randomUUID()].map(uuid => ({
    query: { provider_uuid: uuid },
    selects: ({ connection }: Row) => connection === uuid,
  })),
})

const PAIRS = ['uuid', 'status', 'date_from', 'date_to', 'provider_uuid'].flatMap((one, index, names) =>
  names.slice(index).map(other => [one, other] as const),
)

test.each(PAIRS)('%s and %s select the same rows on each kind of page', async (one, other) => {
  const filters = listFilters()
  const hasDays = one.startsWith('date') || other.startsWith('date')
  for (const zone of hasDays ? ['UTC', 'America/Sao_Paulo', 'Pacific/Kiritimati'] : ['UTC']) {
    const days = new Intl.DateTimeFormat('en-CA', { dateStyle: 'short', timeZone: zone })
    const dayOf = (at: string) => days.format(new Date(at))
    for (const first of filters[one]!)
      for (const second of one === other ? [first] : filters[other]!) {
        const query: Record<string, string> = { ...first.query, ...second.query, time_zone: zone }
        const { date_from = '', date_to = date_from } = query
        if (date_from > date_to) continue // Refused.
        const expectedRefunds = rows
          .filter(row => first.selects(row, dayOf) && second.selects(row, dayOf))
          .map(({ uuid }) => uuid)
        expect({ query, ...(await readNumbered(query)) }).toEqual({
          query,
          wanted: expectedRefunds,
          total: expectedRefunds.length,
        })
        expect({ query, wanted: await readByCursor(query) }).toEqual({ query, wanted: expectedRefunds })
      }
  }
})

/** Reads all numbered pages, of seven rows. */
async function readNumbered(query: Record<string, string>) {
  const expectedRefunds: string[] = []
  for (let page = 1, last = 1; ; page += 1) {
    const { body } = await get({ ...query, per_page: '7', page: String(page) })
    expectedRefunds.push(...body.data.map(({ uuid }: Row) => uuid))
    last = body.meta.last_page
    if (page >= last) return { wanted: expectedRefunds, total: body.meta.total }
  }
}

/** Reads all pages by cursor, of five rows. */
async function readByCursor(query: Record<string, string>): Promise<string[]> {
  const foundRefunds: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await get({ ...query, per_page: '5', cursor })
    foundRefunds.push(...body.data.map(({ uuid }: Row) => uuid))
    cursor = body.meta.next_cursor
  }
  return foundRefunds
}

test('charge_uuid selects the refunds of one charge', async () => {
  const { body } = await get({ per_page: '100' })
  const { charge_uuid } = body.data[3]
  const expectedRefunds = body.data.filter((one: { charge_uuid: string }) => one.charge_uuid === charge_uuid)
  const foundRefunds = await get({ per_page: '100', charge_uuid })
  expect([foundRefunds.body.data, foundRefunds.body.meta.total]).toEqual([
    expectedRefunds,
    expectedRefunds.length,
  ])
  expect((await get({ charge_uuid: randomUUID() })).body.data).toEqual([])
})

test('a refund shows its status, its charge and its provider', async () => {
  const { body } = await get({ per_page: '100' })
  const shownRefunds = body.data.map((one: { uuid: string; status: string; provider: { uuid: string } }) => [
    one.uuid,
    one.status,
    one.provider.uuid,
  ])
  expect(shownRefunds).toEqual(
    rows.map(({ uuid, state, connection }) => [uuid, STATUS_BY_STATE[state], connection]),
  )
})

describe('422 names the field:', () => {
  const nextCursor = async (query: Record<string, string> = {}) =>
    (await get({ ...query, per_page: '1', cursor: '' })).body.meta.next_cursor as string
  const rewrite = (cursor: string, change: (parts: unknown[]) => unknown[]) =>
    Buffer.from(JSON.stringify(change(JSON.parse(Buffer.from(cursor, 'base64url').toString())))).toString(
      'base64url',
    )

  test.each<[what: string, field: string, query: () => Promise<Record<string, string>>]>([
    [
      'a cursor of the charges',
      'cursor',
      async () => {
        const charges = await fixture.call('GET', '/api/v1/payments?per_page=1&cursor=', { token })
        return { cursor: charges.body.meta.next_cursor }
      },
    ],
    [
      'a cursor of the refunds of a charge',
      'cursor',
      async () => ({
        cursor: rewrite(await nextCursor(), ([, ...rest]) => [`refunds of ${randomUUID()}`, ...rest]),
      }),
    ],
    [
      'an expired cursor',
      'cursor',
      async () => ({
        cursor: rewrite(await nextCursor(), ([name, filters, , place]) => [name, filters, Date.now(), place]),
      }),
    ],
    [
      'a cursor of a year that PostgreSQL does not know',
      'cursor',
      async () => ({
        cursor: rewrite(await nextCursor(), ([name, filters, expiry]) => [
          ...[name, filters, expiry],
          ['0000-01-01T00:00:00.000Z', randomUUID()],
        ]),
      }),
    ],
    [
      'a cursor of other filters',
      'cursor',
      async () => ({ cursor: await nextCursor({ status: 'FAILED' }), status: 'COMPLETED' }),
    ],
    ['a cursor with a page', 'cursor', async () => ({ cursor: await nextCursor(), page: '2' })],
    ['a cursor that is none', 'cursor', async () => ({ cursor: 'next' })],
    ['an unknown zone', 'time_zone', async () => ({ time_zone: 'America/Brasilia' })],
    ['an offset as zone', 'time_zone', async () => ({ time_zone: '-03:00' })],
    ['a day that does not exist', 'date_from', async () => ({ date_from: '2026-02-29' })],
    ['a day with a time', 'date_to', async () => ({ date_to: '2026-12-31T00:00:00Z' })],
    ['an unknown status', 'status.0', async () => ({ status: 'PAID' })],
    ['no uuid', 'uuid.1', async () => ({ uuid: `${randomUUID()},1` })],
    ['101 uuids', 'uuid', async () => ({ uuid: Array.from({ length: 101 }, () => randomUUID()).join() })],
    ['no uuid of a provider', 'provider_uuid', async () => ({ provider_uuid: 'PROVIDER_A' })],
    ['101 rows', 'per_page', async () => ({ per_page: '101' })],
    ['page 0', 'page', async () => ({ page: '0' })],
    ['a parameter of other lists', 'external_ref', async () => ({ external_ref: 'order-1' })],
  ])('%s: %s', async (_what, field, query) => {
    const { status, body } = await get(await query())
    expect([status, Object.keys(body.errors ?? {})]).toEqual([422, [field]])
  })
})

test.each([
  ['status', 'status.0', 'must be one of PROCESSING, COMPLETED, FAILED'],
  ['uuid', 'uuid.0', 'must be a UUID'],
  ['date_from', 'date_from', 'must be a date, such as 2026-11-21'],
])('an empty %s is not missing, and has one error', async (name, field, message) => {
  expect((await get({ [name]: '' })).body.errors).toEqual({ [field]: [message] })
})

/** A charge with one refund in a state. */
async function insertRefund({ uuid, state, connection, at }: Row): Promise<void> {
  const [charge, received, returning] = [randomUUID(), randomUUID(), randomUUID()]
  const isRunning = state === 'sending' || state === 'settling'
  const em = fixture.orm.em.fork()
  const from = 'from connection where uuid = ?'
  await em.execute(
    `with made as (
       insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents,
         status, settled_at, created_at, updated_at)
       select ?, account_uuid, provider_account_uuid, uuid, 'EXTERNAL_TRANSFER', 'IN', 100, 'SETTLED', now(), now(), now()
       ${from} returning *
     ) ${bookingSql()}`,
    [received, connection],
  )
  await em.execute(
    `insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents,
       status, created_at, updated_at)
     select ?, account_uuid, provider_account_uuid, uuid, 'EXTERNAL_REFUND', 'OUT', 40, 'PENDING', now(), now() ${from}`,
    [returning, connection],
  )
  await em.execute(
    `with paid as (
       insert into charge (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, total_cents,
         received_cents, refunding_cents, refunded_cents, payload, movement_uuid, payment_uuid, expires_in_seconds, request_id,
         fingerprint, created_at, updated_at)
       select ?, account_uuid, uuid, provider_account_uuid, ?, 100, 100, 100, ?, ?, 'p', ?, ?, 3600, 'r', 'f', ?, now()
       ${from} returning *
     )
     insert into refund (uuid, charge_uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents,
       movement_uuid, request_id, fingerprint, created_at, updated_at)
     select ?, uuid, account_uuid, connection_uuid, provider_account_uuid, ?, 40, ?, 'r', 'f', ?, now() from paid`,
    [
      ...[charge, isRunning ? 'refunding' : state === 'settled' ? 'partially_refunded' : 'paid'],
      ...[isRunning ? 40 : 0, state === 'settled' ? 40 : 0, received, randomUUID(), at, connection],
      ...[uuid, state, returning, at],
    ],
  )
}
