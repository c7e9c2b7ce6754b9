import type { Body, Call, CallOptions, Filters, KeyedCallOptions } from '../call.ts'
import type { CreatedCharge, Recurrence } from '../openapi/types.ts'
import { defineList, iterateList } from '../pages.ts'

/** Recurrences of Pix Automático: their payers authorize the debits of all cycles once. */
export const createRecurrences = (call: Call) => ({
  /** Creates a recurrence. Returns when a provider has it; its payer has not authorized it then. */
  create: (body: Body<'createRecurrence'>, options?: KeyedCallOptions): Promise<Recurrence> =>
    call('createRecurrence', { body }, options),
  /** Lists recurrences, a page of them. */
  list: defineList<'listRecurrences', Recurrence>((query, options) =>
    call('listRecurrences', { query }, options),
  ),
  /** Iterates over all recurrences that match. */
  listAll: (query?: Filters<'listRecurrences'>, options?: CallOptions): AsyncGenerator<Recurrence> =>
    iterateList(query, page => call('listRecurrences', { query: page }, options)),
  /** Reads a recurrence. */
  get: (uuid: string, options?: CallOptions): Promise<Recurrence> =>
    call('getRecurrence', { path: { uuid } }, options),
  /** Draws the payload as a QR code: an SVG. */
  getQrSvg: (uuid: string, options?: CallOptions): Promise<string> =>
    call('getRecurrenceQrSvg', { path: { uuid } }, options),
  /** Draws the payload as a QR code: the bytes of a PNG. */
  getQrPng: (uuid: string, options?: CallOptions): Promise<Uint8Array> =>
    call('getRecurrenceQrPng', { path: { uuid } }, options),
  /** Creates the charge of the cycle to which `due_on` belongs. */
  charge: (
    uuid: string,
    body: Body<'chargeRecurrence'>,
    options?: KeyedCallOptions,
  ): Promise<CreatedCharge> => call('chargeRecurrence', { path: { uuid }, body }, options),
  /** Cancels a recurrence at its provider. */
  cancel: (uuid: string, options?: CallOptions): Promise<Recurrence> =>
    call('cancelRecurrence', { path: { uuid } }, options),
})
export type Recurrences = ReturnType<typeof createRecurrences>
