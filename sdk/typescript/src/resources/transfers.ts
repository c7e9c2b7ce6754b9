import type { Body, Call, CallOptions, Filters, KeyedCallOptions } from '../call.ts'
import type { Transfer } from '../openapi/types.ts'
import { defineList, iterateList } from '../pages.ts'

/** Transfers (PIX out). */
export const createTransfers = (call: Call) => ({
  /** Sends money to a PIX key. Returns while it is PROCESSING; its TRANSFER event has the outcome. */
  create: (body: Body<'createTransfer'>, options?: KeyedCallOptions): Promise<Transfer> =>
    call('createTransfer', { body }, options),
  /** Sends money to a bank account, to a receiver without a PIX key. Otherwise like `create`. */
  createToAccount: (body: Body<'createAccountTransfer'>, options?: KeyedCallOptions): Promise<Transfer> =>
    call('createAccountTransfer', { body }, options),
  /** Lists transfers, a page of them. */
  list: defineList<'listTransfers', Transfer>((query, options) => call('listTransfers', { query }, options)),
  /** Iterates over all transfers that match. */
  listAll: (query?: Filters<'listTransfers'>, options?: CallOptions): AsyncGenerator<Transfer> =>
    iterateList(query, page => call('listTransfers', { query: page }, options)),
  /** Reads a transfer with its attempts. */
  get: (uuid: string, options?: CallOptions): Promise<Transfer> =>
    call('getTransfer', { path: { uuid } }, options),
  /** Cancels a scheduled transfer that has not been sent. */
  cancel: (uuid: string, options?: CallOptions): Promise<Transfer> =>
    call('cancelTransfer', { path: { uuid } }, options),
})
export type Transfers = ReturnType<typeof createTransfers>
