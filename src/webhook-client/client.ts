import { Agent, type Dispatcher, errors } from 'undici'
import { createHostResolver, type HostResolver } from '../net/name-resolver.ts'
import type { AddressPolicy } from './address-policy.ts'
import {
  createGuardedConnector,
  getErrorCode,
  NoConnectionError,
  RefusedAddressError,
} from './guarded-connector.ts'
import { createPerEndpointLimiter, type EndpointLimits } from './per-endpoint-limiter.ts'
import { MAX_RECORDED_BYTES, parseRetryAfterMs, readResponseText } from './response.ts'

type SignedRequest = {
  url: string
  body: string
  headers: Record<string, string>
  timeoutMs?: number
  /** Its last try failed: it is called by fewer at once, so that what is dead holds little. */
  isFailing?: boolean
}

/** What one try came to. Only `answered` says anything about the endpoint's will; a redirect is an answer. */
export type WebhookAttemptResult =
  | {
      kind: 'answered'
      status: number
      /** From the call to the status line. */
      durationMs: number
      /** At most 1 kB of the body, as text. */
      answer: string
      retryAfterMs?: number
    }
  | FailedAttemptResult
  /** Too many tries are under way at the endpoint: nothing was tried, and a place is looked for then. */
  | { kind: 'busy'; retryInMs: number }
/** `refused_address`, `no_connection`: nothing was sent. `timeout`, `broken`: it may have arrived. */
type FailedAttemptResult = {
  kind: 'refused_address' | 'no_connection' | 'timeout' | 'broken'
  durationMs: number
  message: string
}

export type WebhookClient = {
  /** Rejects only for a bug: a URL or header that is none, or a dialer already closed. */
  postSigned(post: SignedRequest): Promise<WebhookAttemptResult>
  /** Waits for tries under way. */
  close(): Promise<void>
}

export type WebhookClientOptions = {
  policy: AddressPolicy
  /** Limit of one try: look-up, connection, request and answer together. */
  timeoutMs?: number
  /** PEM certificates trusted beside the public authorities. */
  ca?: string[]
  resolve?: HostResolver
  /** Tries to one endpoint at once. Waiting for a place comes before `timeoutMs` begins. */
  endpointLimits?: EndpointLimits
}

/** Calls webhook endpoints: https only, allowed addresses only, no redirects, a fresh connection for each try. */
export function createWebhookClient({
  policy,
  timeoutMs = 15_000,
  ca,
  resolve = createHostResolver(),
  endpointLimits: lane = { maxRequests: 16, maxRequestsWhenFailing: 2, maxWaitMs: 2_000 },
}: WebhookClientOptions): WebhookClient {
  const { acquire: enter } = createPerEndpointLimiter(lane)
  const agent = new Agent({
    // A little beyond the limit of a try: whoever gave up has left, and the half-open socket follows.
    connect: createGuardedConnector({ policy, resolve, ca, timeoutMs: timeoutMs + 1_000 }),
    // No keep-alive: every try meets the address check, and no idle socket can be reset under a request.
    pipelining: 0,
  })

  return {
    async postSigned(post) {
      const target = new URL(post.url)
      const entered = await enter(target.href, post)
      if ('retryInMs' in entered) return { kind: 'busy', ...entered }
      try {
        return await sendAttempt({ agent, target, post, limitMs: post.timeoutMs ?? timeoutMs })
      } finally {
        entered.release()
      }
    },
    close: () => agent.close(),
  }
}

type AttemptInput = { agent: Agent; target: URL; post: SignedRequest; limitMs: number }

async function sendAttempt({ agent, target, post, limitMs }: AttemptInput): Promise<WebhookAttemptResult> {
  const started = performance.now()
  const elapsedMs = () => Math.round(performance.now() - started)
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(new Error('Out of time')), limitMs)
  try {
    const response = await rejectOnAbort(
      agent.request(buildRequest(target, post, limit.signal)),
      limit.signal,
    )
    const durationMs = elapsedMs()
    const retryAfterMs = parseRetryAfterMs(response.headers['retry-after'], Date.now())
    const answer = await readResponseText(response)
    return { kind: 'answered', status: response.statusCode, durationMs, answer, retryAfterMs }
  } catch (error) {
    if (limit.signal.aborted)
      return buildFailedAttempt('timeout', elapsedMs(), `No answer within ${limitMs} ms`)
    return toFailedAttempt(error, elapsedMs())
  } finally {
    clearTimeout(timer)
  }
}

function buildRequest(target: URL, { body, headers }: SignedRequest, signal: AbortSignal) {
  return {
    origin: target.origin,
    path: target.pathname + target.search,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'Trilho-Webhooks/1', ...headers },
    body,
    signal,
    highWaterMark: MAX_RECORDED_BYTES,
  } satisfies Dispatcher.RequestOptions
}

/** A request that is still connecting does not hear its signal before it has connected. */
function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  return Promise.race([work, aborted])
}

function toFailedAttempt(error: unknown, durationMs: number): FailedAttemptResult {
  if (error instanceof RefusedAddressError)
    return buildFailedAttempt('refused_address', durationMs, error.message)
  if (error instanceof NoConnectionError)
    return buildFailedAttempt('no_connection', durationMs, error.message)
  if (CALLER_ERRORS.some(kind => error instanceof kind)) throw error
  return buildFailedAttempt('broken', durationMs, getErrorCode(error))
}

const CALLER_ERRORS = [errors.InvalidArgumentError, errors.ClientClosedError, errors.ClientDestroyedError]

function buildFailedAttempt(
  kind: FailedAttemptResult['kind'],
  durationMs: number,
  message: string,
): FailedAttemptResult {
  return { kind, durationMs, message }
}
