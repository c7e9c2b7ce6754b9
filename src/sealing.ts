import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

/** A text under AES-256-GCM: `sealed.<key id>.<base64url of nonce, tag and ciphertext>`. Safe in any history or row. */
export type Sealed = string

export type Sealer = {
  /** The id of the key that seals now; stored beside a sealed column, so that a rotation finds the old ones. */
  keyId: string
  seal(value: unknown): Sealed
  /** Opens what any known key sealed; throws where none fits or the text was altered. */
  open<T>(sealed: Sealed): T
}

/** `keys` is `id:base64 of 32 bytes`, several separated by commas: the first seals, all open (TRILHO_SECRET_KEY). */
export function sealer(keys: string): Sealer {
  const known = new Map(
    keys.split(',').map(pair => {
      const [id, secret] = pair.split(':')
      return [id!, Buffer.from(secret!, 'base64')] as const
    }),
  )
  const [keyId] = known.keys()
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
  }
}

/** SHA-256, for what must be recognised but never read: tokens, request bodies, notices. */
export function sha256(text: string | Buffer): Buffer {
  return createHash('sha256').update(text).digest()
}
