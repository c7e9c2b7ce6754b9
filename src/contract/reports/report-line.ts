import { z } from 'zod'
import type { AccountDifference } from '../../db/repositories/differences.ts'
import { reaisFromCents } from '../../domain/ledger/money.ts'
import { showEndToEndId } from '../../domain/pix/identifiers.ts'
import { formatTimestamp } from '../../domain/shared/timestamp.ts'
import { ledgerLineSchema, type ShownLedgerLine, STATEMENT_COLUMNS } from '../ledger/ledger-line.ts'
import type { CsvColumns } from '../shared/csv.ts'

/**
 * Lines of reports. Those of the statement are without the status of their movement, which may still change after their day: a failed
 * order has a line REVERSAL.
 */

const { status: _, settled_at: __, ...lineColumns } = STATEMENT_COLUMNS
export const REPORT_LINE_COLUMNS: CsvColumns<ShownLedgerLine> = lineColumns

const reportLineSchema = ledgerLineSchema.omit({ status: true, settled_at: true })

/** Encodes a line of the statement as JSONL has it, in wire form. */
export function encodeReportLine(line: ShownLedgerLine): object {
  return z.encode(reportLineSchema, line)
}

export const DIFFERENCE_COLUMNS: CsvColumns<AccountDifference> = {
  found_at: row => new Date(row.found_at),
  kind: row => row.kind.toUpperCase(),
  movement_type: row => row.movement_type,
  end_to_end: row => showEndToEndId(row.end_to_end),
  provider_value: row => row.provider_cents,
  value: row => row.own_cents,
  movement_status: row => row.own_status,
  status: row => row.status,
  ended_at: row => row.ended_at && new Date(row.ended_at),
  provider: row => row.provider,
  provider_uuid: row => row.connection_uuid,
  uuid: row => row.uuid,
}

/** Encodes a difference as JSONL has it: the columns of the table by their names, amounts in reais. */
export function encodeDifference(row: AccountDifference): object {
  return Object.fromEntries(
    Object.entries(DIFFERENCE_COLUMNS).map(([name, readCell]) => {
      const cell = readCell(row)
      if (cell instanceof Date) return [name, formatTimestamp(cell)]
      return [name, typeof cell === 'number' ? reaisFromCents(cell) : (cell ?? null)]
    }),
  )
}
