import { z } from 'zod'
import type { NamedError } from '../adapter/documented-answers.ts'
import { optionalField } from '../adapter/fields.ts'
import { createListReader, type Paging, type RequestBudget } from '../adapter/list-reader.ts'
import { type AdapterOptions, createProviderCalls } from '../adapter/provider-calls.ts'
import { createHttpClient, type HttpCall } from '../http/client.ts'
import type { ProviderResponse } from '../http/exchange.ts'
import { type WooviCall, wooviAnswers } from './answers.ts'

const secretSchema = z.string().min(1)

/** Credentials of one connection; the optional ones add to the public keys that Woovi publishes for notifications. */
export const wooviCredentialsSchema = z.object({
  app_id: z.string().min(1),
  /** Secret keys of our webhooks, as Woovi's platform shows them: each webhook, so each event, has its own. */
  webhook_secret: z
    .union([secretSchema.transform(secret => [secret]), z.array(secretSchema).min(1)])
    .optional(),
  /** PEM of a public key that verifies all webhooks, in addition to those that Woovi publishes. */
  webhook_public_key: z.string().startsWith('-----BEGIN PUBLIC KEY-----').optional(),
})
export type WooviCredentials = z.infer<typeof wooviCredentialsSchema>

/** Permissions that the AppID needs (`x-required-scope`, OpenAPI document); docs/providers/woovi.md has what each is for. */
export const WOOVI_SCOPES = [
  'ACCOUNT_GET_LIST',
  'CHARGE_POST',
  'CHARGE_GET',
  'CHARGE_DELETE',
  'SUBSCRIPTION_POST',
  'SUBSCRIPTION_GET',
  'SUBSCRIPTION_CANCEL_PUT',
  'TRANSACTION_GET',
  'TRANSACTION_GET_LIST',
  'REFUND_POST',
  'REFUND_GET',
  'REFUND_GET_LIST',
  'PAYMENT_POST',
  'PAYMENT_APPROVE_POST',
  'PAYMENT_GET',
  'PAYMENT_GET_LIST',
  'WEBHOOK_GET_LIST',
  'WEBHOOK_POST',
  'DISPUTE_GET',
  'DISPUTE_GET_LIST',
  'DISPUTE_POST',
  'FUNDS_RECOVERY_GET',
  'FUNDS_RECOVERY_POST',
  'FUNDS_RECOVERY_DELETE',
  'FILE_POST',
]

/** Creates the client of Woovi's API: it authorizes each call by the AppID and explains answers by `wooviAnswers`. */
export function createWooviClient({ ca, credentials, ...options }: AdapterOptions<WooviCredentials>) {
  const http = createHttpClient({ ...options, tls: { ca } })
  const exchange = (call: HttpCall) =>
    http.call({ ...call, headers: { ...call.headers, authorization: credentials.app_id } })
  const api = { answers: wooviAnswers, readError: readWooviError }
  const calls = createProviderCalls<WooviCall>(exchange, api, options.recordUnexplained)
  const { preconnect, close } = http
  return { ...calls, readAllPages: createListReader(calls, wooviPaging), preconnect, close }
}
export type WooviClient = ReturnType<typeof createWooviClient>

const sentenceSchema = z.string().min(1)
/** Some sentences end in the end-to-end id of a PIX, which no table can list. */
const withoutRailId = (sentence: string) => sentence.replace(/ E[\dA-Za-z]{31}$/, '')
const singleErrorSchema = z
  .object({ error: sentenceSchema, errorCode: sentenceSchema.nullish(), errors: z.undefined().optional() })
  .transform(
    ({ error, errorCode }): NamedError => ({ name: errorCode ?? withoutRailId(error), message: error }),
  )
const listedErrorSchema = z
  .object({ error: z.undefined().optional(), errors: z.tuple([z.object({ message: sentenceSchema })]) })
  .transform(({ errors: [{ message }] }): NamedError => ({ name: message, message }))
const errorSchema = z.union([singleErrorSchema, listedErrorSchema])

/**
 * Reads an error in one of the two shapes that Woovi documents: a sentence, sometimes with a code, or a list with
 * exactly one error ("AppID Inválido"). Its name is the code, or else the whole sentence. Undefined for any other
 * body, both shapes together included. An end-to-end id at the end of a sentence is no part of its name.
 */
function readWooviError({ json }: Pick<ProviderResponse, 'json'>): NamedError | undefined {
  return errorSchema.safeParse(json).data
}

/** "O endpoint limita a 100 transações por request." */
const PAGE_SIZE = 100
/** The one limit of `skip` that Woovi publishes ("Como consultar e listar Pagamentos?"). */
const MAX_SKIPPED = 10_000
/** Consecutive pages without a new item after which a list counts as endless. */
const MAX_REPEATS = 3
const MAX_REQUESTS = 1_000

export function createRequestBudget(): RequestBudget {
  return { requests: MAX_REQUESTS }
}

/**
 * Pages Woovi's lists. The next page starts after the received items, which may be fewer than requested. A list ends with
 * an empty page, at the total that Woovi reports, or, without a total, when Woovi reports no next page; without either, a
 * page without a new item is the last. One that exceeds MAX_SKIPPED is too long, at once where the first page has the total.
 */
const wooviPaging: Paging<{ skip: number; repeats: number }> = {
  maxRequests: MAX_REQUESTS,
  firstPosition: { skip: 0, repeats: 0 },
  buildQuery: ({ skip }, period) => ({
    ...(period && { start: period.from, end: period.to }),
    skip: String(skip),
    limit: String(PAGE_SIZE),
  }),
  readPage(json, field) {
    const body = z.looseObject({ [field]: z.array(z.unknown()) }).safeParse(json).data
    if (!body) return undefined
    const { totalCount, hasNextPage } = pageInfoSchema.safeParse(body.pageInfo).data ?? {}
    return { rows: body[field] ?? [], total: totalCount ?? null, hasNextPage: hasNextPage ?? null }
  },
  getNextPosition({ skip, repeats }, { receivedCount, hasNewItems, total, hasNextPage, hasListPeriod }) {
    if (hasListPeriod && skip === 0 && (total ?? 0) > MAX_SKIPPED + PAGE_SIZE) return 'too_long'
    const nextPosition = { skip: skip + receivedCount, repeats: hasNewItems ? 0 : repeats + 1 }
    const hasMorePages =
      total === null ? (hasNextPage ?? hasNewItems) : nextPosition.skip < total || hasNextPage === true
    if (receivedCount === 0 || !hasMorePages) return 'end'
    if (nextPosition.repeats === MAX_REPEATS) return 'endless'
    return nextPosition.skip > MAX_SKIPPED ? 'too_long' : nextPosition
  },
}

const pageInfoSchema = z.object({
  totalCount: optionalField(z.int().min(0)),
  hasNextPage: optionalField(z.boolean()),
})
