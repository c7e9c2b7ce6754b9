import { DOCUMENT_INPUT_PATTERN, normalizeDocument } from '../pix/document.ts'

/** What takes the place of personal data that was erased (docs/retention.md). */

/** Text in the place of a name, an address or a key. */
export const ERASED_TEXT = '[erased]'

/**
 * Builds what takes the place of a CPF or CNPJ: `#` and a keyed hash, as long as the document, so that the operations of a person stay
 * together and PostgreSQL tells it from every document (`is_erased` in src/db/migrations/initial/trigger-functions.ts).
 */
export function buildPseudonym(mac: string, document: string): string {
  const [, , hash = ''] = mac.split('.')
  return `#${hash
    .replaceAll('-', '0')
    .replaceAll('_', '1')
    .slice(0, document.length - 1)}`
}

/** Parses a CPF or CNPJ with or without its punctuation; null where it has the length of none. */
export function parseDocument(text: string): string | null {
  const document = normalizeDocument(text.trim()).replaceAll(/[./-]/g, '')
  return DOCUMENT_INPUT_PATTERN.test(document) ? document : null
}

/** Lists the forms in which providers write a document. */
export function listDocumentForms(document: string): string[] {
  const punctuated =
    document.length === 11
      ? document.replace(/(...)(...)(...)(..)/, '$1.$2.$3-$4')
      : document.replace(/(..)(...)(...)(....)(..)/, '$1.$2.$3/$4-$5')
  return [document, punctuated]
}

/** Fields of a person that are recognised by the name or the document next to them, because their texts alone name nobody. */
const ACCOUNT_FIELDS = ['account_number', 'account_agency', 'email']

/** Replaces the texts of a person in JSON, by what takes the place of each; everything else stays, in its order. An address is left out. */
export function eraseTexts(value: unknown, replacements: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return replacements.get(value) ?? value
  if (Array.isArray(value)) return value.map(one => eraseTexts(one, replacements))
  if (value === null || typeof value !== 'object') return value
  const isPersons = Object.values(value).some(one => typeof one === 'string' && replacements.has(one))
  const eraseField = ([key, one]: [string, unknown]): [string, unknown][] => {
    if (isPersons && key === 'address') return []
    return [
      [key, isPersons && one && ACCOUNT_FIELDS.includes(key) ? ERASED_TEXT : eraseTexts(one, replacements)],
    ]
  }
  return Object.fromEntries(Object.entries(value).flatMap(eraseField))
}
