import type { OperationFailure } from '../../db/entities/transfer.ts'
import { ERROR_CATALOGUE } from '../../domain/errors/error-catalogue.ts'
import type { UnsentCode } from '../../domain/payouts/unsent-code.ts'

/** Creates the failure of a transfer that no provider refused, with code and message of the error catalogue. */
export function createTransferFailure(
  code: 'not_taken' | 'external_ref_taken' | 'insufficient_balance' | UnsentCode | 'not_found_after_restore',
): OperationFailure {
  return { code, message: ERROR_CATALOGUE[code].message }
}
