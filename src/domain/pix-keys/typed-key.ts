import { detectPixKeyType, normalizePixKey } from './key-format.ts'
import type { PixKeyType } from './pix-key.ts'

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
  const trimmed = text.trim()
  const bare = trimmed.replaceAll(MASK_CHARACTERS, '')
  for (const reading of WRITTEN_MOBILE.test(trimmed) ? [`+55${bare}`] : [trimmed, bare]) {
    const key = normalizePixKey(reading)
    const type = detectPixKeyType(key)
    if (type !== null) return { key, type }
  }
  return null
}
