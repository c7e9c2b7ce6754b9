import { expect, test } from '@jest/globals'
import { sanitizeProviderName } from '../../src/providers/adapter/provider-calls.ts'

test.each(['erro_aplicacao', 'PixDevolucaoInvalida', 'OPENPIX:SOMETHING_NEW', 'AC03', 'http2-reset'])(
  'the code %s is used as its own name',
  code => {
    expect(sanitizeProviderName(code)).toBe(code)
  },
)

test.each([
  ['a sentence', 'Chave de Maria da Silva inválida'],
  ['a document', '52998224725'],
  ['a document after a text', 'cpf52998224725'],
  ['an address', 'maria@example.com'],
  ['a name of any length', 'a'.repeat(81)],
])('%s is named by a digest, the same each time', (_, text) => {
  expect(sanitizeProviderName(text)).toMatch(/^text-[0-9a-f]{8}$/)
  expect(sanitizeProviderName(text)).toBe(sanitizeProviderName(text))
})

test('an empty code has no name', () => {
  expect(sanitizeProviderName('')).toBe('')
})
