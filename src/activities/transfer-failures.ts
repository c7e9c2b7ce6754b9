import type { Failure } from '../db/entities/transfer.ts'
import { REFUSALS } from '../domain/errors.ts'
import type { UnsentCode } from '../domain/unsent.ts'

/** Why a transfer failed where no provider said so, in the words of the API. */
export function failureOf(
  code: 'not_taken' | 'external_ref_taken' | 'insufficient_balance' | UnsentCode | 'not_found_after_restore',
): Failure {
  return { code, message: REFUSALS[code].message }
}
