import { z } from 'zod'
import { readSettlement, type SettlementReport, type SettlementRow } from '../../api/operations/settlement.ts'
import type { CsvColumns } from '../../contract/shared/csv.ts'
import { uuidSchema } from '../../contract/shared/fields.ts'
import { createLocalClock } from '../../contract/shared/time-zone.ts'
import { SETTLEMENT_FIGURES } from '../../domain/ledger/movement.ts'
import { createPage } from '../http/page.ts'
import type { PageContext } from '../http/page-context.ts'
import type { DashboardRouter } from '../http/router.ts'
import { createCsvResponse, nameFile } from './account-list.ts'
import { listConnections, restrictToOneMode } from './connections.ts'
import { parseFilters } from './filtered-list.ts'

const PATH = '/dashboard/settlement'

/** A month of days, or a year of months; the first year is the one before which no PIX was. */
const settlementQuery = z.strictObject({
  period: z
    .string()
    .regex(/^(20[2-9]\d)(-(0[1-9]|1[0-2]))?$/, 'must be a month, as in 2026-11, or a year, as in 2026')
    .optional(),
  provider_uuid: uuidSchema.optional(),
})

type ReportedRow = SettlementRow & Pick<SettlementReport, 'connectionUuid' | 'provider'>

/** Columns of the report as CSV: what left is negative, so that a row adds up. */
const SETTLEMENT_COLUMNS: CsvColumns<ReportedRow> = {
  period: row => row.span,
  is_over: row => !row.isRunning,
  provider: row => row.provider,
  provider_uuid: row => row.connectionUuid,
  opening_balance: row => row.openingCents,
  ...Object.fromEntries(
    SETTLEMENT_FIGURES.map(figure => [figure, (row: ReportedRow) => row.figures[figure]]),
  ),
  closing_balance: row => row.closingCents,
  lines: row => String(row.lines),
}

/** Registers the settlement report, by day and by month. Days are those of the page's clocks. */
export function registerSettlementPages({ get }: DashboardRouter): void {
  get('money.read', PATH, async visit => {
    const { token, modes, period, reports } = await readReports(visit)
    const isYear = !period.includes('-')
    return createPage('settlement', {
      period,
      isYear,
      mode: token.mode,
      modes,
      // A figure that nothing of the period has would only take the width of the others.
      figures: SETTLEMENT_FIGURES.filter(figure =>
        reports.some(({ rows }) => rows.some(row => row.figures[figure] !== 0)),
      ),
      reports: [...addReports(reports), ...reports].map(report => ({
        ...report,
        rows: foldQuietSpans(report.rows).toReversed(),
      })),
      connections: await listConnections(visit.em, token),
      previous: shiftPeriod(period, -1),
      // A period that has not begun has no report.
      next:
        shiftPeriod(period, 1) <= currentMonth(visit.timeZone).slice(0, period.length)
          ? shiftPeriod(period, 1)
          : null,
      year: period.slice(0, 4),
      month: isYear ? currentMonth(visit.timeZone) : period,
      file: `${PATH}/settlement.csv`,
    })
  })

  get('money.read', `${PATH}/settlement.csv`, async visit => {
    const { token, period, reports } = await readReports(visit)
    const rows = reports.flatMap(({ rows, connectionUuid, provider }) =>
      rows.map(row => ({ ...row, connectionUuid, provider })),
    )
    const name = await nameFile(visit, { name: 'settlement', mode: token.mode, period })
    return createCsvResponse(visit, { name, columns: SETTLEMENT_COLUMNS, rows: iterate(rows) })
  })
}

/** A report, or the sum of all of them, which is of no provider. */
type ShownReport = Pick<SettlementReport, 'rows' | 'total'> & {
  provider: string | null
  connectionUuid: string | null
}

/** Adds up the reports of several providers, span by span: all of them have those of the period. Nothing where there is only one. */
function addReports(reports: SettlementReport[]): ShownReport[] {
  const [first, ...others] = reports
  if (!first || others.length === 0) return []
  const rows = first.rows.map((row, index) =>
    others.reduce((sum, { rows }) => addRows(sum, rows[index]!), row),
  )
  const total = others.reduce((sum, report) => addRows(sum, report.total), first.total)
  return [{ provider: null, connectionUuid: null, rows, total }]
}

function addRows(one: SettlementRow, other: SettlementRow): SettlementRow {
  const figures = SETTLEMENT_FIGURES.map(figure => [figure, one.figures[figure] + other.figures[figure]])
  return {
    ...one,
    openingCents: one.openingCents + other.openingCents,
    figures: Object.fromEntries(figures),
    closingCents: one.closingCents + other.closingCents,
    lines: one.lines + other.lines,
  }
}

type ShownRow = SettlementRow & {
  /** The first of several spans without a line that are one row of the page; their last is `span`. */
  first?: string
}

/** Makes one row of neighbouring spans, the oldest first, that are over and have no line. */
function foldQuietSpans(rows: SettlementRow[]): ShownRow[] {
  const isQuiet = ({ lines, isRunning }: SettlementRow) => lines === 0 && !isRunning
  const shownRows: ShownRow[] = []
  for (const row of rows) {
    const lastRow = shownRows.at(-1)
    if (lastRow && isQuiet(lastRow) && isQuiet(row))
      shownRows[shownRows.length - 1] = {
        ...row,
        openingCents: lastRow.openingCents,
        first: lastRow.first ?? lastRow.span,
      }
    else shownRows.push(row)
  }
  return shownRows
}

async function readReports(visit: PageContext<'merchant'>) {
  const { token, modes } = await restrictToOneMode(visit)
  const { timeZone } = visit
  const { period = currentMonth(timeZone), provider_uuid } = parseFilters(visit, settlementQuery)
  const reports = await readSettlement(visit.em, token, { name: period, timeZone, provider_uuid })
  return { token, modes, period, reports }
}

async function* iterate<Row>(rows: Row[]): AsyncGenerator<Row> {
  yield* rows
}

/** The month of today (`YYYY-MM`). */
function currentMonth(timeZone: string): string {
  return createLocalClock(timeZone)(new Date()).slice(0, 'YYYY-MM'.length)
}

/** Returns the month, or the year, before or after one. */
function shiftPeriod(period: string, by: 1 | -1): string {
  const [year, month] = period.split('-').map(Number)
  if (month === undefined) return String(year! + by)
  return new Date(Date.UTC(year!, month - 1 + by)).toISOString().slice(0, 'YYYY-MM'.length)
}
