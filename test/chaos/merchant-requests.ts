import { setTimeout as sleep } from 'node:timers/promises'
import type { Mode } from './final-state.ts'

/** How merchants call in a storm: an unanswered request is repeated under its key, as the contract says. */

/** One logical request, however often it was sent, and all its responses. */
export type RequestRecord = {
  /** Its place among the operations. */
  place: number
  kind:
    | 'charge'
    | 'transfer'
    | 'refund'
    | 'cancel_charge'
    | 'revise_charge'
    | 'cancel_transfer'
    | 'decide_transfer'
    | 'batch'
    | 'cancel_batch'
    | 'decide_batch'
    | 'reply'
    | 'return_deposit'
    | 'look_up'
  merchant: number
  /** Of the token. */
  mode: Mode
  key: string | null
  /** The value by which its row is found again, where its type has one. */
  externalRef: string | null
  /** Requests sent; those without an answer are in no other count. */
  sent: number
  answers: RecordedResponse[]
  /** The uuid that was not confirmed to a caller without a key, who then read that it does not exist. */
  absent: string[]
}
export type RecordedResponse = {
  status: number
  code: string | null
  /** The uuid of the response, where it has one. */
  uuid: string | null
  /** Whether it answers the request's own body, or another one under the same key. */
  body: 'same' | 'other'
}

/** `body`: a table where it is text. */
export type ApiRequest = {
  path: string
  token: string
  key: string | null
  body?: unknown
  /** POST where absent. */
  method?: 'PATCH'
}
// biome-ignore lint/suspicious/noExplicitAny: a storm reads what it expects.
export type ApiResponse = { status: number; body: any }

/** Longer than any answer may take. */
const RESPONSE_TIMEOUT_MS = 20_000
const RETRY_DELAY_MS = 2_000
/** A stack whose servers restart is back long before. */
const MAX_RETRY_MS = 150_000

/** Sends one request; null where no answer came, so that it is unknown whether it was accepted. */
async function sendRequest(
  apiUrl: string,
  method: 'GET' | 'POST' | 'PATCH',
  request: ApiRequest,
): Promise<ApiResponse | null> {
  const { body } = request
  const isTable = typeof body === 'string'
  const isJson = body !== undefined && !isTable && !(body instanceof FormData)
  try {
    const answer = await fetch(`${apiUrl}${request.path}`, {
      method,
      headers: {
        authorization: `Bearer ${request.token}`,
        ...(isJson && { 'content-type': 'application/json' }),
        ...(isTable && { 'content-type': 'text/csv' }),
        ...(request.key !== null && { 'idempotency-key': request.key }),
      },
      signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
      ...(body !== undefined && { body: isTable || body instanceof FormData ? body : JSON.stringify(body) }),
    })
    return { status: answer.status, body: await answer.json() }
  } catch {
    return null
  }
}

/**
 * Sends a request that changes something, with a key until it is answered, to either API; records every response. Null where there is none in
 * the end.
 */
export async function postUntilAnswered(
  api: () => string,
  asked: RequestRecord,
  request: ApiRequest,
  body: RecordedResponse['body'] = 'same',
): Promise<ApiResponse | null> {
  const deadline = Date.now() + MAX_RETRY_MS
  for (;;) {
    asked.sent += 1
    const said = await sendRequest(api(), request.method ?? 'POST', request)
    if (said) asked.answers.push({ ...recordedResponseOf(asked.kind, said), body })
    const repeat = request.key !== null && Date.now() < deadline && !isFinalResponse(said)
    if (!repeat) return said
    await sleep(RETRY_DELAY_MS)
  }
}

/** Reads a resource however long the API is down. */
export async function getUntilAnswered(
  api: () => string,
  request: Omit<ApiRequest, 'key'>,
): Promise<ApiResponse | null> {
  const deadline = Date.now() + MAX_RETRY_MS
  for (;;) {
    const said = await sendRequest(api(), 'GET', { ...request, key: null })
    if (isFinalResponse(said) || Date.now() > deadline) return said
    await sleep(RETRY_DELAY_MS)
  }
}

/** Reads a file however long the API is down; throws where it is refused. */
export async function getText(
  api: () => string,
  { path, token }: Pick<ApiRequest, 'path' | 'token'>,
): Promise<string> {
  const deadline = Date.now() + MAX_RETRY_MS
  for (;;) {
    const answer = await fetch(`${api()}${path}`, { headers: { authorization: `Bearer ${token}` } }).then(
      async said => ({ status: said.status, text: await said.text() }),
      () => null,
    )
    if (answer?.status === 200) return answer.text
    if (Date.now() > deadline) throw new Error(`${path}: ${answer?.status} ${answer?.text}`)
    await sleep(RETRY_DELAY_MS)
  }
}

const RETRYABLE_CODES = new Set([
  ...['unavailable', 'overloaded', 'not_confirmed', 'issuing', 'rate_limited'],
  'revision_unknown',
])

function isFinalResponse(said: ApiResponse | null): boolean {
  return said !== null && !RETRYABLE_CODES.has(said.body?.code)
}

function recordedResponseOf(
  kind: RequestRecord['kind'],
  { status, body }: ApiResponse,
): Omit<RecordedResponse, 'body'> {
  const [resource, code] = [body?.data, body?.code ?? null]
  if (kind !== 'return_deposit')
    return { status, code, uuid: resource?.refund?.uuid ?? resource?.uuid ?? null }
  // A refusal shows the deposit with its latest order, which may be one of another request.
  const isOwnOrder = status < 300 || code === 'not_confirmed'
  return { status, code, uuid: isOwnOrder ? (resource?.return?.uuid ?? null) : null }
}
