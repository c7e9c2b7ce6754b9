import { Agent, type Dispatcher, errors } from 'undici'
import { nameResolver, type Resolve } from '../name-resolver.ts'
import type { AddressPolicy } from './addresses.ts'
import { ANSWER_BYTES, readAnswer, readRetryAfter } from './answer.ts'
import { checkedConnector, NoConnection, named, RefusedAddress } from './connector.ts'
import { type LaneLimits, lanes } from './lanes.ts'

type SignedPost = {
  url: string
  body: string
  headers: Record<string, string>
  timeoutMs?: number
  /** Its last try failed: it is called by fewer at once, so that what is dead holds little. */
  isFailing?: boolean
}

/** What one try came to. Only `answered` says anything about the endpoint's will; a redirect is an answer. */
export type Tried =
  | {
      kind: 'answered'
      status: number
      /** From the call to the status line. */
      durationMs: number
      /** At most 1 kB of the body, as text. */
      answer: string
      retryAfterMs?: number
    }
  | Failed
  /** Too many tries are under way at the endpoint: nothing was tried, and a place is looked for then. */
  | { kind: 'busy'; comeBackInMs: number }
/** `refused_address`, `no_connection`: nothing was sent. `timeout`, `broken`: it may have arrived. */
type Failed = {
  kind: 'refused_address' | 'no_connection' | 'timeout' | 'broken'
  durationMs: number
  message: string
}

export type WebhookDialer = {
  /** Rejects only for a bug: a URL or header that is none, or a dialer already closed. */
  postSigned(post: SignedPost): Promise<Tried>
  /** Waits for tries under way. */
  close(): Promise<void>
}

export type DialerOptions = {
  policy: AddressPolicy
  /** Limit of one try: look-up, connection, request and answer together. */
  timeoutMs?: number
  /** PEM certificates trusted beside the public authorities. */
  ca?: string[]
  resolve?: Resolve
  /** Tries to one endpoint at once. Waiting for a place comes before `timeoutMs` begins. */
  lane?: LaneLimits
}

/** Calls webhook endpoints: https only, allowed addresses only, no redirects, a fresh connection for each try. */
export function webhookDialer({
  policy,
  timeoutMs = 15_000,
  ca,
  resolve = nameResolver(),
  lane = { width: 16, failingWidth: 2, patienceMs: 2_000 },
}: DialerOptions): WebhookDialer {
  const { enter } = lanes(lane)
  const agent = new Agent({
    // A little beyond the limit of a try: whoever gave up has left, and the half-open socket follows.
    connect: checkedConnector({ policy, resolve, ca, timeoutMs: timeoutMs + 1_000 }),
    // No keep-alive: every try meets the address check, and no idle socket can be reset under a request.
    pipelining: 0,
  })

  return {
    async postSigned(post) {
      const target = new URL(post.url)
      const entered = await enter(target.href, post)
      if ('comeBackInMs' in entered) return { kind: 'busy', ...entered }
      try {
        return await attempt({ agent, target, post, limitMs: post.timeoutMs ?? timeoutMs })
      } finally {
        entered.leave()
      }
    },
    close: () => agent.close(),
  }
}

type Attempt = { agent: Agent; target: URL; post: SignedPost; limitMs: number }

async function attempt({ agent, target, post, limitMs }: Attempt): Promise<Tried> {
  const started = performance.now()
  const elapsedMs = () => Math.round(performance.now() - started)
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(new Error('Out of time')), limitMs)
  try {
    const response = await orAbort(agent.request(request(target, post, limit.signal)), limit.signal)
    const durationMs = elapsedMs()
    const retryAfterMs = readRetryAfter(response.headers['retry-after'], Date.now())
    const answer = await readAnswer(response)
    return { kind: 'answered', status: response.statusCode, durationMs, answer, retryAfterMs }
  } catch (error) {
    if (limit.signal.aborted) return failed('timeout', elapsedMs(), `No answer within ${limitMs} ms`)
    return failure(error, elapsedMs())
  } finally {
    clearTimeout(timer)
  }
}

function request(target: URL, { body, headers }: SignedPost, signal: AbortSignal) {
  return {
    origin: target.origin,
    path: target.pathname + target.search,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'Trilho-Webhooks/1', ...headers },
    body,
    signal,
    highWaterMark: ANSWER_BYTES,
  } satisfies Dispatcher.RequestOptions
}

/** A request that is still connecting does not hear its signal before it has connected. */
function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  return Promise.race([work, aborted])
}

function failure(error: unknown, durationMs: number): Failed {
  if (error instanceof RefusedAddress) return failed('refused_address', durationMs, error.message)
  if (error instanceof NoConnection) return failed('no_connection', durationMs, error.message)
  if (ours.some(kind => error instanceof kind)) throw error
  return failed('broken', durationMs, named(error))
}

const ours = [errors.InvalidArgumentError, errors.ClientClosedError, errors.ClientDestroyedError]

function failed(kind: Failed['kind'], durationMs: number, message: string): Failed {
  return { kind, durationMs, message }
}
