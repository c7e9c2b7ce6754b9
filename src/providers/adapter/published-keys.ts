import { createVerify } from 'node:crypto'
import type { NoAnswerResult } from '../../domain/providers/provider.ts'
import type { NotificationVerification } from './notification-parsing.ts'
import { sharePending } from './share-pending.ts'

/** How long cached keys verify without being requested again. */
const KEYS_MAX_AGE_MS = 60 * 60 * 1_000
/** Limits how often forged notifications make the keys be requested again: an unknown signature may be of a new key. */
const MIN_REFRESH_INTERVAL_MS = 60 * 1_000

type CachedKeys = { keys: string[]; requestedAtMs: number }

/**
 * Creates a cache of the public keys (PEM) that a provider publishes for its notifications. The first notification makes it
 * request them. Every published key is valid: a provider that rotates its key publishes both. `now` is a monotonic clock in ms.
 */
export function createPublishedKeys(
  findKeys: () => Promise<{ kind: 'found'; keys: string[] } | NoAnswerResult>,
  now: () => number = () => performance.now(),
) {
  let cachedKeys: CachedKeys | undefined

  const refresh = sharePending(async (): Promise<NoAnswerResult | undefined> => {
    const requestedAtMs = now()
    const outcome = await findKeys()
    if (outcome.kind === 'no_answer') return outcome
    cachedKeys = { keys: outcome.keys, requestedAtMs }
  })

  return {
    /** Verifies a signature. `no_answer` if the provider does not return its keys and no cached key verifies it. */
    async verifySignature(body: string, signature: string): Promise<NotificationVerification> {
      const isSigned = () => cachedKeys?.keys.some(key => isSignedBy(key, { body, signature })) === true
      const ageMs = () => now() - (cachedKeys?.requestedAtMs ?? Number.NEGATIVE_INFINITY)
      const isSignedByCachedKey = isSigned()
      if (isSignedByCachedKey && ageMs() < KEYS_MAX_AGE_MS) return { kind: 'genuine' }
      if (ageMs() >= MIN_REFRESH_INTERVAL_MS) {
        const failure = await refresh()
        if (failure) return isSignedByCachedKey ? { kind: 'genuine' } : failure
      }
      return isSigned() ? { kind: 'genuine' } : { kind: 'forged' }
    },
  }
}

/**
 * Tells whether a public key (PEM, RSA or ECDSA) verifies a SHA-256 signature in base64; false if the text is not a key.
 */
export function isSignedBy(
  publicKey: string,
  { body, signature }: { body: string; signature: string },
): boolean {
  try {
    return createVerify('sha256').update(body).verify(publicKey, signature, 'base64')
  } catch {
    return false
  }
}
