import { createVerify } from 'node:crypto'
import { z } from 'zod'
import type { NoAnswer } from '../../domain/provider.ts'
import type { WooviClient } from './client.ts'

/** "A resposta traz Cache-Control de 1 hora." */
const KEPT_MS = 60 * 60 * 1_000
/** A signature that no key fits may be of a new key: the keys are asked for again, but no stranger makes us ask more often. */
const SHORTEST_REFRESH_MS = 60 * 1_000

const keysAnswer = z.object({ public_keys: z.array(z.object({ key: z.string() })).min(1) })

type Kept = { keys: string[]; askedAt: number }
type Verified = { kind: 'genuine' } | { kind: 'forged' } | NoAnswer

/**
 * The public keys that Woovi publishes for its webhooks ("Buscando a chave pública da Woovi via API"), fetched from the
 * address of the connection when the first notification comes. Any key of the list counts: while Woovi changes its key it
 * publishes both.
 */
export function publishedKeys(client: Pick<WooviClient, 'lookUpOwn'>, now: () => number) {
  let kept: Kept | undefined
  let asking: Promise<NoAnswer | undefined> | undefined

  async function ask(): Promise<NoAnswer | undefined> {
    const askedAt = now()
    const path = '/api/v1/webhook/public-keys'
    const call = { call: 'findNoticeKeys', reference: null, method: 'GET', path } as const
    const outcome = await client.lookUpOwn(call, json => {
      const answer = keysAnswer.safeParse(json).data
      return answer && { keys: answer.public_keys.map(({ key }) => key) }
    })
    if (outcome.kind === 'no_answer') return outcome
    kept = { keys: outcome.keys, askedAt }
  }

  /** One request at a time, whatever the number of notifications. */
  async function refresh(): Promise<NoAnswer | undefined> {
    asking ??= ask().finally(() => {
      asking = undefined
    })
    return asking
  }

  return {
    /** No answer where Woovi does not tell its keys; keys that are already known still verify then. */
    async verify(body: string, signature: string): Promise<Verified> {
      const fits = () => kept?.keys.some(key => isSignedBy(key, { body, signature })) === true
      const age = () => now() - (kept?.askedAt ?? Number.NEGATIVE_INFINITY)
      const isKnown = fits()
      if (isKnown && age() < KEPT_MS) return { kind: 'genuine' }
      if (age() >= SHORTEST_REFRESH_MS) {
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
