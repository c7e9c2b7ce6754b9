import type { Call, CallOptions } from '../call.ts'
import type { ReceiptCheck } from '../openapi/types.ts'

/** Receipts that somebody holds. Those of the account are read by `payments` and `transfers`. */
export const createReceipts = (call: Call) => ({
  /** Checks the authentication code of a receipt: value, day and initials. Fails with `not_found` where none has it. */
  check: (authentication: string, options?: CallOptions): Promise<ReceiptCheck> =>
    call('checkReceipt', { path: { authentication } }, options),
})
export type Receipts = ReturnType<typeof createReceipts>
