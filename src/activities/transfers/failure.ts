import type { OperationFailure } from '../../db/entities/transfer.ts'
import { ERROR_CATALOGUE } from '../../domain/errors/error-catalogue.ts'
import type { UnsentCode } from '../../domain/payouts/unsent-code.ts'

/** Why a transfer failed where no provider said so, in the words of the API. */
export function createTransferFailure(
  code: 'not_taken' | 'external_ref_taken' | 'insufficient_balance' | UnsentCode | 'not_found_after_restore',
): OperationFailure {
  return { code, message: ERROR_CATALOGUE[code].message }
}
