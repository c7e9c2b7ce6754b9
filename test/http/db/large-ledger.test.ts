import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openReportContent } from '../../../src/activities/reports/content.ts'
import { pruneEvents } from '../../../src/activities/webhooks/prune-events.ts'
import type { CallerToken } from '../../../src/api/authorization/authenticate.ts'
import { listLedgerLines, readLedgerBalances } from '../../../src/api/operations/ledger.ts'
import { ledgerBalancesQuery } from '../../../src/contract/ledger/ledger-balances.ts'
import { ledgerQuery } from '../../../src/contract/ledger/ledger-line.ts'
import { listLastDays } from '../../../src/contract/shared/time-zone.ts'
import { OPERATION_CODES } from '../../../src/db/ledger/operation-types.ts'
import { findDailyVolumes } from '../../../src/db/repositories/account-statistics.ts'
import { readDatabaseGauges } from '../../../src/db/repositories/database-gauges.ts'
import { listMonthsToArchive, readMonthLines } from '../../../src/db/repositories/ledger-archives.ts'
import { foldListCounters } from '../../../src/db/repositories/list-counters.ts'
import { listUnfinishedRows } from '../../../src/db/repositories/lost-workflows.ts'
import { DEFAULT_TIME_ZONE } from '../../../src/domain/shared/time-zone.ts'
import { openActivityFixture } from '../../chaos/support/activity-fixture.ts'
import { openTestOrm } from '../../support/orm.ts'
import { createScriptedMerchant } from '../support/scripted-statement.ts'

/**
 * With 200,000 lines of the ledger, of two years, no list, sweep or report reads what it does not show (docs/decisions/0004-partitions.md);
 * `npm run test:nightly` has ten times as many.
 */

const LINES = Number(process.env.TRILHO_TEST_LEDGER_LINES ?? 200_000)
/** Movements of each account, with two lines each: one large account, and others. */
const MOVEMENTS = [0.25, 0.05, 0.05, 0.05, 0.05, 0.05].map(share => share * LINES)
const DAYS = 730
const DAY_MS = 86_400_000
const dateAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10)
const LONG_AGO = { date_from: dateAgo(400), date_to: dateAgo(371) }

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
let large: Awaited<ReturnType<typeof createScriptedMerchant>>
let small: Awaited<ReturnType<typeof createScriptedMerchant>>
beforeAll(async () => {
  fixture = await openActivityFixture()
  const merchants = []
  for (const _ of MOVEMENTS) merchants.push(await createScriptedMerchant(fixture, 0))
  ;[large, small] = [merchants[0]!, merchants[1]!]
  const writer = await openTestOrm({ databaseUrl: fixture.databaseUrl, poolSize: 1, statementMs: null })
  const sql = (text: string, values: unknown[] = []) => writer.em.fork().execute(text, values)
  // Without triggers: what they hold is not what is read here.
  await sql('set session_replication_role = replica')
  for (const [place, { connectionUuid }] of merchants.entries())
    await sql(
      `insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents, status,
         end_to_end, settled_at, created_at, updated_at)
       select gen_random_uuid(), c.account_uuid, c.provider_account_uuid, c.uuid, 'EXTERNAL_TRANSFER', 'IN', 100, 'SETTLED',
         'E' || lpad(n::text, 31, '0'), at, at, at
       from connection c, generate_series(1, ?::int) n,
         lateral (select now() - interval '1 minute' - interval '${DAYS} days' * (1 - n / ?::float8) as at) t where c.uuid = ?`,
      [MOVEMENTS[place], MOVEMENTS[place], connectionUuid],
    )
  await sql(
    `insert into posting (movement_uuid, account_uuid, provider_account_uuid, type, bucket, operation, cents, balance_cents, created_at)
     select uuid, account_uuid, provider_account_uuid, type, bucket, '${OPERATION_CODES.CHARGE}', sign * 100, sign * 100, created_at
     from movement, (values ('available', 1), ('outside', -1)) as leg (bucket, sign) order by created_at, uuid`,
  )
  await sql('vacuum (analyze) movement')
  await sql('vacuum (analyze) posting')
  await writer.close()
})
afterAll(() => fixture?.close())

test(`the ledger has ${LINES} lines`, async () => {
  const [row] = await fixture.sql<{ count: number }>('select count(*)::int as count from posting')
  expect(row!.count).toBe(LINES)
})

/** More than the pool has: each of its sessions reports what it has read. */
const SESSIONS = 24

/** Counts the rows and entries of indexes of the ledger that were read so far: whole tables, and by indexes. */
async function countReads(): Promise<{ whole: number; indexed: number }> {
  const flush = 'select pg_stat_force_next_flush(), pg_sleep(0.1)'
  await Promise.all(Array.from({ length: SESSIONS }, () => fixture.sql(flush)))
  const [row] = await fixture.sql<{ whole: number; indexed: number }>(
    `select (select sum(seq_tup_read)::float8 from pg_stat_user_tables where relname in ('movement', 'posting')) as whole,
       (select sum(idx_tup_read)::float8 from pg_stat_user_indexes where relname in ('movement', 'posting')) as indexed`,
  )
  return row!
}

const token = () =>
  ({ accountUuid: large.accountUuid, connectionUuid: null, modeScope: 'test' }) as CallerToken
const em = () => fixture.orm.em.fork()
const listLines = (query: object) => listLedgerLines(em(), token(), ledgerQuery.parse(query))
async function exhaust(lines: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of lines);
}
async function listOldPage(query: object): Promise<void> {
  const { meta } = await listLines({ ...query, cursor: '' })
  await listLines({ ...query, cursor: meta.next_cursor })
}

/**
 * Most entries that a read of one page or one sum may take from indexes, and one of the lines of a month. A report may read one index of
 * its account once: PostgreSQL may look for the first and the last line of its days in the order of the lines.
 */
const [PAGE, MONTH, ACCOUNT] = [2_000, 0.2 * LINES, 0.5 * LINES]

const READS: [name: string, most: number, read: () => Promise<unknown>][] = [
  ['the newest page of the statement', PAGE, () => listLines({})],
  ['a page of days long ago', PAGE, () => listOldPage(LONG_AGO)],
  ['a page of a type that no line has', PAGE, () => listLines({ type: 'FEE' })],
  ['a page of an operation', PAGE, () => listLines({ operation_type: 'REFUND', ...LONG_AGO })],
  [
    'the balances of a month',
    MONTH,
    () => readLedgerBalances(em(), token(), ledgerBalancesQuery.parse(LONG_AGO)),
  ],
  [
    'the volumes of the last days',
    MONTH,
    () =>
      findDailyVolumes(em(), {
        accountUuid: large.accountUuid,
        isSimulated: true,
        days: listLastDays(14, DEFAULT_TIME_ZONE),
      }),
  ],
  [
    'a report of a month',
    ACCOUNT,
    async () => {
      const terms = {
        accountUuid: large.accountUuid,
        connectionUuid: null,
        isSimulated: true,
        kind: 'LEDGER',
        format: 'CSV',
      }
      const days = { dateFrom: LONG_AGO.date_from, dateTo: LONG_AGO.date_to, decimalMark: 'POINT' }
      await exhaust((await openReportContent(em(), { ...terms, ...days } as never, new Date())).stream)
    },
  ],
  ['the archive of a month', MONTH, () => exhaust(readMonthLines(em(), LONG_AGO.date_from.slice(0, 7)))],
  ['the months to archive', PAGE, () => listMonthsToArchive(em(), new Date())],
  ['a comparison with a statement', MONTH, () => small.look()],
  [
    'the sweep of returns',
    PAGE,
    () => listUnfinishedRows(em(), 'return', { until: new Date(), after: undefined, limit: 100 }),
  ],
  ['the deletion of old rows', PAGE, () => pruneEvents({ orm: fixture.orm } as never)()],
  ['the counters of lists', PAGE, () => foldListCounters(fixture.orm)],
  ['the gauges', PAGE, () => readDatabaseGauges(em())],
]

test.each(READS)('%s reads no more of the ledger than it shows', async (_, most, read) => {
  const before = await countReads()
  await read()
  const after = await countReads()
  // A lookup in a small table may take its first rows from its beginning.
  expect(after.whole - before.whole).toBeLessThan(100)
  expect(after.indexed - before.indexed).toBeLessThan(most)
})
