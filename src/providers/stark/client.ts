import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { z } from 'zod'
import type { NamedError } from '../adapter/documented-answers.ts'
import { createListReader, type Paging, type ProviderList } from '../adapter/list-reader.ts'
import { type AdapterOptions, createProviderCalls } from '../adapter/provider-calls.ts'
import { subtractDays } from '../adapter/statement-period.ts'
import { createHttpClient, type HttpCall } from '../http/client.ts'
import type { ProviderResponse } from '../http/exchange.ts'
import { type StarkCall, starkAnswers } from './answers.ts'

/** Longest PEM text that is parsed. */
const MAX_PEM_LENGTH = 65_536

/** Credentials of one connection: a project, or an organization in one of its workspaces, and the key that signs its requests. */
export const starkCredentialsSchema = z.object({
  /**
   * The id of a project, or `organization/<id>/workspace/<id>`, as in the header `Access-Id`. A project belongs to one workspace.
   */
  access_id: z
    .string()
    .regex(/^(?:(?:project\/)?\d+|organization\/\d+\/workspace\/\d+)$/, {
      message: 'must be the id of a project, or organization/<id>/workspace/<id>',
    })
    .transform(id => (/^\d+$/.test(id) ? `project/${id}` : id)),
  /** PEM of an EC key on the curve secp256k1, not encrypted. */
  private_key: z
    .string()
    .max(MAX_PEM_LENGTH, { message: 'is too long for a PEM key' })
    .refine(isSigningKey, { message: 'must be a PEM private key (EC, secp256k1) without a passphrase' }),
})
export type StarkCredentials = z.infer<typeof starkCredentialsSchema>

function isSigningKey(pem: string): boolean {
  try {
    const { asymmetricKeyType, asymmetricKeyDetails } = createPrivateKey(pem)
    return asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'secp256k1'
  } catch {
    return false
  }
}

/** Permissions that the project needs, by the resources of Stark Bank's API; docs/providers/stark.md has what each is for. */
export const STARK_PERMISSIONS = [
  'workspace',
  'balance',
  'transaction',
  'dynamic-brcode',
  'invoice',
  'deposit',
  'dict-key',
  'verified-account',
  'verified-transfer',
  'transfer',
  'webhook',
  'invoice-pull-subscription',
  'invoice-pull-request',
]

/** Creates the client of Stark Bank's API: it signs each request and explains answers by `starkAnswers`. */
export function createStarkClient({ ca, credentials, ...options }: AdapterOptions<StarkCredentials>) {
  const http = createHttpClient({ ...options, tls: { ca } })
  const key = createPrivateKey(credentials.private_key)
  const now = options.now ?? Date.now
  const exchange = (call: HttpCall) =>
    http.call({
      ...call,
      headers: { ...call.headers, ...signRequest(call, { accessId: credentials.access_id, key, now }) },
    })
  const api = { answers: starkAnswers, readError: readStarkError }
  const calls = createProviderCalls<StarkCall>(exchange, api, options.recordUnexplained)
  const readAllPages = createListReader(calls, starkPaging)
  const { preconnect, close } = http
  return {
    ...calls,
    readAllPages,
    /** Reads the entities of a list that have these ids. The requested ids are in the items; those that are not listed are absent. */
    async readByIds<Row, Item>(list: ProviderList<StarkCall, Row, Item>, ids: Iterable<string>) {
      const remaining = [...new Set(ids)]
      const items: Item[] = []
      while (remaining.length > 0) {
        const filter = { ...list.filter, ids: remaining.splice(0, PAGE_SIZE).join() }
        const page = await readAllPages({ ...list, filter })
        if (page.kind === 'no_answer') return page
        items.push(...page.items)
      }
      return { kind: 'found' as const, items }
    },
    preconnect,
    close,
  }
}
export type StarkClient = ReturnType<typeof createStarkClient>

type RequestSigner = { accessId: string; key: KeyObject; now: () => number }

/**
 * Signs a request: ECDSA with SHA-256 over `Access-Id:Access-Time:body`, DER in base64 (npm package starkcore 0.4.0, request.js). The
 * body is the text that `createHttpClient` sends.
 */
function signRequest({ json }: HttpCall, { accessId, key, now }: RequestSigner): Record<string, string> {
  const accessTime = Math.floor(now() / 1_000)
  const message = `${accessId}:${accessTime}:${json === undefined ? '' : JSON.stringify(json)}`
  return {
    'access-id': accessId,
    'access-time': String(accessTime),
    'access-signature': sign('sha256', Buffer.from(message), key).toString('base64'),
    'accept-language': 'en-US',
  }
}

const errorSchema = z.object({
  errors: z.tuple([z.object({ code: z.string().min(1), message: z.string() })]),
})

/** Reads an error in the documented shape, `{errors: [{code, message}]}`; undefined for several errors at once. */
function readStarkError({ json }: Pick<ProviderResponse, 'json'>): NamedError | undefined {
  const [error] = errorSchema.safeParse(json).data?.errors ?? []
  return error && { name: error.code, message: error.message }
}

/** "Number of results per cursor. Max = 100." */
const PAGE_SIZE = 100
const MAX_REQUESTS = 1_000
/** Consecutive pages without a new item after which a list counts as endless. */
const MAX_REPEATS = 3

/**
 * Pages Stark Bank's lists by the cursor of the answer before; the last one has none. Their filters `after` and `before` are days
 * of an unpublished time zone, so that a day is added at both ends and the reader of the list leaves out the rest.
 */
const starkPaging: Paging<{ cursor: string | null; repeats: number }> = {
  maxRequests: MAX_REQUESTS,
  firstPosition: { cursor: null, repeats: 0 },
  buildQuery: ({ cursor }, period) => ({
    ...(period && { after: toDay(subtractDays(period.from, 1)), before: toDay(subtractDays(period.to, -1)) }),
    limit: String(PAGE_SIZE),
    ...(cursor && { cursor }),
  }),
  readPage(json, field) {
    const page = z.looseObject({ [field]: z.array(z.unknown()) }).safeParse(json).data
    const position = cursorSchema.safeParse(json).data
    return page && position && { rows: page[field] ?? [], cursor: position.cursor || null }
  },
  getNextPosition(position, { cursor, hasNewItems }) {
    if (cursor === null) return 'end'
    const repeats = hasNewItems ? 0 : position.repeats + 1
    return cursor === position.cursor || repeats === MAX_REPEATS ? 'endless' : { cursor, repeats }
  },
}

const cursorSchema = z.object({ cursor: z.string().nullish() })

const toDay = (instant: string): string => instant.slice(0, 10)
