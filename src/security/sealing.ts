import { createCipheriv, createDecipheriv, createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'

/*
 * Not JOSE's compact encryption, which names the key and uses the same cipher: its library is asynchronous, so that
 * every caller would wait, and columns and recorded histories hold this form, which would have to stay readable.
 */

/** Text sealed by AES-256-GCM: `sealed.<key id>.<base64url of nonce, tag and ciphertext>`. Safe in histories. */
type SealedText = string

export type Sealer = {
  /** Id of the key that seals now; stored with sealed columns, so that a key rotation finds the old ones. */
  keyId: string
  seal(value: unknown): SealedText
  /** Opens text sealed by any known key; throws where no key fits or the text was altered. */
  open<T>(sealed: SealedText): T
  /** Computes `mac.<key id>.<base64url>`, which identifies a text and reveals nothing about it. */
  mac(text: string): string
  isMacOf(mac: string, text: string): boolean
}

/**
 * Creates a sealer. `keys` is `id:base64 of 32 bytes`, several separated by commas: the first seals, all open
 * (TRILHO_SECRET_KEY).
 */
export function createSealer(keys: string): Sealer {
  const keysById = new Map(
    keys.split(',').map(pair => {
      const [id, secret] = pair.split(':')
      return [id!, Buffer.from(secret!, 'base64')] as const
    }),
  )
  const [keyId] = keysById.keys()
  /** Uses a derived key, so that no sealed text can be mistaken for a MAC. */
  const macBy = (id: string, text: string) => {
    const mac = createHmac('sha256', keysById.get(id)!).update('mac').digest()
    return `mac.${id}.${createHmac('sha256', mac).update(text).digest('base64url')}`
  }
  return {
    keyId: keyId!,
    seal(value) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', keysById.get(keyId!)!, nonce)
      const text = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()])
      return `sealed.${keyId}.${Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url')}`
    },
    open(sealed) {
      const [version, id, body] = sealed.split('.')
      const key = keysById.get(id ?? '')
      if (version !== 'sealed' || !key || !body) throw new Error('not sealed by a key that is known here')
      const bytes = Buffer.from(body, 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
      decipher.setAuthTag(bytes.subarray(12, 28))
      return JSON.parse(
        Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8'),
      )
    },
    mac: text => macBy(keyId!, text),
    isMacOf(mac, text) {
      const id = mac.split('.')[1] ?? ''
      if (!keysById.has(id)) return false
      const [actual, expected] = [Buffer.from(mac), Buffer.from(macBy(id, text))]
      return actual.length === expected.length && timingSafeEqual(actual, expected)
    },
  }
}

/** Finds malformed entries of a key list, each named by its position and never quoted; empty where all are valid. */
export function findKeyFaults(keys: string): string[] {
  const ids = new Set<string>()
  return keys.split(',').flatMap((pair, index) => {
    const [, id, secret] = /^([a-z0-9]+):([A-Za-z0-9+/]+=*)$/.exec(pair) ?? []
    const entry = `entry ${index + 1}`
    if (id === undefined) return [`${entry} is not id:base64`]
    const faults = ids.has(id) ? [`${entry} repeats the id of another`] : []
    ids.add(id)
    if (Buffer.from(secret!, 'base64').length !== 32) faults.push(`${entry} is not the base64 of 32 bytes`)
    return faults
  })
}

/**
 * Finds the positions of keys that no random generator made: mostly one byte, an arithmetic progression, or text.
 * Empty where all look random; fewer than one in a thousand million random keys is reported.
 */
export function findWeakKeys(keys: string): string[] {
  return keys.split(',').flatMap((pair, index) => {
    const bytes = Buffer.from(pair.slice(pair.indexOf(':') + 1), 'base64')
    const steps = new Set(bytes.subarray(1).map((byte, index) => byte - bytes[index]!))
    const isText = bytes.every(byte => byte >= 0x20 && byte < 0x7f)
    return new Set(bytes).size <= MAX_DISTINCT_BYTES_OF_WEAK_KEY || steps.size === 1 || isText
      ? [`entry ${index + 1}`]
      : []
  })
}

/** A key with at most this many different bytes is weak: 32 random bytes have 30 on average. */
const MAX_DISTINCT_BYTES_OF_WEAK_KEY = 16

/** Computes SHA-256, for values that are recognised but never read: tokens, request bodies, provider notifications. */
export function sha256(text: string | Buffer): Buffer {
  return hash('sha256', text, 'buffer')
}
