import type { PageQuery } from '../../contract/shared/fields.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { readListCounter, readStateCounts } from '../../db/repositories/list-counters.ts'
import {
  countRows,
  hasAnyState,
  hasAnyUuid,
  joinConditions,
  type OptionalSqlCondition,
  type RowOrder,
  type RowPage,
} from '../../db/sql-conditions.ts'
import { DAY } from '../../domain/shared/intervals.ts'
import type { CountedNoun, ListedNoun } from '../../domain/shared/nouns.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { visibilityConditions } from '../authorization/visibility.ts'
import {
  buildCreationRange,
  buildDayConditions,
  type CreationDays,
  type DayFilter,
  isAfterPosition,
  type ListPage,
  readPage,
} from './pagination.ts'

/** A list of operations: what its query selects, and how its rows are read. */
type VisibleList<Row> = {
  noun: ListedNoun
  token: CallerToken
  query: PageQuery &
    CreationDays & {
      /** Every row is a PIX; `UNDEFINED` matches none. */
      type?: 'PIX' | 'UNDEFINED' | undefined
      provider_uuid?: string | undefined
    }
  /** States that the query names; undefined where it names none. */
  states: string[] | undefined
  filters: OptionalSqlCondition[]
  /** Days of payment or settlement that the query names. */
  doneDays?: DayFilter & { column: 'paid_at' | 'settled_at' }
  /** Newest first where absent; another order has numbered pages only. */
  order?: RowOrder | undefined
  read(page: RowPage): Promise<Row[]>
}

/** Lists one page of the operations that a token may see: with their exact total, or by cursor. */
export function listVisibleRows<Row extends { createdAt: Date; uuid: string }>(
  em: EntityManager,
  list: VisibleList<Row>,
): Promise<ListPage<Row>> {
  const { noun, token, query, states, filters, doneDays, order, read } = list
  const isSorted = doneDays !== undefined && hasFewDays(doneDays)
  const presentFilters = [
    states && hasAnyState(states),
    query.uuid && hasAnyUuid(query.uuid),
    ...filters,
    ...(doneDays ? buildDayConditions(doneDays.column, doneDays) : []),
  ].filter(filter => filter)
  return readPage({
    name: noun,
    query,
    read({ after, ...rows }) {
      const conditions = joinConditions(
        ...visibilityConditions(token),
        ...presentFilters,
        isAfterPosition(after),
      )
      const isFiltered = presentFilters.length > 0 || after !== undefined
      return read({ ...conditions, ...rows, isFiltered, isSorted, order })
    },
    count: () =>
      readCountedTotal(em, list) ??
      countRows(em, noun, joinConditions(...visibilityConditions(token), ...presentFilters)),
  })
}

/** Most days of payment or settlement whose rows are all read and sorted for each page. */
const MAX_SORTED_DAYS = 31

/**
 * Returns whether an index finds the rows of days faster than the order of the list does: the order reads rows from the newest
 * on until a page is full, which is soon where the days are many or have no end, and long where they are few and long ago.
 */
function hasFewDays({ from, to }: DayFilter): boolean {
  if (from === undefined || to === undefined) return false
  return Date.parse(to) - Date.parse(from) <= MAX_SORTED_DAYS * DAY
}

/** Counts what a token may see of a noun in each of its states. */
export function countVisibleStates(
  em: EntityManager,
  { noun, token }: { noun: CountedNoun; token: CallerToken },
): Promise<Map<string, number>> {
  return readStateCounts(em, { noun, conditions: visibilityConditions(token) })
}

/** Counts what a token may see of a noun and what a filter selects, row by row. */
export function countVisibleRows(
  em: EntityManager,
  { noun, token, filter }: { noun: ListedNoun; token: CallerToken; filter: OptionalSqlCondition },
): Promise<number> {
  return countRows(em, noun, joinConditions(...visibilityConditions(token), filter))
}

/** Parameters whose rows the list counters count. */
const COUNTED_FILTERS = new Set([
  ...['page', 'per_page', 'type', 'status'],
  ...['provider_uuid', 'date_from', 'date_to', 'time_zone'],
])

/**
 * Reads the total of a list from the list counters, so that a million charges are counted as fast as a thousand.
 * Returns undefined where the rows must be counted.
 */
export function readCountedTotal(
  em: EntityManager,
  { noun, token, query, states }: Pick<VisibleList<never>, 'noun' | 'token' | 'query' | 'states'>,
): Promise<number> | number | undefined {
  const filters = Object.entries(query).filter(([, value]) => value !== undefined)
  if (noun === 'dispute' || filters.some(([name]) => !COUNTED_FILTERS.has(name))) return undefined
  if (query.type === 'UNDEFINED' || states?.length === 0) return 0 // No row matches.
  return readListCounter(em, {
    noun,
    conditions: [
      ...visibilityConditions(token),
      query.provider_uuid !== undefined && ['connection_uuid = ?', query.provider_uuid],
    ],
    states: states ?? [],
    created: buildCreationRange(query),
  })
}
