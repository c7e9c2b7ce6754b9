import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createAccount } from '../../src/admin/accounts.ts'
import { createConnection } from '../../src/admin/connections.ts'
import { openOrm } from '../../src/db/client/orm.ts'
import { REPORT_FORMATS, type ReportDays } from '../../src/domain/reports/report.ts'
import type { Sealer } from '../../src/security/sealing.ts'
import type { ReportCost, ReportOrder } from './build-report.ts'
import type { Figures, Goal } from './figures.ts'
import type { Bench } from './main.ts'

const LINES = 1_000_000
const MOST_SECONDS = 60
const MOST_MIB = 350
const LINES_PER_STATEMENT = 100_000
/** The days that the lines are spread over. */
const DAYS: ReportDays = { dateFrom: '2026-01-01', dateTo: '2026-04-02' }

type Database = { databaseUrl: string; sealer: Sealer }

/** A report of a million lines in each format: how long a worker builds it, and the memory of its process at most. */
export async function reports({ site, say }: Pick<Bench, 'site' | 'say'>): Promise<Partial<Figures>> {
  const databaseUrl = site.local.database_url
  const accountUuid = await writeLines({ databaseUrl, sealer: site.stage.seal })
  const goals: Goal[] = []
  for (const format of REPORT_FORMATS) {
    const order: ReportOrder = { databaseUrl, accountUuid, format, ...DAYS }
    const program = join(import.meta.dirname, 'build-report.ts')
    const { stdout } = await promisify(execFile)(process.execPath, [program, JSON.stringify(order)])
    const { lines, seconds, peakMib }: ReportCost = JSON.parse(stdout)
    say(`${format}: ${lines} lines in ${seconds.toFixed(1)} s, at most ${peakMib.toFixed(0)} MiB`)
    const what = `a report of ${lines} lines as ${format}`
    goals.push({ what, is: seconds, atMost: MOST_SECONDS, unit: 's' })
    goals.push({ what: `${what}, memory of its process`, is: peakMib, atMost: MOST_MIB, unit: 'MiB' })
  }
  return { goals }
}

/** Writes the lines of a new account, deposits of R$ 1.00, without triggers. */
async function writeLines({ databaseUrl, sealer }: Database): Promise<string> {
  // No statement of a request is as long as these.
  const orm = await openOrm({ databaseUrl, poolSize: 1, statementMs: null })
  try {
    const em = orm.em.fork()
    const { uuid: accountUuid } = await createAccount(em, { name: 'Loja', document: '11222333000181' })
    const connection = await createConnection(em, sealer, {
      accountUuid,
      provider: 'PROVIDER_A',
      providerAccount: randomUUID(),
      dialect: 'efi',
      type: 'NOMINAL',
      isSimulated: true,
      baseUrl: 'https://127.0.0.1',
      credentials: {},
      collectionKey: randomUUID(),
    })
    // The pool has one connection, whose setting this is.
    await em.execute('set session_replication_role = replica')
    for (let from = 1; from <= LINES; from += LINES_PER_STATEMENT)
      await em.execute(WRITE_LINES_SQL, [from, from + LINES_PER_STATEMENT - 1, LINES, connection.uuid])
    await em.execute('set session_replication_role = origin')
    await em.execute('vacuum (analyze) posting, movement')
    return accountUuid
  } finally {
    await orm.close()
  }
}

const PARTY = `'{"name":"Maria da Silva","document":"52998224725"}'::jsonb`

const WRITE_LINES_SQL = `
with made as (
  select n, gen_random_uuid() as uuid, c.uuid as connection_uuid, c.account_uuid, c.provider_account_uuid,
    timestamptz '2026-01-01 03:00Z' + interval '92 days' * ((n - 1)::float8 / total) as at
  from (select ?::bigint as first, ?::bigint as last, ?::bigint as total, ?::uuid as connection) given
  join connection c on c.uuid = given.connection
  cross join lateral generate_series(first, last) as n
), moved as (
  insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents, status,
    reason, end_to_end, sender, receiver, settled_at, created_at, updated_at)
  select uuid, account_uuid, provider_account_uuid, connection_uuid, 'EXTERNAL_TRANSFER', 'IN', 100, 'SETTLED', 'deposit',
    'E' || lpad(n::text, 31, '0'), ${PARTY}, ${PARTY}, at, at, at from made
)
insert into posting (movement_uuid, account_uuid, provider_account_uuid, type, bucket, operation, cents, balance_cents, created_at)
select uuid, account_uuid, provider_account_uuid, 'EXTERNAL_TRANSFER', bucket, 'D', sign * 100, sign * 100 * n, at
from made cross join (values ('outside', -1), ('available', 1)) as leg (bucket, sign) order by n, sign`
