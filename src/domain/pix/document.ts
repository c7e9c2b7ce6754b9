import { isValidCnpj } from '@brazilian-utils/brazilian-utils/is-valid-cnpj'
import { isValidCpf } from '@brazilian-utils/brazilian-utils/is-valid-cpf'

export type DocumentKind = 'CPF' | 'CNPJ'

/**
 * Whose document this is, or null where it is none. Strict: no mask, no spaces, upper case; callers normalise first.
 * CPF: 11 digits. CNPJ: 12 of `0-9A-Z` and two digits, as IN RFB 2.229/2024 has it since July 2026; an all-digit
 * CNPJ is the same rule. A text of one repeated digit is refused: its check digits may be right, but it is never issued.
 */
export function detectDocumentKind(text: string): DocumentKind | null {
  if (/^\d{11}$/.test(text) && isValidCpf(text)) return 'CPF'
  if (/^[0-9A-Z]{12}\d{2}$/.test(text) && isValidCnpj(text, { version: 2 })) return 'CNPJ'
  return null
}

/** Matches every text that can be a document after `normalizeDocument`; its check digits are not checked. */
export const DOCUMENT_INPUT_PATTERN = /^(?:[0-9]{11}|[0-9A-Za-z]{12}[0-9]{2})$/

export function isDocument(text: string): boolean {
  return detectDocumentKind(text) !== null
}

/**
 * Upper case, and nothing else: the contract wants documents without formatting, so a mask stays and is refused.
 * Only `a-z` is raised, since Unicode would make letters of a CNPJ out of `ſ` and `ı`.
 */
export function normalizeDocument(text: string): string {
  return text.replace(/[a-z]/g, letter => letter.toUpperCase())
}

/**
 * As Brazilian banks show a payer to strangers: `***982247**`. Masking twice changes nothing, and a text
 * without the shape of a document is hidden whole.
 */
export function maskDocument(text: string): string {
  const looksLikeOne = /^[0-9A-Z*]{11}(?:[0-9A-Z*]{3})?$/.test(text)
  return looksLikeOne ? `***${text.slice(3, -2)}**` : '*'.repeat(text.length)
}
