import { attemptRequest, type Failure } from './attempt.ts'
import type { Call, CallInput, KeyedCallOptions, OperationId, Result } from './call.ts'
import { TrilhoError } from './errors.ts'
import { OPERATIONS } from './openapi/operations.ts'
import { buildRequest, type PreparedRequest } from './request.ts'
import type { OnResponse } from './response-info.ts'
import { computeDelayMs, delay, isRepeatable, type RetryPolicy } from './retries.ts'
import { loadWebCrypto } from './web-crypto.ts'

export type TransportSettings = {
  baseUrl: string
  token: string
  timeoutMs: number
  retries: RetryPolicy
  fetch: typeof globalThis.fetch
  onResponse: OnResponse | undefined
}

/** Creates the function through which every resource calls the API. */
export function createCall({ baseUrl, token, ...settings }: TransportSettings): Call {
  return async <Id extends OperationId>(
    operation: Id,
    input: CallInput,
    { idempotencyKey: ownKey, requestId, ...options }: KeyedCallOptions = {},
  ) => {
    const { isKeyed } = OPERATIONS[operation]
    const idempotencyKey = isKeyed ? requireKey(ownKey ?? (await generateKey())) : undefined
    const request = buildRequest(operation, input, { baseUrl, token, idempotencyKey, requestId })
    return sendUntilAnswered<Result<Id>>(request, { ...settings, ...options, operation, idempotencyKey })
  }
}

type SendOptions = Omit<TransportSettings, 'baseUrl' | 'token'> &
  Pick<KeyedCallOptions, 'signal' | 'deadlineMs' | 'maxAttempts'> & {
    operation: OperationId
    idempotencyKey: string | undefined
  }

/** Sends a request, again where that is safe and may help. Every attempt has the same key. */
async function sendUntilAnswered<Body>(
  request: PreparedRequest,
  { fetch, onResponse, timeoutMs, retries, signal, operation, idempotencyKey, ...own }: SendOptions,
): Promise<Body> {
  const { maxAttempts, deadlineMs } = { ...retries, ...own }
  const endsAt = Date.now() + deadlineMs
  let isOutcomeUnknown = false
  for (let attempts = 1; ; attempts++) {
    const limitMs = Math.max(0, Math.min(timeoutMs, endsAt - Date.now()))
    const outcome = await attemptRequest<Body>(fetch, request, {
      limitMs,
      signal,
      onResponse,
      facts: { operation, attempt: attempts, idempotencyKey },
    })
    if (outcome.kind === 'success') return outcome.body
    const { message, isRetried, ...failure } = outcome.failure
    isOutcomeUnknown = failure.isOutcomeUnknown || (isOutcomeUnknown && !isAnswer(outcome.failure))
    const facts = { idempotencyKey, attempts, isOutcomeUnknown }
    const delayMs = computeDelayMs(retries, attempts, failure.retryAfterMs)
    const isRepeated = isRetried && attempts < maxAttempts && isRepeatable(request.method, idempotencyKey)
    if (!isRepeated || Date.now() + delayMs >= endsAt)
      throw new TrilhoError(message, { ...failure, ...facts })
    await delay(delayMs, signal).catch(cause => {
      const aborted = `${request.method} ${request.path} was aborted.`
      throw new TrilhoError(aborted, { code: 'aborted', cause, ...facts })
    })
  }
}

/** Returns whether a failure says what has become of the attempts before it, which had the same key. */
function isAnswer({ isRetried, status, code }: Failure): boolean {
  if (isRetried || status === undefined || code === 'unexpected_response') return false
  return status !== 401 && status !== 403
}

async function generateKey(): Promise<string> {
  return (await loadWebCrypto()).randomUUID()
}

/** A header of another form would be refused by fetch, which shows all headers in its message. */
function requireKey(key: string): string {
  if (!/^[\x20-\x7e]{1,255}$/.test(key))
    throw new TypeError('idempotencyKey must be 1 to 255 printable ASCII characters')
  return key
}
