import type { z } from 'zod'
import type { pageMeta } from '../../contract/shared/fields.ts'
import { endOfDay, startOfDay } from '../../contract/shared/time-zone.ts'
import type { OptionalSqlCondition } from '../../db/sql-conditions.ts'

/** Pages and day filters of lists (SPEC §1). */

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

/** Days of a list's query: from one (`YYYY-MM-DD`) to another, both included, as the time zone's clocks have them. */
export type DayFilter = { from: string | undefined; to: string | undefined; timeZone: string }

/** Returns the days of creation that the query of a list selects. */
export function createdDaysOf({
  date_from: from,
  date_to: to,
  time_zone: timeZone = 'UTC',
}: {
  date_from?: string | undefined
  date_to?: string | undefined
  time_zone?: string | undefined
}): DayFilter {
  return { from, to, timeZone }
}

/** A time range: from a moment on, and up to another, exclusive. */
export type TimeRange = { $gte?: Date; $lt?: Date }

/** Builds the time range of days; undefined without either. */
export function buildDayRange({ from, to, timeZone }: DayFilter): TimeRange | undefined {
  if (from === undefined && to === undefined) return undefined
  return {
    ...(from !== undefined && { $gte: startOfDay(from, timeZone) }),
    ...(to !== undefined && { $lt: endOfDay(to, timeZone) }),
  }
}

/**
 * Builds the conditions of a range of days on a column. Rows paid or settled before a moment were created before it
 * too, within the clock difference of two machines: PostgreSQL then need not scan from today for a page of long ago.
 */
export function buildDayConditions(
  column: 'created_at' | 'paid_at' | 'settled_at',
  days: DayFilter,
): OptionalSqlCondition[] {
  const { $gte, $lt } = buildDayRange(days) ?? {}
  return [
    $gte && [`${column} >= ?`, $gte],
    $lt && [`${column} < ?`, $lt],
    $lt && column !== 'created_at' && ["created_at < ?::timestamptz + interval '1 day'", $lt],
  ]
}
