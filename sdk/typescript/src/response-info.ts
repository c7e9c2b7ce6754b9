/** What the headers of a response say: the id of the request, the rate limit, and whether it is a stored response. */
export type ResponseInfo = {
  /** The operation of the OpenAPI document, for example `createPayment`. */
  operation: string
  /** The number of the attempt, from 1. */
  attempt: number
  status: number
  /** `X-Request-Id`. */
  requestId: string | undefined
  /** The key of the call; absent where the operation takes none. */
  idempotencyKey: string | undefined
  /** `Idempotent-Replayed`: the response is the stored one of an earlier request with the same key. */
  isReplayed: boolean
  /** `Retry-After`. */
  retryAfterMs: number | undefined
  /** `RateLimit` and `RateLimit-Policy`; absent where the operation has no limit. */
  rateLimit: RateLimit | undefined
}

/** The limit of the access token. */
export type RateLimit = {
  /** Requests that are allowed in the window. */
  quota: number
  windowS: number
  /** Requests that are left. */
  remaining: number
  /** Seconds until the whole quota is left again. */
  resetS: number
}

/** Receives what each response says, before the call repeats its request or returns. */
export type OnResponse = (info: ResponseInfo) => void

/** The part of a `ResponseInfo` that the client knows without the response. */
export type AttemptFacts = Pick<ResponseInfo, 'operation' | 'attempt' | 'idempotencyKey'>

export function readResponseInfo({ status, headers }: Response, facts: AttemptFacts): ResponseInfo {
  return {
    ...facts,
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    isReplayed: headers.get('idempotent-replayed') === 'true',
    retryAfterMs: parseRetryAfter(headers.get('retry-after')),
    rateLimit: parseRateLimit(headers),
  }
}

/** Parses `Retry-After`: seconds, or an HTTP date. */
function parseRetryAfter(value: string | null): number | undefined {
  if (value === null) return undefined
  if (/^\d+$/.test(value.trim())) return Number(value) * 1_000
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
}

function parseRateLimit(headers: Headers): RateLimit | undefined {
  const policy = readParameters(headers.get('ratelimit-policy'))
  const state = readParameters(headers.get('ratelimit'))
  const [quota, windowS, remaining, resetS] = [policy.q, policy.w, state.r, state.t].map(Number)
  const isWhole = [quota, windowS, remaining, resetS].every(Number.isInteger)
  return isWhole ? ({ quota, windowS, remaining, resetS } as RateLimit) : undefined
}

/** Reads the numbers of a header as the API writes it: `"token";q=200;w=2`. */
function readParameters(header: string | null): Record<string, string> {
  return Object.fromEntries(
    [...(header ?? '').matchAll(/;(\w)=(\d+)/g)].map(([, name, value]) => [name, value]),
  )
}
