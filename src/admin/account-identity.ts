import type { AccountIdentity } from '../domain/providers/account-identity.ts'
import { sha256 } from '../security/sealing.ts'

/** Hashes what identifies an account at its provider, each with its kind, for storage. */

export function hashIdentity(identity: AccountIdentity): string[] {
  const hash = (kind: string, text: string) => `${kind}:${sha256(text).toString('base64url')}`
  return 'id' in identity ? [hash('id', identity.id)] : identity.keys.map(key => hash('key', key))
}

/** Result of a comparison of two accounts: proved the same, proved different, or not proved. */
export type AccountMatch = 'same' | 'other' | 'unproved'

/**
 * Compares identities: a common hash proves the same account, two account ids of the provider prove two. Removed keys prove
 * nothing.
 */
export function compareIdentities(before: string[], now: string[]): AccountMatch {
  if (now.some(hash => before.includes(hash))) return 'same'
  const hasId = (hashes: string[]) => hashes.some(hash => hash.startsWith('id:'))
  return hasId(before) && hasId(now) ? 'other' : 'unproved'
}
