import { createSealer } from '../security/sealing.ts'

/** Signed links to files on disk: the holder of a link may read that one file until it expires, without a token. */
export type FileLinks = {
  createLink(key: string, expiresAtMs: number): string
  /** Returns whether a link was created here, for this key, and has not expired. */
  isValid(link: FileLinkParts): boolean
}

type FileLinkParts = { key: string; expires: string; signature: string; nowMs: number }

/** Path below the service's public URL. */
export const FILES_PATH = '/files'

/** Creates links signed by the sealer's MAC: every key of TRILHO_SECRET_KEY verifies, so that a rotation breaks no link. */
export function createFileLinks({
  secretKeys,
  publicUrl,
}: {
  secretKeys: string
  publicUrl: string
}): FileLinks {
  const sealer = createSealer(secretKeys)
  return {
    createLink(key, expiresAtMs) {
      const expires = String(Math.floor(expiresAtMs / 1_000))
      const query = new URLSearchParams({ expires, signature: sealer.mac(toSignedText({ key, expires })) })
      return `${publicUrl.replace(/\/+$/, '')}${FILES_PATH}/${key}?${query}`
    },
    isValid: ({ signature, nowMs, ...link }) =>
      /^\d{1,12}$/.test(link.expires) &&
      Number(link.expires) * 1_000 > nowMs &&
      sealer.isMacOf(signature, toSignedText(link)),
  }
}

function toSignedText({ key, expires }: Pick<FileLinkParts, 'key' | 'expires'>): string {
  return `link to the stored file ${key} until ${expires}`
}
