import { DOCUMENT_INPUT_PATTERN, isDocument, normalizeDocument } from '../pix/document.ts'
import { isUuid } from '../pix/identifiers.ts'
import type { PixKeyType } from './pix-key.ts'

/**
 * Formats of PIX keys. E-mails and phones are checked here, because @brazilian-utils refuses e-mails that DICT takes
 * (`a#b@b.br`, `.a@b.br`) and takes phones that it does not (`+5511887654321`).
 */

/** DICT API 2.12.1, Key: no key of any type is longer. */
export const MAX_KEY_LENGTH = 77

/**
 * Validates a PIX key: returns its type, or null where it is none. Strict, so that no look-up is wasted on a key that cannot
 * exist (DICT answers few of them per payer); callers normalise first. A phone must carry `+55`, which keeps an 11-digit
 * CPF from being one.
 */
export function detectPixKeyType(key: string): PixKeyType | null {
  if (key.length > MAX_KEY_LENGTH) return null
  if (isDocument(key)) return 'DOCUMENT'
  if (MOBILE_PATTERN.test(key)) return 'PHONE'
  if (EMAIL_PATTERN.test(key)) return 'EMAIL'
  if (isUuid(key)) return 'RANDOM'
  return null
}

/**
 * Normalises a PIX key to the form that DICT stores: e-mail and EVP in lower case, documents in upper case. A text that is
 * no key in either case is returned as it is. Only `A-Z` is lowered, since Unicode would make a `k` of the kelvin sign.
 */
export function normalizePixKey(key: string): string {
  const lowerCaseKey = key.replace(/[A-Z]/g, letter => letter.toLowerCase())
  if (detectPixKeyType(lowerCaseKey) !== null) return lowerCaseKey
  const document = normalizeDocument(key)
  return isDocument(document) ? document : key
}

/** A Brazilian mobile: DICT takes any E.164 number, the manual only mobiles; no area code has a zero. */
const MOBILE_PATTERN = /^\+55[1-9][1-9]9[0-9]{8}$/

/** DICT API 2.12.1, Key, as written there: lower case, without `&` and `%`. */
const EMAIL_PATTERN =
  /^[a-z0-9.!#$'*+/=?^_`{|}~-]+@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/

const RANDOM_KEY_INPUT_PATTERN = /^[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}$/

/** Matches every text that can be a key after `normalizePixKey`; check digits and the length are not checked. */
export const PIX_KEY_INPUT_PATTERN = new RegExp(
  [
    DOCUMENT_INPUT_PATTERN.source,
    MOBILE_PATTERN.source,
    EMAIL_PATTERN.source.replaceAll('a-z', 'A-Za-z'),
    RANDOM_KEY_INPUT_PATTERN.source,
  ].join('|'),
)

/** Characters that people write documents and telephone numbers with. */
const MASK_CHARACTERS = /[\s().\-/]/g

/** A mobile with its area code, written as a telephone number: bare digits may be a mistyped CPF. */
const WRITTEN_MOBILE = /^(\(\d{2}\) ?|\d{2}[ -])9\d{4}[ -]?\d{4}$/

/**
 * Interprets a PIX key as a person types it, with or without a mask: `529.982.247-25`, `(11) 98888-7777`. A number is a
 * mobile only with `+55` or where it is written as one, so that no mistyped document becomes the key of another person.
 * Returns null where the text is no key.
 */
export function interpretTypedKey(text: string): { key: string; type: PixKeyType } | null {
  const trimmedText = text.trim()
  const unmaskedText = trimmedText.replaceAll(MASK_CHARACTERS, '')
  for (const candidate of WRITTEN_MOBILE.test(trimmedText)
    ? [`+55${unmaskedText}`]
    : [trimmedText, unmaskedText]) {
    const key = normalizePixKey(candidate)
    const type = detectPixKeyType(key)
    if (type !== null) return { key, type }
  }
  return null
}
