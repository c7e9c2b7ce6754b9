import { z } from 'zod'
import type { UnreachableResult } from '../../domain/providers/provider.ts'
import { parseJsonOrUndefined } from '../adapter/notification-parsing.ts'
import { sharePending } from '../adapter/share-pending.ts'
import type { HttpClient } from '../http/client.ts'
import type { ExchangeOutcome } from '../http/exchange.ts'

/** `accountCode`: Efí's code of the account (`readAccountCode`). */
export type EfiAccessToken = {
  kind: 'token'
  text: string
  renewAtMs: number
  accountCode: string | undefined
}
export type EfiClientSecret = { client_id: string; client_secret: string }

/** Caches one access token for all calls of a client; concurrent calls share one request for it. */
export function createAccessTokenCache(
  requestToken: () => Promise<EfiAccessToken | UnreachableResult>,
  now: () => number,
) {
  let cachedToken: EfiAccessToken | undefined
  const renewToken = sharePending(async () => {
    const answer = await requestToken()
    if (answer.kind === 'token') cachedToken = answer
    return answer
  })

  return {
    async getToken(): Promise<EfiAccessToken | UnreachableResult> {
      return cachedToken && now() < cachedToken.renewAtMs ? cachedToken : renewToken()
    },
    /** Removes a token that Efí refused; a newer token stays cached. */
    discardToken(token: EfiAccessToken) {
      if (cachedToken === token) cachedToken = undefined
    },
  }
}

/** Fraction of a token's validity after which it is renewed. */
const RENEWAL_FRACTION = 0.9

/** Requests an access token (OAuth 2.0). Every failure is `unreachable`: without a token the call is not sent. */
export async function requestAccessToken(
  http: HttpClient,
  { client_id, client_secret }: EfiClientSecret,
  now: () => number,
): Promise<EfiAccessToken | UnreachableResult> {
  const requestedAtMs = now()
  const response = await http.call({
    method: 'POST',
    path: '/oauth/token',
    headers: { authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}` },
    json: { grant_type: 'client_credentials' },
  })
  const parsed =
    response.kind === 'answer' && response.status < 300
      ? tokenResponseSchema.safeParse(response.json)
      : undefined
  if (!parsed?.success) return toUnreachable(response)
  const { access_token, expires_in } = parsed.data
  const renewAtMs = requestedAtMs + expires_in * 1000 * RENEWAL_FRACTION
  return { kind: 'token', text: access_token, renewAtMs, accountCode: readAccountCode(access_token) }
}

const tokenResponseSchema = z.object({
  access_token: z.string().min(1),
  expires_in: z.coerce.number().positive(),
})

/**
 * Reads Efí's code of the account from an access token. Efí's tokens are JWTs with `account_code`, in what its users
 * publish, and no document describes them, so any other token has none.
 */
function readAccountCode(token: string): string | undefined {
  const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()
  return tokenPayloadSchema.safeParse(parseJsonOrUndefined(payload)).data?.account_code
}

const tokenPayloadSchema = z.object({ account_code: z.string().min(1) })

function toUnreachable(response: ExchangeOutcome): UnreachableResult {
  if (response.kind !== 'answer') return { ...response, kind: 'unreachable' }
  const message = `Efí gave no token (HTTP status ${response.status})`
  return { kind: 'unreachable', code: 'no_token', message }
}
