import type { ErrorCode } from './openapi/error-codes.ts'

/** Errors of the client. None contains the access token. */

/** Codes of failures that no response of the API describes. */
export type ClientErrorCode =
  /** No response arrived: the connection failed or broke. */
  | 'connection_failed'
  /** No response arrived in time. */
  | 'timeout'
  /** The caller's AbortSignal ended the call. */
  | 'aborted'
  /** A response that is not the API's: a proxy's page, a redirect, or a body that is not JSON. */
  | 'unexpected_response'

export type TrilhoErrorDetails = {
  code: string
  status?: number | undefined
  requestId?: string | undefined
  errors?: Record<string, string[]> | undefined
  data?: unknown
  retryAfterMs?: number | undefined
  isReplayed?: boolean | undefined
  idempotencyKey?: string | undefined
  attempts: number
  isOutcomeUnknown: boolean
  cause?: unknown
}

/** A call that failed, after all its attempts. Build on `code`, which is stable; the message is for people. */
export class TrilhoError extends Error {
  override readonly name = 'TrilhoError'
  /** A code of the API, also one that is newer than this version, or of the client. */
  readonly code: ErrorCode | ClientErrorCode | (string & {})
  /** The HTTP status; absent where no response arrived. */
  readonly status: number | undefined
  /** Give it to the operator of the service with a question. */
  readonly requestId: string | undefined
  /** Messages by the path of each invalid field. */
  readonly errors: Record<string, string[]> | undefined
  /** The stored resource or its `uuid`, where the API has stored the operation. */
  readonly data: unknown
  /** Milliseconds to wait before a repeat, where the API names them. */
  readonly retryAfterMs: number | undefined
  /** The response is the stored one of an earlier request with the same key. */
  readonly isReplayed: boolean
  /** Repeat the call with this key (`options.idempotencyKey`): the API answers with the result of the first. */
  readonly idempotencyKey: string | undefined
  /** Requests that were sent. */
  readonly attempts: number
  /** The operation may have been executed. Never send it again under another key. */
  readonly isOutcomeUnknown: boolean

  constructor(message: string, details: TrilhoErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = details.code
    this.status = details.status
    this.requestId = details.requestId
    this.errors = details.errors
    this.data = details.data
    this.retryAfterMs = details.retryAfterMs
    this.isReplayed = details.isReplayed ?? false
    this.idempotencyKey = details.idempotencyKey
    this.attempts = details.attempts
    this.isOutcomeUnknown = details.isOutcomeUnknown
  }
}

/** A delivery that Trilho has not signed, or that is too old or too new. Answer 400. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
}
