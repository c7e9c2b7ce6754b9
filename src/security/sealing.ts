import { createCipheriv, createDecipheriv, createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** A text under AES-256-GCM: `sealed.<key id>.<base64url of nonce, tag and ciphertext>`. Safe in any history or row. */
type SealedText = string

export type Sealer = {
  /** The id of the key that seals now; stored beside a sealed column, so that a rotation finds the old ones. */
  keyId: string
  seal(value: unknown): SealedText
  /** Opens what any known key sealed; throws where none fits or the text was altered. */
  open<T>(sealed: SealedText): T
  /** `mac.<key id>.<base64url>`: tells again whether a text is the one, and nothing else of it. */
  mac(text: string): string
  isMacOf(mac: string, text: string): boolean
}

/** `keys` is `id:base64 of 32 bytes`, several separated by commas: the first seals, all open (TRILHO_SECRET_KEY). */
export function createSealer(keys: string): Sealer {
  const known = new Map(
    keys.split(',').map(pair => {
      const [id, secret] = pair.split(':')
      return [id!, Buffer.from(secret!, 'base64')] as const
    }),
  )
  const [keyId] = known.keys()
  /** Under a key of its own, so that nothing sealed can be mistaken for it. */
  const macBy = (id: string, text: string) => {
    const own = createHmac('sha256', known.get(id)!).update('mac').digest()
    return `mac.${id}.${createHmac('sha256', own).update(text).digest('base64url')}`
  }
  return {
    keyId: keyId!,
    seal(value) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', known.get(keyId!)!, nonce)
      const text = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()])
      return `sealed.${keyId}.${Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url')}`
    },
    open(sealed) {
      const [mark, id, body] = sealed.split('.')
      const key = known.get(id ?? '')
      if (mark !== 'sealed' || !key || !body) throw new Error('not sealed by a key that is known here')
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
      if (!known.has(id)) return false
      const [given, made] = [Buffer.from(mac), Buffer.from(macBy(id, text))]
      return given.length === made.length && timingSafeEqual(given, made)
    },
  }
}

/** What is wrong with such a text, each entry named by its place and never quoted; empty where nothing is. */
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
 * The places of keys that no random generator made: mostly one byte, an even progression, or a text. Empty where all look
 * random; of random keys fewer than one in a thousand million is among them.
 */
export function findWeakKeys(keys: string): string[] {
  return keys.split(',').flatMap((pair, index) => {
    const bytes = Buffer.from(pair.slice(pair.indexOf(':') + 1), 'base64')
    const steps = new Set(bytes.subarray(1).map((byte, place) => byte - bytes[place]!))
    const isText = bytes.every(byte => byte >= 0x20 && byte < 0x7f)
    return new Set(bytes).size <= MAX_DISTINCT_BYTES_OF_WEAK_KEY || steps.size === 1 || isText
      ? [`entry ${index + 1}`]
      : []
  })
}

/** 32 random bytes hold 30 different ones on average. */
const MAX_DISTINCT_BYTES_OF_WEAK_KEY = 16

/** SHA-256, for what must be recognised but never read: tokens, request bodies, notices. */
export function sha256(text: string | Buffer): Buffer {
  return hash('sha256', text, 'buffer')
}
