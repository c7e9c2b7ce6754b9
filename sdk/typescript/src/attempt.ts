import type { TrilhoErrorDetails } from './errors.ts'
import type { PreparedRequest } from './request.ts'
import { type AttemptFacts, type OnResponse, type ResponseInfo, readResponseInfo } from './response-info.ts'
import { isRetriedResponse } from './retries.ts'

/** One attempt of a call. Its outcome is a value; the transport decides whether there is another attempt. */

export type Failure = Omit<TrilhoErrorDetails, 'attempts' | 'idempotencyKey'> & {
  message: string
  /** Another attempt may have another outcome. */
  isRetried: boolean
}
export type Outcome<Body> = { kind: 'success'; body: Body } | { kind: 'failure'; failure: Failure }

type AttemptOptions = {
  limitMs: number
  signal: AbortSignal | undefined
  facts: AttemptFacts
  onResponse: OnResponse | undefined
}

/** Sends a request once, and reads the whole response within the limit. */
export async function attemptRequest<Body>(
  fetch: typeof globalThis.fetch,
  request: PreparedRequest,
  { limitMs, signal, facts, onResponse }: AttemptOptions,
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
    const info = readResponseInfo(response, facts)
    void reportResponse(onResponse, info)
    return readResponse<Body>(request, { info, mediaType: readMediaType(response), bytes })
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
        message: `${method} ${path} was aborted.`,
        code: 'aborted',
        cause: signal.reason,
        isOutcomeUnknown,
        isRetried: false,
      }
    if (controller.signal.aborted)
      return {
        message: `${method} ${path} got no response in ${Math.round(limitMs)} ms.`,
        code: 'timeout',
        isOutcomeUnknown,
        isRetried: true,
      }
    return {
      message: `${method} ${path} got no response.`,
      code: 'connection_failed',
      cause,
      isOutcomeUnknown,
      isRetried: true,
    }
  }
}

/** Calls the caller's function. What it throws changes nothing: the operation may have moved money. */
async function reportResponse(onResponse: OnResponse | undefined, info: ResponseInfo): Promise<void> {
  try {
    await onResponse?.({ ...info })
  } catch {
    // The outcome of the call is that of its response.
  }
}

function readMediaType({ headers }: Response): string {
  return headers.get('content-type')?.split(';')[0]?.trim() ?? ''
}

function readResponse<Body>(
  request: PreparedRequest,
  { info, mediaType, bytes }: { info: ResponseInfo; mediaType: string; bytes: Uint8Array },
): Outcome<Body> {
  const parsed = mediaType === 'application/json' ? tryParseJson(bytes) : undefined
  if (!isSuccess(info))
    return { kind: 'failure', failure: describeError(request, info, Object(parsed?.value)) }
  if (
    mediaType !== request.accept ||
    (mediaType === 'application/json' && !isComplete(request, parsed?.value))
  )
    return { kind: 'failure', failure: describeUnexpected(request, info) }
  return { kind: 'success', body: parsed ? unwrapData(parsed.value) : readContent(mediaType, bytes) }
}

/** Returns whether a body has the result that its operation documents. */
function isComplete({ hasData }: PreparedRequest, body: unknown): boolean {
  return body !== undefined && (!hasData || (Object(body).data ?? null) !== null)
}

/** Returns `data` where it is all that a caller needs: a page keeps its `meta`. */
function unwrapData(body: ReturnType<typeof JSON.parse>) {
  return Object(body).data === undefined || body.meta !== undefined ? body : body.data
}

/** A text keeps its byte order mark, by which spreadsheets know its encoding. */
function readContent(mediaType: string, bytes: Uint8Array): ReturnType<typeof JSON.parse> {
  return mediaType === 'image/png' || mediaType === 'application/pdf'
    ? bytes
    : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}

function tryParseJson(bytes: Uint8Array) {
  try {
    return { value: JSON.parse(new TextDecoder().decode(bytes)) }
  } catch {
    return undefined
  }
}

/** Codes of 503 after which the operation may be executed, or is being executed. */
const UNKNOWN_OUTCOMES = new Set([
  'not_confirmed',
  'issuing',
  'pix_key_unknown',
  'cancellation_unknown',
  'revision_unknown',
])

/** The error body of the API; nothing of it is certain where a proxy has answered. */
type ErrorBody = { code?: unknown; message?: unknown; errors?: unknown; request_id?: unknown; data?: unknown }

function describeError(request: PreparedRequest, info: ResponseInfo, body: ErrorBody): Failure {
  const { status, requestId, retryAfterMs, isReplayed } = info
  if (typeof body.code !== 'string') return describeUnexpected(request, info)
  const errors = readFieldErrors(body.errors)
  const fields = Object.entries(errors ?? {}).flatMap(([field, texts]) =>
    texts.map(text => `${field} ${text}`),
  )
  const parts = [`${status} ${body.code}: ${body.message}`, ...fields, requestId && `request_id ${requestId}`]
  return {
    message: parts.filter(Boolean).join('; '),
    code: body.code,
    status,
    requestId,
    errors,
    data: body.data,
    retryAfterMs,
    isReplayed,
    isRetried: isRetriedResponse(info, body.data),
    isOutcomeUnknown: request.method !== 'GET' && (status === 500 || UNKNOWN_OUTCOMES.has(body.code)),
  }
}

/** Describes a response that the API has not sent. Its body stays out of the message. */
function describeUnexpected({ method, path }: PreparedRequest, info: ResponseInfo): Failure {
  const { status, requestId, retryAfterMs, isReplayed } = info
  return {
    message: `${method} ${path} got ${status}, and no answer of the API.`,
    code: 'unexpected_response',
    status,
    requestId,
    retryAfterMs,
    isReplayed,
    isRetried: isRetriedResponse(info, undefined),
    isOutcomeUnknown: method !== 'GET' && (isSuccess(info) || status >= 500),
  }
}

function isSuccess({ status }: ResponseInfo): boolean {
  return status >= 200 && status < 300
}

function readFieldErrors(errors: unknown): Record<string, string[]> | undefined {
  if (typeof errors !== 'object' || errors === null) return undefined
  const entries = Object.entries(errors).map(([field, texts]) => [field, [texts].flat().map(String)] as const)
  return Object.fromEntries(entries)
}
