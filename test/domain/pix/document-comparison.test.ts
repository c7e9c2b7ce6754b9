import { expect, test } from '@jest/globals'
import { compareDocuments } from '../../../src/domain/pix/document-comparison.ts'

const CPF = '12345678909'
const CNPJ = '11222333000181'
const ALPHANUMERIC = '12ABC34501DE35'

test.each([
  [CPF, CPF, 'same'],
  [CPF, '123.456.789-09', 'same'],
  [CNPJ, '11.222.333/0001-81', 'same'],
  [ALPHANUMERIC, '12.abc.345/01de-35', 'same'],
  [CPF, '52998224725', 'other'],
  [CPF, CNPJ, 'other'],
  [CNPJ, CPF, 'other'],
  // A mask contradicts by what it shows, and proves nothing by what it hides.
  [CPF, '***.456.789-**', 'unknown'],
  [CPF, '***.457.789-**', 'other'],
  [CPF, '•••456789••', 'unknown'],
  [CPF, 'XXX456789XX', 'unknown'],
  [CPF, 'XXX456780XX', 'other'],
  [CPF, '***********', 'unknown'],
  [CNPJ, '11.***.***/****-81', 'unknown'],
  [CNPJ, '12.***.***/****-81', 'other'],
  // Of another length it cannot be compared.
  [CPF, '***456789', 'unknown'],
  [CPF, '11.***.***/****-81', 'unknown'],
  // No document, and not masked.
  [CPF, '12345678900', 'unknown'],
  [CPF, '', 'unknown'],
  [CPF, 'Maria', 'unknown'],
  [CPF, '***-456-<b>', 'unknown'],
])('%s compared with %j: %s', (document, reported, comparison) => {
  expect(compareDocuments(document, reported)).toBe(comparison)
})
