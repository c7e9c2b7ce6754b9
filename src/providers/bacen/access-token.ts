import { z } from 'zod'
import type { UnreachableResult } from '../../domain/providers/provider.ts'
import { sharePending } from '../adapter/share-pending.ts'
import type { HttpCall, HttpClient } from '../http/client.ts'
import type { ExchangeOutcome } from '../http/exchange.ts'
import type { ShareToken, TokenOrder, TokenOutcome } from '../shared-access.ts'

/** A token in the memory of a process: `renewAtMs` is by the clock of its cache. */
export type AccessToken = { kind: 'token'; text: string; renewAtMs: number }

type AccessTokenCacheOptions = Pick<TokenOrder, 'client' | 'requestToken'> & {
  /** Shares tokens with the other processes; absent: each client has tokens of its own. */
  shareToken?: ShareToken | undefined
  now: () => number
}

/** Caches one access token for all calls of a client; concurrent calls share one request for it. */
export function createAccessTokenCache({
  client,
  requestToken,
  shareToken = order => order.requestToken(),
  now,
}: AccessTokenCacheOptions) {
  let cachedToken: AccessToken | undefined
  let refusedToken: string | undefined
  const renewToken = sharePending(async () => {
    const outcome = await shareToken({ client, refusedToken, requestToken })
    if (outcome.kind === 'unreachable') return outcome
    cachedToken = { kind: 'token', text: outcome.text, renewAtMs: now() + outcome.renewInMs }
    return cachedToken
  })

  return {
    async getToken(): Promise<AccessToken | UnreachableResult> {
      return cachedToken && now() < cachedToken.renewAtMs ? cachedToken : renewToken()
    },
    /** Removes a token that the provider refused; a newer token stays cached. */
    discardToken(token: AccessToken) {
      if (cachedToken !== token) return
      cachedToken = undefined
      refusedToken = token.text
    },
  }
}

/** Fraction of a token's validity after which it is renewed. */
const RENEWAL_FRACTION = 0.9

/** Requests an access token (OAuth 2.0). Every failure is `unreachable`: without a token the call is not sent. */
export async function requestAccessToken(
  http: HttpClient,
  tokenRequest: HttpCall,
  { bank, now }: { bank: string; now: () => number },
): Promise<TokenOutcome> {
  const requestedAtMs = now()
  const response = await http.call({ ...tokenRequest, method: 'POST' })
  const parsed =
    response.kind === 'answer' && response.status < 300
      ? tokenResponseSchema.safeParse(response.json)
      : undefined
  if (!parsed?.success) return toUnreachable(response, bank)
  const { access_token, expires_in } = parsed.data
  return {
    kind: 'token',
    text: access_token,
    renewInMs: requestedAtMs + expires_in * 1000 * RENEWAL_FRACTION - now(),
  }
}

const tokenResponseSchema = z.object({
  access_token: z.string().min(1),
  expires_in: z.coerce.number().positive(),
})

function toUnreachable(response: ExchangeOutcome, bank: string): UnreachableResult {
  if (response.kind !== 'answer') return { ...response, kind: 'unreachable' }
  const message = `${bank} gave no token (HTTP status ${response.status})`
  return { kind: 'unreachable', code: 'no_token', message }
}
