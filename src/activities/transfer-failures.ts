import type { Failure } from '../db/entities/transfer.ts'
import { REFUSALS } from '../domain/errors.ts'

/** Why a transfer failed where no provider said so, in the words of the API. */
export function failureOf(
  code:
    | 'not_taken'
    | 'external_ref_taken'
    | 'insufficient_balance'
    | 'no_provider_available'
    | 'not_found_after_restore'
    | 'paused',
): Failure {
  return { code, message: REFUSALS[code].message }
}
