import { randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { sha256 } from './sealing.ts'

/** Time-based one-time passwords (RFC 6238) and the recovery codes for a lost authenticator. */

const PERIOD_S = 30
/** Time steps that a clock may be ahead or behind. */
const WINDOW_STEPS = 1
const SECRET_BYTES = 20
const RECOVERY_CODES = 10
/** 80 random bits, which need no slow hash. */
const RECOVERY_CODE_BYTES = 10

/** Generates a secret in base32, as authenticators take it. */
export function generateTotpSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32
}

/** Builds the address that an authenticator reads from a QR code. */
export function buildTotpUri({ secret, email }: { secret: string; email: string }): string {
  return createTotp(secret, email).toString()
}

/** Finds the time step of a code, at most one step away from now; null where the code is wrong. */
export function findTotpStep(secret: string, code: string, now: number = Date.now()): number | null {
  const delta = createTotp(secret).validate({ token: code, timestamp: now, window: WINDOW_STEPS })
  return delta === null ? null : Math.floor(now / 1_000 / PERIOD_S) + delta
}

function createTotp(secret: string, label = ''): TOTP {
  return new TOTP({
    issuer: 'Trilho',
    label,
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD_S,
    secret: Secret.fromBase32(secret),
  })
}

/** Generates recovery codes: `XXXX-XXXX-XXXX-XXXX` in base32. */
export function generateRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const { buffer } = Uint8Array.from(randomBytes(RECOVERY_CODE_BYTES))
    return new Secret({ buffer }).base32.replace(/(.{4})(?=.)/g, '$1-')
  })
}

/** Hashes a recovery code for storage, however it was typed. */
export function hashRecoveryCode(code: string): Buffer {
  return sha256(`recovery ${code.toUpperCase().replace(/[^A-Z2-7]/g, '')}`)
}
