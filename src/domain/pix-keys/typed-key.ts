import { detectPixKeyType, normalizePixKey } from './key-format.ts'
import type { PixKeyType } from './pix-key.ts'

/** Characters that people write documents and telephone numbers with. */
const MASK_CHARACTERS = /[\s().\-/]/g

/**
 * Interprets a PIX key as a person types it, with or without a mask: `529.982.247-25`, `(11) 98888-7777`. Eleven digits
 * that are a valid CPF are one, unless brackets mark an area code. Returns null where the text is no key.
 */
export function interpretTypedKey(text: string): { key: string; type: PixKeyType } | null {
  const trimmed = text.trim()
  const bare = trimmed.replaceAll(MASK_CHARACTERS, '')
  const mobiles = [`+55${bare}`, `+${bare}`]
  const readings = trimmed.startsWith('(') ? mobiles : [trimmed, bare, ...mobiles]
  for (const reading of readings) {
    const key = normalizePixKey(reading)
    const type = detectPixKeyType(key)
    if (type !== null) return { key, type }
  }
  return null
}
