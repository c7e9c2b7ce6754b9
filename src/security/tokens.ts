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
const TOKEN_BYTES = 24

/** Generates the token of a link for a new password. */
export function generateResetToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url')
}

/** Hashes the token of a link: only the hash is stored. */
export function hashResetToken(token: string): Buffer {
  return sha256(`password reset ${token}`)
}
