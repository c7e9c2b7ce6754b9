import { z } from 'zod'
import { optionalField } from '../adapter/fields.ts'
import { createListReader, type Paging } from '../adapter/list-reader.ts'
import { type AdapterOptions, createProviderCalls } from '../adapter/provider-calls.ts'
import { createHttpClient, type HttpCall, type HttpClient } from '../http/client.ts'
import type { ExchangeOutcome } from '../http/exchange.ts'
import { createAccessTokenCache, type EfiAccessToken, requestAccessToken } from './access-token.ts'
import { type EfiCall, efiAnswers, TOKEN_REFUSED } from './answers.ts'
import { readEfiError } from './errors.ts'

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
  'cob.write',
  'cob.read',
  'pix.write',
  'pix.read',
  'pix.send',
  'gn.pix.send.read',
  'webhook.write',
  'webhook.read',
  'gn.pix.evp.write',
  'gn.pix.evp.read',
  'gn.balance.read',
  'gn.infractions.read',
  'gn.infractions.write',
  'gn.settings.read',
  'gn.settings.write',
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

const PAGE_SIZE = 100
/** Pages of one period. A longer list is read in halves of its period. */
const MAX_PAGES = 1_000

/**
 * Pages Efí's lists. A page may contain fewer rows than requested: the position is then the number of received rows, and
 * later pages are requested in the received size. A list ends with a page without new rows, or at the total that Efí
 * reports. Efí also documents sent PIX as a list without an envelope.
 */
const efiPaging: Paging<{ page: number; size: number; pagesRead: number }> = {
  maxRequests: 10_000,
  firstPosition: { page: 0, size: PAGE_SIZE, pagesRead: 0 },
  buildQuery: ({ page, size }, period) => ({
    ...(period && { inicio: period.from, fim: period.to }),
    'paginacao.paginaAtual': String(page),
    'paginacao.itensPorPagina': String(size),
  }),
  readPage(json, field) {
    const rows: unknown = Array.isArray(json) ? json : (json as Record<string, unknown> | null)?.[field]
    if (!Array.isArray(rows)) return undefined
    const total = pagingSchema.safeParse(json).data?.parametros.paginacao.quantidadeTotalDeItens
    return { rows, total: total ?? null }
  },
  getNextPosition({ page, size, pagesRead }, { receivedCount, hasNewItems, total }) {
    const readCount = page * size + receivedCount
    if (!hasNewItems || readCount === total) return 'end'
    const nextSize = Math.min(size, receivedCount)
    const isTooLong = pagesRead === 0 && (total ?? 0) > MAX_PAGES * nextSize
    if (isTooLong || pagesRead + 1 === MAX_PAGES) return 'too_long'
    return { page: Math.floor(readCount / nextSize), size: nextSize, pagesRead: pagesRead + 1 }
  },
}

const pagingSchema = z.object({
  parametros: z.object({
    paginacao: z.object({ quantidadeTotalDeItens: optionalField(z.coerce.number().int().min(0)) }),
  }),
})
