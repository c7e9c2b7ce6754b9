import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { CallerToken } from '../../../src/api/authorization/authenticate.ts'
import { listCharges } from '../../../src/api/operations/charges.ts'
import { listLedgerLines } from '../../../src/api/operations/ledger.ts'
import { listTransfers } from '../../../src/api/operations/transfers.ts'
import { chargesQuery } from '../../../src/contract/charges/charge.ts'
import { ledgerQuery } from '../../../src/contract/ledger/ledger-line.ts'
import { transfersQuery } from '../../../src/contract/transfers/transfer.ts'
import type { EntityManager } from '../../../src/db/client/orm.ts'
import { DAY, HOUR } from '../../../src/domain/shared/intervals.ts'
import { createSeededRandom } from '../../domain/support/seeded-random.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { openCapturedOrm } from '../support/postgres-messages.ts'

/**
 * Filters whose rows are not near in the order of their list: days of payment or settlement, and operations of ledger
 * lines. Each page has exactly their rows; those by days read few others, wherever in the list.
 */

let fixture: ApiFixture
beforeAll(async () => {
  fixture = await openApiFixture([])
  // The rows of this suite are not posted.
  await fixture.orm.em.fork().execute('alter table movement disable trigger movement_booked')
})
afterAll(() => fixture?.close())

type Page = { data: { uuid: string }[]; meta: { next_cursor: string | null } }
type List = (em: EntityManager, query: object) => Promise<Page>

async function readAll(list: List, query: object): Promise<string[]> {
  const found: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const page: Page = await list(fixture.orm.em.fork(), { ...query, per_page: '20', cursor })
    found.push(...page.data.map(({ uuid }) => uuid))
    cursor = page.meta.next_cursor
  }
  return found
}

async function insertAccount(): Promise<{ token: CallerToken; connection: string }> {
  const accountUuid = await fixture.insertAccount()
  const connection = await fixture.insertConnection(accountUuid)
  return { token: { accountUuid, connectionUuid: null } as CallerToken, connection }
}

const NOUNS = {
  charge: {
    movement: `'IN'`,
    columns: `state, value_cents, total_cents, received_cents, payment_uuid, payload, expires_in_seconds, paid_at`,
    values: `'paid', 100, 100, 100, gen_random_uuid(), '000201', 3600`,
    list: (token: CallerToken) => (em: EntityManager, query: object) =>
      listCharges(em, token, chargesQuery.parse(query)),
    from: 'payment_date_from',
    to: 'payment_date_to',
  },
  transfer: {
    movement: `'OUT'`,
    columns: 'state, value_cents, pix_key, settled_at',
    values: `'paid', 100, 'maria@example.com'`,
    list: (token: CallerToken) => (em: EntityManager, query: object) =>
      listTransfers(em, token, transfersQuery.parse(query)),
    from: 'transfer_date_from',
    to: 'transfer_date_to',
  },
} as const

/** Inserts rows of `series` (SQL of `created_at` and `delay`), and returns them, the newest first. */
function insertRows(noun: keyof typeof NOUNS, connection: string, series: string, values: unknown[]) {
  const { movement, columns, values: constants } = NOUNS[noun]
  return fixture.orm.em.fork().execute<{ uuid: string; done: number }[]>(
    `with made as materialized (
         select gen_random_uuid() as movement_uuid, c.uuid as connection_uuid, c.account_uuid, c.provider_account_uuid, s.*
         from connection c, (${series}) s where c.uuid = ?
       ), moved as (
         insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents,
           status, settled_at, created_at, updated_at)
         select movement_uuid, account_uuid, provider_account_uuid, connection_uuid, 'EXTERNAL_TRANSFER', ${movement}, 100,
           'SETTLED', created_at, created_at, created_at from made
       ), written as (
         insert into ${noun} (uuid, account_uuid, connection_uuid, provider_account_uuid, movement_uuid, ${columns}, request_id,
           fingerprint, created_at, updated_at)
         select gen_random_uuid(), account_uuid, connection_uuid, provider_account_uuid, movement_uuid, ${constants},
           created_at + delay, 'r', 'f', created_at, created_at from made
         returning *
       )
       select uuid, extract(epoch from ${noun === 'charge' ? 'paid_at' : 'settled_at'})::float8 * 1000 as done
       from written order by created_at desc, uuid desc`,
    [...values, connection],
  )
}

describe.each(['charge', 'transfer'] as const)('%ss by days of payment or settlement', noun => {
  const { list: listOf, from, to } = NOUNS[noun]

  test('are those of the days, however long after their creation, or before it', async () => {
    const { token, connection } = await insertAccount()
    const { upTo } = createSeededRandom(7)
    const begin = Date.parse('2026-01-01T00:00:00Z')
    const delays = [-2 * HOUR, -1, 0, 1, HOUR - 1, HOUR, DAY - 1, DAY, 8 * DAY, 64 * DAY, 200 * DAY]
    const times = Array.from({ length: 90 }, () => ({
      created_at: new Date(begin + upTo(80) * 6 * HOUR),
      delay: delays[upTo(delays.length - 1)]! + upTo(2) * 7 * HOUR,
    }))
    const rows = await insertRows(
      noun,
      connection,
      `select created_at, delay * interval '1 ms' as delay
       from jsonb_to_recordset(?::jsonb) as t (created_at timestamptz, delay float8)`,
      [JSON.stringify(times)],
    )
    const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)
    for (let step = 0; step < 12; step += 1) {
      const first = upTo(4) > 0 ? dayOf(begin + upTo(30) * DAY) : undefined
      const last = upTo(4) > 0 || !first ? dayOf(begin + upTo(100) * DAY) : undefined
      const wanted = rows
        .filter(({ done }) => (first ?? '') <= dayOf(done) && dayOf(done) <= (last ?? '9'))
        .map(({ uuid }) => uuid)
      const query = { [from]: first, [to]: last }
      expect({ query, found: await readAll(listOf(token), query) }).toEqual({ query, found: wanted })
      const { meta } = await listOf(token)(fixture.orm.em.fork(), { ...query, per_page: '1' })
      expect(meta).toMatchObject({ total: wanted.length })
    }
    const earliest = { [from]: '0001-01-01', [to]: '9999-12-31' }
    expect(await readAll(listOf(token), earliest)).toHaveLength(rows.length)
  })

  test('are found without reading others, on the first page as on the last', async () => {
    const { token, connection } = await insertAccount()
    // A year: one of thirty is paid or settled a week later.
    await insertRows(
      noun,
      connection,
      `select timestamptz '2025-01-01' + n * interval '3 hours' as created_at,
         case when n % 30 = 0 then interval '7 days' else interval '5 minutes' end as delay
       from generate_series(1, 2920) n`,
      [],
    )
    await fixture.orm.em.fork().execute(`vacuum (analyze) ${noun}`)
    const days = { [from]: '2025-05-01', [to]: '2025-05-31' }
    const whole = await readAll(listOf(token), days)
    expect(whole.length).toBeGreaterThan(200)
    const list = listOf(token)
    for (const cursor of ['', await findLastCursor(list, days)])
      expect(await countReadRows(list, { ...days, per_page: '7', cursor }, noun)).toBeLessThan(
        whole.length + 20,
      )
  })

  test('are read in the order of the list where they are many, so that a page reads few rows', async () => {
    const { token, connection } = await insertAccount()
    await insertRows(
      noun,
      connection,
      `select timestamptz '2025-01-01' + n * interval '3 hours' as created_at, interval '5 minutes' as delay
       from generate_series(1, 2920) n`,
      [],
    )
    await fixture.orm.em.fork().execute(`vacuum (analyze) ${noun}`)
    const year = { [from]: '2025-01-01', [to]: '2026-01-01', per_page: '7', cursor: '' }
    expect(await countReadRows(listOf(token), year, noun)).toBeLessThan(100)
  })
})

async function findLastCursor(list: List, query: object): Promise<string> {
  let cursor = ''
  for (;;) {
    const { meta } = await list(fixture.orm.em.fork(), { ...query, per_page: '20', cursor })
    if (meta.next_cursor === null) return cursor
    cursor = meta.next_cursor
  }
}

type PlanNode = {
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: PlanNode[]
}

/** Counts the rows of a table that the page of a list reads, those that a filter leaves out included. */
async function countReadRows(list: List, query: object, table: string): Promise<number> {
  const { orm, captured, close } = await openCapturedOrm(fixture.config.databaseUrl)
  try {
    await list(orm.em.fork(), query)
    const statement = captured.statements.find(text => text.includes(`from ${table} `))
    const [explained] = await fixture.orm.em
      .fork()
      .execute<{ 'QUERY PLAN': { Plan: PlanNode }[] }[]>(`explain (analyze, format json) ${statement}`)
    const count = (node: PlanNode): number => {
      const rows = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
      const own = node['Relation Name'] === table ? rows : 0
      return (node.Plans ?? []).reduce((sum, child) => sum + count(child), own)
    }
    return count(explained!['QUERY PLAN'][0]!.Plan)
  } finally {
    await close()
  }
}

describe('ledger lines by operation', () => {
  const KINDS = {
    DEPOSIT: `'EXTERNAL_TRANSFER', 'deposit'`,
    PROVIDER_ENTRY: `'EXTERNAL_REFUND', 'panel_return'`,
    RETURN: `'EXTERNAL_REFUND', null`,
  } as const
  const days = { date_from: '2026-01-01', date_to: '2026-01-31' }
  const listOf = (token: CallerToken) => (em: EntityManager, query: object) =>
    listLedgerLines(em, token, ledgerQuery.parse({ ...query, ...days }))

  /** Books lines of one kind on a day of January; each has a number above those before. */
  const insertLines = (connection: string, kind: keyof typeof KINDS, { count = 1, day = 1 } = {}) =>
    fixture.orm.em.fork().execute<{ uuid: string }[]>(
      `with made as (
         insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, reason, movement_type,
           value_cents, status, settled_at, created_at, updated_at)
         select gen_random_uuid(), account_uuid, provider_account_uuid, uuid, ${KINDS[kind]}, 'IN', 100, 'SETTLED', now(), now(),
           now()
         from connection, generate_series(1, ?) where uuid = ? returning *
       ), posted as (
         insert into posting (movement_uuid, account_uuid, provider_account_uuid, type, bucket, cents, balance_cents,
           created_at)
         select uuid, account_uuid, provider_account_uuid, type, bucket, cents, 100, make_timestamptz(2026, 1, ?, 12, 0, 0)
         from made cross join (values ('outside', -100), ('available', 100)) as leg (bucket, cents)
       )
       select uuid from made`,
      [count, connection, day],
    )

  test('are those of the operations, in the order of the statement, also once a deposit is a charge', async () => {
    const { token, connection } = await insertAccount()
    const { upTo } = createSeededRandom(3)
    const names = ['DEPOSIT', 'RETURN', 'PROVIDER_ENTRY'] as const
    const lines: { uuid: string; kind: string }[] = []
    for (let line = 0; line < 40; line += 1) {
      const kind = names[upTo(2)]!
      const [made] = await insertLines(connection, kind)
      lines.unshift({ uuid: made!.uuid, kind })
    }
    const charge = await fixture.insertCharge(connection)
    const paying = lines.find(({ kind }) => kind === 'DEPOSIT')!
    await fixture.orm.em
      .fork()
      .execute('update movement set charge_uuid = ? where uuid = ?', [charge, paying.uuid])
    paying.kind = 'CHARGE'
    for (const types of [
      ...['DEPOSIT', 'RETURN', 'CHARGE', 'TRANSFER', 'RETURN,PROVIDER_ENTRY', 'CHARGE,RETURN'],
      'DEPOSIT,RETURN,PROVIDER_ENTRY,RETURN',
    ]) {
      const wanted = lines.filter(({ kind }) => types.split(',').includes(kind)).map(({ uuid }) => uuid)
      const query = { operation_type: types }
      expect({ types, found: await readAll(listOf(token), query) }).toEqual({
        types,
        found: wanted,
      })
      const { meta } = await listOf(token)(fixture.orm.em.fork(), { ...query, per_page: '1' })
      expect(meta).toMatchObject({ total: wanted.length })
    }
  })
})
