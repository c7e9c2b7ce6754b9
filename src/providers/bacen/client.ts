import { z } from 'zod'
import { CLIENT_CERTIFICATE_FIELDS, type ClientCertificate } from '../adapter/client-certificate.ts'
import { optionalField } from '../adapter/fields.ts'
import { createListReader, type Paging } from '../adapter/list-reader.ts'
import {
  type AdapterOptions,
  createProviderCalls,
  type DocumentedProviderApi,
} from '../adapter/provider-calls.ts'
import { createHttpClient, type HttpCall, type HttpClient } from '../http/client.ts'
import type { ExchangeOutcome, ProviderResponse } from '../http/exchange.ts'
import { type AccessToken, createAccessTokenCache, requestAccessToken } from './access-token.ts'
import type { ToBacenRejection } from './mapping.ts'

/** Fields of the credentials of every profile; `checkClientCertificate` checks the certificate. Without one only for a simulator. */
export const BACEN_CREDENTIAL_FIELDS = {
  client_id: z.string().min(1),
  ...CLIENT_CERTIFICATE_FIELDS,
  /** Last part of the URL that receives the bank's notifications. */
  notification_secret: z.string().min(1),
}

/** Creates the schema of the number of an account: its digits with the check digit, without the branch. */
export function createAccountNumberSchema(maxDigits: number) {
  const pattern = new RegExp(`^[1-9]\\d{0,${maxDigits - 1}}$`)
  return z.string().regex(pattern, 'must be the digits of the account number, without zeros before it')
}

/** The calls that every profile has; each profile's table of answers lists them. */
export type BacenCall =
  | 'issueCharge'
  | 'findCharge'
  | 'findPayload'
  | 'cancelCharge'
  | 'issueDueCharge'
  | 'findDueCharge'
  | 'cancelDueCharge'
  | 'reviseCharge'
  | 'findPayment'
  | 'refund'
  | 'findRefund'
  | 'statement'
  | 'balances'
  | 'findReplacedUrl'
  | 'registerNotificationUrl'

/**
 * The calls about recurrences and the debits of their charges, which have scopes of their own. The tables of the banks with Pix Automático
 * list them.
 */
export type BacenRecurrenceCall =
  | 'issueDebit'
  | 'findDebit'
  | 'cancelDebit'
  | 'retryDebit'
  | 'createRecurrenceLocation'
  | 'createRecurrence'
  | 'findRecurrence'
  | 'listRecurrences'
  | 'requestConsent'
  | 'cancelRecurrence'
  | 'findRecurrenceUrl'
  | 'registerRecurrenceUrl'
const RECURRENCE_CALLS: ReadonlySet<string> = new Set<BacenRecurrenceCall>([
  'issueDebit',
  'findDebit',
  'cancelDebit',
  'retryDebit',
  'createRecurrenceLocation',
  'createRecurrence',
  'findRecurrence',
  'listRecurrences',
  'requestConsent',
  'cancelRecurrence',
  'findRecurrenceUrl',
  'registerRecurrenceUrl',
])

/** The calls that make a further thing whenever they are made, because the API takes no id of ours for it: they are sent once. */
const CALLS_WITHOUT_ID: ReadonlySet<string> = new Set<BacenRecurrenceCall>(['createRecurrence'])

/** The calls about charges with a due date, which have scopes of their own. */
const DUE_CALLS: ReadonlySet<string> = new Set<BacenCall>([
  'issueDueCharge',
  'findDueCharge',
  'cancelDueCharge',
  'reviseCharge',
])

/** Scopes of the calls about charges with a due date. */
export const BACEN_DUE_SCOPES = ['cobv.write', 'cobv.read']

/** Scopes of the calls about recurrences and their debits. */
export const BACEN_RECURRENCE_SCOPES = [
  'rec.write',
  'rec.read',
  'payloadlocationrec.write',
  'solicrec.write',
  'cobr.write',
  'cobr.read',
  'webhookrec.write',
  'webhookrec.read',
  'webhookcobr.write',
  'webhookcobr.read',
]

/** What differs between the providers that implement the Central Bank's Pix API, for the requests of their calls, as data. */
export type BacenProfile<OwnCall extends string> = DocumentedProviderApi<BacenCall | OwnCall> & {
  /** Its name, for messages. */
  bank: string
  /** Path of the Central Bank's API below the base URL of a connection. */
  basePath: string
  /** Request of an access token (OAuth 2.0, client credentials; RFC 8705: over the connection of the certificate). */
  tokenRequest: HttpCall
  /**
   * Request of the token for charges with a due date, apart from the other: an application that lacks their scopes operates everything
   * else. Absent where the request of a token names no scopes.
   */
  dueTokenRequest?: HttpCall
  /** Request of the token for recurrences and their debits, as `dueTokenRequest`; absent too where the API has none. */
  recurrenceTokenRequest?: HttpCall
  /** Where access tokens are requested, if that is not below the base URL of a connection. */
  tokenBaseUrl?: string
  /** Headers of every call. */
  headers?: Record<string, string>
  /** Tells whether an answer refuses the access token. Absent where no published text says how one is refused. */
  isTokenRefused?: (response: ProviderResponse) => boolean
  /** It has `GET /loc/{id}/qrcode`, which returns the payload of a charge. */
  hasLocationCodes: boolean
  toRejection: ToBacenRejection
}

/**
 * Creates the client of one provider with the Central Bank's Pix API: it authorizes each call and explains answers by the
 * profile's table. The age of an access token is measured by a monotonic clock.
 */
export function createBacenClient<OwnCall extends string>(
  { ca, now = () => performance.now(), ...options }: AdapterOptions<ClientCertificate>,
  profile: BacenProfile<OwnCall>,
) {
  const { certificate, private_key: key } = options.credentials
  const connect = (baseUrl: string) =>
    createHttpClient({ ...options, baseUrl, tls: { certificate, key, ca } })
  const http = connect(options.baseUrl)
  const tokenHttp = profile.tokenBaseUrl === undefined ? http : connect(profile.tokenBaseUrl)
  const createTokens = (tokenRequest: HttpCall, areScopesOptional: boolean) =>
    createAccessTokenCache({
      // The request has client id, secret and scopes.
      client: [profile.tokenBaseUrl ?? options.baseUrl, JSON.stringify(tokenRequest), certificate ?? ''],
      requestToken: () =>
        requestAccessToken(tokenHttp, tokenRequest, { bank: profile.bank, areScopesOptional, now }),
      shareToken: options.shareToken,
      now,
    })
  const tokens = createTokens(profile.tokenRequest, false)
  const createExchange = (tokenRequest: HttpCall | undefined) =>
    createAuthorizedExchange(http, tokenRequest ? createTokens(tokenRequest, true) : tokens, profile)
  const exchange = createExchange(undefined)
  const dueExchange = createExchange(profile.dueTokenRequest)
  const recurrenceExchange = createExchange(profile.recurrenceTokenRequest)
  const chooseExchange = (call: string) => {
    if (DUE_CALLS.has(call)) return dueExchange
    return RECURRENCE_CALLS.has(call) ? recurrenceExchange : exchange
  }
  const calls = createProviderCalls<BacenCall | OwnCall>(
    call => chooseExchange(call.call)(call),
    profile,
    options.recordUnexplained,
  )
  const { bank, basePath, hasLocationCodes, toRejection } = profile
  return {
    ...calls,
    bank,
    basePath,
    hasLocationCodes,
    toRejection,
    getToken: tokens.getToken,
    readAllPages: createListReader(calls, bacenPaging),
    preconnect: http.preconnect,
    async close() {
      await Promise.all([http.close(), tokenHttp.close()])
    },
  }
}

/** The client as the calls of the Central Bank's API use it. */
export type BacenClient = ReturnType<typeof createBacenClient<never>>

/** The client of a bank with Pix Automático. */
export type BacenRecurrenceClient = ReturnType<typeof createBacenClient<BacenRecurrenceCall>>

/**
 * Creates a function that makes calls with the cached access token. A refused token is discarded, and the call repeated
 * once with a new one, but only for the documented refusal, and not where a repeat could make a second thing. That refusal does not prove
 * that the call was not carried out: without the repeat its outcome is unknown.
 */
function createAuthorizedExchange(
  http: HttpClient,
  tokens: ReturnType<typeof createAccessTokenCache>,
  { headers, isTokenRefused = () => false }: Pick<BacenProfile<never>, 'headers' | 'isTokenRefused'>,
) {
  const callWith = (token: AccessToken, call: HttpCall) =>
    http.call({ ...call, headers: { ...headers, ...call.headers, authorization: `Bearer ${token.text}` } })

  return async (call: HttpCall & { call: string }): Promise<ExchangeOutcome> => {
    const token = await tokens.getToken()
    if (token.kind === 'unreachable') return token
    const response = await callWith(token, call)
    if (response.kind !== 'answer' || response.status !== 401) return response

    tokens.discardToken(token)
    if (!isTokenRefused(response) || CALLS_WITHOUT_ID.has(call.call)) return response
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
 * Pages the lists. A page may contain fewer rows than requested: the position is then the number of received rows, and
 * later pages are requested in the received size. A list ends with a page without new rows, or at the total that the
 * provider reports. Efí also documents sent PIX as a list without an envelope.
 */
const bacenPaging: Paging<{ page: number; size: number; pagesRead: number }> = {
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
