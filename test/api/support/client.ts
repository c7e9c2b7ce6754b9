import { randomUUID } from 'node:crypto'
import { repeatUntilFinal } from '../../support/repeated-requests.ts'
import type { Contract } from './contract.ts'

// biome-ignore lint/suspicious/noExplicitAny: a story reads what it expects and fails where it is not.
export type ApiResponse = { status: number; headers: Headers; body: any; bytes: Buffer }

export type RequestOptions = {
  body?: unknown
  /** Sent unchanged, instead of `body`. */
  raw?: string | Uint8Array
  /** Idempotency-Key. */
  key?: string
  headers?: Record<string, string>
  /** How long the client waits; the default is longer than any response may take. */
  limitMs?: number
}

export type ApiClient = ReturnType<typeof createApiClient>

/** The API as a merchant's program sees it; every response is checked against `/openapi.json`. */
export function createApiClient({
  url,
  token,
  contract,
}: {
  url: string
  token?: string
  contract: Contract
}) {
  async function call(method: string, path: string, request: RequestOptions = {}): Promise<ApiResponse> {
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
      signal: AbortSignal.timeout(request.limitMs ?? 20_000),
      ...(sent !== undefined && { body: sent as string }),
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    const isJson = answer.headers.get('content-type')?.includes('json')
    const body = isJson ? JSON.parse(bytes.toString()) : bytes.toString()
    const said = { status: answer.status, headers: answer.headers, body }
    contract.check({ ...said, method, path })
    if (answer.status >= 500 && answer.status !== 503)
      throw new Error(`${method} ${path}: ${answer.status} ${bytes}`)
    return { ...said, bytes }
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
      createApiClient({ url, contract, ...(other !== undefined && { token: other }) }),
    /** Creates a charge and answers its data, retrying with its key as docs/errors.md says; fails where it is not created. */
    async createCharge(body: object = {}, request?: RequestOptions) {
      const order = { body: { value: 10, type: 'PIX', ...body }, key: randomUUID(), ...request }
      const answer = await repeatWhileUnconfirmed(() => call('POST', '/api/v1/payments', order))
      if (answer.status !== 201)
        throw new Error(`not created: ${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body.data
    },
    async readCharge(uuid: string) {
      const answer = await call('GET', `/api/v1/payments/${uuid}`)
      if (answer.status !== 200) throw new Error(`not read: ${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body.data
    },
  }
}

/** Repeats a request with a key while a slow machine leaves it unconfirmed. */
export function repeatWhileUnconfirmed(
  send: () => Promise<ApiResponse>,
): Promise<ApiResponse & { repeats: number }> {
  return repeatUntilFinal(send, ({ body: { code } }) => !UNCONFIRMED_CODES.has(code))
}
const UNCONFIRMED_CODES = new Set(['not_confirmed', 'issuing', 'overloaded', 'unavailable'])
