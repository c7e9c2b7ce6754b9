import { z } from 'zod'
import {
  type cursorPageMeta,
  type PageQuery,
  type pageMeta,
  pageSizeOf,
} from '../../contract/shared/fields.ts'
import { endOfDay, startOfDay } from '../../contract/shared/time-zone.ts'
import type { OptionalSqlCondition } from '../../db/sql-conditions.ts'
import { failField } from '../../http/api-error.ts'
import { decodeCursor, encodeCursor } from './list-cursor.ts'

/** Pages and day filters of lists (SPEC §1). */

type NumberedPageMeta = z.output<typeof pageMeta>
export type ListPage<Row> = { data: Row[]; meta: NumberedPageMeta | z.output<typeof cursorPageMeta> }

/** Rows of a page: at most `limit`, after `offset` others or after the row at a position. */
export type PageRows<Position = CreationPosition> = {
  limit: number
  offset: number
  after: Position | undefined
}

/** Order of a list: how the position of a row is found and checked. */
type ListOrder<Row, Position extends readonly string[]> = {
  positionOf(row: Row): Position
  schema: z.ZodType<Position>
}

/** Position of a row in a list, newest first: when it was created, and its uuid. */
export type CreationPosition = readonly [createdAt: string, uuid: string]

/** Time of a cursor's row: PostgreSQL knows no year 0, which ISO 8601 allows. */
const positionTime = z.iso.datetime().refine(text => text >= '0001-01-01')

const NEWEST_FIRST: ListOrder<{ createdAt: Date; uuid: string }, CreationPosition> = {
  positionOf: ({ createdAt, uuid }) => [createdAt.toISOString(), uuid],
  schema: z.tuple([positionTime, z.guid()]).readonly(),
}

type PagedList<Row, Position> = {
  /** Name of the list in its cursors. */
  name: string
  /** The page, and the filters: parameters that select rows. */
  query: PageQuery
  read(rows: PageRows<Position>): Promise<Row[]>
  /** Counts all rows of the list; called for a numbered page only. */
  count(): Promise<number> | number
}

/** Reads one page of a list, newest first: by number with the total, or by cursor. */
export function readPage<Row extends { createdAt: Date; uuid: string }>(
  list: PagedList<Row, CreationPosition>,
): Promise<ListPage<Row>> {
  return readOrderedPage<Row, CreationPosition>(list, NEWEST_FIRST)
}

/** Reads one page of a list of any order. One row more is read, so that the last page is known by its rows. */
export async function readOrderedPage<Row, Position extends readonly string[]>(
  { name, query, read, count }: PagedList<Row, Position>,
  { positionOf, schema }: ListOrder<Row, Position>,
): Promise<ListPage<Row>> {
  const { page, per_page: _, cursor, ...filters } = query
  const list = { name, filters }
  const perPage = pageSizeOf(query)
  const limit = perPage + 1
  const nextCursorOf = (rows: Row[]) =>
    rows.length > perPage ? encodeCursor(list, positionOf(rows[perPage - 1]!)) : null
  if (cursor !== undefined) {
    if (page !== undefined) failField('cursor', 'must not be sent together with page')
    const after = cursor === '' ? undefined : decodeCursor(cursor, list, schema)
    const rows = await read({ limit, offset: 0, after })
    return {
      data: rows.slice(0, perPage),
      meta: { per_page: perPage, next_cursor: nextCursorOf(rows) },
    }
  }
  const [rows, total] = await Promise.all([
    read({ limit, offset: computePageOffset(query), after: undefined }),
    count(),
  ])
  return buildListPage({ query, total, rows: rows.slice(0, perPage), nextCursor: nextCursorOf(rows) })
}

/**
 * Builds a numbered page of a list: `from` and `to` count from 1 and are 0 on an empty page, `last_page` is at least 1.
 */
export function buildListPage<Row>({
  query,
  total,
  rows,
  nextCursor,
}: {
  query: PageQuery
  total: number
  rows: Row[]
  nextCursor: string | null
}): { data: Row[]; meta: NumberedPageMeta } {
  const perPage = pageSizeOf(query)
  const before = computePageOffset(query)
  return {
    data: rows,
    meta: {
      current_page: query.page ?? 1,
      from: rows.length === 0 ? 0 : before + 1,
      last_page: Math.max(1, Math.ceil(total / perPage)),
      per_page: perPage,
      to: rows.length === 0 ? 0 : before + rows.length,
      total,
      next_cursor: nextCursor,
    },
  }
}

/** Builds the page of a list that has no row for this query. */
export function buildEmptyPage(query: PageQuery): ListPage<never> {
  if (query.cursor === undefined) return buildListPage({ query, total: 0, rows: [], nextCursor: null })
  return { data: [], meta: { per_page: pageSizeOf(query), next_cursor: null } }
}

/** Maps the rows of a page to what it shows. */
export function mapPage<Row, Shown>(
  { data, meta }: ListPage<Row>,
  show: (row: Row) => Shown,
): ListPage<Shown> {
  return { data: data.map(row => show(row)), meta }
}

/** Returns the options of `em.find` for one page, newest first: by `created_at`, then `uuid`. */
export function newestFirstOptions({ limit, offset }: Pick<PageRows, 'limit' | 'offset'>) {
  return { limit, offset, orderBy: [{ createdAt: 'desc' as const }, { uuid: 'desc' as const }] }
}

/**
 * Builds the filter of `em.find` for the rows after a position. The first condition alone limits what the index of the
 * list reads.
 */
export function buildAfterFilter(after: CreationPosition | undefined) {
  if (!after) return {}
  const createdAt = new Date(after[0])
  const orOlder = [{ createdAt: { $lt: createdAt } }, { uuid: { $lt: after[1] } }]
  return { createdAt: { $lte: createdAt }, $or: orOlder }
}

/** Builds the same condition as SQL. PostgreSQL would begin at the end of the days, not at a row that it compares with. */
export function isAfterPosition(after: CreationPosition | undefined): OptionalSqlCondition {
  if (!after) return undefined
  const [createdAt, uuid] = after
  return [
    'created_at <= ?::timestamptz and (created_at < ?::timestamptz or uuid < ?::uuid)',
    ...[createdAt, createdAt, uuid],
  ]
}

/** Computes the number of rows before a numbered page. */
function computePageOffset(query: PageQuery): number {
  return ((query.page ?? 1) - 1) * pageSizeOf(query)
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

/** Builds the conditions of a range of days, of creation by default. */
export function buildDayConditions(days: DayFilter, column = 'created_at'): OptionalSqlCondition[] {
  const { $gte, $lt } = buildDayRange(days) ?? {}
  return [$gte && [`${column} >= ?`, $gte], $lt && [`${column} < ?`, $lt]]
}
