import { randomUUID } from 'node:crypto'
import { repeatUntilFinal } from '../../support/repeated-requests.ts'
import type { Contract } from './contract.ts'

// biome-ignore lint/suspicious/noExplicitAny: a story reads what it expects and fails where it is not.
export type ApiResponse = { status: number; headers: Headers; body: any; bytes: Buffer; repeats: number }

export type RequestOptions = {
  body?: unknown
  /** Sent unchanged, instead of `body`. */
  raw?: string | Uint8Array
  /** Idempotency-Key; by default one of its own, where the endpoint accepts one. */
  key?: string
  headers?: Record<string, string>
  /** How long the client waits; the default is longer than any response may take. */
  limitMs?: number
}

export type ApiClient = ReturnType<typeof createApiClient>

export type ApiClientOptions = {
  url: string
  token?: string
  contract: Contract
  /** Sends each request once, and adds no Idempotency-Key. */
  isSentOnce?: boolean
}

/**
 * The API as a merchant's program uses it: a request that a slow machine leaves unconfirmed is repeated with its key, as
 * docs/errors.md says. Every response is checked against `/openapi.json`.
 */
export function createApiClient({ url, token, contract, isSentOnce = false }: ApiClientOptions) {
  async function call(method: string, path: string, options: RequestOptions = {}): Promise<ApiResponse> {
    if (isSentOnce) return { ...(await send(method, path, options)), repeats: 0 }
    const hasKey = options.key !== undefined || options.headers?.['idempotency-key'] !== undefined
    const acceptsKey = contract.acceptsKey(method, path)
    const request = hasKey || !acceptsKey ? options : { ...options, key: randomUUID() }
    const isRepeatable = acceptsKey || REPEATABLE_METHODS.has(method)
    const codes = isRepeatable ? UNCONFIRMED_CODES : NOT_STARTED_CODES
    let isRepeat = false
    return repeatUntilFinal(
      () => send(method, path, request),
      ({ status, body }) => {
        // A refusal of a repeat by a rate limit says nothing about the request before it.
        const isOpen = codes.has(body.code) || (isRepeat && status === 429)
        isRepeat = true
        return !isOpen
      },
    )
  }

  async function send(
    method: string,
    path: string,
    request: RequestOptions,
  ): Promise<Omit<ApiResponse, 'repeats'>> {
    const sent = request.raw ?? (request.body === undefined ? undefined : JSON.stringify(request.body))
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(sent !== undefined && { 'content-type': 'application/json' }),
        ...(request.key !== undefined && { 'idempotency-key': request.key }),
        ...request.headers,
      },
      redirect: 'manual',
      signal: AbortSignal.timeout(request.limitMs ?? 60_000),
      ...(sent !== undefined && { body: sent as string }),
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    const isJson = answer.headers.get('content-type')?.includes('json')
    const body = isJson ? JSON.parse(bytes.toString()) : bytes.toString()
    const response = { status: answer.status, headers: answer.headers, body }
    contract.check({ ...response, method, path })
    if (answer.status >= 500 && answer.status !== 503)
      throw new Error(`${method} ${path}: ${answer.status} ${bytes}`)
    return { ...response, bytes }
  }

  return {
    token,
    call,
    get: (path: string, request?: RequestOptions) => call('GET', path, request),
    post: (path: string, body?: unknown, request?: RequestOptions) =>
      call('POST', path, { ...(body !== undefined && { body }), ...request }),
    put: (path: string, body?: unknown) => call('PUT', path, { body }),
    delete: (path: string) => call('DELETE', path),
    /** The same service with another token; undefined sends none. */
    withToken: (other: string | undefined) =>
      createApiClient({ url, contract, isSentOnce, ...(other !== undefined && { token: other }) }),
    /** The same client for requests whose very first response is under test, or that have no key. */
    sendingOnce: () =>
      createApiClient({ url, contract, isSentOnce: true, ...(token !== undefined && { token }) }),
    /** Creates a charge and answers its data; fails where it is not created. */
    async createCharge(body: object = {}, request?: RequestOptions) {
      const order = { body: { value: 10, type: 'PIX', ...body }, key: randomUUID(), ...request }
      const answer = await call('POST', '/api/v1/payments', order)
      if (answer.status !== 201)
        throw new Error(`not created: ${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body.data
    },
    async readCharge(uuid: string) {
      const answer = await call('GET', `/api/v1/payments/${uuid}`)
      if (answer.status !== 200) throw new Error(`not read: ${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body.data
    },
    /** Cancels or removes, which has no key, until that is confirmed: a repeat may find it carried out already. */
    async carryOut(method: 'POST' | 'DELETE', path: string): Promise<void> {
      const answer = await repeatWhileUnconfirmed(() => call(method, path))
      const isDone = answer.status === 200 || (answer.repeats > 0 && [404, 409].includes(answer.status))
      if (!isDone) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    },
  }
}

/** Repeats a request without a key, of which another one does no harm, while a slow machine leaves it unconfirmed. */
export function repeatWhileUnconfirmed(send: () => Promise<ApiResponse>): Promise<ApiResponse> {
  return repeatUntilFinal(send, ({ body: { code } }) => !UNCONFIRMED_CODES.has(code))
}

const REPEATABLE_METHODS = new Set(['GET', 'PUT', 'PATCH'])
const NOT_STARTED_CODES = new Set(['overloaded', 'unavailable'])
const UNCONFIRMED_CODES = new Set([
  ...NOT_STARTED_CODES,
  ...['not_confirmed', 'issuing', 'pix_key_unknown', 'cancellation_unknown', 'revision_unknown'],
])
