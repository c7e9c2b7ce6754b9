import { describe, expect, test } from '@jest/globals'
import { nameTableLines, parseBatchCsv } from '../../../src/contract/transfers/batch-csv.ts'
import {
  type BatchEvent,
  type BatchState,
  batchMachine,
  MAX_BATCH_ITEMS,
} from '../../../src/domain/transfers/transfer-batch.ts'

/** The states of a batch, and batches as the tables that spreadsheets write. */

const EVENTS: BatchEvent[] = ['approved', 'completed', 'cancelled']

test.each<[BatchState, Partial<Record<BatchEvent, BatchState>>]>([
  ['draft', { approved: 'processing', cancelled: 'cancelled' }],
  ['processing', { completed: 'completed', cancelled: 'cancelled' }],
  ['completed', {}],
  ['cancelled', {}],
])('a batch that is %s becomes what the table says, and nothing else', (state, next) => {
  for (const event of EVENTS) {
    expect(batchMachine.accepts(state, event)).toBe(next[event] !== undefined)
    if (next[event]) expect(batchMachine.next(state, event)).toBe(next[event])
    else expect(() => batchMachine.next(state, event)).toThrow(RangeError)
  }
  expect(batchMachine.isFinal(state)).toBe(Object.keys(next).length === 0)
})

const BOM = '\uFEFF'
const HEADING = 'valor;chave_pix;referencia'
const ROW = '10,50;ana@example.com;a-1'
const ITEM = { value: 10.5, pix_key: 'ana@example.com', external_ref: 'a-1' }

describe('a table', () => {
  test.each<[string, string, object[]]>([
    ['as a Brazilian Excel writes it', `${BOM}${HEADING}\r\n${ROW}\r\n`, [ITEM]],
    ['with line feeds alone and no byte order mark', `${HEADING}\n${ROW}`, [ITEM]],
    ['that declares its separator', `${BOM}sep=;\r\n${HEADING}\r\n${ROW}\r\n`, [ITEM]],
    ['with commas and decimal points', 'value,pix_key,external_ref\n10.50,ana@example.com,a-1\n', [ITEM]],
    ['with tabs', 'value\tpix_key\texternal_ref\n10,50\tana@example.com\ta-1\n', [ITEM]],
    [
      'with headings in any case, with accents and blanks',
      '"Valor";"Chave Pix";"Referência"\r\n10,50;ana@example.com;a-1',
      [ITEM],
    ],
    ['with empty rows at its end', `${HEADING}\r\n${ROW}\r\n;;\r\n;;\r\n`, [ITEM]],
    ['with blanks around cells', `${HEADING}\r\n 10,50 ; ana@example.com ; a-1 `, [ITEM]],
    [
      'with a quoted separator and line break',
      `${HEADING};descricao\r\n${ROW};"Folha;\r\nnovembro"`,
      [{ ...ITEM, description: 'Folha;\r\nnovembro' }],
    ],
    ['with an empty optional cell', `${HEADING};documento\r\n${ROW};`, [ITEM]],
    [
      'with a phone number',
      `${HEADING}\r\n1;+5511987654321;a`,
      [{ value: 1, pix_key: '+5511987654321', external_ref: 'a' }],
    ],
    ['with a column without a heading', `${HEADING};\r\n${ROW};x`, [ITEM]],
  ])('%s is read', (_, text, items) => expect(parseBatchCsv(text)).toMatchObject({ items, errors: {} }))

  test.each([
    ['1234,56', 1234.56],
    ['1.234,56', 1234.56],
    ['1.234.567,8', 1234567.8],
    ['1234.56', 1234.56],
    ['1234', 1234],
    ['R$ 1.234,56', 1234.56],
    ['0,01', 0.01],
  ])('an amount of %s is %d', (cell, value) =>
    expect(parseBatchCsv(`${HEADING}\n${cell};ana@example.com;a-1`)).toMatchObject({
      items: [{ value }],
      errors: {},
    }),
  )

  test.each([
    ['1e21'],
    ['1E+21'],
    ['Infinity'],
    ['0x10'],
    ['1.234'],
    ['1,234.56'],
    ['1,2,3'],
    ['12,345'],
    ['dez'],
    ['10 50'],
  ])('an amount of %s is refused by its line', cell => {
    const { errors } = parseBatchCsv(`${HEADING}\n${ROW}\n"${cell}";ana@example.com;a-2`)
    expect(errors).toEqual({ 'lines.3.value': ['must be an amount in reais, such as 1234,56'] })
  })

  test.each([
    ['=1+1', 'value'],
    ['-10', 'value'],
    ['+10', 'value'],
    ['=HYPERLINK("http://x")', 'pix_key'],
    ['@SUM(A1)', 'external_ref'],
    ["'=1", 'external_ref'],
    ['+55119', 'pix_key'],
    ['#REF!', 'value'],
    ['#NOME?', 'pix_key'],
    ['#N/D', 'pix_key'],
  ])('a cell of %s is refused as a formula, in the column %s', (formula, field) => {
    const cells = { value: '10,50', pix_key: 'ana@example.com', external_ref: 'a-1', [field]: formula }
    const row = Object.values(cells).map(cell => `"${cell.replaceAll('"', '""')}"`)
    const { errors } = parseBatchCsv(`${HEADING}\n${row.join(';')}`)
    expect(errors).toEqual({ [`lines.2.${field}`]: ['must not be a formula'] })
  })

  test.each([
    ['nothing', '', { body: ['must not be empty'] }],
    [
      'a heading without a column',
      'valor;chave_pix\n1;a',
      { 'lines.1.external_ref': ['is required as a column'] },
    ],
    ['an unknown column', `${HEADING};cidade\n${ROW};1`, { 'lines.1.cidade': ['is not a known column'] }],
    [
      'a heading without a receiver',
      'valor;referencia\n1;a',
      { 'lines.1.pix_key': ['is required as a column, or those of a PIX code or a bank account'] },
    ],
    ['a column twice', `${HEADING};value\n${ROW};1`, { 'lines.1.value': ['must be one column'] }],
    [
      'a row with too few cells',
      `${HEADING}\n10,50;ana@example.com`,
      { 'lines.2': ['must have as many cells as the heading'] },
    ],
    [
      'an open quote',
      `${HEADING}\n${ROW}\n10;"ana;a-2\n`,
      { 'lines.3': ['is not valid CSV: a quote is missing or misplaced'] },
    ],
  ])('of %s is refused by its line', (_, text, errors) => expect(parseBatchCsv(text).errors).toEqual(errors))

  const ACCOUNT_HEADING = 'valor;referencia;chave_pix;nome;documento;ispb;banco;agencia;conta;tipo_conta'
  const ACCOUNT_ROW = '10,50;a-1;;Maria Silva;529.982.247-25;;260;0001;1234567;Conta Poupança'
  const RECEIVER = {
    name: 'Maria Silva',
    document: '529.982.247-25',
    bank_code: '260',
    agency: '0001',
    account: '1234567',
    account_type: 'SAVINGS',
  }

  test('of a row to an account beside one to a key is read', () => {
    const { items, errors } = parseBatchCsv(
      [ACCOUNT_HEADING, ACCOUNT_ROW, '10,50;a-2;ana@example.com;;52998224725;;;;;'].join('\r\n'),
    )
    expect({ items, errors }).toEqual({
      items: [
        { value: 10.5, external_ref: 'a-1', receiver: RECEIVER },
        { value: 10.5, external_ref: 'a-2', pix_key: 'ana@example.com', document: '52998224725' },
      ],
      errors: {},
    })
  })

  test('of codes alone needs no column of keys', () => {
    const { items, errors } = parseBatchCsv('valor;referencia;copia e cola\n10,50;a-1;000201 6304ABCD')
    expect({ items, errors }).toEqual({
      items: [{ value: 10.5, external_ref: 'a-1', payload: '000201 6304ABCD' }],
      errors: {},
    })
  })

  test('of accounts alone, with English headings, needs no column of keys', () => {
    const { items, errors } = parseBatchCsv(
      'value,external_ref,name,document,bank_code,agency,account,account_type\n' +
        '10.50,a-1,Maria Silva,529.982.247-25,260,0001,1234567,savings',
    )
    expect({ items, errors }).toEqual({
      items: [{ value: 10.5, external_ref: 'a-1', receiver: { ...RECEIVER, account_type: 'savings' } }],
      errors: {},
    })
  })

  test('of a row with a key and an account names each cell of the account', () => {
    const { errors } = parseBatchCsv(`${ACCOUNT_HEADING}\n10,50;a-1;ana@example.com;Maria;;;260;;1234567;`)
    const message = ['must be empty in a row with a PIX key or code']
    expect(errors).toEqual({
      'lines.2.name': message,
      'lines.2.bank_code': message,
      'lines.2.account': message,
    })
  })

  test('an error of an account is named by line and column', () => {
    expect(
      nameTableLines(
        { 'items.1.receiver.agency': 1, 'items.0.receiver': 2, 'items.1.value': 3, name: 4 },
        [2, 5],
      ),
    ).toEqual({ 'lines.5.agency': 1, 'lines.2.receiver': 2, 'lines.5.value': 3, name: 4 })
  })

  test('a line is the one in the file, below rows of several lines', () => {
    const { lines, errors } = parseBatchCsv(
      `sep=;\n${HEADING};descricao\n${ROW};"a\nb"\n\n10;bia@example.com;a-2;=1`,
    )
    expect({ lines, errors }).toEqual({
      lines: [4, 6],
      errors: { 'lines.6.description': ['must not be a formula'] },
    })
  })

  test('of more rows than a batch has is refused before they are read', () => {
    const rows = Array.from({ length: MAX_BATCH_ITEMS + 1 }, (_, index) => `1;ana@example.com;${index}`)
    const table = parseBatchCsv([HEADING, ...rows].join('\n'))
    expect(table.errors).toEqual({ body: ['has more rows than a batch may have items'] })
    expect(parseBatchCsv([HEADING, ...rows.slice(1)].join('\n'))).toMatchObject({
      errors: {},
      items: { length: MAX_BATCH_ITEMS },
    })
  })
})
