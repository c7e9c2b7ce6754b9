import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { EntityManager } from '../../../src/db/client/orm.ts'
import {
  countProviderConnections,
  countRecentCalls,
  listRecentAttempts,
  MAX_COUNTED_CALLS,
} from '../../../src/db/repositories/provider-health.ts'
import { PREFLIGHT_CODES } from '../../../src/domain/payouts/unsent-code.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'

/** What operators count of the calls to providers, and how much PostgreSQL reads for it. */

let fixture: ApiFixture
let account: string
let connection: string
beforeAll(async () => {
  fixture = await openApiFixture([])
  account = await fixture.insertAccount()
  connection = await fixture.insertConnection(account)
})
afterAll(() => fixture?.close())
beforeEach(() => sql('delete from attempt'))

const sql = <Row extends object>(statement: string, values: unknown[] = []) =>
  fixture.orm.em.fork().execute<Row[]>(statement, values)

type StoredCalls = {
  state: string
  code?: string | null
  operation?: string
  count?: number
  secondsAgo?: number
  tookMs?: number
  at?: string
}

/** Inserts attempts of the latest minute, or of so many seconds ago, each of which took so long. */
function insertCalls({ state, operation = 'issue', ...call }: StoredCalls) {
  const { code = null, count = 1, secondsAgo = 60, tookMs = 0, at = connection } = call
  return sql(
    `insert into attempt (uuid, operation, subject_uuid, connection_uuid, provider_account_uuid, position, state, code,
       created_at, updated_at)
     select gen_random_uuid(), ?, gen_random_uuid(), uuid, provider_account_uuid, 0, ?, ?, start.at,
       start.at + ? * interval '1 millisecond'
     from connection cross join generate_series(1, ?) n
     cross join lateral (select date_trunc('milliseconds', now()) - (? + n * 0.01) * interval '1 second' as at) start
     where uuid = ?`,
    [operation, state, code, tookMs, count, secondsAgo, at],
  )
}

const countCalls = () => countRecentCalls(fixture.orm.em.fork())

describe('the calls of a provider', () => {
  test.each([
    ['a charge that was issued', { state: 'accepted' }, { accepted: 1 }],
    ['a documented refusal', { state: 'rejected', code: 'AC03' }, { refused: 1 }],
    ['an orphan after HTTP 5xx', { state: 'orphan', code: 'http_500' }, { serverErrors: 1 }],
    ['an orphan that was removed since', { state: 'closed', code: 'http_503' }, { serverErrors: 1 }],
    ['an orphan after a timeout', { state: 'orphan', code: 'timeout' }, { timeouts: 1 }],
    ['a charge that another provider issued first', { state: 'orphan' }, { timeouts: 1 }],
    [
      'a payout with an unknown outcome',
      { state: 'unknown', code: 'unreadable_answer', operation: 'transfer' },
      { otherFailures: 1 },
    ],
    ['a provider that was not reached', { state: 'unreachable', code: 'dns_failed' }, { otherFailures: 1 }],
  ] as const)('count %s once', async (_, call, counted) => {
    await insertCalls(call)
    const none = { accepted: 0, refused: 0, serverErrors: 0, timeouts: 0, otherFailures: 0 }
    expect(await countCalls()).toMatchObject([15, 60].map(minutes => ({ minutes, ...none, ...counted })))
  })

  test('do not count one under way, nor one that the service did not make', async () => {
    await insertCalls({ state: 'calling' })
    for (const code of PREFLIGHT_CODES) await insertCalls({ state: 'unreachable', code })
    expect(await countCalls()).toEqual([])
    expect(await listRecentAttempts(fixture.orm.em.fork(), {})).toHaveLength(1)
  })

  test('are counted by kind of order and period, with the median of those that were accepted', async () => {
    for (const tookMs of [100, 300, 5_000]) await insertCalls({ state: 'accepted', tookMs })
    await insertCalls({ state: 'settled', operation: 'transfer', tookMs: 7_000, secondsAgo: 20 * 60 })
    await insertCalls({ state: 'accepted', count: 4, secondsAgo: 61 * 60 })
    expect(await countCalls()).toMatchObject([
      { operation: 'issue', minutes: 15, accepted: 3, medianMs: 300 },
      { operation: 'issue', minutes: 60, accepted: 3, medianMs: 300 },
      { operation: 'transfer', minutes: 60, accepted: 1, medianMs: 7_000 },
    ])
  })

  test('name those without a useful answer after the last one that had it', async () => {
    await insertCalls({ state: 'orphan', code: 'http_500', count: 3, secondsAgo: 40 * 60 })
    await insertCalls({ state: 'rejected', code: 'AC03', secondsAgo: 30 * 60 })
    await insertCalls({ state: 'orphan', code: 'http_500', count: 2, secondsAgo: 20 * 60 })
    const [hour] = await countCalls()
    expect(hour).toMatchObject({ minutes: 60, serverErrors: 5, failedInARow: 2 })
    expect(Date.now() - Date.parse(hour!.failingSince!)).toBeGreaterThan(19 * 60_000)
    expect(Date.now() - Date.parse(hour!.failingSince!)).toBeLessThan(29 * 60_000)
    expect(hour!.failedConnections).toEqual([connection])
  })

  test('are told apart by mode', async () => {
    const live = await fixture.insertConnection(account, { isSimulated: false })
    await insertCalls({ state: 'accepted', at: live })
    await insertCalls({ state: 'orphan', code: 'http_500' })
    const periods = await countCalls()
    expect(periods.map(one => [one.isSimulated, one.accepted, one.serverErrors])).toEqual([
      ...[false, false].map(isSimulated => [isSimulated, 1, 0]),
      ...[true, true].map(isSimulated => [isSimulated, 0, 1]),
    ])
    await sql('delete from attempt')
    await sql('delete from connection where uuid = ?', [live])
  })
})

test('the connections of a provider are counted with their open breakers and pauses', async () => {
  const other = await fixture.insertConnection(account)
  await fixture.insertConnection(account, { status: 'INACTIVE' })
  await sql(`insert into circuit_breaker (connection_uuid, opened_at) values (?, now())`, [other])
  await sql(
    `insert into pause (uuid, connection_uuid, reach, reason, actor) values (?, ?, 'money_out', 'r', 'a')`,
    [randomUUID(), connection],
  )
  const read = () => countProviderConnections(fixture.orm.em.fork())
  const counts = { provider: 'PROVIDER_A', isSimulated: true, connections: 2, openCircuits: 1 }
  expect(await read()).toEqual([{ ...counts, pausedIn: 0, pausedOut: 1 }])
  await sql(
    `insert into pause (uuid, account_uuid, reach, reason, actor) values (?, ?, 'everything', 'r', 'a')`,
    [randomUUID(), account],
  )
  expect(await read()).toEqual([{ ...counts, pausedIn: 2, pausedOut: 2 }])
})

type PlanNode = {
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Rows': number
  Plans?: PlanNode[]
}

test.each([
  ['counting the calls', (em: EntityManager) => countRecentCalls(em)],
  ['listing the attempts', (em: EntityManager) => listRecentAttempts(em, { isFailed: true })],
])('%s reads the latest attempts of a connection by their index, however many there are', async (_, read) => {
  await insertCalls({ state: 'accepted', count: 3_000 })
  await insertCalls({ state: 'accepted', count: 3_000, secondsAgo: 3 * 3_600 })
  await sql('analyze attempt')
  const [statement, values] = read({
    execute: (text: string, given: unknown[]) => [text, given],
  } as never) as unknown as [string, unknown[]]
  const [row] = await sql<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (analyze, format json) ${statement}`,
    values,
  )
  const scans: PlanNode[] = []
  const visit = (node: PlanNode) => {
    if (node['Relation Name'] === 'attempt') scans.push(node)
    for (const plan of node.Plans ?? []) visit(plan)
  }
  visit(row!['QUERY PLAN'][0].Plan)
  expect(scans.map(scan => scan['Index Name'])).toEqual(['attempt_of_connection'])
  expect(Math.max(...scans.map(scan => scan['Actual Rows']))).toBeLessThanOrEqual(MAX_COUNTED_CALLS)
})
