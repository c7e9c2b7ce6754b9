import { z } from 'zod'
import type { UnreachableResult } from '../../domain/providers/provider.ts'
import type { HttpClient } from '../http/client.ts'
import type { ExchangeOutcome } from '../http/exchange.ts'

export type EfiAccessToken = { kind: 'token'; text: string; renewAtMs: number }
export type EfiClientSecret = { client_id: string; client_secret: string }

/** One token for all calls of a client: asked for once however many wait for it, and again when nine tenths of its life are over. */
export function createAccessTokenCache(
  ask: () => Promise<EfiAccessToken | UnreachableResult>,
  now: () => number,
) {
  let kept: EfiAccessToken | undefined
  let asked: Promise<EfiAccessToken | UnreachableResult> | undefined

  async function renewed() {
    const answer = await ask()
    if (answer.kind === 'token') kept = answer
    asked = undefined
    return answer
  }

  return {
    async getToken(): Promise<EfiAccessToken | UnreachableResult> {
      if (kept && now() < kept.renewAtMs) return kept
      asked ??= renewed()
      return asked
    },
    /** A refused token goes; one that has taken its place meanwhile stays. */
    discardToken(token: EfiAccessToken) {
      if (kept === token) kept = undefined
    },
  }
}

/** OAuth2 client credentials. Without a token the call that needs it never leaves, so every failure here is `unreachable`. */
export async function requestAccessToken(
  http: HttpClient,
  { client_id, client_secret }: EfiClientSecret,
  now: () => number,
): Promise<EfiAccessToken | UnreachableResult> {
  const askedAt = now()
  const reply = await http.call({
    method: 'POST',
    path: '/oauth/token',
    headers: { authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}` },
    json: { grant_type: 'client_credentials' },
  })
  const parsed =
    reply.kind === 'answer' && reply.status < 300 ? tokenResponseSchema.safeParse(reply.json) : undefined
  if (!parsed?.success) return toUnreachable(reply)
  const { access_token, expires_in } = parsed.data
  return { kind: 'token', text: access_token, renewAtMs: askedAt + expires_in * 900 }
}

const tokenResponseSchema = z.object({
  access_token: z.string().min(1),
  expires_in: z.coerce.number().positive(),
})

function toUnreachable(reply: ExchangeOutcome): UnreachableResult {
  if (reply.kind !== 'answer') return { ...reply, kind: 'unreachable' }
  const message = `Efí gave no token (HTTP status ${reply.status})`
  return { kind: 'unreachable', code: 'no_token', message }
}
