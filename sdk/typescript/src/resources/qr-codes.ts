import type { Body, Call, CallOptions, Filters, KeyedCallOptions } from '../call.ts'
import type { Charge, CodeReading, QrCode } from '../openapi/types.ts'
import { defineList, iterateList } from '../pages.ts'

/** Static QR codes: each PIX to one is a charge of its own. */
export const createQrCodes = (call: Call) => ({
  /** Creates a code, which many payers pay. */
  create: (body?: Body<'createQrCode'>, options?: KeyedCallOptions): Promise<QrCode> =>
    call('createQrCode', { body: body ?? {} }, options),
  /** Lists codes, a page of them. */
  list: defineList<'listQrCodes', QrCode>((query, options) => call('listQrCodes', { query }, options)),
  /** Iterates over all codes that match. */
  listAll: (query?: Filters<'listQrCodes'>, options?: CallOptions): AsyncGenerator<QrCode> =>
    iterateList(query, page => call('listQrCodes', { query: page }, options)),
  /** Reads a code and what it has received. */
  get: (uuid: string, options?: CallOptions): Promise<QrCode> =>
    call('getQrCode', { path: { uuid } }, options),
  /** Draws the payload as a QR code: an SVG. */
  getQrSvg: (uuid: string, options?: CallOptions): Promise<string> =>
    call('getQrCodeQrSvg', { path: { uuid } }, options),
  /** Draws the payload as a QR code: the bytes of a PNG. */
  getQrPng: (uuid: string, options?: CallOptions): Promise<Uint8Array> =>
    call('getQrCodeQrPng', { path: { uuid } }, options),
  /** Lists the charges of a code, a page of them. */
  listPayments: defineList<'listQrCodePayments', Charge, [uuid: string]>((uuid, query, options) =>
    call('listQrCodePayments', { path: { uuid }, query }, options),
  ),
  /** Iterates over all charges of a code. */
  listAllPayments: (
    uuid: string,
    query?: Filters<'listQrCodePayments'>,
    options?: CallOptions,
  ): AsyncGenerator<Charge> =>
    iterateList(query, page => call('listQrCodePayments', { path: { uuid }, query: page }, options)),
  /** Reads a code of another receiver before it is paid. */
  read: (body: Body<'readQrCode'>, options?: CallOptions): Promise<CodeReading> =>
    call('readQrCode', { body }, options),
  /** Reads what was read of a code, for thirty days. */
  getReading: (uuid: string, options?: CallOptions): Promise<CodeReading> =>
    call('getCodeReading', { path: { reading: uuid } }, options),
  /** Disables a code. A PIX that is paid to it after all becomes what its `on_payment` says. */
  disable: (uuid: string, options?: CallOptions): Promise<QrCode> =>
    call('disableQrCode', { path: { uuid } }, options),
})
export type QrCodes = ReturnType<typeof createQrCodes>
