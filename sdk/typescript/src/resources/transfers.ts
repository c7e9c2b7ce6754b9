import type { Body, Call, CallOptions, Filters, KeyedCallOptions, Query } from '../call.ts'
import type { Receipt, Transfer } from '../openapi/types.ts'
import { defineList, iterateList } from '../pages.ts'

/** Transfers (PIX out). */
export const createTransfers = (call: Call) => ({
  /** Sends money to a PIX key. Returns while it is PROCESSING; its TRANSFER event has the outcome. */
  create: (body: Body<'createTransfer'>, options?: KeyedCallOptions): Promise<Transfer> =>
    call('createTransfer', { body }, options),
  /** Sends money to a bank account, to a receiver without a PIX key. Otherwise like `create`. */
  createToAccount: (body: Body<'createAccountTransfer'>, options?: KeyedCallOptions): Promise<Transfer> =>
    call('createAccountTransfer', { body }, options),
  /** Pays a PIX code, by its text or by what was read of it. Otherwise like `create`. */
  payCode: (body: Body<'createCodeTransfer'>, options?: KeyedCallOptions): Promise<Transfer> =>
    call('createCodeTransfer', { body }, options),
  /** Lists transfers, a page of them. */
  list: defineList<'listTransfers', Transfer>((query, options) => call('listTransfers', { query }, options)),
  /** Iterates over all transfers that match. */
  listAll: (query?: Filters<'listTransfers'>, options?: CallOptions): AsyncGenerator<Transfer> =>
    iterateList(query, page => call('listTransfers', { query: page }, options)),
  /** Reads a transfer with its attempts. */
  get: (uuid: string, options?: CallOptions): Promise<Transfer> =>
    call('getTransfer', { path: { uuid } }, options),
  /** Cancels a transfer that waits, for its time or its approvals. */
  cancel: (uuid: string, options?: CallOptions): Promise<Transfer> =>
    call('cancelTransfer', { path: { uuid } }, options),
  /** Approves a transfer that another person has ordered. */
  approve: (uuid: string, options?: CallOptions): Promise<Transfer> =>
    call('approveTransfer', { path: { uuid } }, options),
  /** Rejects a transfer that another person has ordered, with a reason: it is cancelled. */
  reject: (uuid: string, body: Body<'rejectTransfer'>, options?: CallOptions): Promise<Transfer> =>
    call('rejectTransfer', { path: { uuid }, body }, options),
  /** Reads the receipt of a settled transfer. */
  getReceipt: (uuid: string, options?: CallOptions): Promise<Receipt> =>
    call('getTransferReceipt', { path: { uuid } }, options),
  /** Reads the receipt of a settled transfer: the bytes of a PDF. */
  getReceiptPdf: (
    uuid: string,
    query?: Query<'getTransferReceiptPdf'>,
    options?: CallOptions,
  ): Promise<Uint8Array> => call('getTransferReceiptPdf', { path: { uuid }, query }, options),
})
export type Transfers = ReturnType<typeof createTransfers>
