import { z } from 'zod'
import { providerCalls } from '../calls.ts'
import type { Reply } from '../exchange.ts'
import { type Call, type HttpClient, httpClient } from '../http.ts'
import type { OpenLines } from '../lines.ts'
import type { RecordUnexplained } from '../unexplained.ts'
import { type EfiCall, efiAnswers, TOKEN_REFUSED } from './answers.ts'
import { errorIn } from './errors.ts'
import { askForToken, type Token, tokenCache } from './token.ts'

/** What one connection needs to speak to Efí; certificate and key are PEM texts, and come together. */
export const efiCredentials = z
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
export type EfiCredentials = z.infer<typeof efiCredentials>

export type EfiOptions = {
  baseUrl: string
  credentials: EfiCredentials
  /** PEM of the authority to trust instead of the system's, for a local far side. */
  ca?: string
  timeoutMs: number
  /** Whose connections it calls over; its own, where nobody shares theirs. */
  lines?: OpenLines
  now?: () => number
  /** Where answers go that no table explains; nowhere, where it is left out. */
  recordUnexplained?: RecordUnexplained | undefined
}

/** Efí's API behind a token, and what its answers come to by the table of answers that Efí documents. */
export function efiClient({
  baseUrl,
  credentials,
  ca,
  timeoutMs,
  lines,
  now = Date.now,
  ...more
}: EfiOptions) {
  const { certificate, private_key: key } = credentials
  const http = httpClient({ baseUrl, tls: { certificate, key, ca }, timeoutMs, lines })
  const exchange = authorized(
    http,
    tokenCache(() => askForToken(http, credentials, now), now),
  )
  return {
    ...providerCalls<EfiCall>(exchange, { answers: efiAnswers, errorIn }, more.recordUnexplained),
    openAhead: () => http.openAhead(),
    close: () => http.close(),
  }
}
export type EfiClient = ReturnType<typeof efiClient>

/**
 * Calls with the token of the moment. A token that is refused is not used again. The call itself is repeated, once and with
 * a new token, only where the refusal is the documented one, which says that nothing was done.
 */
function authorized(http: HttpClient, tokens: ReturnType<typeof tokenCache>) {
  const callWith = (token: Token, call: Call) =>
    http.call({ ...call, headers: { ...call.headers, authorization: `Bearer ${token.text}` } })

  return async (call: Call): Promise<Reply> => {
    const token = await tokens.current()
    if (token.kind === 'unreachable') return token
    const reply = await callWith(token, call)
    if (reply.kind !== 'answer' || reply.status !== 401) return reply

    tokens.drop(token)
    if (errorIn(reply)?.name !== TOKEN_REFUSED) return reply
    const another = await tokens.current()
    return another.kind === 'unreachable' ? another : callWith(another, call)
  }
}
