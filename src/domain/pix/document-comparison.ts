import { detectDocumentKind, normalizeDocument } from './document.ts'

/** `unknown`: the other text is masked and does not contradict, or is no document. */
export type DocumentComparison = 'same' | 'other' | 'unknown'

/**
 * Compares a document with one that a provider reports, which may be formatted, or masked by `*`, `X` or `•`. A masked one of the same
 * length contradicts by any shown character that differs; one that fits may be of another holder all the same.
 */
export function compareDocuments(document: string, reported: string): DocumentComparison {
  const text = normalizeDocument(reported).replaceAll(/[.\-/\s]/g, '')
  if (text === document) return 'same'
  if (detectDocumentKind(text) !== null) return 'other'
  if (text.length !== document.length || !/^[0-9A-Z*•]+$/.test(text)) return 'unknown'
  const isMasked = (character: string) => '*X•'.includes(character)
  if (![...text].some(isMasked)) return 'unknown'
  return [...text].every((character, index) => isMasked(character) || character === document[index])
    ? 'unknown'
    : 'other'
}
