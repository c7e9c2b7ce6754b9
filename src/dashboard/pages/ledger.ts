import type { CallerToken } from '../../api/authorization/authenticate.ts'
import {
  createLedgerFiles,
  listLedgerLines,
  readLedgerBalances,
  readLedgerDays,
} from '../../api/operations/ledger.ts'
import type { ShownLedgerBalances } from '../../contract/ledger/ledger-balances.ts'
import {
  type LedgerQuery,
  ledgerCsvQuery,
  ledgerOfxQuery,
  ledgerQuery,
  type ShownLedgerLine,
  STATEMENT_COLUMNS,
} from '../../contract/ledger/ledger-line.ts'
import { createLocalClock } from '../../contract/shared/time-zone.ts'
import { LEDGER_LINE_TYPES } from '../../domain/ledger/movement.ts'
import { openZipFile, type ZipEntry } from '../../views/zip-file.ts'
import { parseFormFields } from '../http/form.ts'
import { createPage } from '../http/page.ts'
import type { PageContext } from '../http/page-context.ts'
import type { DashboardRouter } from '../http/router.ts'
import { nameColumns, nameFile } from './account-list.ts'
import { listConnections, restrictToOneMode } from './connections.ts'
import { listByFilters } from './filtered-list.ts'
import { listPeriods, presentPeriods, type QueryDays } from './list-controls.ts'

const PATH = '/dashboard/ledger'

/** Registers the statement: its page, with the balances of the period, and its files. Days are those of the page's clocks. */
export function registerLedgerPages({ get }: DashboardRouter): void {
  const files = createLedgerFiles()

  get('money.read', PATH, async unfiltered => {
    const { thisMonth } = listPeriods(unfiltered)
    const visit = { ...unfiltered, query: selectPeriod(unfiltered.query, thisMonth) }
    const { em, query } = visit
    const { token, modes } = await restrictToOneMode(visit)
    let balances: ShownLedgerBalances['balances'] = []
    let days: Awaited<ReturnType<typeof groupByDay>> = []
    const list = await listByFilters(visit, ledgerQuery, async query => {
      const [lines, period] = await Promise.all([
        listLedgerLines(em, token, query),
        readLedgerBalances(em.fork(), token, query),
      ])
      balances = period.balances
      days = await groupByDay(visit, lines.data, { token, query })
      return lines
    })
    const connections = await listConnections(em, token)
    return createPage('ledger', {
      ...list,
      query,
      days,
      periods: presentPeriods(visit, ['thisMonth', 'lastMonth', 'allTime']),
      balances,
      total: balances.length > 1 ? addBalances(balances) : null,
      connections,
      mode: token.mode,
      modes,
      types: LEDGER_LINE_TYPES,
      // Balances of several providers in one column would not follow from line to line.
      showsBalance: balances.length === 1,
    })
  })

  get('money.read', `${PATH}/ledger.csv`, async visit => {
    const { token } = await restrictToOneMode(visit)
    const decimal = visit.language === 'en' ? 'POINT' : 'COMMA'
    const query = parseFormFields(ledgerCsvQuery, { ...visit.query, time_zone: visit.timeZone, decimal })
    const body = await files.openCsv({ em: visit.em, token, query }, nameColumns(visit, STATEMENT_COLUMNS))
    return {
      kind: 'file',
      type: 'text/csv; charset=utf-8',
      name: `${await nameFile(visit, { name: 'ledger', mode: token.mode })}.csv`,
      body,
    }
  })

  get('money.read', `${PATH}/ledger.ofx`, async visit => {
    const { token } = await restrictToOneMode(visit)
    const query = parseFormFields(ledgerOfxQuery, { ...visit.query, time_zone: visit.timeZone })
    const body = await files.openOfx({ em: visit.em, token, query })
    return {
      kind: 'file',
      type: 'application/x-ofx',
      name: `${await nameFile(visit, { name: 'ledger', mode: token.mode })}.ofx`,
      body,
    }
  })

  // Many accounting programs read one account from a file.
  get('money.read', `${PATH}/ledger.zip`, async visit => {
    const { em, query } = visit
    const { token } = await restrictToOneMode(visit)
    const ofxQuery = parseFormFields(ledgerOfxQuery, { ...query, time_zone: visit.timeZone })
    const { balances } = await readLedgerBalances(em.fork(), token, ofxQuery)
    const entries: ZipEntry[] = []
    for (const { provider } of balances) {
      const ofProvider = { ...visit, query: { ...query, provider_uuid: provider.uuid } }
      const name = await nameFile(ofProvider, { name: 'ledger', mode: token.mode })
      const isNamed = entries.some(entry => entry.name === `${name}.ofx`)
      entries.push({
        name: `${isNamed ? `${name}-${provider.uuid.slice(0, 8)}` : name}.ofx`,
        open: () => files.openOfx({ em, token, query: { ...ofxQuery, provider_uuid: provider.uuid } }),
      })
    }
    const name = await nameFile(visit, { name: 'ledger', mode: token.mode })
    return { kind: 'file', type: 'application/zip', name: `${name}.zip`, body: openZipFile(entries) }
  })
}

/** Parameters that select lines by themselves, so that the page needs no days. */
const SELECTING_NAMES = ['date_from', 'date_to', 'end_to_end', 'operation_uuid']

/** Gives a query that selects no days those of a period: without, the page would add up and list all lines ever booked. */
function selectPeriod(query: Record<string, string>, days: QueryDays): Record<string, string> {
  return SELECTING_NAMES.some(name => query[name] !== undefined) ? query : { ...query, ...days }
}

type DayQuery = { token: CallerToken; query: LedgerQuery }

/** Groups the lines of a page by their days, each with the sum of all lines of the day that the filters select. */
async function groupByDay(
  { em, timeZone }: Pick<PageContext, 'em' | 'timeZone'>,
  lines: ShownLedgerLine[],
  { token, query }: DayQuery,
) {
  const clock = createLocalClock(timeZone)
  const linesByDay = Map.groupBy(lines, line => clock(line.created_at).slice(0, 'YYYY-MM-DD'.length))
  const sums = await readLedgerDays(em.fork(), token, { days: [...linesByDay.keys()], query })
  return [...linesByDay].map(([day, lines]) => ({ day, lines, ...sums.find(({ name }) => name === day)! }))
}

/** Adds up the balances of several providers, in centavos. */
function addBalances(balances: ShownLedgerBalances['balances']) {
  const sum = (name: 'opening_balance' | 'in' | 'out' | 'closing_balance') =>
    balances.reduce((cents, one) => cents + one[name], 0)
  return {
    opening_balance: sum('opening_balance'),
    in: sum('in'),
    out: sum('out'),
    closing_balance: sum('closing_balance'),
  }
}
