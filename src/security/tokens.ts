import { randomBytes } from 'node:crypto'
import { sha256 } from './sealing.ts'

export type TokenMode = 'live' | 'test'

const SHOWN_PREFIX_LENGTH = 'trl_live_'.length + 6

/** Generates an API token: 256 random bits after `trl_live_` or `trl_test_` (SPEC §9). The hash is stored. */
export function generateToken(mode: TokenMode): { token: string; hash: Buffer; prefix: string } {
  const token = `trl_${mode}_${randomBytes(32).toString('base64url')}`
  return { token, hash: hashToken(token), prefix: token.slice(0, SHOWN_PREFIX_LENGTH) }
}

/** Hashes a token for storage: enough to recognise it, not to use it. */
export function hashToken(token: string): Buffer {
  return sha256(token)
}

/** 192 random bits, which no guess finds. */
const LINK_TOKEN_BYTES = 24
const LINK_TOKEN_PATTERN = /^[\w-]{32}$/

/** Generates the token of a link: for a new password, of an invitation, to pay a charge. */
export function generateLinkToken(): string {
  return randomBytes(LINK_TOKEN_BYTES).toString('base64url')
}

/** Returns whether a text of an address has the form of the token of a link. */
export function isLinkToken(text: string): boolean {
  return LINK_TOKEN_PATTERN.test(text)
}

/** Hashes the token of a link for a new password: only the hash is stored. */
export function hashResetToken(token: string): Buffer {
  return sha256(`password reset ${token}`)
}
