import { isValidCnpj } from '@brazilian-utils/brazilian-utils/is-valid-cnpj'
import { isValidCpf } from '@brazilian-utils/brazilian-utils/is-valid-cpf'
import { describe, expect, test } from '@jest/globals'
import {
  detectDocumentKind,
  isDocument,
  maskDocument,
  normalizeDocument,
} from '../../../src/domain/pix/document.ts'
import vectors from '../support/vectors.json' with { type: 'json' }

describe('documents of the vectors', () => {
  test.each(vectors.cpf_valid)('%s is a CPF', text => expect(detectDocumentKind(text)).toBe('CPF'))
  test.each(vectors.cnpj_valid)('$v is a CNPJ', ({ v }) => expect(detectDocumentKind(v)).toBe('CNPJ'))
  test.each([...vectors.cpf_invalid, ...vectors.cnpj_invalid])('%s is neither', text => {
    expect(detectDocumentKind(text)).toBeNull()
    expect(isDocument(text)).toBe(false)
  })
})

test.each([
  ['Q0SLFMBD7VX439', 'CNPJ'],
  ['PXL00011000106', 'CNPJ'],
  ['PXC00002000150', 'CNPJ'],
  ['12abc34501de35', null],
  ['529.982.247-25', null],
  ['52998224725 ', null],
  ['52998224725\n', null],
  ['５2998224725', null],
  ['77777777777', null],
  ['12.ABC.345/01DE-35', null],
  ['', null],
])('%j is %j', (text, kind) => expect(detectDocumentKind(text)).toBe(kind))

test.each([
  ['12abc34501de35', '12ABC34501DE35'],
  ['52998224725', '52998224725'],
  ['529.982.247-25', '529.982.247-25'],
  ['ſ2ıbc34501de35', 'ſ2ıBC34501DE35'],
])('%j is normalised to %j', (text, normalized) => expect(normalizeDocument(text)).toBe(normalized))

test.each([
  ['52998224725', '***982247**'],
  ['***982247**', '***982247**'],
  ['12ABC34501DE35', '***BC34501DE**'],
  ['529.982.247-25', '**************'],
  ['1234', '****'],
  ['', ''],
])('%j is shown as %j', (text, masked) => expect(maskDocument(text)).toBe(masked))

describe('an independent library agrees', () => {
  const random = seeded(20_260_928)
  const pick = (alphabet: string) => alphabet[Math.floor(random() * alphabet.length)]!
  const word = (alphabet: string, length: number) => Array.from({ length }, () => pick(alphabet)).join('')
  const theirs = (text: string) => isValidCpf(text) || isValidCnpj(text, { version: 2 })
  const DIGITS = '0123456789'
  const endings = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0'))

  test.each([
    ['CPF', DIGITS, 9],
    ['CNPJ', DIGITS, 12],
    ['CNPJ', `${DIGITS}ABCDEFGHIJKLMNOPQRSTUVWXYZ`, 12],
  ])(
    '%s of %s: one valid pair of check digits in a hundred, and none with a changed character',
    (kind, alphabet, length) => {
      for (let round = 0; round < 1_000; round++) {
        const base = word(alphabet, length)
        const good = endings.map(ending => base + ending).filter(isDocument)
        expect(good).toEqual(endings.map(ending => base + ending).filter(theirs))
        expect(good.map(detectDocumentKind)).toEqual([kind])

        const at = Math.floor(random() * length)
        const changed = good[0]!.slice(0, at) + pick(alphabet) + good[0]!.slice(at + 1)
        expect([changed, isDocument(changed)]).toEqual([changed, theirs(changed)])
      }
    },
  )
})

/** Mulberry32: the same numbers in every run, so that a failure can be repeated. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
