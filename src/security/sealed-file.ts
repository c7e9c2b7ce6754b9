import { type CipherGCM, createCipheriv, createDecipheriv, type DecipherGCM, randomBytes } from 'node:crypto'

/** What opens a sealed file: a key of its own, and the tag that proves its content. It is stored sealed, apart from the file. */
export type FileKey = { key: string; tag: string }

/** A key seals one file only, so the nonce need not differ. */
const NONCE = Buffer.alloc(12)

/** Creates the cipher of a new file, AES-256-GCM with a random key; `readKey` is called when the whole file has passed. */
export function createFileCipher(): { cipher: CipherGCM; readKey(): FileKey } {
  const key = randomBytes(32)
  const cipher = createCipheriv('aes-256-gcm', key, NONCE)
  const readKey = () => ({ key: key.toString('base64'), tag: cipher.getAuthTag().toString('base64') })
  return { cipher, readKey }
}

/** Creates the decipher of a sealed file. It fails at the end of a file that was altered, before its own end. */
export function createFileDecipher({ key, tag }: FileKey): DecipherGCM {
  const decipher = createDecipheriv('aes-256-gcm', Buffer.from(key, 'base64'), NONCE)
  return decipher.setAuthTag(Buffer.from(tag, 'base64'))
}
