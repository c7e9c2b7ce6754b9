import { ERROR_CATALOGUE, type ErrorCode } from '../../domain/errors/error-catalogue.ts'
import { UNAVAILABLE_RETRY_S } from '../limits.ts'

/** What a refusal may say beside its code. */
export type ApiErrorDetails = {
  /** Field path (`splits.0.value`) to its messages. */
  errors?: Record<string, string[]>
  /** For people: how what they acted on stands now, where it has changed since it was shown. */
  currentStateText?: string
  /** The resource as it is stored, already in its wire form. */
  data?: unknown
  /** Seconds until it is worth trying again. */
  retryAfterS?: number
  headers?: Record<string, string>
  /** It stands for good under the Idempotency-Key that asked: what is wished all the same needs another one. */
  isFinalForKey?: boolean
  /** What made the request fail: an error, or a cause in the words of src/api/http/failure-cause.ts. For the log, never answered. */
  cause?: unknown
}

/** A no from the catalogue, on its way to the one place that answers it (src/api/middleware/error-handler.ts). */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly code: ErrorCode
  readonly details: ApiErrorDetails

  constructor(code: ErrorCode, more: ApiErrorDetails = {}) {
    super(ERROR_CATALOGUE[code].message, { cause: more.cause })
    this.code = code
    this.details = more
  }

  get status(): number {
    return ERROR_CATALOGUE[this.code].status
  }
}

/** Ends the request with a refusal of the catalogue. */
export function fail(code: ErrorCode, more?: ApiErrorDetails): never {
  throw new ApiError(code, more)
}

/** Ends the request: whether it was taken can be read, or asked by the same key. `cause` is for the log. */
export function failNotConfirmed(uuid: string, cause?: unknown): never {
  fail('not_confirmed', { data: { uuid }, retryAfterS: UNAVAILABLE_RETRY_S, cause })
}

/** Waits for something that may name fields, and adds its word to the others'; undefined where it did. */
export async function collectFieldErrors<T>(
  errors: Record<string, string[]>,
  something: Promise<T>,
): Promise<T | undefined> {
  try {
    return await something
  } catch (error) {
    if (!(error instanceof ApiError && error.details.errors)) throw error
    Object.assign(errors, error.details.errors)
    return undefined
  }
}

/** Ends the request with 422 and the messages of one field. */
export function failField(field: string, message: string): never {
  throw new ApiError('validation_failed', { errors: { [field]: [message] } })
}
