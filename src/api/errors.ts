import { REFUSALS, type RefusalCode } from '../domain/errors.ts'
import { UNAVAILABLE_RETRY_S } from './limits.ts'

/** What a refusal may say beside its code. */
export type RefusalMore = {
  /** Field path (`splits.0.value`) to its messages. */
  errors?: Record<string, string[]>
  /** For people: how what they acted on stands now, where it has changed since it was shown. */
  now?: string
  /** The resource as it is stored, already in its wire form. */
  data?: unknown
  /** Seconds until it is worth trying again. */
  retryAfterS?: number
  headers?: Record<string, string>
  /** It stands for good under the Idempotency-Key that asked: what is wished all the same needs another one. */
  isKept?: boolean
  /** What made the request fail: an error, or a cause in the words of src/api/failure-cause.ts. For the log, never answered. */
  cause?: unknown
}

/** A no from the catalogue, on its way to the one place that answers it (src/api/failure.ts). */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly code: RefusalCode
  readonly more: RefusalMore

  constructor(code: RefusalCode, more: RefusalMore = {}) {
    super(REFUSALS[code].message, { cause: more.cause })
    this.code = code
    this.more = more
  }

  get status(): number {
    return REFUSALS[this.code].status
  }
}

/** Ends the request with a refusal of the catalogue. */
export function refuse(code: RefusalCode, more?: RefusalMore): never {
  throw new Refusal(code, more)
}

/** Ends the request: whether it was taken can be read, or asked by the same key. `cause` is for the log. */
export function notConfirmed(uuid: string, cause?: unknown): never {
  refuse('not_confirmed', { data: { uuid }, retryAfterS: UNAVAILABLE_RETRY_S, cause })
}

/** Waits for something that may name fields, and adds its word to the others'; undefined where it did. */
export async function named<T>(
  errors: Record<string, string[]>,
  something: Promise<T>,
): Promise<T | undefined> {
  try {
    return await something
  } catch (error) {
    if (!(error instanceof Refusal && error.more.errors)) throw error
    Object.assign(errors, error.more.errors)
    return undefined
  }
}

/** Ends the request with 422 and the messages of one field. */
export function refuseField(field: string, message: string): never {
  throw new Refusal('validation_failed', { errors: { [field]: [message] } })
}
