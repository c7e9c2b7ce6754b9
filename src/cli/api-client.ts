import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

/** Client of the REST API, for commands that a merchant's developer runs: they need no database and no secret key. */

export type ApiOptions = { api?: string; token?: string }

/** An API that runs on this machine, without `/api/v1`, and an access token of an account there. */
export type LocalApi = { api_url: string; token: string }

/** A resource, as far as these commands read it. */
export type ApiResource = { uuid: string; status?: string } & Record<string, unknown>

/** An error response of the API. */
export class ApiCallError extends Error {
  readonly status: number
  readonly code: string
  readonly body: { data?: unknown }
  readonly retryAfterMs: number

  constructor(path: string, response: Response, body: { message?: string; code?: string; data?: unknown }) {
    super(`${path} answered ${response.status} ${body.code ?? ''}: ${body.message ?? 'no error body'}`)
    this.status = response.status
    this.code = body.code ?? ''
    this.body = body
    this.retryAfterMs = Number(response.headers.get('Retry-After') ?? 1) * 1_000
  }

  /** The same request may succeed later: overload, rate limit, an outage. */
  get isTemporary(): boolean {
    return this.status === 429 || this.status >= 500
  }
}

export type ApiClient = ReturnType<typeof createApiClient>

/** Time for one call: the API answers every request within 10 s (SPEC §1). */
const CALL_TIMEOUT_MS = 15_000
/** How often a POST is sent, with one Idempotency-Key, until its answer is final. */
const MAX_POSTS = 5

/** Creates a client; `token` is sent as a bearer token. */
export function createApiClient({ url, token }: { url: string; token: string }) {
  const call = async <Answer>(
    method: string,
    path: string,
    body?: unknown,
    key?: string,
  ): Promise<Answer> => {
    const response = await fetch(`${url.replace(/\/+$/, '')}/api/v1${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(key !== undefined && { 'Idempotency-Key': key }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
    })
    const answer = Object(await response.json().catch(() => ({})))
    if (!response.ok) throw new ApiCallError(path, response, answer)
    return answer as Answer
  }
  return {
    url,
    token,
    isTest: token.startsWith('trl_test_'),
    get: <Answer>(path: string) => call<Answer>('GET', path),
    /** Sends a POST, again with the same key while its result is not known. */
    async post(path: string, body: unknown = {}): Promise<ApiResource> {
      const key = randomUUID()
      for (let attempt = 1; ; attempt += 1) {
        try {
          const { data } = await call<{ data: ApiResource }>('POST', path, body, key)
          return data
        } catch (error) {
          if (!(error instanceof ApiCallError && error.isTemporary && attempt < MAX_POSTS)) throw error
          await sleep(error.retryAfterMs)
        }
      }
    },
  }
}

/** Creates the client that the options name; where they do not, the one that runs on this machine, if any. */
export function openApiClient({ api, token }: ApiOptions, local: LocalApi | undefined): ApiClient {
  const url = api ?? local?.api_url
  const access = token ?? (api === undefined ? local?.token : undefined)
  if (url === undefined) throw new Error('--api or TRILHO_API_URL must name the API: no npm start runs here')
  if (!URL.canParse(url)) throw new Error(`--api must be an address: ${url}`)
  if (access === undefined)
    throw new Error('--token or TRILHO_TOKEN must hold an access token of the account')
  return createApiClient({ url, token: access })
}
