import { pipeline, Readable } from 'node:stream'
import { buildCsvCells, type CsvColumns, type CsvStyle, createCsvWriter } from '../../contract/shared/csv.ts'

type CsvFile<Row> = { columns: CsvColumns<Row>; rows: AsyncIterable<Row>; style: CsvStyle }

/** Opens rows as CSV, which is written as its reader takes it; an error of the rows ends the response. */
export function openCsvFile<Row>({ columns, rows, style }: CsvFile<Row>): Readable {
  async function* cells() {
    for await (const row of rows) yield buildCsvCells(columns, row)
  }
  return pipeline(Readable.from(cells()), createCsvWriter(columns, style), () => {})
}
