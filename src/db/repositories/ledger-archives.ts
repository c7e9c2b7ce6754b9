import { DAY } from '../../domain/shared/intervals.ts'
import type { EntityManager } from '../client/orm.ts'
import { selectValues } from '../select-values.ts'

/** Months of the ledger in the file storage: which are due, their lines, and the rows of `ledger_archive`. */

export type LedgerArchive = {
  /** `2026-10`; months are those of UTC. */
  month: string
  storageKey: string
  /** SHA-256 and size of the lines, before they are compressed. */
  sha256: string
  sizeBytes: number
  lineCount: number
}

const startOf = (month: string) => Date.parse(`${month}-01T00:00:00Z`)
const monthOf = (ms: number) => new Date(ms).toISOString().slice(0, 7)
/** The first moment of the next month. */
function endOf(month: string): number {
  const start = new Date(startOf(month))
  return Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1)
}

/** A line has the time at which its transaction began: a month gets no further one a day after its end. */
const CLOSING_MS = DAY

/** Lists the months that are over and not archived, from that of the first line on, the oldest first. */
export async function listMonthsToArchive(em: EntityManager, now: Date): Promise<string[]> {
  const [first] = await selectValues<Date | string>(em, 'select created_at from posting order by id limit 1')
  if (first === undefined) return []
  const archived = await selectValues<string>(em, `select to_char(month, 'YYYY-MM') from ledger_archive`)
  const months: string[] = []
  let month = monthOf(new Date(first).getTime())
  for (; endOf(month) + CLOSING_MS <= now.getTime(); month = monthOf(endOf(month)))
    if (!archived.includes(month)) months.push(month)
  return months
}

/**
 * A line of the ledger with the facts of its movement, as JSON: no name, no document and no PIX key, so that an erasure leaves
 * archives as they are.
 */
const LINE_SQL = `jsonb_build_object('id', p.id, 'line_uuid', p.uuid,
  'created_at', to_char(p.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'account_uuid', p.account_uuid,
  'provider_account_uuid', p.provider_account_uuid, 'type', p.type, 'bucket', p.bucket, 'cents', p.cents,
  'balance_cents', p.balance_cents, 'movement_uuid', p.movement_uuid, 'movement_type', m.movement_type,
  'movement_cents', m.value_cents, 'end_to_end', m.end_to_end, 'charge_uuid', m.charge_uuid, 'transfer_uuid', m.transfer_uuid,
  'refund_uuid', m.refund_uuid, 'dispute_uuid', m.dispute_uuid, 'original_uuid', m.original_uuid)::text`

/** Lines that one statement reads: between two of them other tasks of the process run. */
const LINES_PER_BATCH = 1_000

/** Reads the lines of a month as texts of JSON, of all accounts together, by their numbers. */
export async function* readMonthLines(em: EntityManager, month: string): AsyncGenerator<string> {
  const period = [new Date(startOf(month)), new Date(endOf(month))]
  // The count keeps PostgreSQL from looking for the first line in the order of the numbers, from the first line of all on.
  const [numbers] = await em.execute<{ first: string | null; last: string | null }[]>(
    `select (min(id) - 1)::text as first, max(id)::text as last, count(*) from posting where created_at >= ? and created_at < ?`,
    period,
  )
  for (let after = numbers?.first; after; ) {
    const rows = await em.execute<{ id: string; line: string }[]>(
      `select p.id::text as id, ${LINE_SQL} as line from (
         select * from posting where id > ?::bigint and id <= ?::bigint and created_at >= ? and created_at < ?
         order by id limit ${LINES_PER_BATCH}
       ) p join movement m on m.uuid = p.movement_uuid order by p.id`,
      [after, numbers!.last, ...period],
    )
    for (const { line } of rows) yield line
    after = rows.length < LINES_PER_BATCH ? undefined : rows.at(-1)!.id
  }
}

/** Stores that a month is archived; false where it was before. */
export async function insertLedgerArchive(em: EntityManager, archive: LedgerArchive): Promise<boolean> {
  const { month, storageKey, sha256, sizeBytes, lineCount } = archive
  const rows = await em.execute<object[]>(
    `insert into ledger_archive (month, storage_key, sha256, size_bytes, line_count) values (?, ?, ?, ?, ?)
     on conflict (month) do nothing returning month`,
    [`${month}-01`, storageKey, sha256, sizeBytes, lineCount],
  )
  return rows.length > 0
}

/** Lists the archived months, the oldest first. */
export function listLedgerArchives(em: EntityManager): Promise<(LedgerArchive & { archivedAt: Date })[]> {
  return em.execute(
    `select to_char(month, 'YYYY-MM') as month, storage_key as "storageKey", sha256, size_bytes::float8 as "sizeBytes",
       line_count as "lineCount", archived_at as "archivedAt" from ledger_archive order by month`,
  )
}
