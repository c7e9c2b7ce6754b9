import type { TrilhoErrorDetails } from './errors.ts'
import type { PreparedRequest } from './request.ts'
import { isRetriedResponse, parseRetryAfter } from './retries.ts'

/** One attempt of a call. Its outcome is a value; the transport decides whether there is another attempt. */

export type Failure = Omit<TrilhoErrorDetails, 'attempts' | 'idempotencyKey'> & {
  message: string
  /** Another attempt may have another outcome. */
  isRetried: boolean
}
export type Outcome<Body> = { kind: 'success'; body: Body } | { kind: 'failure'; failure: Failure }

type AttemptLimits = { limitMs: number; signal: AbortSignal | undefined }

/** Sends a request once, and reads the whole response within the limit. */
export async function attemptRequest<Body>(
  fetch: typeof globalThis.fetch,
  request: PreparedRequest,
  { limitMs, signal }: AttemptLimits,
): Promise<Outcome<Body>> {
  const { method, url, headers, body } = request
  const controller = new AbortController()
  const abort = () => controller.abort()
  const timer = setTimeout(abort, limitMs)
  signal?.addEventListener('abort', abort, { once: true })
  if (signal?.aborted) abort()
  try {
    const sent = { method, headers, redirect: 'manual', signal: controller.signal } as const
    const response = await fetch(url, body === undefined ? sent : { ...sent, body })
    const bytes = new Uint8Array(await response.arrayBuffer())
    return readResponse<Body>(request, response, bytes)
  } catch (cause) {
    return { kind: 'failure', failure: describeNoResponse(request, cause) }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }

  function describeNoResponse({ method, path }: PreparedRequest, cause: unknown): Failure {
    const isOutcomeUnknown = method !== 'GET'
    if (signal?.aborted)
      return {
        ...{ message: `${method} ${path} was aborted.`, code: 'aborted', cause: signal.reason },
        ...{ isOutcomeUnknown, isRetried: false },
      }
    if (controller.signal.aborted)
      return {
        ...{ message: `${method} ${path} got no response in ${Math.round(limitMs)} ms.`, code: 'timeout' },
        ...{ isOutcomeUnknown, isRetried: true },
      }
    return {
      ...{ message: `${method} ${path} got no response.`, code: 'connection_failed', cause },
      ...{ isOutcomeUnknown, isRetried: true },
    }
  }
}

function readResponse<Body>(request: PreparedRequest, response: Response, bytes: Uint8Array): Outcome<Body> {
  const mediaType = response.headers.get('content-type')?.split(';')[0]?.trim() ?? ''
  const parsed = mediaType === 'application/json' ? tryParseJson(bytes) : undefined
  if (!response.ok)
    return { kind: 'failure', failure: describeError(request, response, Object(parsed?.value)) }
  if (mediaType !== request.accept || (mediaType === 'application/json' && !parsed))
    return { kind: 'failure', failure: describeUnexpected(request, response) }
  return { kind: 'success', body: parsed ? unwrapData(parsed.value) : readContent(mediaType, bytes) }
}

/** Returns `data` where it is all that a caller needs: a page keeps its `meta`. */
function unwrapData(body: ReturnType<typeof JSON.parse>) {
  return Object(body).data === undefined || body.meta !== undefined ? body : body.data
}

/** A text keeps its byte order mark, by which spreadsheets know its encoding. */
function readContent(mediaType: string, bytes: Uint8Array): ReturnType<typeof JSON.parse> {
  return mediaType === 'image/png' ? bytes : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}

function tryParseJson(bytes: Uint8Array) {
  try {
    return { value: JSON.parse(new TextDecoder().decode(bytes)) }
  } catch {
    return undefined
  }
}

/** Codes of 503 after which the operation may be executed, or is being executed. */
const UNKNOWN_OUTCOMES = new Set(['not_confirmed', 'issuing', 'pix_key_unknown', 'cancellation_unknown'])

/** The error body of the API; nothing of it is certain where a proxy has answered. */
type ErrorBody = { code?: unknown; message?: unknown; errors?: unknown; request_id?: unknown; data?: unknown }

function describeError(request: PreparedRequest, response: Response, body: ErrorBody): Failure {
  const { status } = response
  if (typeof body.code !== 'string') return describeUnexpected(request, response)
  const errors = readFieldErrors(body.errors)
  const requestId = readRequestId(response)
  const fields = Object.entries(errors ?? {}).flatMap(([field, texts]) =>
    texts.map(text => `${field} ${text}`),
  )
  const parts = [`${status} ${body.code}: ${body.message}`, ...fields, requestId && `request_id ${requestId}`]
  return {
    ...{ message: parts.filter(Boolean).join('; '), code: body.code, status, requestId, errors },
    data: body.data,
    retryAfterMs: parseRetryAfter(response.headers.get('retry-after')),
    isRetried: isRetriedResponse(response, body.data),
    isOutcomeUnknown: request.method !== 'GET' && (status === 500 || UNKNOWN_OUTCOMES.has(body.code)),
  }
}

/** Describes a response that the API has not sent. Its body stays out of the message. */
function describeUnexpected({ method, path }: PreparedRequest, response: Response): Failure {
  return {
    message: `${method} ${path} got ${response.status}, and no answer of the API.`,
    code: 'unexpected_response',
    status: response.status,
    requestId: readRequestId(response),
    retryAfterMs: parseRetryAfter(response.headers.get('retry-after')),
    isRetried: isRetriedResponse(response, undefined),
    isOutcomeUnknown: method !== 'GET' && (response.ok || response.status >= 500),
  }
}

function readRequestId(response: Response): string | undefined {
  return response.headers.get('x-request-id') ?? undefined
}

function readFieldErrors(errors: unknown): Record<string, string[]> | undefined {
  if (typeof errors !== 'object' || errors === null) return undefined
  const entries = Object.entries(errors).map(([field, texts]) => [field, [texts].flat().map(String)] as const)
  return Object.fromEntries(entries)
}
