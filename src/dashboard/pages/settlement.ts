import { z } from 'zod'
import {
  listSpans,
  readSettlement,
  type SettlementReport,
  type SettlementRow,
} from '../../api/operations/settlement.ts'
import type { CsvColumns } from '../../contract/shared/csv.ts'
import { uuidSchema } from '../../contract/shared/fields.ts'
import { createLocalClock } from '../../contract/shared/time-zone.ts'
import { SETTLEMENT_FIGURES, type SettlementFigure } from '../../domain/ledger/movement.ts'
import { fail } from '../../http/api-error.ts'
import { type PdfDocument, renderPdf } from '../../views/pdf-document.ts'
import { createPage } from '../http/page.ts'
import type { PageContext } from '../http/page-context.ts'
import type { DashboardRouter } from '../http/router.ts'
import { createCsvResponse, nameFile } from './account-list.ts'
import { restrictToOneMode } from './connections.ts'
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

/** Registers the settlement report, by day and by month, with its files. Days are those of the page's clocks. */
export function registerSettlementPages({ get }: DashboardRouter): void {
  get('money.read', PATH, async visit => {
    const { token, modes, period, reports, chosen } = await readReports(visit)
    const report = addReports(chosen) ?? chosen[0] ?? null
    const isYear = !period.includes('-')
    return createPage('settlement', {
      period,
      isYear,
      mode: token.mode,
      modes,
      providers: reports.map(({ connectionUuid, provider }) => ({ uuid: connectionUuid, provider })),
      report: report && {
        ...report,
        figures: listPresentFigures([report]),
        rows: foldQuietSpans(report.rows).toReversed(),
        movedRows: report.rows.filter(({ lines, isRunning }) => lines > 0 || isRunning).toReversed(),
      },
      days: listPeriodDays(period),
      previous: shiftPeriod(period, -1),
      // A period that has not begun has no report.
      next:
        shiftPeriod(period, 1) <= currentMonth(visit.timeZone).slice(0, period.length)
          ? shiftPeriod(period, 1)
          : null,
      year: period.slice(0, 4),
      month: isYear ? currentMonth(visit.timeZone) : period,
      file: `${PATH}/settlement.csv`,
      pdf: `${PATH}/settlement.pdf`,
    })
  })

  get('money.read', `${PATH}/settlement.csv`, async visit => {
    const { token, period, chosen } = await readReports(visit)
    const rows = chosen.flatMap(({ rows, connectionUuid, provider }) =>
      rows.map(row => ({ ...row, connectionUuid, provider })),
    )
    const name = await nameFile(visit, { name: 'settlement', mode: token.mode, period })
    return createCsvResponse(visit, { name, columns: SETTLEMENT_COLUMNS, rows: iterate(rows) })
  })

  get('money.read', `${PATH}/settlement.pdf`, async visit => {
    const { token, period, chosen } = await readReports(visit)
    const name = await nameFile(visit, { name: 'settlement', mode: token.mode, period })
    const sum = addReports(chosen)
    const reports = sum ? [sum, ...chosen] : chosen
    const body = await renderPdf(presentPdf(visit, { mode: token.mode, period, reports }))
    return { kind: 'file', type: 'application/pdf', name: `${name}.pdf`, body }
  })
}

type ReportedPeriod = { mode: 'live' | 'test'; period: string; reports: ShownReport[] }

/** Presents reports as a document, the oldest day first. */
function presentPdf(visit: PageContext<'merchant'>, { mode, period, reports }: ReportedPeriod): PdfDocument {
  const { t, f, language, session, timeZone } = visit
  const isYear = !period.includes('-')
  const nameSpan = isYear ? f.month : f.date
  const figures = listPresentFigures(reports)
  const end = listSpans({ name: period, timeZone }).at(-1)!.before
  const now = new Date()
  const isOver = end <= now
  const [firstDay, lastDay] = listPeriodDays(period)
  const listAmounts = (row: SettlementRow) => listRowAmounts(row, figures, f.reais)
  return {
    language,
    look: 'figures',
    title: `${t('nav.settlement')}: ${isYear ? period : f.month(period)}`,
    lines: [
      session.account?.name ?? '',
      t('settlement.pdfDays', { from: f.date(firstDay), to: f.date(lastDay), zone: f.place(timeZone) }),
      ...(mode === 'test' ? [t('settlement.pdfTest')] : []),
      ...(isOver ? [] : [t('settlement.pdfRunning', { time: f.plainTime(now) })]),
    ],
    tables: reports.map(({ provider, rows, total }) => ({
      title: t(provider ? `provider.${provider}` : 'settlement.allProviders'),
      headings: [
        t(isYear ? 'settlement.month' : 'field.day'),
        t('ledger.opening'),
        ...figures.map(figure => t(`settlement.${figure}`)),
        t('ledger.closing'),
      ],
      rows: [
        ...foldQuietSpans(rows).map(row => ({
          name: row.first ? `${nameSpan(row.first)} – ${nameSpan(row.span)}` : nameSpan(row.span),
          cells: listAmounts(row),
        })),
        { name: t('settlement.whole'), cells: listAmounts(total), isTotal: true },
      ],
    })),
    namePage: (page, last) => t('pages.page', { page, last }),
    createdAt: isOver ? end : now,
  }
}

/** Lists amounts in the order of a row: the opening balance, each figure, the closing balance. */
function listRowAmounts(
  row: SettlementRow,
  figures: SettlementFigure[],
  format: (cents: number) => string,
): string[] {
  const amounts = figures.map(figure => (row.figures[figure] === 0 ? '–' : format(row.figures[figure])))
  return [format(row.openingCents), ...amounts, format(row.closingCents)]
}

/** The figures that any report has: others would only take the width of those. */
function listPresentFigures(reports: Pick<SettlementReport, 'rows'>[]): SettlementFigure[] {
  return SETTLEMENT_FIGURES.filter(figure =>
    reports.some(({ rows }) => rows.some(row => row.figures[figure] !== 0)),
  )
}

/** A report, or the sum of all of them, which is of no provider. */
type ShownReport = Pick<SettlementReport, 'rows' | 'total'> & {
  provider: string | null
  connectionUuid: string | null
}

/** Adds up the reports of several providers, span by span: all of them have those of the period. Null where there is only one. */
function addReports(reports: SettlementReport[]): ShownReport | null {
  const [first, ...others] = reports
  if (!first || others.length === 0) return null
  const rows = first.rows.map((row, index) =>
    others.reduce((sum, { rows }) => addRows(sum, rows[index]!), row),
  )
  const total = others.reduce((sum, report) => addRows(sum, report.total), first.total)
  return { provider: null, connectionUuid: null, rows, total }
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

/** Reads the report of each provider in the period, `reports`, of which those are `chosen` that the query names, or all. */
async function readReports(visit: PageContext<'merchant'>) {
  const { token, modes } = await restrictToOneMode(visit)
  const { timeZone } = visit
  const { period = currentMonth(timeZone), provider_uuid } = parseFilters(visit, settlementQuery)
  const reports = await readSettlement(visit.em, token, { name: period, timeZone })
  const chosen = reports.filter(one => !provider_uuid || one.connectionUuid === provider_uuid)
  if (provider_uuid && chosen.length === 0) fail('not_found')
  return { token, modes, period, reports, chosen }
}

async function* iterate<Row>(rows: Row[]): AsyncGenerator<Row> {
  yield* rows
}

/** The month of today (`YYYY-MM`). */
function currentMonth(timeZone: string): string {
  return createLocalClock(timeZone)(new Date()).slice(0, 'YYYY-MM'.length)
}

/** The first and the last day of a month or of a year (`YYYY-MM-DD`). */
function listPeriodDays(period: string): [first: string, last: string] {
  if (!period.includes('-')) return [`${period}-01-01`, `${period}-12-31`]
  const days = listSpans({ name: period, timeZone: 'UTC' })
  return [days[0]!.name, days.at(-1)!.name]
}

/** Returns the month, or the year, before or after one. */
function shiftPeriod(period: string, by: 1 | -1): string {
  const [year, month] = period.split('-').map(Number)
  if (month === undefined) return String(year! + by)
  return new Date(Date.UTC(year!, month - 1 + by)).toISOString().slice(0, 'YYYY-MM'.length)
}
