import { stat } from 'node:fs/promises'
import { pollUntil } from '../api/support/poll-until.ts'
import { callMany } from './callers.ts'
import { type Figures, formatTable } from './figures.ts'
import { requireCharge } from './implementations.ts'
import type { Bench } from './main.ts'

/** Few enough that a busy machine answers all of them. */
const CALLERS = 3
/** Paid as often before, so that the dead rows of the first leave the space that those of the second use. */
const CHARGES = 1_000
/** Charges between two vacuums: autovacuum cleans a large table when a small part of its rows is dead. */
const CHARGES_PER_VACUUM = 100
const MOST_BYTES = 8_500
const MOST_WAL_BYTES = 25_000

/**
 * What PostgreSQL stores and logs for one charge that is paid and announced to one endpoint: sizes of tables with their
 * indexes after a vacuum, and the WAL since a checkpoint, with the pages that it holds whole, and without them.
 */
export async function storage(bench: Bench): Promise<Partial<Figures>> {
  const { site, say } = bench
  const { stage, local } = site
  const { token, uuid } = await stage.createMerchant({ providers: [{ balance: 1_000 }] })
  const api = site.api()
  await api.post('/api/v1/webhooks', token, { url: `${local.inbox_url}/storage`, events: ['PAYMENT'] })
  const countDelivered = async () => {
    const [row] = await stage.sql<{ n: string }>(
      `select count(*) as n from delivery d join webhook w on w.uuid = d.webhook_uuid
       where w.account_uuid = ? and d.status = 'DELIVERED'`,
      [uuid],
    )
    return Number(row!.n)
  }
  async function payAndAnnounce(count: number): Promise<void> {
    for (let paid = 0; paid < count; paid += CHARGES_PER_VACUUM) {
      await payBatch(CHARGES_PER_VACUUM)
      await stage.sql('vacuum')
    }
    await foldListCounters(bench)
  }
  async function payBatch(count: number): Promise<void> {
    const wanted = (await countDelivered()) + count
    await callMany(count, CALLERS, async () => {
      const { body } = await api.post('/api/v1/payments', token, { value: 10, type: 'PIX' })
      // A busy machine answers some before they are issued.
      const charge = await pollUntil(
        async () =>
          body.data.payment
            ? body.data
            : (await api.get(`/api/v1/payments/${body.data.uuid}`, token)).body.data,
        one => Boolean(one?.payment?.payload),
        { limitMs: 120_000, everyMs: 500 },
      )
      await stage.simulator.pay({ payload: charge.payment.payload })
    })
    await pollUntil(countDelivered, n => n >= wanted, { limitMs: 600_000, everyMs: 100 })
  }

  await stage.sql('create extension pg_walinspect')
  await payAndAnnounce(CHARGES)
  await stage.sql('vacuum')
  await stage.sql('checkpoint')
  const before = await readTables(site, null)
  const start = await readWalPosition(site)
  const temporalBytes = await readTemporalBytes(site)
  await payAndAnnounce(CHARGES)
  const temporalPerCharge = ((await readTemporalBytes(site)) - temporalBytes) / CHARGES
  const [wal] = await stage.sql<{ bytes: string; pages: string }>(
    `select pg_wal_lsn_diff(pg_current_wal_lsn(), ?::pg_lsn) as bytes, sum(fpi_size) as pages
     from pg_get_wal_stats(?::pg_lsn, pg_current_wal_lsn())`,
    [start, start],
  )
  await stage.sql('vacuum')
  const after = await readTables(site, start)

  const perCharge = (name: string, field: keyof TableSize) =>
    (after.get(name)![field] - (before.get(name)?.[field] ?? 0)) / CHARGES
  const rows = [...after.keys()].map(table => ({
    table,
    heap: perCharge(table, 'heap'),
    indexes: perCharge(table, 'indexes'),
    'WAL of rows': after.get(table)!.wal / CHARGES,
    'whole pages': after.get(table)!.pages / CHARGES,
    inserts: perCharge(table, 'inserts'),
    updates: perCharge(table, 'updates'),
    'of them HOT': perCharge(table, 'hotUpdates'),
  }))
  say(formatTable(rows.filter(row => row.heap + row.indexes + row['WAL of rows'] > 5)))
  const goal = (what: string, is: number, atMost: number) => ({ what, is, atMost, unit: 'bytes' })
  return {
    goals: [
      goal(
        'tables and indexes per paid charge',
        rows.reduce((sum, row) => sum + row.heap + row.indexes, 0),
        MOST_BYTES,
      ),
      goal('WAL per paid charge', Number(wal!.bytes) / CHARGES, MOST_WAL_BYTES),
    ],
    notes: [
      `WAL per paid charge without whole pages: ${Math.round((Number(wal!.bytes) - Number(wal!.pages)) / CHARGES)} bytes`,
      ...(temporalPerCharge > 0
        ? [`Temporal's SQLite per paid charge: ${Math.round(temporalPerCharge)} bytes`]
        : []),
      await measureBaseline(bench),
    ],
  }
}

/** Has the changes of list counters folded now, which their schedule does every two minutes. */
async function foldListCounters({ stage }: Bench): Promise<void> {
  const { schedule } = await stage.connectTemporal()
  await schedule.getHandle('tally').trigger()
  const countChanges = async () => {
    const [row] = await stage.sql<{ n: string }>('select count(*) as n from list_counter_change')
    return Number(row!.n)
  }
  await pollUntil(countChanges, n => n === 0, { limitMs: 60_000, everyMs: 100 })
}

async function measureBaseline({ site, stage, baseline, receivers }: Bench): Promise<string> {
  const token = await baseline.createMerchant([receivers.url('storage-baseline')])
  const payAndAnnounce = (count: number) =>
    callMany(count, CALLERS, async () => {
      const { uuid, payment } = await requireCharge(baseline, token)
      await stage.simulator.pay({ payload: payment.payload })
      await receivers.waitFor(uuid)
    })
  const read = async (since: string) => {
    const [row] = await stage.sql<{ bytes: string; wal: string }>(
      `select pg_database_size('bench_baseline') as bytes, pg_wal_lsn_diff(pg_current_wal_lsn(), ?::pg_lsn) as wal`,
      [since],
    )
    return row!
  }
  await payAndAnnounce(CHARGES)
  await stage.sql('checkpoint')
  const start = await readWalPosition(site)
  const before = await read(start)
  await payAndAnnounce(CHARGES)
  const after = await read(start)
  const bytes = (Number(after.bytes) - Number(before.bytes)) / CHARGES
  return `the baseline per paid charge: ${Math.round(bytes)} bytes of tables and indexes, ${Math.round(Number(after.wal) / CHARGES)} of WAL`
}

/** Size of the development server's database, with its write-ahead log; 0 where Temporal uses PostgreSQL. */
async function readTemporalBytes({ stack }: Bench['site']): Promise<number> {
  const files = [stack.home.temporalDatabase, `${stack.home.temporalDatabase}-wal`]
  const sizes = await Promise.all(
    files.map(file =>
      stat(file)
        .then(({ size }) => size)
        .catch(() => 0),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

type TableSize = Record<'heap' | 'indexes' | 'wal' | 'pages' | 'inserts' | 'updates' | 'hotUpdates', number>

async function readWalPosition({ stage }: Bench['site']): Promise<string> {
  const [row] = await stage.sql<{ at: string }>('select pg_current_wal_lsn() as at')
  return row!.at
}

async function readTables(
  { stage }: Bench['site'],
  walSince: string | null,
): Promise<Map<string, TableSize>> {
  await stage.sql('select pg_stat_force_next_flush()')
  const rows = await stage.sql<{ name: string } & Record<keyof TableSize, string>>(
    `with wal as (
       select coalesce(i.indrelid, c.oid) as table_oid, sum(record_length) filter (where block_id = 0) - sum(block_fpi_length) as wal,
         sum(block_fpi_length) as pages
       from pg_get_wal_block_info(?::pg_lsn, pg_current_wal_lsn(), false) b
       join pg_class c on c.relfilenode = b.relfilenode left join pg_index i on i.indexrelid = c.oid
       group by 1
     )
     select s.relname as name, pg_table_size(s.relid) as heap, pg_indexes_size(s.relid) as indexes,
       coalesce(wal.wal, 0) as wal, coalesce(wal.pages, 0) as pages,
       n_tup_ins as inserts, n_tup_upd as updates, n_tup_hot_upd as "hotUpdates"
     from pg_stat_user_tables s left join wal on wal.table_oid = s.relid order by 2 desc`,
    [walSince],
  )
  const sizes = rows.map(({ name, ...size }): [string, TableSize] => [
    name,
    Object.fromEntries(Object.entries(size).map(([key, value]) => [key, Number(value)])) as TableSize,
  ])
  return new Map(sizes)
}
