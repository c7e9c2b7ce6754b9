import { randomBytes } from 'node:crypto'
import { sha256 } from './sealing.ts'

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
