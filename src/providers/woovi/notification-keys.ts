import { createVerify } from 'node:crypto'
import { z } from 'zod'
import type { NoAnswerResult } from '../../domain/providers/provider.ts'
import { sharePending } from '../adapter/share-pending.ts'
import type { WooviClient } from './client.ts'

/** "A resposta traz Cache-Control de 1 hora." */
const KEYS_MAX_AGE_MS = 60 * 60 * 1_000
/** Limits how often forged notifications make the keys be requested again: an unknown signature may be of a new key. */
const MIN_REFRESH_INTERVAL_MS = 60 * 1_000

const keysResponseSchema = z.object({ public_keys: z.array(z.object({ key: z.string() })).min(1) })

type CachedKeys = { keys: string[]; requestedAtMs: number }
type SignatureVerification = { kind: 'genuine' } | { kind: 'forged' } | NoAnswerResult

/**
 * Creates a cache of the public keys that Woovi publishes for its webhooks ("Buscando a chave pública da Woovi via
 * API"). The first notification makes it request them at the connection's address. Every key of the list is valid:
 * while Woovi rotates its key it publishes both. `now` is a monotonic clock in ms.
 */
export function createWooviPublishedKeys(
  client: Pick<WooviClient, 'lookUpExisting'>,
  now: () => number = () => performance.now(),
) {
  let cached: CachedKeys | undefined

  const refresh = sharePending(async (): Promise<NoAnswerResult | undefined> => {
    const requestedAtMs = now()
    const path = '/api/v1/webhook/public-keys'
    const call = { call: 'findNotificationKeys', path } as const
    const outcome = await client.lookUpExisting(call, keysResponseSchema, answer => ({
      keys: answer.public_keys.map(({ key }) => key),
    }))
    if (outcome.kind === 'no_answer') return outcome
    cached = { keys: outcome.keys, requestedAtMs }
  })

  return {
    /** Verifies a signature. `no_answer` if Woovi does not return its keys and no cached key verifies it. */
    async verifySignature(body: string, signature: string): Promise<SignatureVerification> {
      const isSigned = () => cached?.keys.some(key => isSignedBy(key, { body, signature })) === true
      const ageMs = () => now() - (cached?.requestedAtMs ?? Number.NEGATIVE_INFINITY)
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

/** Tells whether a public key (PEM) verifies the signature; false if the text is not a key. */
export function isSignedBy(publicKey: string, { body, signature }: { body: string; signature: string }) {
  try {
    return createVerify('sha256').update(body).verify(publicKey, signature, 'base64')
  } catch {
    return false
  }
}
