import type { z } from 'zod'
import type { ListPage } from '../../api/operations/pagination.ts'
import { searchListedUuids } from '../../api/operations/search.ts'
import { type CsvColumns, openCsvFile } from '../../contract/shared/csv.ts'
import { type PageQuery, uuidSchema } from '../../contract/shared/fields.ts'
import { Connection } from '../../db/entities/connection.ts'
import type { RowOrder } from '../../db/sql-conditions.ts'
import type { SearchedNoun } from '../../domain/shared/nouns.ts'
import { foldSearchText } from '../../domain/shared/search-text.ts'
import { createSemaphore } from '../../domain/shared/semaphore.ts'
import type { AccountPermission } from '../../domain/users/roles.ts'
import { listFieldNames } from '../../http/field-names.ts'
import { createPage, type DashboardResponse } from '../http/page.ts'
import type { PageContext } from '../http/page-context.ts'
import type { DashboardRouter } from '../http/router.ts'
import { listConnections, restrictToOneMode, tokenWithMode } from './connections.ts'
import { listByFilters, parseFilters } from './filtered-list.ts'
import {
  type ListTab,
  nameCode,
  type PeriodName,
  presentChips,
  presentPeriods,
  presentSorting,
  presentTabs,
  readRowOrder,
  type SortColumns,
} from './list-controls.ts'
import { formatFilter, presentSavedFilters } from './saved-filters.ts'
import { readSearch } from './search-text.ts'

/** Rows per statement of the database. Between two of them a file holds no connection, however slow its reader is. */
const ROWS_PER_BATCH = 100
/** Most batches of one account that are read at once. */
const MAX_CONCURRENT_BATCHES = 1

type MerchantVisit = PageContext<'merchant'>

type AccountList<S extends z.ZodType<PageQuery>, Row> = {
  /** Name of the list: of its template, and of its file without the extension. */
  name: string
  path: string
  permission?: AccountPermission
  /** Whether the list has the rows of both modes until its user chooses one. */
  hasBothModes?: boolean
  schema: S
  /** Columns of the file. */
  columns: CsvColumns<Row>
  /** Parameters of the page besides those of the schema, which `list` reads from the visit. */
  ownParameters?: string[]
  /** What a search within the list finds, where it has one; its schema has `uuid`. */
  searchedNoun?: SearchedNoun
  /** Columns that sort the list, by their names in `sort`; its file has the newest first. */
  sortColumns?: SortColumns
  /** Lists the tabs of the list. */
  listTabs?(visit: MerchantVisit): Promise<ListTab[]>
  /** Reads one page of the list, newest first where `order` is absent. */
  list(visit: MerchantVisit, query: z.output<S>, order?: RowOrder): Promise<ListPage<Row>>
  /** Returns what the page shows besides the rows. */
  present(visit: MerchantVisit, rows: Row[]): Promise<object> | object
}

/** Registers a list of an account's objects: its page, and its file with all rows that the filters of the page select. */
export function registerAccountList<S extends z.ZodType<PageQuery>, Row>(
  { get }: DashboardRouter,
  options: AccountList<S, Row>,
): void {
  const { name, path, permission = 'money.read', schema, columns, list } = options
  const { searchedNoun, sortColumns = {}, listTabs = async () => [] } = options
  const ownParameters = [...(options.ownParameters ?? []), ...(searchedNoun ? ['q'] : [])]
  const openListFile = createListFiles()
  const hasDays = listFieldNames(schema).includes('date_from')
  const filePath = `${path}/${name}.csv`
  /** Restricts a query to what the search within the list finds. */
  const narrow = async (visit: MerchantVisit, query: z.output<S>): Promise<z.output<S>> => {
    if (!searchedNoun || !visit.query.q) return query
    const { terms } = readSearch(visit)
    const found = await searchListedUuids(visit.em.fork(), visit.token, { noun: searchedNoun, terms })
    const { uuid: named } = query as PageQuery & { uuid?: string[] }
    return { ...query, uuid: named ? found.filter(one => named.includes(one)) : found }
  }
  const restrictModes = async (visit: MerchantVisit) => {
    if (options.hasBothModes) return { visit: { ...visit, token: await tokenWithMode(visit) }, modes: [] }
    const { token, modes } = await restrictToOneMode(visit)
    return { visit: { ...visit, token }, modes }
  }

  get(permission, path, async unrestricted => {
    const { visit, modes } = await restrictModes(unrestricted)
    const order = readRowOrder(visit, sortColumns)
    const [page, tabs, connections, savedFilters] = await Promise.all([
      listByFilters(withoutParameters(visit, ownParameters), schema, async query =>
        list(visit, await narrow(visit, query), order),
      ),
      listTabs(visit),
      listConnections(visit.em, visit.token),
      presentSavedFilters(visit, path),
    ])
    const isSaved = savedFilters.some(({ isChosen }) => isChosen)
    const shownTabs = presentTabs(visit, path, tabs).map(tab => ({
      ...tab,
      isChosen: tab.isChosen && !isSaved,
    }))
    const chips = presentChips(visit, { path, tabs, connections })
    return createPage(name, {
      ...page,
      mode: visit.token.modeScope ?? '',
      modes,
      file: filePath,
      connections,
      tabs: [...shownTabs, ...savedFilters],
      filterText: formatFilter(visit.query),
      periods: hasDays ? presentPeriods(visit, LIST_PERIODS) : [],
      chips,
      filterCount: chips.length,
      sorting: presentSorting(sortColumns, order),
      ...(await options.present(visit, page.rows)),
    })
  })

  get(permission, filePath, async unrestricted => {
    const { visit } = await restrictModes(unrestricted)
    const fileName = await nameFile(visit, { name, mode: visit.token.modeScope })
    const file = {
      name: fileName,
      columns,
      schema,
      list: async (query: z.output<S>) => list(visit, await narrow(visit, query)),
    }
    return openListFile(withoutParameters(visit, ownParameters), file)
  })
}

/** Periods that a list offers with one click; its form has any others. */
const LIST_PERIODS: PeriodName[] = ['today', 'sevenDays', 'thisMonth']

/** Returns the visit without parameters of its query that the schema of the list does not have. */
function withoutParameters(visit: MerchantVisit, names: string[]): MerchantVisit {
  const query = Object.entries(visit.query).filter(([name]) => !names.includes(name))
  return { ...visit, query: Object.fromEntries(query) }
}

type ListFile<S extends z.ZodType<PageQuery>, Row> = {
  /** Name of the file, without its extension. */
  name: string
  columns: CsvColumns<Row>
  schema: S
  /** Reads one page of the list, as its page does. */
  list(query: z.output<S>): Promise<ListPage<Row>>
}

/** Creates the function that opens lists as CSV; called once per process. */
export function createListFiles() {
  const semaphore = createSemaphore(MAX_CONCURRENT_BATCHES)
  /** Opens all rows that the filters of the page select, newest first. Rows that are added meanwhile are not in the file. */
  return function openListFile<S extends z.ZodType<PageQuery>, Row>(
    visit: MerchantVisit,
    { name, columns, schema, list }: ListFile<S, Row>,
  ): DashboardResponse {
    const filters = parseFilters(visit, schema)
    async function* rows() {
      let cursor: string | null = ''
      while (cursor !== null) {
        const release = await semaphore.acquire(visit.token.accountUuid)
        const batch: PageQuery = { page: undefined, per_page: ROWS_PER_BATCH, cursor }
        const page: ListPage<Row> = await list({ ...filters, ...batch }).finally(release)
        yield* page.data
        cursor = page.meta.next_cursor
      }
    }
    return createCsvResponse(visit, { name, columns, rows: rows() })
  }
}

type CsvTable<Row> = { name: string; columns: CsvColumns<Row>; rows: AsyncIterable<Row> }

/** Creates the response of a table as CSV, with the words and the decimal separator of the page's language. */
export function createCsvResponse<Row>(
  visit: MerchantVisit,
  { name, columns, rows }: CsvTable<Row>,
): DashboardResponse {
  const style = { decimal: visit.language === 'en' ? 'POINT' : 'COMMA', time_zone: visit.timeZone } as const
  const body = openCsvFile({ columns: nameColumns(visit, columns), rows, style })
  return { kind: 'file', type: 'text/csv; charset=utf-8', name: `${name}.csv`, body }
}

/**
 * Names the columns of a table, and the codes in them, in the page's language; with `names=api` as the API does, for a program
 * that reads the file, or a sheet that is built on its columns.
 */
export function nameColumns<Row>(
  { query, t }: Pick<MerchantVisit, 'query' | 't'>,
  columns: CsvColumns<Row>,
): CsvColumns<Row> {
  if (query.names === 'api') return columns
  const named = Object.entries(columns).map(([name, readCell]): [string, CsvColumns<Row>[string]] => {
    const readNamedCell = (row: Row) => {
      const cell = readCell(row)
      if (typeof cell === 'boolean') return t(cell ? 'file.yes' : 'file.no')
      return typeof cell === 'string' ? nameCode(t, name, cell) : cell
    }
    return [t(`column.${name}`), readNamedCell]
  })
  return Object.fromEntries(named)
}

/** A file by the name of its table, which the phrase `file.<name>` translates. */
type NamedFile = { name: string; mode: 'live' | 'test' | undefined; period?: string }

/**
 * Names a file by its table, the account, the days and the provider of its rows, so that files of several accounts and months can
 * be kept in one folder; and by the mode, so that simulated amounts are not mistaken for money.
 */
export async function nameFile(
  { em, session, query, token, t }: MerchantVisit,
  { name, mode, period = namePeriod(query) }: NamedFile,
): Promise<string> {
  const uuid = uuidSchema.safeParse(query.provider_uuid).data
  const connection = uuid && (await em.fork().findOne(Connection, { uuid, accountUuid: token.accountUuid }))
  const parts = [
    t(`file.${name}`),
    toFileNamePart(session.account?.name ?? ''),
    period,
    connection ? toFileNamePart(t(`provider.${connection.provider}`)) : '',
    mode === 'test' ? t('file.test') : '',
  ]
  return parts.filter(Boolean).join('-')
}

/** Letters and digits of a text without accents, for the name of a file. */
function toFileNamePart(text: string): string {
  const words = foldSearchText(text).match(/[a-z0-9]+/g) ?? []
  return words.join('-').slice(0, MAX_NAME_PART).replace(/-$/, '')
}
const MAX_NAME_PART = 40

/** The days that a query selects: a day, a whole month, or the first and the last. */
function namePeriod({ date_from: from = '', date_to: to = '' }: Record<string, string>): string {
  const [first, last] = [from, to].map(text => (/^\d{4}-\d\d-\d\d$/.test(text) ? text : ''))
  if (!first || !last || first === last) return first || last || ''
  const month = first.slice(0, 'YYYY-MM'.length)
  const nextDay = new Date(`${last}T00:00:00Z`)
  nextDay.setUTCDate(nextDay.getUTCDate() + 1)
  const isWholeMonth = first.endsWith('-01') && last.startsWith(month) && nextDay.getUTCDate() === 1
  return isWholeMonth ? month : `${first}_${last}`
}
