import { createHash } from 'node:crypto'
import type { EntityClass, FilterQuery } from '@mikro-orm/core'
import stringify from 'safe-stable-stringify'
import { z } from 'zod'
import {
  type cursorPageMeta,
  type PageQuery,
  type pageMeta,
  pageSizeOf,
} from '../../contract/shared/fields.ts'
import { endOfDay, startOfDay } from '../../contract/shared/time-zone.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import type { OptionalSqlCondition } from '../../db/sql-conditions.ts'
import { DAY } from '../../domain/shared/intervals.ts'
import { failField } from '../../http/api-error.ts'

/** Pages, cursors and day filters of lists (SPEC §1). */

type NumberedPageMeta = z.output<typeof pageMeta>
export type ListPage<Row> = { data: Row[]; meta: NumberedPageMeta | z.output<typeof cursorPageMeta> }

/** Rows of a page: at most `limit`, after `offset` others or after the row at a position. */
type PageRows<Position = CreationPosition> = {
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
type CreationPosition = readonly [createdAt: string, uuid: string]

/** Time of a cursor's row: PostgreSQL knows no year 0, which ISO 8601 allows. */
const positionTime = z.iso.datetime().refine(text => text >= '0001-01-01')

const NEWEST_FIRST: ListOrder<{ createdAt: Date; uuid: string }, CreationPosition> = {
  positionOf: ({ createdAt, uuid }) => [createdAt.toISOString(), uuid],
  schema: z.tuple([positionTime, z.guid()]).readonly(),
}

type PagedList<Row, Position> = {
  /** Name of the list in its cursors, with the uuid of the resource that the list is of. */
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
  const rowsBefore = computePageOffset(query)
  return {
    data: rows,
    meta: {
      current_page: query.page ?? 1,
      from: rows.length === 0 ? 0 : rowsBefore + 1,
      last_page: Math.max(1, Math.ceil(total / perPage)),
      per_page: perPage,
      to: rows.length === 0 ? 0 : rowsBefore + rows.length,
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

type EntityList<Row> = {
  name: string
  query: PageQuery
  filter: FilterQuery<Row>
  /** Relations to load with each row. */
  populate?: (keyof Row)[]
  /** Where absent, PostgreSQL counts the rows of the filter. */
  count?(): Promise<number> | number
}

/** Reads one page of the rows of an entity that match a filter, newest first: by `created_at`, then `uuid`. */
export function readEntityPage<Row extends { createdAt: Date; uuid: string }>(
  em: EntityManager,
  entity: EntityClass<Row>,
  { name, query, filter, populate = [], count = () => em.count(entity, filter) }: EntityList<NoInfer<Row>>,
): Promise<ListPage<Row>> {
  return readPage<Row>({
    name,
    query,
    read: ({ after, limit, offset }) =>
      em.find<Row>(entity, { $and: [filter, buildAfterFilter(after)] } as FilterQuery<Row>, {
        populate: populate as never,
        limit,
        offset,
        orderBy: [{ createdAt: 'desc' }, { uuid: 'desc' }] as never,
      }),
    count,
  })
}

/**
 * Builds the filter of `em.find` for the rows after a position. The first condition alone limits what the index of the
 * list reads.
 */
function buildAfterFilter(after: CreationPosition | undefined) {
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

/** Days of creation in the query of a list (`YYYY-MM-DD`), both included, as the clocks of its time zone have them. */
export type CreationDays = {
  date_from?: string | undefined
  date_to?: string | undefined
  time_zone?: string | undefined
}

/** A time range: from a moment on, and up to another, exclusive. */
type TimeRange = { $gte?: Date; $lt?: Date }

/** Builds the time range of creation that the query of a list selects; undefined where it names no day. */
export function buildCreationRange(query: CreationDays): TimeRange | undefined {
  return buildDayRange(creationDaysOf(query))
}

/** Builds the conditions of the time range of creation. */
export function buildCreationConditions(query: CreationDays): OptionalSqlCondition[] {
  return buildDayConditions('created_at', creationDaysOf(query))
}

/** Builds the conditions of a range of days of a column. */
export function buildDayConditions(column: string, days: DayFilter): OptionalSqlCondition[] {
  const { $gte, $lt } = buildDayRange(days) ?? {}
  return [$gte && [`${column} >= ?`, $gte], $lt && [`${column} < ?`, $lt]]
}

function creationDaysOf({
  date_from: from,
  date_to: to,
  time_zone: timeZone = 'UTC',
}: CreationDays): DayFilter {
  return { from, to, timeZone }
}

function buildDayRange({ from, to, timeZone }: DayFilter): TimeRange | undefined {
  if (from === undefined && to === undefined) return undefined
  return {
    ...(from !== undefined && { $gte: startOfDay(from, timeZone) }),
    ...(to !== undefined && { $lt: endOfDay(to, timeZone) }),
  }
}

/** The list that a cursor belongs to; `filters`: the parameters that select rows. */
type CursorList = { name: string; filters: object }

const CURSOR_LIFETIME_MS = DAY
const MALFORMED_MESSAGE = 'must be empty or the `next_cursor` of a page'

/** Name of the list, digest of its filters, expiry in milliseconds, and position of the last row. */
const cursorSchema = z.tuple([z.string(), z.string(), z.int(), z.array(z.string())])

/** Writes the cursor of the rows after a position. */
function encodeCursor({ name, filters }: CursorList, position: readonly string[]): string {
  const expiresAt = Date.now() + CURSOR_LIFETIME_MS
  const cursor: z.output<typeof cursorSchema> = [name, digestFilters(filters), expiresAt, [...position]]
  return Buffer.from(JSON.stringify(cursor)).toString('base64url')
}

/** Reads the position of a cursor, or fails with 422 where it is none of this list, of other filters or expired. */
function decodeCursor<Position>(
  text: string,
  { name, filters }: CursorList,
  schema: z.ZodType<Position>,
): Position {
  const cursor = cursorSchema.safeParse(parseJson(Buffer.from(text, 'base64url').toString()))
  if (!cursor.success) return failField('cursor', MALFORMED_MESSAGE)
  const [cursorName, digest, expiresAt, place] = cursor.data
  if (cursorName !== name) failField('cursor', 'must be a cursor of this list')
  if (digest !== digestFilters(filters)) failField('cursor', 'must be sent with the filters of its list')
  if (Date.now() >= expiresAt) failField('cursor', 'must be younger than 24 hours')
  const position = schema.safeParse(place)
  return position.success ? position.data : failField('cursor', MALFORMED_MESSAGE)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Digests filters by their parsed values, so that another spelling of the same filter is no other filter. */
function digestFilters(filters: object): string {
  return createHash('sha256').update(stringify(filters)).digest('base64url').slice(0, 16)
}
