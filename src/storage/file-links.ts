import { createHmac, timingSafeEqual } from 'node:crypto'

/** Links to files of the disk: whoever has one may read that one file until it expires, without a token. */
export type FileLinks = {
  /** Where the file of a key is read until then. */
  createLink(key: string, expiresAtMs: number): string
  /** Whether a link was made here, for this key, and has not expired. */
  isValid(link: FileLinkParts): boolean
}

type FileLinkParts = { key: string; expires: string; signature: string; nowMs: number }

/** Below the service's own address. */
export const FILES_PATH = '/files'

/**
 * Links signed by keys that are derived from TRILHO_SECRET_KEY (`id:base64`, several by commas: the first signs, all
 * verify, so a rotation breaks no link). What seals data never signs anything itself.
 */
export function createFileLinks({
  secretKeys,
  publicUrl,
}: {
  secretKeys: string
  publicUrl: string
}): FileLinks {
  const known = secretKeys.split(',').map(pair => {
    const secret = Buffer.from(pair.split(':')[1]!, 'base64')
    return createHmac('sha256', secret).update('links to stored files').digest()
  })
  return {
    createLink(key, expiresAtMs) {
      const expires = String(Math.floor(expiresAtMs / 1_000))
      const query = new URLSearchParams({ expires, signature: signLink(known[0]!, key, expires) })
      return `${publicUrl.replace(/\/+$/, '')}${FILES_PATH}/${key}?${query}`
    },
    isValid({ key, expires, signature, nowMs }) {
      if (!/^\d{1,12}$/.test(expires) || Number(expires) * 1_000 <= nowMs) return false
      return known.some(secret => isEqualInConstantTime(signature, signLink(secret, key, expires)))
    },
  }
}

function signLink(secret: Buffer, key: string, expires: string): string {
  return createHmac('sha256', secret).update(`${expires}\n${key}`).digest('base64url')
}

/** In the same time wherever they differ. */
function isEqualInConstantTime(given: string, right: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(right)]
  return a.length === b.length && timingSafeEqual(a, b)
}
