import { ERROR_CATALOGUE, type ErrorCode } from '../domain/errors/error-catalogue.ts'
import type { FieldMessage } from './field-message.ts'
import { UNAVAILABLE_RETRY_S } from './limits.ts'
import type { FieldErrors } from './validate.ts'

/** Optional details of an API error, besides its code. */
export type ApiErrorDetails = {
  /** Field path (`splits.0.value`) to its messages. */
  errors?: FieldErrors
  /** For the dashboard: the current state of the resource, where it has changed since the page showed it. */
  currentStateText?: string
  /** For the dashboard: names of the roles that have the permission. */
  allowedRolesText?: string
  /** The stored resource, in its wire form. */
  data?: unknown
  /** Value of `Retry-After`, in seconds. */
  retryAfterS?: number
  headers?: Record<string, string>
  /** The error is the final response of this Idempotency-Key: a new attempt needs another key. */
  isFinalForKey?: boolean
  /** What made the request fail: an error, or a cause named by src/http/error-handler.ts. Logged, never sent. */
  cause?: unknown
}

/** Error of the catalogue; src/http/error-handler.ts turns it into the response. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly code: ErrorCode
  readonly details: ApiErrorDetails

  constructor(code: ErrorCode, details: ApiErrorDetails = {}) {
    super(ERROR_CATALOGUE[code].message, { cause: details.cause })
    this.code = code
    this.details = details
  }

  get status(): number {
    return ERROR_CATALOGUE[this.code].status
  }
}

/** Fails the request with an error of the catalogue. */
export function fail(code: ErrorCode, details?: ApiErrorDetails): never {
  throw new ApiError(code, details)
}

/**
 * The resource of an operation by its ids, in the fields of its success response: `uuid` of a refund is its charge. Default
 * providers are named in the fields of their GET.
 */
export type ResourceIds =
  | { uuid: string; refund?: { uuid: string }; return?: { uuid: string } }
  | { PIX: { uuid: string }[] }

/**
 * Fails the request with `not_confirmed`: the caller can read the resource, or repeat the request with the same key.
 * `ids` is null where no resource of the API shows the result. `cause` is logged.
 */
export function failNotConfirmed(ids: ResourceIds | null, cause?: unknown): never {
  fail('not_confirmed', { ...(ids && { data: ids }), retryAfterS: UNAVAILABLE_RETRY_S, cause })
}

/** Awaits a promise and merges the field errors it fails with into `errors`; returns undefined in that case. */
export async function collectFieldErrors<T>(
  errors: FieldErrors,
  promise: Promise<T>,
): Promise<T | undefined> {
  try {
    return await promise
  } catch (error) {
    if (!(error instanceof ApiError && error.details.errors)) throw error
    Object.assign(errors, error.details.errors)
    return undefined
  }
}

/** Fails the request with 422 and one message for one field. */
export function failField(field: string, message: FieldMessage): never {
  throw new ApiError('validation_failed', { errors: { [field]: [message] } })
}
