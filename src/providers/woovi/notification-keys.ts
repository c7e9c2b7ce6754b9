import { createVerify } from 'node:crypto'
import { z } from 'zod'
import type { NoAnswerResult } from '../../domain/providers/provider.ts'
import type { WooviClient } from './client.ts'

/** "A resposta traz Cache-Control de 1 hora." */
const KEYS_MAX_AGE_MS = 60 * 60 * 1_000
/** A signature that no key fits may be of a new key: the keys are asked for again, but no stranger makes us ask more often. */
const MIN_REFRESH_INTERVAL_MS = 60 * 1_000

const keysResponseSchema = z.object({ public_keys: z.array(z.object({ key: z.string() })).min(1) })

type CachedKeys = { keys: string[]; requestedAtMs: number }
type SignatureVerification = { kind: 'genuine' } | { kind: 'forged' } | NoAnswerResult

/**
 * The public keys that Woovi publishes for its webhooks ("Buscando a chave pública da Woovi via API"), fetched from the
 * address of the connection when the first notification comes. Any key of the list counts: while Woovi changes its key it
 * publishes both.
 */
export function createWooviPublishedKeys(client: Pick<WooviClient, 'lookUpExisting'>, now: () => number) {
  let kept: CachedKeys | undefined
  let asking: Promise<NoAnswerResult | undefined> | undefined

  async function ask(): Promise<NoAnswerResult | undefined> {
    const askedAt = now()
    const path = '/api/v1/webhook/public-keys'
    const call = { call: 'findNotificationKeys', reference: null, method: 'GET', path } as const
    const outcome = await client.lookUpExisting(call, json => {
      const answer = keysResponseSchema.safeParse(json).data
      return answer && { keys: answer.public_keys.map(({ key }) => key) }
    })
    if (outcome.kind === 'no_answer') return outcome
    kept = { keys: outcome.keys, requestedAtMs: askedAt }
  }

  /** One request at a time, whatever the number of notifications. */
  async function refresh(): Promise<NoAnswerResult | undefined> {
    asking ??= ask().finally(() => {
      asking = undefined
    })
    return asking
  }

  return {
    /** No answer where Woovi does not tell its keys; keys that are already known still verify then. */
    async verifySignature(body: string, signature: string): Promise<SignatureVerification> {
      const fits = () => kept?.keys.some(key => isSignedBy(key, { body, signature })) === true
      const age = () => now() - (kept?.requestedAtMs ?? Number.NEGATIVE_INFINITY)
      const isKnown = fits()
      if (isKnown && age() < KEYS_MAX_AGE_MS) return { kind: 'genuine' }
      if (age() >= MIN_REFRESH_INTERVAL_MS) {
        const failed = await refresh()
        if (failed) return isKnown ? { kind: 'genuine' } : failed
      }
      return fits() ? { kind: 'genuine' } : { kind: 'forged' }
    },
  }
}

/** Whether a key signed the body; false where the text is no key. */
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
