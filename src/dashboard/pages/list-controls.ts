import { createLocalClock } from '../../contract/shared/time-zone.ts'
import { NEWEST_FIRST, type RowOrder } from '../../db/sql-conditions.ts'
import { RESERVED_QUERY_NAMES, withQuery } from '../http/page.ts'
import type { PageContext } from '../http/page-context.ts'
import type { Translator } from '../i18n/translator.ts'

/** The controls of a list besides its form of filters: tabs, periods, headings that sort, and the filters in use. */

type ListVisit = Pick<PageContext, 'query' | 't' | 'f' | 'timeZone'>
type ListQuery = Record<string, string>

/** A part of a list that is chosen with one click, named by the phrase `tab.<name>`: what its address has, and its rows. */
export type ListTab = { name: string; query: ListQuery; count?: number }

/** Columns by which a list may be sorted, by their names in `sort`. */
export type SortColumns = Record<string, RowOrder['column']>

/** Reads `sort=value`, or `sort=-value` for the highest first; undefined where it names no column of the list. */
export function readRowOrder(
  { query }: Pick<ListVisit, 'query'>,
  columns: SortColumns,
): RowOrder | undefined {
  const [, minus, name = ''] = /^(-?)(\w+)$/.exec(query.sort ?? '') ?? []
  const column = Object.hasOwn(columns, name) ? columns[name] : undefined
  return column && { column, isAscending: minus === '' }
}

/** Presents the columns that sort a list: what a click on the heading of each asks for, and how it sorts now. */
export function presentSorting(columns: SortColumns, order: RowOrder = NEWEST_FIRST) {
  const present = ([name, column]: [string, RowOrder['column']]) => {
    const isChosen = column === order.column
    const next = isChosen && !order.isAscending ? name : `-${name}`
    return [name, { next, direction: isChosen ? (order.isAscending ? 'ascending' : 'descending') : null }]
  }
  return Object.fromEntries(Object.entries(columns).map(present))
}

/** Builds tabs by the statuses that each selects, with their counts from those of the states. */
export function listStatusTabs<Status extends string, State extends string>(
  tabs: Record<string, Status[]>,
  counts: Map<string, number>,
  machine: { statesShowing(status: Status): State[] },
): ListTab[] {
  return Object.entries(tabs).map(([name, statuses]) => {
    const states = statuses.flatMap(status => machine.statesShowing(status))
    const count = states.reduce((sum, state) => sum + (counts.get(state) ?? 0), 0)
    return { name, query: { status: statuses.join(',') }, count }
  })
}

/** Presents the tabs of a list, of which the one is chosen whose parameters the address has. */
export function presentTabs({ query }: Pick<ListVisit, 'query'>, path: string, tabs: ListTab[]) {
  const names = listTabNames(tabs)
  return tabs.map(tab => ({
    name: tab.name,
    count: tab.count,
    href: withQuery(path, { mode: query.mode, ...tab.query }),
    isChosen: names.every(name => (query[name] ?? '') === (tab.query[name] ?? '')),
  }))
}

/** Parameters that select rows in the address of any tab. */
function listTabNames(tabs: ListTab[]): string[] {
  return [...new Set(tabs.flatMap(tab => Object.keys(tab.query)))].filter(name => name !== 'sort')
}

type FilterChips = {
  path: string
  tabs: ListTab[]
  /** Names of the account's connections. */
  connections: { uuid: string; provider: string }[]
}

/** Presents the filters in use, without those of the chosen tab, each with the address of the list without it. */
export function presentChips(visit: ListVisit, { path, tabs, connections }: FilterChips) {
  const { query, t } = visit
  const isOfTab = presentTabs(visit, path, tabs).some(({ isChosen }) => isChosen)
  const hidden = [...RESERVED_QUERY_NAMES, 'page', 'per_page', ...(isOfTab ? listTabNames(tabs) : [])]
  return Object.entries(query)
    .filter(([name, value]) => value !== '' && !hidden.includes(name) && t.has(`field.${name}`))
    .map(([name, value]) => ({
      label: t(`field.${name}`),
      value: describeFilter(visit, { name, value, connections }),
      href: withQuery(path, { ...query, [name]: undefined, page: undefined }),
    }))
}

/** Most values that a chip names. */
const MAX_NAMED_VALUES = 3

function describeFilter(
  { t, f }: ListVisit,
  { name, value, connections }: { name: string; value: string } & Pick<FilterChips, 'connections'>,
): string {
  if (/^\d{4}-\d\d-\d\d$/.test(value)) return f.date(value)
  if (name === 'open') return t(value === 'true' ? 'dispute.isOpen' : 'dispute.isOver')
  const values = value.split(',').map(one => {
    const provider = connections.find(({ uuid }) => uuid === one)?.provider
    if (provider) return t(`provider.${provider}`)
    return /^[\da-f]{8}-[\da-f-]{27}$/.test(one) ? one.slice(0, 8) : nameCode(t, name, one)
  })
  const more = values.length > MAX_NAMED_VALUES ? ['…'] : []
  return [...values.slice(0, MAX_NAMED_VALUES), ...more].join(', ')
}

/** Phrases of the codes in a column or a filter, by its name in the API. */
const CODE_PHRASES: Record<string, string[]> = {
  status: ['status'],
  provider: ['provider'],
  outcome: ['outcome'],
  disposition: ['disposition'],
  reason: ['reason'],
  type: ['ledger', 'event', 'key'],
  event_type: ['event'],
  movement_type: ['file'],
  operation_type: ['file'],
  med_type: ['dispute'],
  dispute_type: ['dispute'],
  frequency: ['frequency'],
}

/** Names a code of a column or of a filter in the page's language; returns any other text as it is. */
export function nameCode(t: Translator, column: string, code: string): string {
  const phrases = (CODE_PHRASES[column] ?? []).map(prefix => `${prefix}.${code}`)
  const phrase = phrases.find(one => t.has(one))
  return phrase === undefined ? code : t(phrase)
}

/** Days of a query, as its form has them: an empty one is no limit. */
export type QueryDays = { date_from: string; date_to: string }

/** PIX was first used on this day, so that nothing is older. */
const FIRST_PIX_DAY = '2020-11-03'

/** Lists periods that a page may offer, by the clocks of its time zone; the phrases `period.<name>` name them. */
export function listPeriods({ timeZone }: Pick<ListVisit, 'timeZone'>) {
  const [year, month, today] = createLocalClock(timeZone)(new Date()).slice(0, 10).split('-').map(Number)
  const dayOf = (months: number, day: number) =>
    new Date(Date.UTC(year!, month! - 1 + months, day)).toISOString().slice(0, 'YYYY-MM-DD'.length)
  return {
    today: { date_from: dayOf(0, today!), date_to: dayOf(0, today!) },
    sevenDays: { date_from: dayOf(0, today! - 6), date_to: dayOf(0, today!) },
    thisMonth: { date_from: dayOf(0, 1), date_to: dayOf(1, 0) },
    lastMonth: { date_from: dayOf(-1, 1), date_to: dayOf(0, 0) },
    allTime: { date_from: FIRST_PIX_DAY, date_to: '' },
  } satisfies Record<string, QueryDays>
}
export type PeriodName = keyof ReturnType<typeof listPeriods>

/** Presents periods, of which the one is chosen that has the days of the query. */
export function presentPeriods(visit: Pick<ListVisit, 'query' | 'timeZone'>, names: readonly PeriodName[]) {
  const periods = listPeriods(visit)
  const { date_from = '', date_to = '' } = visit.query
  return names.map(name => {
    const days: QueryDays = periods[name]
    return { name, ...days, isChosen: days.date_from === date_from && days.date_to === date_to }
  })
}
