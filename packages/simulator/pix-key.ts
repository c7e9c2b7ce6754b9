/**
 * Formats of PIX keys, as the DICT API 2.12.1 (Key) has them, and of documents. They are written apart from
 * src/domain/pix-keys/key-format.ts, so that an error there is not repeated by the provider that the adapters are tested against.
 */

export type KeyKind = 'CPF' | 'CNPJ' | 'EMAIL' | 'PHONE' | 'RANDOM'

const EMAIL_CHARACTERS = /^[a-z0-9.!#$'*+/=?^_`{|}~-]+$/
const HOST_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
const RANDOM_KEY = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const BRAZILIAN_MOBILE = /^\+55[1-9]{2}9\d{8}$/
const MAX_LENGTH = 77

/** Detects the kind of a PIX key in the form that DICT stores; null where it is none. */
export function detectKeyKind(key: string): KeyKind | null {
  if (key.length > MAX_LENGTH) return null
  if (BRAZILIAN_MOBILE.test(key)) return 'PHONE'
  if (RANDOM_KEY.test(key)) return 'RANDOM'
  return isEmail(key) ? 'EMAIL' : detectDocumentKind(key)
}

/** Detects whether a text is a CPF or a CNPJ with right check digits. */
export function detectDocumentKind(text: string): 'CPF' | 'CNPJ' | null {
  if (/^(.)\1+$/.test(text)) return null
  if (/^\d{11}$/.test(text)) return hasCheckDigits(text, 11) ? 'CPF' : null
  return /^[0-9A-Z]{12}\d{2}$/.test(text) && hasCheckDigits(text, 9) ? 'CNPJ' : null
}

function isEmail(key: string): boolean {
  const [name = '', host = '', ...more] = key.split('@')
  return (
    more.length === 0 && EMAIL_CHARACTERS.test(name) && host.split('.').every(label => HOST_LABEL.test(label))
  )
}

/** Modulo 11 from the right, by weights from 2 to a limit and then from 2 again; a letter counts as its ASCII code less 48. */
function hasCheckDigits(text: string, maxWeight: number): boolean {
  return [2, 1].every(fromEnd => {
    const values = [...text.slice(0, text.length - fromEnd)].reverse().map(one => one.charCodeAt(0) - 48)
    const sum = values.reduce((total, value, index) => total + value * (2 + (index % (maxWeight - 1))), 0)
    const rest = sum % 11
    return Number(text.at(-fromEnd)) === (rest < 2 ? 0 : 11 - rest)
  })
}
