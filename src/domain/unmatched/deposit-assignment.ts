import type { MovementReason, UnmatchedDisposition } from '../ledger/movement.ts'

/** SPEC §2: the order of a merchant that makes a deposit the payment of a static code, as if the PIX had named its txid. */

/** Why a deposit is not assigned to a code, by the catalogue's code. */
export type DepositAssignmentRefusal = 'deposit_not_assignable' | 'qr_code_does_not_fit' | 'deposit_spent'

/** Error of a deposit that is not assigned: the transaction is rolled back, and nothing has changed. */
export class DepositNotAssigned extends Error {
  override name = 'DepositNotAssigned'
  readonly code: DepositAssignmentRefusal

  constructor(code: DepositAssignmentRefusal) {
    super(`the deposit is not assigned: ${code}`)
    this.code = code
  }
}

/** What decides whether a received PIX may be assigned, whatever the code is. */
export type DepositAssignmentTerms = {
  /** Null: it pays a charge. */
  reason: MovementReason | null
  disposition: UnmatchedDisposition | null
  /** It has the txid of a code, and so pays no other. */
  isCodeNamed: boolean
  /** Anything of it has been returned, or is being returned, by whichever way. */
  hasReturns: boolean
  /** A dispute about it is not closed. */
  isDisputed: boolean
  /** An operator has closed its difference from the statement by an adjustment: its money is booked there. */
  isAdjusted: boolean
}

/** Tells whether a deposit may be assigned now: its money has been the account's since it arrived, and nothing claims it. */
export function isDepositAssignable({
  reason,
  disposition,
  isCodeNamed,
  hasReturns,
  isDisputed,
  isAdjusted,
}: DepositAssignmentTerms): boolean {
  const isAccounts = reason === 'deposit' && disposition === null
  return isAccounts && !isCodeNamed && !hasReturns && !isDisputed && !isAdjusted
}
