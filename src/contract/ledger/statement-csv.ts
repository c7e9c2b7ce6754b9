import { type Stringifier, stringify } from 'csv-stringify'
import { textFromCents } from '../../domain/ledger/money.ts'
import type { LedgerCsvQuery } from './ledger-files.ts'
import type { ShownLedgerLine } from './ledger-line.ts'
import { createLocalClock } from './local-clock.ts'

/** The statement as CSV, as spreadsheets of Brazil read it: UTF-8 with BOM, semicolons, one line per ledger line. */

const CSV_COLUMNS = [
  ...['created_at', 'settled_at', 'type', 'movement_type', 'value', 'balance_after', 'status'],
  ...['provider', 'provider_uuid', 'operation_type', 'operation_uuid'],
  ...['counterparty_name', 'counterparty_document', 'external_ref', 'end_to_end', 'reason'],
  ...['charge_uuid', 'transfer_uuid', 'refund_uuid', 'dispute_uuid', 'uuid', 'line_uuid'],
] as const

export type CsvStyle = Pick<LedgerCsvQuery, 'decimal' | 'time_zone'>

/** Creates the writer of lines. The first character of a text can make a spreadsheet run it: such a text is quoted. */
export function createCsvWriter({ decimal }: CsvStyle): Stringifier {
  return stringify({
    ...{ bom: true, delimiter: ';', record_delimiter: 'windows' },
    ...{ header: true, columns: CSV_COLUMNS, escape_formulas: true },
    // Only amounts are numbers, in centavos.
    cast: {
      number: cents => (decimal === 'COMMA' ? textFromCents(cents).replace('.', ',') : textFromCents(cents)),
    },
  })
}

/** Creates the function that builds the cells of a line: amounts with their sign, times as the zone's clocks show them. */
export function createCsvCells({
  time_zone,
}: CsvStyle): (line: ShownLedgerLine) => Record<string, string | number | null | undefined> {
  const clock = createLocalClock(time_zone)
  return ({ counterparty, provider, ...line }) => ({
    ...line,
    created_at: clock(line.created_at).text,
    settled_at: line.settled_at && clock(line.settled_at).text,
    value: line.movement_type === 'OUT' ? -line.value : line.value,
    provider: provider.provider,
    provider_uuid: provider.uuid,
    counterparty_name: cleanText(counterparty?.name),
    counterparty_document: counterparty?.document,
    external_ref: cleanText(line.external_ref),
    end_to_end: cleanText(line.end_to_end),
  })
}

/** Replaces line breaks and other control characters, which some readers of CSV do not accept inside quotes. */
function cleanText(text: string | undefined): string | undefined {
  return text?.replaceAll(/\p{Cc}+/gu, ' ')
}
