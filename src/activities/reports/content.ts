import { Readable } from 'node:stream'
import { setImmediate as letOthersRun } from 'node:timers/promises'
import { showLedgerLines } from '../../contract/ledger/ledger-line.ts'
import { openOfxFile } from '../../contract/ledger/statement-ofx.ts'
import {
  DIFFERENCE_COLUMNS,
  encodeDifference,
  encodeReportLine,
  REPORT_LINE_COLUMNS,
} from '../../contract/reports/report-line.ts'
import { type CsvColumns, openCsvFile } from '../../contract/shared/csv.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import type { Report } from '../../db/entities/report.ts'
import { readFoundDifferences } from '../../db/repositories/differences.ts'
import { openStatementLines, openStatements } from '../../db/repositories/ledger-statement.ts'
import { computeReportRange, LINE_SELECTIONS, MAX_REPORT_LINES } from '../../domain/reports/report.ts'
import { createSemaphore } from '../../domain/shared/semaphore.ts'
import { DEFAULT_TIME_ZONE } from '../../domain/shared/time-zone.ts'

/** A report would have more lines than any may have. */
export class TooManyLinesError extends Error {
  override name = 'TooManyLinesError'
}

/** Lines after which a report lets the other tasks of its process run. */
const LINES_PER_TURN = 200

/** The content of a file, which is written as it is read; `countLines` is complete after its end. */
type ReportContent = { stream: Readable; countLines(): number }

/**
 * Opens the content of a report as it is at a moment. Nothing in it depends on that moment once the days are over, so that a repeat has
 * the same bytes.
 */
export async function openReportContent(em: EntityManager, report: Report, at: Date): Promise<ReportContent> {
  const { accountUuid, connectionUuid = null, isSimulated, format, kind } = report
  const scope = { accountUuid, connectionUuid, modeScope: isSimulated ? 'test' : 'live' } as const
  const reader = { em, scope, semaphore: createSemaphore(1) }
  const days = computeReportRange(report)
  let lineCount = 0
  async function* count<Row>(rows: AsyncIterable<Row>): AsyncGenerator<Row> {
    for await (const row of rows) {
      lineCount += 1
      if (lineCount > MAX_REPORT_LINES) throw new TooManyLinesError()
      if (lineCount % LINES_PER_TURN === 0) await letOthersRun()
      yield row
    }
  }
  const openTable = <Row>(
    rows: AsyncIterable<Row>,
    columns: CsvColumns<Row>,
    encode: (row: Row) => object,
  ) =>
    format === 'CSV'
      ? openCsvFile({
          columns,
          rows: count(rows),
          style: { decimal: report.decimalMark, time_zone: DEFAULT_TIME_ZONE },
        })
      : Readable.from(writeJsonLines(count(rows), encode), { objectMode: false })
  const openStream = async () => {
    if (kind === 'RECONCILIATION')
      return openTable(readFoundDifferences(em, scope, days), DIFFERENCE_COLUMNS, encodeDifference)
    if (format !== 'OFX') {
      const lines = await openStatementLines(reader, { ...LINE_SELECTIONS[kind], days })
      return openTable(showLedgerLines(lines), REPORT_LINE_COLUMNS, encodeReportLine)
    }
    const statements = await openStatements(reader, days)
    const counted = statements.map(({ opening, lines }) => ({ opening, lines: count(lines) }))
    const asOf = at < days.$lt ? at : days.$lt
    return openOfxFile(counted, { timeZone: DEFAULT_TIME_ZONE, at: asOf, days })
  }
  return { stream: await openStream(), countLines: () => lineCount }
}

async function* writeJsonLines<Row>(
  rows: AsyncIterable<Row>,
  encode: (row: Row) => object,
): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(encode(row))}\n`
}
