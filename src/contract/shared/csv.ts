import { pipeline, Readable } from 'node:stream'
import { stringify } from 'csv-stringify'
import { textFromCents } from '../../domain/ledger/money.ts'
import { createLocalClock } from './time-zone.ts'

/** Tables as spreadsheets of Brazil read them: UTF-8 with BOM, semicolons, one line per row. */

/** A number is an amount in centavos: identifiers and counts are texts. */
type CsvCell = string | number | boolean | Date | null | undefined

/** Columns of a table, in their order: the heading of each, and what a row has there. */
export type CsvColumns<Row> = Record<string, (row: Row) => CsvCell>

type CsvStyle = {
  decimal: 'POINT' | 'COMMA'
  /** IANA time zone whose clocks the times are written by. */
  time_zone: string
}

/**
 * Where a text would become a formula although its first character is none: a spreadsheet may ignore blanks and invisible
 * characters, and one whose separator is the comma begins a cell after each.
 */
const FORMULA_START = /(^[\s\p{Cf}]+|,)(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])/gu

type CsvFile<Row> = { columns: CsvColumns<Row>; rows: AsyncIterable<Row>; style: CsvStyle }

/**
 * Opens rows as CSV, which is written as its reader takes it; an error of the rows ends the response. A spreadsheet runs a
 * text as a formula because of its first character: such a text gets an apostrophe. Control characters, which some readers
 * of CSV do not accept inside quotes, are written as blanks.
 */
export function openCsvFile<Row>({ columns, rows, style }: CsvFile<Row>): Readable {
  const clock = createLocalClock(style.time_zone)
  const writer = stringify({
    bom: true,
    delimiter: ';',
    record_delimiter: 'windows',
    header: true,
    columns: Object.keys(columns),
    escape_formulas: true,
    cast: {
      number: cents => textFromCents(cents).replace('.', style.decimal === 'COMMA' ? ',' : '.'),
      string: text => text.replaceAll(/\p{Cc}+/gu, ' ').replaceAll(FORMULA_START, "$1'"),
      boolean: value => String(value),
      date: at => clock(at),
    },
  })
  async function* cells() {
    for await (const row of rows) yield Object.values(columns).map(cell => cell(row))
  }
  return pipeline(Readable.from(cells()), writer, () => {})
}
