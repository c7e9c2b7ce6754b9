import { listLedgerLines } from '../../api/operations/ledger.ts'
import { ledgerQuery } from '../../contract/ledger/ledger-line.ts'
import { readInSnapshot } from '../../db/client/orm.ts'
import { textFromCents } from '../../domain/ledger/money.ts'
import { createSemaphore } from '../../domain/shared/semaphore.ts'
import { formatTimestamp } from '../../domain/shared/timestamp.ts'
import { failField } from '../../http/api-error.ts'
import { parseFormFields } from '../http/form.ts'
import { createPage } from '../http/page.ts'
import type { PageContext } from '../http/page-context.ts'
import type { DashboardRouter } from '../http/router.ts'
import { listConnections, restrictToOneMode } from './connections.ts'
import { listByFilters } from './filtered-list.ts'

const PATH = '/dashboard/ledger'
const CSV_LINES_PER_QUERY = 1_000
/** Most concurrent exports per account: each holds a database connection until it is written. */
const MAX_CONCURRENT_FILES = 1
/** Most lines per file; a larger export must be split by date. */
const MAX_CSV_LINES = 50_000

export function registerLedgerPages({ get }: DashboardRouter): void {
  const files = createSemaphore(MAX_CONCURRENT_FILES)

  get('merchant', PATH, async visit => {
    const { em } = visit
    const { token, modes } = await restrictToOneMode(visit)
    const list = await listByFilters(visit, ledgerQuery, query => listLedgerLines(em, token, query))
    const connections = await listConnections(em, token)
    return createPage('ledger', { ...list, connections, mode: token.mode, modes })
  })

  get('merchant', `${PATH}/ledger.csv`, async visit => {
    const { token } = await restrictToOneMode(visit)
    await using ends = new AsyncDisposableStack()
    ends.defer(await files.acquire(token.accountUuid))
    return {
      kind: 'file',
      type: 'text/csv; charset=utf-8',
      name: token.mode === 'test' ? 'ledger-test.csv' : 'ledger.csv',
      body: (await buildCsvLines({ ...visit, token })).join('\r\n'),
    }
  })
}

const CSV_COLUMNS = [
  ...['created_at', 'type', 'movement_type', 'value', 'balance', 'status', 'provider', 'end_to_end'],
  ...['reason', 'charge_uuid', 'transfer_uuid', 'refund_uuid', 'uuid'],
] as const

/** Builds the CSV of the API's `/ledger`. All pages are read in one snapshot, so each line appears once. */
function buildCsvLines({ em, token, query }: PageContext<'merchant'>): Promise<string[]> {
  const { page: _, per_page: __, mode: ___, ...filters } = query
  const listQuery = { ...parseFormFields(ledgerQuery, filters), per_page: CSV_LINES_PER_QUERY }
  return readInSnapshot(em, async tx => {
    const lines = [CSV_COLUMNS.join(',')]
    for (let page = 1; ; page++) {
      const { data, meta } = await listLedgerLines(tx, token, { ...listQuery, page })
      if (meta.total > MAX_CSV_LINES)
        failField('date_from', { text: 'must select at most {max} lines', gaps: { max: MAX_CSV_LINES } })
      lines.push(...data.map(formatCsvLine))
      if (page >= meta.last_page) return lines
    }
  })
}

type LedgerLine = Awaited<ReturnType<typeof listLedgerLines>>['data'][number]

/** Formats a line: decimal point, timestamps in UTC. */
function formatCsvLine(line: LedgerLine): string {
  const sign = line.movement_type === 'OUT' ? -1 : 1
  const cells: Record<string, string> = {
    ...(line as unknown as Record<string, string>),
    created_at: formatTimestamp(line.created_at),
    value: textFromCents(sign * line.value),
    balance: textFromCents(line.balance),
    provider: line.provider.provider,
  }
  return CSV_COLUMNS.map(column => escapeCsvCell(cells[column])).join(',')
}

/** Escapes a CSV cell, also against spreadsheet formulas, although no column holds third-party text today. */
function escapeCsvCell(text = ''): string {
  const safe = /^[=+@\t\r]|^-(?!\d)/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
