import type { OptionalSqlCondition } from '../../db/sql-conditions.ts'

/** SPEC §1, pages and day filters. */

const DAY_MS = 86_400_000

export type ListPage<Row> = {
  data: Row[]
  meta: {
    current_page: number
    from: number
    last_page: number
    per_page: number
    to: number
    total: number
  }
}

/** A list's answer: `from` and `to` count from 1 and are 0 on an empty page, `last_page` is at least 1. */
export function buildListPage<Row>({
  page,
  per_page,
  total,
  rows,
}: {
  page: number
  per_page: number
  total: number
  rows: Row[]
}): ListPage<Row> {
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

/** `created_at`, then `uuid`. */
export const NEWEST_FIRST = [{ createdAt: 'desc' as const }, { uuid: 'desc' as const }]

/** The rows of one page, newest first; options of `em.findAndCount`. */
export function newestFirstOptions({ page, per_page }: { page: number; per_page: number }) {
  return {
    limit: per_page,
    offset: computePageOffset({ page, per_page }),
    orderBy: NEWEST_FIRST,
  }
}

/** How many rows stand before a page. */
export function computePageOffset({ page, per_page }: { page: number; per_page: number }): number {
  return (page - 1) * per_page
}

/** Moments of the UTC days from one (`YYYY-MM-DD`) to another, both included; undefined where neither is given. */
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

/** As far as four figures write a year: `9999-12-31` is how people write "without end". */
function addOneDay(at: Date): Date {
  return new Date(Math.min(at.getTime() + DAY_MS, LATEST_TIME_MS))
}

const LATEST_TIME_MS = Date.parse('9999-12-31T23:59:59.999Z')

/**
 * Paid or settled before a moment, so begun before it too, give or take the clocks of two machines: a page of long ago
 * is then not looked for from today on.
 */
export function buildEndedBeforeConditions(
  column: 'paid_at' | 'settled_at',
  at: Date | undefined,
): OptionalSqlCondition[] {
  if (at === undefined) return []
  return [
    [`${column} < ?`, at],
    ['created_at < ?', addOneDay(at)],
  ]
}
