import { Agent, type Dispatcher, errors } from 'undici'
import { createHostResolver, type HostResolver } from '../net/name-resolver.ts'
import type { AddressPolicy } from './address-policy.ts'
import {
  createGuardedConnector,
  getErrorCode,
  NoConnectionError,
  RefusedAddressError,
} from './guarded-connector.ts'
import {
  createPerEndpointLimiter,
  type EndpointAdmission,
  type EndpointLimits,
} from './per-endpoint-limiter.ts'

type SignedRequest = {
  url: string
  body: string
  headers: Record<string, string>
  timeoutMs?: number
  /** Most bytes of the response's body that are read; by default 1 kB, which deliveries record. */
  maxAnswerBytes?: number
  /** Sent on a connection of its own, so that it is never sent again by itself. */
  isSentOnce?: true
}

/** Result of one attempt. Only `answered` expresses the endpoint's decision; a redirect is an answer. */
export type WebhookAttemptResult =
  | {
      kind: 'answered'
      status: number
      /** From the call to the status line. */
      durationMs: number
      /** The beginning of the body, as text. */
      answer: string
      /** Whether the body ended before the bytes that are read of it, and was not compressed. */
      isAnswerWhole: boolean
      retryAfterMs?: number
    }
  | FailedAttemptResult
/** `refused_address`, `no_connection`: nothing was sent. `timeout`, `broken`: it may have arrived. */
type FailedAttemptResult = {
  kind: 'refused_address' | 'no_connection' | 'timeout' | 'broken'
  durationMs: number
  message: string
}

export type WebhookClient = {
  /**
   * Acquires a slot for a request to an endpoint, or says when to retry: it has too many requests open. Endpoints of one URL, which
   * may be of different accounts, have slots of their own. `failingForMs`: how long it has failed, if it has: a lower limit applies, so
   * that dead endpoints occupy few slots.
   */
  acquireSlot(
    endpointUuid: string,
    health?: { failingForMs?: number | undefined },
  ): Promise<EndpointAdmission>
  /** Sends a request, for which the caller holds a slot. Rejects only for a bug: an invalid URL or header, or a closed client. */
  postSigned(post: SignedRequest): Promise<WebhookAttemptResult>
  close(): Promise<void>
}

export type WebhookClientOptions = {
  policy: AddressPolicy
  /** Limit of one attempt: look-up, connection, request and response together. */
  timeoutMs?: number
  /** PEM certificates trusted in addition to the public authorities. */
  ca?: string[]
  resolve?: HostResolver
  /** Concurrency limits per endpoint. */
  endpointLimits?: EndpointLimits
  /** Time after which an idle connection is closed: before a server does that closes idle ones after the usual 5 s. */
  maxIdleMs?: number
  /** Time after which a connection is used no more: the host's name is resolved and its addresses are checked again. */
  maxConnectionAgeMs?: number
}

/** Creates the client of webhook endpoints: https, allowed addresses, no redirects, connections kept for a few seconds. */
export function createWebhookClient({
  policy,
  timeoutMs = 15_000,
  ca,
  resolve = createHostResolver(),
  endpointLimits = { maxRequests: 16, maxRequestsWhenFailing: 2, maxWaitMs: 2_000 },
  maxIdleMs = 4_000,
  maxConnectionAgeMs = 60_000,
}: WebhookClientOptions): WebhookClient {
  const { acquire } = createPerEndpointLimiter(endpointLimits)
  // Slightly above the limit of an attempt: a half-open socket is closed soon after its attempt has timed out.
  const connect = createGuardedConnector({ policy, resolve, ca, timeoutMs: timeoutMs + 1_000 })
  // Where HTTP/2 is possible, the requests of an origin wait until its first connection has negotiated.
  const connection = { connect, allowH2: false }
  const agents = {
    keepAlive: new Agent({
      ...connection,
      keepAliveTimeout: maxIdleMs,
      keepAliveMaxTimeout: maxIdleMs,
      clientTtl: maxConnectionAgeMs,
    }),
    singleUse: new Agent({ ...connection, pipelining: 0 }),
  }

  return {
    acquireSlot: acquire,
    async postSigned(post) {
      return sendAttempt({ agents, target: new URL(post.url), post, limitMs: post.timeoutMs ?? timeoutMs })
    },
    async close() {
      await Promise.all([agents.keepAlive.close(), agents.singleUse.close()])
    },
  }
}

type Agents = Record<'keepAlive' | 'singleUse', Agent>
type AttemptInput = { agents: Agents; target: URL; post: SignedRequest; limitMs: number }

async function sendAttempt({ agents, target, post, limitMs }: AttemptInput): Promise<WebhookAttemptResult> {
  const started = performance.now()
  const elapsedMs = () => Math.round(performance.now() - started)
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(new Error('Timeout')), limitMs)
  try {
    const request = buildRequest(target, post, limit.signal)
    const sending = post.isSentOnce ? agents.singleUse.request(request) : requestOnKept(agents, request)
    const response = await rejectOnAbort(sending, limit.signal)
    const durationMs = elapsedMs()
    const retryAfterMs = parseRetryAfterMs(response.headers['retry-after'], Date.now())
    const answered = await readResponseText(response, post.maxAnswerBytes)
    return { kind: 'answered', status: response.statusCode, durationMs, ...answered, retryAfterMs }
  } catch (error) {
    if (limit.signal.aborted)
      return { kind: 'timeout', durationMs: elapsedMs(), message: `No answer within ${limitMs} ms` }
    return toFailedAttempt(error, elapsedMs())
  } finally {
    clearTimeout(timer)
  }
}

type PostRequest = ReturnType<typeof buildRequest>

/**
 * Sends on a kept connection if one is idle, otherwise on a new one. A server may close an idle connection at the moment the
 * request is sent: then it is sent again on a connection of its own, which the promise of "at least once" allows.
 */
async function requestOnKept({ keepAlive, singleUse }: Agents, request: PostRequest) {
  const connections = keepAlive.stats[request.origin]
  const isReused = connections !== undefined && 'free' in connections && connections.free > 0
  try {
    return await keepAlive.request(request)
  } catch (error) {
    if (!isReused || request.signal.aborted || !CLOSED_CONNECTION_CODES.has(getErrorCode(error))) throw error
    return singleUse.request(request)
  }
}

/** Codes of a connection that the server closed before it answered. */
const CLOSED_CONNECTION_CODES = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])

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

/** Rejects as soon as the signal aborts; undici itself ignores the signal until the connection is open. */
export function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  return Promise.race([work, aborted])
}

function toFailedAttempt(error: unknown, durationMs: number): FailedAttemptResult {
  if (CALLER_ERRORS.some(kind => error instanceof kind)) throw error
  if (error instanceof RefusedAddressError)
    return { kind: 'refused_address', durationMs, message: error.message }
  if (error instanceof NoConnectionError) return { kind: 'no_connection', durationMs, message: error.message }
  return { kind: 'broken', durationMs, message: getErrorCode(error) }
}

const CALLER_ERRORS = [errors.InvalidArgumentError, errors.ClientClosedError, errors.ClientDestroyedError]

/** Recorded bytes of the body of a response to a delivery; the rest is never read. */
const MAX_RECORDED_BYTES = 1_024

/**
 * Reads the start of a response body as text that PostgreSQL can store. Never decompresses: no encoding was
 * requested, and a small body can expand enormously. A body that breaks off yields what arrived.
 */
async function readResponseText(
  { headers, body }: Dispatcher.ResponseData,
  maxBytes = MAX_RECORDED_BYTES,
): Promise<{ answer: string; isAnswerWhole: boolean }> {
  body.on('error', () => {}) // Dropping the rest raises a stream error that does not matter here.
  if ((getFirstValue(headers['content-encoding']) ?? 'identity') !== 'identity') {
    body.destroy()
    return { answer: '', isAnswerWhole: false }
  }
  const { bytes, isWhole } = await readFirstBytes(body, maxBytes)
  return { answer: toStorableText(bytes, maxBytes), isAnswerWhole: isWhole }
}

/** Parses Retry-After (RFC 9110 §10.2.3) to milliseconds from `now`: 0 for a past date, undefined if malformed. */
export function parseRetryAfterMs(header: string | string[] | undefined, now: number): number | undefined {
  const text = getFirstValue(header)?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return undefined
  const at = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) // asctime, the oldest form, names no zone.
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

async function readFirstBytes(body: AsyncIterable<Buffer>, maxBytes: number) {
  const parts: Buffer[] = []
  let length = 0
  let isWhole = false
  try {
    for await (const part of body) {
      parts.push(part)
      length += part.length
      if (length >= maxBytes) break
    }
    isWhole = length < maxBytes
  } catch {
    // Reset or timed out: the status has been received, and it decides.
  }
  return { bytes: Buffer.concat(parts), isWhole }
}

function toStorableText(bytes: Buffer, maxBytes: number): string {
  const text = decodeFirstBytes(bytes, maxBytes).replace(/[^\P{Cc}\t\n\r]/gu, '\ufffd')
  return decodeFirstBytes(Buffer.from(text), maxBytes) // A replacement takes three bytes, so the text may have grown.
}

/** Decodes at most so many bytes, without a partial character at the end. */
function decodeFirstBytes(bytes: Buffer, maxBytes: number): string {
  return new TextDecoder().decode(bytes.subarray(0, maxBytes), { stream: true })
}

function getFirstValue(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header
}
