import { expect, test } from '@jest/globals'
import { safeName } from '../../src/providers/calls.ts'

test.each(['erro_aplicacao', 'PixDevolucaoInvalida', 'OPENPIX:SOMETHING_NEW', 'AC03', 'http2-reset'])(
  'the code %s is its own name',
  code => {
    expect(safeName(code)).toBe(code)
  },
)

test.each([
  ['a sentence', 'Chave de Maria da Silva inválida'],
  ['a document', '52998224725'],
  ['a document after a word', 'cpf52998224725'],
  ['an address', 'maria@example.com'],
  ['a name of any length', 'a'.repeat(81)],
])('%s is named by a digest, the same each time', (_, text) => {
  expect(safeName(text)).toMatch(/^text-[0-9a-f]{8}$/)
  expect(safeName(text)).toBe(safeName(text))
})

test('what has no name has none', () => {
  expect(safeName('')).toBe('')
})
