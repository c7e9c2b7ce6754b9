import { describe, expect, test } from '@jest/globals'
import { foldSearchText, splitByMatches } from '../../../src/domain/shared/search-text.ts'

/** What is written differently and reads the same is one word to the search, and a match is shown in the text as it was written. */

test.each([
  ['Sônia  APARECIDA', 'sonia aparecida'],
  ['So\u0302nia', 'sonia'],
  ['Conceição\u00a0Müller-Núñez', 'conceicao muller nunez'],
  ['pedido-10722/A', 'pedido 10722 a'],
  ["D'Ávila & Filhos (ME)", 'd avila filhos me'],
  ['ﬁlé ½', 'file 1⁄2'],
  ['--- %_\\\0', ''],
])('%j folds to %j', (text, folded) => expect(foldSearchText(text.replaceAll('\0', ''))).toBe(folded))

describe('matching parts', () => {
  const mark = (text: string, ...words: string[]) =>
    splitByMatches(text, words)
      .map(part => (part.isMatch ? `[${part.text}]` : part.text))
      .join('')

  test.each<[text: string, words: string[], marked: string]>([
    ['Sônia Aparecida Pires', ['sonia', 'pir'], '[Sônia] Aparecida [Pir]es'],
    ['So\u0302nia', ['son'], '[Sôn]ia'],
    ['pedido-10722', ['1072'], 'pedido-[1072]2'],
    ['Ana Banana', ['ana'], '[Ana] Banana'],
    ['E99999004202611281030bTixPLQ7NYh', ['btixplq7nyh'], 'E99999004202611281030[bTixPLQ7NYh]'],
    ['<b>&', ['x'], '<b>&'],
    ['😀 Ana', ['ana'], '😀 [Ana]'],
    ['', ['ana'], ''],
  ])('of %j for %j are %j', (text, words, marked) => expect(mark(text, ...words)).toBe(marked))
})
