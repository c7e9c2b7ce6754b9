import type { AccountIdentity } from '../domain/providers/account-identity.ts'
import { sha256 } from '../security/sealing.ts'

/** What identifies an account at its provider, as it is stored: hashed, and each named by its kind. */

export function hashIdentity(identity: AccountIdentity): string[] {
  const mark = (kind: string, text: string) => `${kind}:${sha256(text).toString('base64url')}`
  return 'id' in identity ? [mark('id', identity.id)] : identity.keys.map(key => mark('key', key))
}

/** Whether credentials are proved to be of the same account as others, or of another one. */
export type AccountMatch = 'same' | 'other' | 'unproved'

/** A mark in common proves the same account, two ids of the provider's own prove two; removed keys prove nothing. */
export function compareIdentities(before: string[], now: string[]): AccountMatch {
  if (now.some(mark => before.includes(mark))) return 'same'
  const hasId = (marks: string[]) => marks.some(mark => mark.startsWith('id:'))
  return hasId(before) && hasId(now) ? 'other' : 'unproved'
}
