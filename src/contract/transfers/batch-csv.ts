import { type CsvError, parse } from 'csv-parse/sync'
import type { BankAccountType } from '../../domain/pix/party.ts'
import { MAX_BATCH_ITEMS } from '../../domain/transfers/transfer-batch.ts'

/** Batches of transfers as a table, as spreadsheets of Brazil write it: UTF-8, semicolons, decimal comma, CRLF. */

/** Columns by their heading, without case, accents and blanks; each has an English and a Portuguese name. */
const FIELDS_BY_HEADING: Record<string, BatchField> = {
  value: 'value',
  valor: 'value',
  pix_key: 'pix_key',
  chave: 'pix_key',
  chave_pix: 'pix_key',
  payload: 'payload',
  codigo_pix: 'payload',
  copia_e_cola: 'payload',
  pix_copia_e_cola: 'payload',
  document: 'document',
  documento: 'document',
  cpf_cnpj: 'document',
  external_ref: 'external_ref',
  referencia: 'external_ref',
  description: 'description',
  descricao: 'description',
  name: 'name',
  nome: 'name',
  ispb: 'ispb',
  bank_code: 'bank_code',
  banco: 'bank_code',
  codigo_banco: 'bank_code',
  agency: 'agency',
  agencia: 'agency',
  account: 'account',
  conta: 'account',
  account_type: 'account_type',
  tipo_conta: 'account_type',
  tipo_de_conta: 'account_type',
}
/** Columns of an account at a bank, which with the document are the receiver of an item without a key. */
const ACCOUNT_FIELDS = ['name', 'ispb', 'bank_code', 'agency', 'account', 'account_type'] as const
type BatchField =
  | 'value'
  | 'pix_key'
  | 'payload'
  | 'document'
  | 'external_ref'
  | 'description'
  | (typeof ACCOUNT_FIELDS)[number]
const REQUIRED_FIELDS: BatchField[] = ['value', 'external_ref']
/** One of these columns says where items go. */
const DESTINATION_FIELDS: BatchField[] = ['pix_key', 'payload', 'account']

/** Portuguese names of the types of an account, without case and accents. */
const ACCOUNT_TYPES_BY_NAME: Record<string, BankAccountType> = {
  corrente: 'CHECKING',
  conta_corrente: 'CHECKING',
  poupanca: 'SAVINGS',
  conta_poupanca: 'SAVINGS',
  pagamento: 'PAYMENT',
  conta_pagamento: 'PAYMENT',
  conta_de_pagamento: 'PAYMENT',
  salario: 'SALARY',
  conta_salario: 'SALARY',
}

/** Rows of a table as items of a batch; `lines`: of each in the table, from 1; `errors`: by `lines.<line>.<field>`. */
export type BatchTable = {
  items: Record<string, unknown>[]
  lines: number[]
  errors: Record<string, string[]>
}

/** Parses a table. A cell that is not what its column holds is an error; the schema of an item checks the rest. */
export function parseBatchCsv(text: string): BatchTable {
  const table: BatchTable = { items: [], lines: [], errors: {} }
  const records = readRecords(text, table)
  const [heading, ...rows] = records
  if (!heading) {
    if (Object.keys(table.errors).length === 0) table.errors.body = ['must not be empty']
    return table
  }
  const fields = readHeading(heading, table)
  if (rows.length > MAX_BATCH_ITEMS) {
    table.errors.body = ['has more rows than a batch may have items']
    return table
  }
  for (const { record, line } of rows) {
    table.lines.push(line)
    if (record.length !== fields.length)
      table.errors[`lines.${line}`] = ['must have as many cells as the heading']
    const cells = fields.flatMap((field, column): [BatchField, unknown][] => {
      const cell = record[column] ?? ''
      return field === null || cell === '' ? [] : [[field, readCell(table, line, field, cell)]]
    })
    table.items.push(buildItem(table, line, Object.fromEntries(cells)))
  }
  return table
}

type RowCells = { [Field in BatchField]?: unknown }

/** Builds the item of a row: to its account where it has neither key nor code. A row with an account and one of these is an error of each cell of the account. */
function buildItem(table: BatchTable, line: number, cells: RowCells): Record<string, unknown> {
  const { name, ispb, bank_code, agency, account, account_type, ...item } = cells
  const receiver = Object.entries({ name, ispb, bank_code, agency, account, account_type }).filter(
    ([, cell]) => cell !== undefined,
  )
  if (receiver.length === 0) return item
  if (item.pix_key !== undefined || item.payload !== undefined) {
    for (const [field] of receiver)
      table.errors[`lines.${line}.${field}`] = ['must be empty in a row with a PIX key or code']
    return item
  }
  const { document, ...rest } = item
  return {
    ...rest,
    receiver: { ...Object.fromEntries(receiver), ...(document !== undefined && { document }) },
  }
}

/**
 * Names the items of a table in paths of errors by their lines and columns: `lines.14.value` instead of `items.12.value`,
 * `lines.14.agency` instead of `items.12.receiver.agency`.
 */
export function nameTableLines<Messages>(
  errors: Record<string, Messages>,
  lines: number[],
): Record<string, Messages> {
  const rename = (path: string) =>
    path.replace(/^items\.(\d+)(?:\.receiver(?=\.))?/, (_, index) => `lines.${lines[Number(index)]}`)
  return Object.fromEntries(Object.entries(errors).map(([path, messages]) => [rename(path), messages]))
}

type CsvRecord = { record: string[]; line: number }

/** Splits a table into records with the line of the end of each; rows of empty cells, which spreadsheets append, are left out. */
function readRecords(text: string, table: BatchTable): CsvRecord[] {
  // Excel writes and reads the separator in a line of its own.
  const declared = /^\uFEFF?sep=(.)\r?\n/i.exec(text)
  const body = declared ? text.slice(declared[0].length) : text
  const firstLine = declared ? 2 : 1
  const [heading = ''] = body.split(/\r?\n/, 1)
  try {
    const rows = parse(body, {
      bom: true,
      delimiter: declared?.[1] ?? findDelimiter(heading),
      trim: true,
      info: true,
      relax_column_count: true,
      skip_records_with_empty_values: true,
      to: MAX_BATCH_ITEMS + 2,
    }) as unknown as { record: string[]; info: { lines: number } }[]
    return rows.map(({ record, info }) => ({ record, line: info.lines + firstLine - 1 }))
  } catch (error) {
    const { code, lines } = error as CsvError & { lines?: number }
    if (code === undefined) throw error
    table.errors[`lines.${(lines ?? 1) + firstLine - 1}`] = [
      'is not valid CSV: a quote is missing or misplaced',
    ]
    return []
  }
}

function findDelimiter(heading: string): string {
  if (heading.includes(';')) return ';'
  return heading.includes('\t') ? '\t' : ','
}

/** Reads which field each column holds; null for one without a name. */
function readHeading({ record, line }: CsvRecord, { errors }: BatchTable): (BatchField | null)[] {
  const fields = record.map(cell => {
    const name = simplifyName(cell)
    if (name === '') return null
    const field = FIELDS_BY_HEADING[name]
    if (field === undefined) errors[`lines.${line}.${cell}`] = ['is not a known column']
    return field ?? null
  })
  for (const field of REQUIRED_FIELDS)
    if (!fields.includes(field)) errors[`lines.${line}.${field}`] = ['is required as a column']
  if (!DESTINATION_FIELDS.some(field => fields.includes(field)))
    errors[`lines.${line}.pix_key`] = ['is required as a column, or those of a PIX code or a bank account']
  for (const [column, field] of fields.entries())
    if (field !== null && fields.indexOf(field) !== column)
      errors[`lines.${line}.${field}`] = ['must be one column']
  return fields
}

/** Simplifies a name of a table: without case and accents, with an underscore for blanks. */
function simplifyName(text: string): string {
  return text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .trim()
    .toLowerCase()
    .replaceAll(/[\s/-]+/g, '_')
}

/** What a spreadsheet would run as a formula, or shows instead of a value that it could not compute. A phone number begins with `+`. */
const FORMULA = /^['\s]*(?:[=@\t\r]|[+-](?!\d{10,13}$)|#[A-ZÀ-Ú/0]+[!?]?$)/
const FORMULA_MESSAGE = 'must not be a formula'
/** `1234,56`, `1.234,56`, `1234.56`, `1234`; a point before three digits alone could be either mark. */
const AMOUNT = /^(?:R\$\s*)?(?:(\d{1,3}(?:\.\d{3})+|\d+)(?:,(\d{1,2}))?|(\d+)\.(\d{1,2}))$/
const POINT_BEFORE_THREE = /^(?:R\$\s*)?\d{1,3}(?:\.\d{3})+$/

function readCell({ errors }: BatchTable, line: number, field: BatchField, cell: string): unknown {
  const refuse = (message: string) => {
    errors[`lines.${line}.${field}`] = [message]
    return cell
  }
  if (FORMULA.test(cell)) return refuse(FORMULA_MESSAGE)
  if (field === 'account_type') return ACCOUNT_TYPES_BY_NAME[simplifyName(cell)] ?? cell
  if (field !== 'value') return cell
  const match = AMOUNT.exec(cell)
  if (!match || POINT_BEFORE_THREE.test(cell)) return refuse('must be an amount in reais, such as 1234,56')
  const [, whole = match[3] ?? '', decimals = match[4] ?? ''] = match
  return Number(`${whole.replaceAll('.', '')}.${decimals || '0'}`)
}
