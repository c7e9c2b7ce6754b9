import { detectDocumentKind, normalizeDocument } from './document.ts'

/** `unknown`: the other text is masked and does not contradict, or is no document. */
export type DocumentComparison = 'same' | 'other' | 'unknown'

/**
 * Compares a document with one that a provider reports, which may be formatted, or masked by `*`, `X` or `•`. A masked one of the same
 * length contradicts by any shown character that differs; one that fits may be of another holder all the same.
 */
export function compareDocuments(document: string, reported: string): DocumentComparison {
  const text = removePunctuation(reported)
  if (text === document) return 'same'
  if (detectDocumentKind(text) !== null) return 'other'
  return containsMask(text) ? compareShownCharacters(document, text) : 'unknown'
}

/** Compares two documents that providers report, of which either may be masked as in `compareDocuments`: `same` only where both are whole. */
export function compareReportedDocuments(one: string, other: string): DocumentComparison {
  const [text, otherText] = [removePunctuation(one), removePunctuation(other)]
  if (detectDocumentKind(text) !== null) return compareDocuments(text, otherText)
  if (detectDocumentKind(otherText) !== null) return compareDocuments(otherText, text)
  return compareShownCharacters(text, otherText)
}

function removePunctuation(reported: string): string {
  return normalizeDocument(reported).replaceAll(/[.\-/\s]/g, '')
}

const MASKS = '*X•'

function containsMask(text: string): boolean {
  return [...text].some(character => MASKS.includes(character))
}

/** Compares position by position, without those that either masks. */
function compareShownCharacters(one: string, other: string): 'other' | 'unknown' {
  if (one.length !== other.length || ![one, other].every(text => /^[0-9A-Z*•]+$/.test(text))) return 'unknown'
  const isShown = (character: string) => !MASKS.includes(character)
  const differs = [...one].some((character, index) => {
    const otherCharacter = other.charAt(index)
    return isShown(character) && isShown(otherCharacter) && character !== otherCharacter
  })
  return differs ? 'other' : 'unknown'
}
