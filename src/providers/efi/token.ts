import { z } from 'zod'
import type { Unreachable } from '../../domain/provider.ts'
import type { Reply } from '../exchange.ts'
import type { HttpClient } from '../http.ts'

export type Token = { kind: 'token'; text: string; freshUntil: number }
export type ClientSecret = { client_id: string; client_secret: string }

/** One token for all calls of a client: asked for once however many wait for it, and again when nine tenths of its life are over. */
export function tokenCache(ask: () => Promise<Token | Unreachable>, now: () => number) {
  let kept: Token | undefined
  let asked: Promise<Token | Unreachable> | undefined

  async function renewed() {
    const answer = await ask()
    if (answer.kind === 'token') kept = answer
    asked = undefined
    return answer
  }

  return {
    async current(): Promise<Token | Unreachable> {
      if (kept && now() < kept.freshUntil) return kept
      asked ??= renewed()
      return asked
    },
    /** A refused token goes; one that has taken its place meanwhile stays. */
    drop(token: Token) {
      if (kept === token) kept = undefined
    },
  }
}

/** OAuth2 client credentials. Without a token the call that needs it never leaves, so every failure here is `unreachable`. */
export async function askForToken(
  http: HttpClient,
  { client_id, client_secret }: ClientSecret,
  now: () => number,
): Promise<Token | Unreachable> {
  const askedAt = now()
  const reply = await http.call({
    method: 'POST',
    path: '/oauth/token',
    headers: { authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}` },
    json: { grant_type: 'client_credentials' },
  })
  const parsed = reply.kind === 'answer' && reply.status < 300 ? grant.safeParse(reply.json) : undefined
  if (!parsed?.success) return noToken(reply)
  const { access_token, expires_in } = parsed.data
  return { kind: 'token', text: access_token, freshUntil: askedAt + expires_in * 900 }
}

const grant = z.object({ access_token: z.string().min(1), expires_in: z.coerce.number().positive() })

function noToken(reply: Reply): Unreachable {
  if (reply.kind !== 'answer') return { ...reply, kind: 'unreachable' }
  const message = `Efí gave no token (HTTP status ${reply.status})`
  return { kind: 'unreachable', code: 'no_token', message }
}
