import { describe, expect, test } from '@jest/globals'
import {
  buildPseudonym,
  ERASED_TEXT,
  eraseTexts,
  listDocumentForms,
  parseDocument,
} from '../../../src/domain/privacy/erasure.ts'

/** What takes the place of a person's data. */

const MAC = `mac.a.${'-_aB3'.repeat(9)}`

test.each([
  ['52998224725', /^#[0-9A-Za-z]{10}$/],
  ['12ABC34501DE35', /^#[0-9A-Za-z]{13}$/],
])('the pseudonym of %s has its length, and is no document', (document, form) => {
  const pseudonym = buildPseudonym(MAC, document)
  expect(pseudonym).toMatch(form)
  expect(pseudonym).toHaveLength(document.length)
  expect(parseDocument(pseudonym)).toBeNull()
})

test.each([
  ['529.982.247-25', '52998224725'],
  [' 12abc34501de35 ', '12ABC34501DE35'],
  ['12.ABC.345/01DE-35', '12ABC34501DE35'],
  ['123', null],
  ['maria@example.com', null],
])('%s is read as %s', (text, document) => expect(parseDocument(text)).toBe(document))

test('a document is looked for with and without its punctuation', () => {
  expect(listDocumentForms('52998224725')).toEqual(['52998224725', '529.982.247-25'])
  expect(listDocumentForms('11222333000181')).toEqual(['11222333000181', '11.222.333/0001-81'])
})

describe('the texts of a person in JSON', () => {
  const texts = new Map([
    ['Maria', ERASED_TEXT],
    ['52998224725', '#x'],
  ])

  test('are replaced wherever they are, and all else stays in its order', () => {
    const body = {
      uuid: 'u',
      value: 12.5,
      debtor: { name: 'Maria', document: '52998224725', email: 'm@example.com', address: { city: 'Natal' } },
      pix: {
        sender: { name: 'Maria', account_number: '1', bank: { name: 'Banco' } },
        receiver: { name: 'Loja', account_number: '1' },
      },
      list: [null, 'Maria', 'Mariana', true],
    }
    const erased = {
      uuid: 'u',
      value: 12.5,
      debtor: { name: ERASED_TEXT, document: '#x', email: ERASED_TEXT },
      pix: {
        sender: { name: ERASED_TEXT, account_number: ERASED_TEXT, bank: { name: 'Banco' } },
        receiver: { name: 'Loja', account_number: '1' },
      },
      list: [null, ERASED_TEXT, 'Mariana', true],
    }
    expect(JSON.stringify(eraseTexts(body, texts))).toBe(JSON.stringify(erased))
  })

  test('a text that names nobody is the same text', () => {
    const body = { a: [1, { b: 'c' }], d: null }
    expect(JSON.stringify(eraseTexts(body, texts))).toBe(JSON.stringify(body))
  })
})
