import type { z } from 'zod'
import type { pageMeta } from '../../contract/shared/fields.ts'
import type { OptionalSqlCondition } from '../../db/sql-conditions.ts'

/** Pages and day filters of lists (SPEC §1). */

const DAY_MS = 86_400_000

type PageQuery = { page: number; per_page: number }

/**
 * Builds the response of a list: `from` and `to` count from 1 and are 0 on an empty page, `last_page` is at least 1.
 */
export function buildListPage<Row>({
  page,
  per_page,
  total,
  rows,
}: PageQuery & { total: number; rows: Row[] }): { data: Row[]; meta: z.output<typeof pageMeta> } {
  const before = computePageOffset({ page, per_page })
  return {
    data: rows,
    meta: {
      current_page: page,
      from: rows.length === 0 ? 0 : before + 1,
      last_page: Math.max(1, Math.ceil(total / per_page)),
      per_page,
      to: rows.length === 0 ? 0 : before + rows.length,
      total,
    },
  }
}

/** Returns the options of `em.findAndCount` for one page, newest first: by `created_at`, then `uuid`. */
export function newestFirstOptions({ page, per_page }: PageQuery) {
  const orderBy = [{ createdAt: 'desc' as const }, { uuid: 'desc' as const }]
  return { limit: per_page, offset: computePageOffset({ page, per_page }), orderBy }
}

/** Computes the number of rows before a page. */
export function computePageOffset({ page, per_page }: PageQuery): number {
  return (page - 1) * per_page
}

/** Builds the time range of UTC days from one (`YYYY-MM-DD`) to another, both included; undefined without either. */
export function buildDayRange(
  from: string | undefined,
  to: string | undefined,
): { $gte?: Date; $lt?: Date } | undefined {
  if (from === undefined && to === undefined) return undefined
  return {
    ...(from !== undefined && { $gte: new Date(`${from}T00:00:00Z`) }),
    ...(to !== undefined && { $lt: addOneDay(new Date(`${to}T00:00:00Z`)) }),
  }
}

/** Adds a day, up to the year 9999: people write `9999-12-31` for "without end". */
function addOneDay(at: Date): Date {
  return new Date(Math.min(at.getTime() + DAY_MS, LATEST_TIME_MS))
}

const LATEST_TIME_MS = Date.parse('9999-12-31T23:59:59.999Z')

/**
 * Builds the conditions of a range of UTC days on a column. Rows paid or settled before a moment were created before it
 * too, within the clock difference of two machines: PostgreSQL then need not scan from today for a page of long ago.
 */
export function buildDayConditions(
  column: 'created_at' | 'paid_at' | 'settled_at',
  from: string | undefined,
  to: string | undefined,
): OptionalSqlCondition[] {
  const { $gte, $lt } = buildDayRange(from, to) ?? {}
  return [
    $gte && [`${column} >= ?`, $gte],
    $lt && [`${column} < ?`, $lt],
    $lt && column !== 'created_at' && ['created_at < ?', addOneDay($lt)],
  ]
}
