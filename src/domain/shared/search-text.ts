/** Folding of texts that people search for: what is written differently and reads the same, folds to the same words. */

/**
 * Folds a text for the search: lower case, without accents, words separated by single spaces. `fold_search_words` of the
 * database has the same rules.
 */
export function foldSearchText(text: string): string {
  return text.normalize('NFKD').toLowerCase().replaceAll(ACCENTS, '').replaceAll(SEPARATORS, ' ').trim()
}

/** Combining marks that NFKD separates from their letters. */
const ACCENTS = /[\u0300-\u036f]/g
/** What is no letter or digit of ASCII; other alphabets have no separators here. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters separate words as spaces do.
const SEPARATORS = /[\x01-\x2f:-@[-`{-\x7f]+/g

/** Fewest characters of the end of an id of the rail that finds it: what the sender of a PIX chooses of it, and receipts show. */
export const MIN_TAIL_LENGTH = 11

/** Fewest characters of the beginning of a word that finds it among all entries; a shorter one among the newest. */
export const MIN_PREFIX_LENGTH = 3

/** Most characters of a word that count: what providers report has no limit, and the index of words has one. */
export const MAX_WORD_LENGTH = 100

/** Splits a text into its parts; `isMatch` of those in which a word of a search is found, as the search finds it. */
export function splitByMatches(
  written: string,
  words: readonly string[],
): { text: string; isMatch: boolean }[] {
  // Composed: a letter with its accents is one.
  const text = written.normalize('NFC')
  const { folded, starts } = foldByLetter(text)
  const matched = new Set<number>()
  for (const word of words) {
    const needle = word.length < MIN_TAIL_LENGTH ? ` ${word}` : word
    const skipped = needle.length - word.length
    for (let at = folded.indexOf(needle); at >= 0; at = folded.indexOf(needle, at + 1))
      for (let letter = at + skipped; letter < at + needle.length; letter += 1) matched.add(starts[letter]!)
  }
  const parts: { text: string; isMatch: boolean }[] = []
  let at = 0
  for (const letter of text) {
    const isMatch = matched.has(at)
    const last = parts.at(-1)
    if (last?.isMatch === isMatch) last.text += letter
    else parts.push({ text: letter, isMatch })
    at += letter.length
  }
  return parts
}

/** Folds a text letter by letter; `starts` has for each character of the result where its letter begins in the text. */
function foldByLetter(text: string): { folded: string; starts: number[] } {
  let folded = ' '
  const starts = [-1]
  let at = 0
  for (const letter of text) {
    // A combining mark of its own folds to nothing, a separator to a space.
    const part = letter.normalize('NFKD').toLowerCase().replaceAll(ACCENTS, '').replaceAll(SEPARATORS, ' ')
    folded += part
    for (let index = 0; index < part.length; index += 1) starts.push(at)
    at += letter.length
  }
  return { folded, starts }
}
