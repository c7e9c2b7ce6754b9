import { type Stringifier, stringify } from 'csv-stringify'
import { textFromCents } from '../../domain/ledger/money.ts'
import { createLocalClock } from './local-clock.ts'

/** Tables as spreadsheets of Brazil read them: UTF-8 with BOM, semicolons, one line per row. */

/** A number is an amount in centavos: identifiers and counts are texts. */
export type CsvCell = string | number | boolean | Date | null | undefined

/** Columns of a table, in their order: the heading of each, and what a row has there. */
export type CsvColumns<Row> = Record<string, (row: Row) => CsvCell>

export type CsvStyle = {
  decimal: 'POINT' | 'COMMA'
  /** IANA time zone whose clocks the times are written by. */
  time_zone: string
}

/**
 * Where a text would become a formula although its first character is none: a spreadsheet may ignore blanks and invisible
 * characters, and one whose separator is the comma begins a cell after each.
 */
const FORMULA_START = /(^[\s\p{Cf}]+|,)(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/gu

/**
 * Creates the writer of rows. A spreadsheet runs a text as a formula because of its first character: such a text gets an
 * apostrophe. Control characters, which some readers of CSV do not accept inside quotes, are written as blanks.
 */
export function createCsvWriter<Row>(
  columns: CsvColumns<Row>,
  { decimal, time_zone }: CsvStyle,
): Stringifier {
  const clock = createLocalClock(time_zone)
  return stringify({
    bom: true,
    delimiter: ';',
    record_delimiter: 'windows',
    header: true,
    columns: Object.keys(columns),
    escape_formulas: true,
    cast: {
      number: cents => (decimal === 'COMMA' ? textFromCents(cents).replace('.', ',') : textFromCents(cents)),
      string: text => text.replaceAll(/\p{Cc}+/gu, ' ').replaceAll(FORMULA_START, "$1'"),
      boolean: value => String(value),
      date: at => clock(at).text,
    },
  })
}

/** Builds the cells of a row, in the order of the columns. */
export function buildCsvCells<Row>(columns: CsvColumns<Row>, row: Row): CsvCell[] {
  return Object.values(columns).map(cell => cell(row))
}
