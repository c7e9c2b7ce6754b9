import { expect, test } from '@jest/globals'
import { findUnwritableInPdf, toPdfText } from '../../../src/domain/shared/pdf-text.ts'

/** What a PDF in a standard font can show. */

test.each([
  ['Padaria São João – “A Praça” & Cia. €', 'Padaria São João – “A Praça” & Cia. €'],
  ['Sa\u0303o', 'São'],
  ['−R$\u00a01,00', '-R$\u00a01,00'],
  ['1\u202f234', '1\u00a0234'],
  ['Łódź 🍞🍞 \u202eabc', '?ód? ?? ?abc'],
  ['a\0b\u0085', 'a?b?'],
])('%j is shown as %j', (text, shown) => {
  expect(toPdfText(text)).toBe(shown)
  expect(findUnwritableInPdf(shown)).toEqual([])
})

test('each character that cannot be shown is found once, in its order', () => {
  expect(findUnwritableInPdf('Ł🍞Ł\n')).toEqual(['Ł', '🍞'])
})
