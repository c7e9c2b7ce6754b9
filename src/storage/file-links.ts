import { createHmac, timingSafeEqual } from 'node:crypto'

/** Signed links to files on disk: the holder of a link may read that one file until it expires, without a token. */
export type FileLinks = {
  createLink(key: string, expiresAtMs: number): string
  /** Returns whether a link was created here, for this key, and has not expired. */
  isValid(link: FileLinkParts): boolean
}

type FileLinkParts = { key: string; expires: string; signature: string; nowMs: number }

/** Path below the service's public URL. */
export const FILES_PATH = '/files'

/**
 * Creates links signed by keys derived from TRILHO_SECRET_KEY (`id:base64`, several separated by commas: the first
 * signs, all verify, so that a rotation breaks no link). The sealing keys themselves sign nothing.
 */
export function createFileLinks({
  secretKeys,
  publicUrl,
}: {
  secretKeys: string
  publicUrl: string
}): FileLinks {
  const signingKeys = secretKeys.split(',').map(pair => {
    const secret = Buffer.from(pair.split(':')[1]!, 'base64')
    return createHmac('sha256', secret).update('links to stored files').digest()
  })
  return {
    createLink(key, expiresAtMs) {
      const expires = String(Math.floor(expiresAtMs / 1_000))
      const query = new URLSearchParams({ expires, signature: signLink(signingKeys[0]!, key, expires) })
      return `${publicUrl.replace(/\/+$/, '')}${FILES_PATH}/${key}?${query}`
    },
    isValid({ key, expires, signature, nowMs }) {
      if (!/^\d{1,12}$/.test(expires) || Number(expires) * 1_000 <= nowMs) return false
      return signingKeys.some(secret => isEqualInConstantTime(signature, signLink(secret, key, expires)))
    },
  }
}

function signLink(secret: Buffer, key: string, expires: string): string {
  return createHmac('sha256', secret).update(`${expires}\n${key}`).digest('base64url')
}

function isEqualInConstantTime(actual: string, expected: string): boolean {
  const [a, b] = [Buffer.from(actual), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
