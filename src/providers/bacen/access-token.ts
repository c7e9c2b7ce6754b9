import { z } from 'zod'
import type { UnreachableResult } from '../../domain/providers/provider.ts'
import { sharePending } from '../adapter/share-pending.ts'
import type { HttpCall, HttpClient } from '../http/client.ts'
import type { ExchangeOutcome } from '../http/exchange.ts'
import type { ShareToken, TokenOrder, TokenOutcome } from '../shared-access.ts'

/** A token in the memory of a process: `renewAtMs` is by the clock of its cache. */
export type AccessToken = { kind: 'token'; text: string; renewAtMs: number }

/**
 * Code of a call that was not made: the bank gives no token with its scopes, which the application of the credentials lacks. The bank
 * was reached, so that other calls are made as before.
 */
export const SCOPE_DENIED = 'provider_denied'

/** For this time in milliseconds scopes are not requested again that a bank has refused: the pace of tokens is for those in use. */
const DENIAL_MS = 15 * 60_000

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
  let denial: { outcome: UnreachableResult; endsAtMs: number } | undefined
  const renewToken = sharePending(async () => {
    if (denial && now() < denial.endsAtMs) return denial.outcome
    const outcome = await shareToken({ client, refusedToken, requestToken })
    denial =
      outcome.kind === 'unreachable' && outcome.code === SCOPE_DENIED
        ? { outcome, endsAtMs: now() + DENIAL_MS }
        : undefined
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

/** HTTP statuses by which a bank refuses the scopes of a token (RFC 6749, section 5.2; Inter refuses with 403, too). */
const DENIED_STATUSES = [400, 401, 403]

type TokenRequestOptions = {
  bank: string
  /** The application may lack the scopes, while its other tokens are given: a refusal is one of the scopes. */
  areScopesOptional?: boolean
  now: () => number
}

/** Requests an access token (OAuth 2.0). Every failure is `unreachable`: without a token the call is not sent. */
export async function requestAccessToken(
  http: HttpClient,
  tokenRequest: HttpCall,
  { bank, areScopesOptional = false, now }: TokenRequestOptions,
): Promise<TokenOutcome> {
  const requestedAtMs = now()
  const response = await http.call({ ...tokenRequest, method: 'POST' })
  const parsed =
    response.kind === 'answer' && response.status < 300
      ? tokenResponseSchema.safeParse(response.json)
      : undefined
  if (!parsed?.success) {
    const isDenied =
      areScopesOptional && response.kind === 'answer' && DENIED_STATUSES.includes(response.status)
    return isDenied ? { ...toUnreachable(response, bank), code: SCOPE_DENIED } : toUnreachable(response, bank)
  }
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
