import { hash, verify } from '@node-rs/argon2'

/** Argon2id with OWASP's parameters (19 MiB, two passes, one lane): about 30 ms of one core. */
const ARGON2_OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Shortest accepted password. */
export const MIN_PASSWORD_LENGTH = 12

export function hashPassword(password: string): Promise<string> {
  return hash(password.normalize('NFKC'), ARGON2_OPTIONS)
}

/** Verifies a password, in the same time for an unknown user as for a known one, so that the time reveals nothing. */
export async function verifyPassword(password: string, storedHash: string | null): Promise<boolean> {
  const isMatch = await verify(storedHash ?? DUMMY_HASH, password.normalize('NFKC'))
  return isMatch && storedHash !== null
}

/** Hash of discarded random bytes, compared for unknown users. */
const DUMMY_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$5+l5oBCZ6jK4nP1PdOLXew$eKmm5iTZ988Hbp9ENRZUK/IhCYwLUU1S5TxsBr6qjFI'
