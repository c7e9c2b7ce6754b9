import type { AccountIdentity } from '../domain/providers/provider.ts'
import { sha256 } from '../security/sealing.ts'

/** Hashes what identifies an account at its provider, each with its kind, for storage. */

export function hashIdentity(identity: AccountIdentity): string[] {
  const hash = (kind: string, text: string) => `${kind}:${sha256(text).toString('base64url')}`
  if ('id' in identity) return [hash('id', identity.id)]
  const { keys, code } = identity
  return [...keys.map(key => hash('key', key)), ...(code === undefined ? [] : [hash('code', code)])]
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
