import { z } from 'zod'
import { createProviderCalls } from '../adapter/provider-calls.ts'
import type { RecordUnexplainedAnswer } from '../adapter/unexplained-answers.ts'
import { createHttpClient, type HttpCall, type HttpClient } from '../http/client.ts'
import type { OpenConnectionPool } from '../http/connection-pool.ts'
import type { ExchangeOutcome } from '../http/exchange.ts'
import { createAccessTokenCache, type EfiAccessToken, requestAccessToken } from './access-token.ts'
import { type EfiCall, efiAnswers, TOKEN_REFUSED } from './answers.ts'
import { readEfiError } from './errors.ts'

/** What one connection needs to speak to Efí; certificate and key are PEM texts, and come together. */
export const efiCredentialsSchema = z
  .object({
    client_id: z.string().min(1),
    client_secret: z.string().min(1),
    certificate: z.string().startsWith('-----BEGIN ').optional(),
    private_key: z.string().startsWith('-----BEGIN ').optional(),
    /** The last part of the URL that Efí sends notices to. */
    notice_secret: z.string().min(1),
  })
  .refine(({ certificate, private_key }) => !certificate === !private_key, {
    message: 'certificate and private_key come together',
  })
export type EfiCredentials = z.infer<typeof efiCredentialsSchema>

export type EfiAdapterOptions = {
  baseUrl: string
  credentials: EfiCredentials
  /** PEM of the authority to trust instead of the system's, for a local far side. */
  ca?: string
  timeoutMs: number
  /** Whose connections it calls over; its own, where nobody shares theirs. */
  openPool?: OpenConnectionPool
  now?: () => number
  /** Where answers go that no table explains; nowhere, where it is left out. */
  recordUnexplained?: RecordUnexplainedAnswer | undefined
}

/** Efí's API behind a token, and what its answers come to by the table of answers that Efí documents. */
export function createEfiClient({
  baseUrl,
  credentials,
  ca,
  timeoutMs,
  openPool: lines,
  now = Date.now,
  ...more
}: EfiAdapterOptions) {
  const { certificate, private_key: key } = credentials
  const http = createHttpClient({ baseUrl, tls: { certificate, key, ca }, timeoutMs, openPool: lines })
  const exchange = createAuthorizedExchange(
    http,
    createAccessTokenCache(() => requestAccessToken(http, credentials, now), now),
  )
  return {
    ...createProviderCalls<EfiCall>(
      exchange,
      { answers: efiAnswers, readError: readEfiError },
      more.recordUnexplained,
    ),
    preconnect: () => http.preconnect(),
    close: () => http.close(),
  }
}
export type EfiClient = ReturnType<typeof createEfiClient>

/**
 * Calls with the token of the moment. A token that is refused is not used again. The call itself is repeated, once and with
 * a new token, only where the refusal is the documented one, which says that nothing was done.
 */
function createAuthorizedExchange(http: HttpClient, tokens: ReturnType<typeof createAccessTokenCache>) {
  const callWith = (token: EfiAccessToken, call: HttpCall) =>
    http.call({ ...call, headers: { ...call.headers, authorization: `Bearer ${token.text}` } })

  return async (call: HttpCall): Promise<ExchangeOutcome> => {
    const token = await tokens.getToken()
    if (token.kind === 'unreachable') return token
    const reply = await callWith(token, call)
    if (reply.kind !== 'answer' || reply.status !== 401) return reply

    tokens.discardToken(token)
    if (readEfiError(reply)?.name !== TOKEN_REFUSED) return reply
    const another = await tokens.getToken()
    return another.kind === 'unreachable' ? another : callWith(another, call)
  }
}
