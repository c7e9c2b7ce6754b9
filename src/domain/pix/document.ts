export type DocumentKind = 'CPF' | 'CNPJ'

/**
 * Whose document this is, or null where it is none. Strict: no mask, no spaces, upper case; callers normalise first.
 * CPF: 11 digits. CNPJ: 12 of `0-9A-Z` and two digits, as IN RFB 2.229/2024 has it since July 2026; an all-digit
 * CNPJ is the same rule. A text of one repeated digit is refused: its check digits may be right, but it is never issued.
 */
export function detectDocumentKind(text: string): DocumentKind | null {
  if (/^(\d)\1+$/.test(text)) return null
  if (/^\d{11}$/.test(text) && hasValidCheckDigits(text, CPF_WEIGHTS)) return 'CPF'
  if (/^[0-9A-Z]{12}\d{2}$/.test(text) && hasValidCheckDigits(text, CNPJ_WEIGHTS)) return 'CNPJ'
  return null
}

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

/** From the right the weights are 2, 3, … and start again after so many: 2..11 for a CPF, 2..9 for a CNPJ. */
const CPF_WEIGHTS = 10
const CNPJ_WEIGHTS = 8

function hasValidCheckDigits(text: string, weights: number): boolean {
  const first = computeCheckDigit(text.slice(0, -2), weights)
  const second = computeCheckDigit(text.slice(0, -2) + first, weights)
  return text.endsWith(first + second)
}

/** Modulo 11 over the characters' ASCII less 48 (0–9, A is 17 … Z is 42); a remainder of 0 or 1 gives 0. */
function computeCheckDigit(base: string, weights: number): string {
  let sum = 0
  for (let i = 0; i < base.length; i++) {
    sum += (base.charCodeAt(i) - 48) * (2 + ((base.length - 1 - i) % weights))
  }
  const rest = sum % 11
  return String(rest < 2 ? 0 : 11 - rest)
}
