import { z } from 'zod'
import { createListReader } from '../adapter/list-reader.ts'
import { type AdapterOptions, createProviderCalls } from '../adapter/provider-calls.ts'
import { createHttpClient, type HttpCall, type HttpClient } from '../http/client.ts'
import type { ExchangeOutcome } from '../http/exchange.ts'
import { createAccessTokenCache, type EfiAccessToken, requestAccessToken } from './access-token.ts'
import { type EfiCall, efiAnswers, TOKEN_REFUSED } from './answers.ts'
import { readEfiError } from './errors.ts'
import { efiPaging } from './pagination.ts'

/** Credentials of one connection to Efí; certificate and key are PEM texts, both present or both absent. */
export const efiCredentialsSchema = z
  .object({
    client_id: z.string().min(1),
    client_secret: z.string().min(1),
    certificate: z.string().startsWith('-----BEGIN ').optional(),
    private_key: z.string().startsWith('-----BEGIN ').optional(),
    /** Last part of the URL that receives Efí's notifications. */
    notification_secret: z.string().min(1),
  })
  .refine(({ certificate, private_key }) => !certificate === !private_key, {
    message: 'certificate and private_key must both be given, or neither',
  })
export type EfiCredentials = z.infer<typeof efiCredentialsSchema>

/** Scopes that the application of the credentials needs ("Escopos"); docs/providers/efi.md has what each is for. */
export const EFI_SCOPES = [
  ...['cob.write', 'cob.read', 'pix.write', 'pix.read', 'pix.send', 'gn.pix.send.read'],
  ...['webhook.write', 'webhook.read', 'gn.pix.evp.write', 'gn.pix.evp.read', 'gn.balance.read'],
  ...['gn.infractions.read', 'gn.infractions.write', 'gn.settings.read', 'gn.settings.write'],
]

/**
 * Creates the client of Efí's API: it authorizes each call and explains answers by the table `efiAnswers`. The age of an
 * access token is measured by a monotonic clock.
 */
export function createEfiClient({
  ca,
  now = () => performance.now(),
  ...options
}: AdapterOptions<EfiCredentials>) {
  const { credentials, recordUnexplained } = options
  const { certificate, private_key: key } = credentials
  const http = createHttpClient({ ...options, tls: { certificate, key, ca } })
  const tokens = createAccessTokenCache(() => requestAccessToken(http, credentials, now), now)
  const api = { answers: efiAnswers, readError: readEfiError }
  const calls = createProviderCalls<EfiCall>(createAuthorizedExchange(http, tokens), api, recordUnexplained)
  const { preconnect, close } = http
  /** Finds Efí's code of the account in the access token; undefined where the token has none. */
  async function findAccountCode(): Promise<string | undefined> {
    const token = await tokens.getToken()
    return token.kind === 'token' ? token.accountCode : undefined
  }
  return { ...calls, findAccountCode, readAllPages: createListReader(calls, efiPaging), preconnect, close }
}
export type EfiClient = ReturnType<typeof createEfiClient>

/**
 * Creates a function that makes calls with the cached access token. A refused token is discarded, and the call repeated
 * once with a new one, but only for the documented refusal. That refusal does not prove that the call was not carried out:
 * without the repeat its outcome is unknown.
 */
function createAuthorizedExchange(http: HttpClient, tokens: ReturnType<typeof createAccessTokenCache>) {
  const callWith = (token: EfiAccessToken, call: HttpCall) =>
    http.call({ ...call, headers: { ...call.headers, authorization: `Bearer ${token.text}` } })

  return async (call: HttpCall): Promise<ExchangeOutcome> => {
    const token = await tokens.getToken()
    if (token.kind === 'unreachable') return token
    const response = await callWith(token, call)
    if (response.kind !== 'answer' || response.status !== 401) return response

    tokens.discardToken(token)
    if (readEfiError(response)?.name !== TOKEN_REFUSED) return response
    const newToken = await tokens.getToken()
    const repeat = newToken.kind === 'unreachable' ? newToken : await callWith(newToken, call)
    if (repeat.kind !== 'answer') return { ...repeat, kind: 'no_answer' }
    return repeat.status === 401 ? repeat : { ...repeat, isRepeat: true }
  }
}
