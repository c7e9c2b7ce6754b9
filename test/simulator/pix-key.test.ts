import { describe, expect, test } from '@jest/globals'
import { centsFromReais, centsFromText, textFromCents } from '../../packages/simulator/amount.ts'
import { detectDocumentKind, detectKeyKind } from '../../packages/simulator/pix-key.ts'

/** The simulator's own reading of PIX keys and amounts. */

test.each([
  ['52998224725', 'CPF'],
  ['52998224726', null],
  ['11111111111', null],
  ['11222333000181', 'CNPJ'],
  ['12ABC34501DE35', 'CNPJ'],
  ['12abc34501de35', null],
  ['+5511987654321', 'PHONE'],
  ['+5511887654321', null],
  ['11987654321', null],
  ['.a#b@b.com.br', 'EMAIL'],
  ['A@b.com.br', null],
  ['a@-b.com', null],
  ['a@b@c', null],
  ['123e4567-e89b-12d3-a456-426614174000', 'RANDOM'],
  ['123E4567-e89b-12d3-a456-426614174000', null],
  [`${'a'.repeat(70)}@b.com.br`, null],
])('the key %s is of kind %s', (key, kind) => {
  expect(detectKeyKind(key)).toBe(kind)
})

test('only a document is one', () => {
  expect(['52998224725', '12ABC34501DE35', '+5511987654321'].map(detectDocumentKind)).toEqual([
    'CPF',
    'CNPJ',
    null,
  ])
})

describe('an amount', () => {
  test.each([
    [4.35, 435],
    [1.1, 110],
    [0, 0],
    [9_999_999_999.99, 999_999_999_999],
    [10_000_000_000, null],
    [1.005, null],
    [-1, null],
    [Number.NaN, null],
  ])('of %d reais is %d centavos', (reais, cents) => {
    expect(centsFromReais(reais)).toBe(cents)
  })

  test('is read from and written as a text of two decimals', () => {
    expect(['12.34', '12.3', '12', '-1.00', '1e3.00'].map(centsFromText)).toEqual([
      1_234,
      null,
      null,
      null,
      null,
    ])
    expect([0, 5, 1_234, -10].map(textFromCents)).toEqual(['0.00', '0.05', '12.34', '-0.10'])
  })
})
