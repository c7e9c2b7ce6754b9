import type { Body, Call, CallOptions, KeyedCallOptions } from '../call.ts'
import type { Charge, Deposit } from '../openapi/types.ts'

/** Deposits: received PIX that pay no charge. A PIX_TRANSACTION event announces each. */
export const createDeposits = (call: Call) => ({
  /** Reads a deposit and its return. */
  get: (uuid: string, options?: CallOptions): Promise<Deposit> =>
    call('getDeposit', { path: { uuid } }, options),
  /** Returns a deposit to its payer, in whole. Answers when its money is held for the return. */
  returnToPayer: (uuid: string, options?: KeyedCallOptions): Promise<Deposit> =>
    call('returnDeposit', { path: { uuid } }, options),
  /** Makes a deposit without a txid the payment of a QR code, once. Answers with the charge that it pays. */
  assign: (uuid: string, body: Body<'assignDeposit'>, options?: KeyedCallOptions): Promise<Charge> =>
    call('assignDeposit', { path: { uuid }, body }, options),
})
export type Deposits = ReturnType<typeof createDeposits>
