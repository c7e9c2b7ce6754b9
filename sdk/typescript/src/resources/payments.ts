import type { Body, Call, CallOptions, Filters, KeyedCallOptions, Query } from '../call.ts'
import type { Charge, CreatedCharge, Receipt, RefundResult } from '../openapi/types.ts'
import { defineList, iterateList } from '../pages.ts'

/** Charges (PIX in), and their refunds. */
export const createPayments = (call: Call) => ({
  /** Creates a charge. Returns when a provider has issued `payment.payload`, the copy-and-paste code. */
  create: (body: Body<'createPayment'>, options?: KeyedCallOptions): Promise<CreatedCharge> =>
    call('createPayment', { body }, options),
  /** Lists charges, a page of them. */
  list: defineList<'listPayments', Charge>((query, options) => call('listPayments', { query }, options)),
  /** Iterates over all charges that match. */
  listAll: (query?: Filters<'listPayments'>, options?: CallOptions): AsyncGenerator<Charge> =>
    iterateList(query, page => call('listPayments', { query: page }, options)),
  /** Reads a charge. */
  get: (uuid: string, options?: CallOptions): Promise<Charge> =>
    call('getPayment', { path: { uuid } }, options),
  /** Draws the payload as a QR code: an SVG. */
  getQrSvg: (uuid: string, options?: CallOptions): Promise<string> =>
    call('getPaymentQrSvg', { path: { uuid } }, options),
  /** Draws the payload as a QR code: the bytes of a PNG. */
  getQrPng: (uuid: string, options?: CallOptions): Promise<Uint8Array> =>
    call('getPaymentQrPng', { path: { uuid } }, options),
  /** Changes a PENDING charge with a due date: `value`, `due` or `message`. */
  revise: (uuid: string, body: Body<'revisePayment'>, options?: KeyedCallOptions): Promise<Charge> =>
    call('revisePayment', { path: { uuid }, body }, options),
  /** Debits a charge of a recurrence again on a day, where its tries so far have failed. */
  retry: (uuid: string, body: Body<'retryPayment'>, options?: KeyedCallOptions): Promise<Charge> =>
    call('retryPayment', { path: { uuid }, body }, options),
  /** Cancels a PENDING charge. */
  cancel: (uuid: string, options?: CallOptions): Promise<Charge> =>
    call('cancelPayment', { path: { uuid } }, options),
  /** Refunds a charge: `value`, or all that is left without it. An undefined `value` is a TypeError. */
  refund: async (
    uuid: string,
    body?: Body<'refundPayment'>,
    options?: KeyedCallOptions,
  ): Promise<RefundResult> => {
    // JSON omits it: a mistyped name of the caller's own would refund everything.
    if (body && 'value' in body && body.value === undefined)
      throw new TypeError('value must not be undefined; without it, all that is left is refunded')
    return call('refundPayment', { path: { uuid }, body }, options)
  },
  /** Lists the refunds of a charge, a page of them. */
  listRefunds: defineList<'listPaymentRefunds', RefundResult, [uuid: string]>((uuid, query, options) =>
    call('listPaymentRefunds', { path: { uuid }, query }, options),
  ),
  /** Iterates over all refunds of a charge. */
  listAllRefunds: (
    uuid: string,
    query?: Filters<'listPaymentRefunds'>,
    options?: CallOptions,
  ): AsyncGenerator<RefundResult> =>
    iterateList(query, page => call('listPaymentRefunds', { path: { uuid }, query: page }, options)),
  /** Reads a refund of a charge. */
  getRefund: (uuid: string, refund: string, options?: CallOptions): Promise<RefundResult> =>
    call('getPaymentRefund', { path: { uuid, refund } }, options),
  /** Reads the receipt of a paid charge. */
  getReceipt: (uuid: string, options?: CallOptions): Promise<Receipt> =>
    call('getPaymentReceipt', { path: { uuid } }, options),
  /** Reads the receipt of a paid charge: the bytes of a PDF. */
  getReceiptPdf: (
    uuid: string,
    query?: Query<'getPaymentReceiptPdf'>,
    options?: CallOptions,
  ): Promise<Uint8Array> => call('getPaymentReceiptPdf', { path: { uuid }, query }, options),
  /** Reads the receipt of a settled refund. */
  getRefundReceipt: (uuid: string, refund: string, options?: CallOptions): Promise<Receipt> =>
    call('getPaymentRefundReceipt', { path: { uuid, refund } }, options),
  /** Reads the receipt of a settled refund: the bytes of a PDF. */
  getRefundReceiptPdf: (
    uuid: string,
    refund: string,
    query?: Query<'getPaymentRefundReceiptPdf'>,
    options?: CallOptions,
  ): Promise<Uint8Array> => call('getPaymentRefundReceiptPdf', { path: { uuid, refund }, query }, options),
})
export type Payments = ReturnType<typeof createPayments>
