import type { Body, Call, CallOptions, Filters, KeyedCallOptions } from '../call.ts'
import type { PaymentLink } from '../openapi/types.ts'
import { defineList, iterateList } from '../pages.ts'

/** Payment links: pages that show a charge, or create one for each payer. */
export const createPaymentLinks = (call: Call) => ({
  /** Creates a link, of a charge or of a value. */
  create: (body: Body<'createPaymentLink'>, options?: KeyedCallOptions): Promise<PaymentLink> =>
    call('createPaymentLink', { body }, options),
  /** Lists links, a page of them. */
  list: defineList<'listPaymentLinks', PaymentLink>((query, options) =>
    call('listPaymentLinks', { query }, options),
  ),
  /** Iterates over all links that match. */
  listAll: (query?: Filters<'listPaymentLinks'>, options?: CallOptions): AsyncGenerator<PaymentLink> =>
    iterateList(query, page => call('listPaymentLinks', { query: page }, options)),
  /** Reads a link and what takes its places. */
  get: (uuid: string, options?: CallOptions): Promise<PaymentLink> =>
    call('getPaymentLink', { path: { uuid } }, options),
  /** Revokes a link. Its charges stay, and can still be paid. */
  revoke: (uuid: string, options?: CallOptions): Promise<PaymentLink> =>
    call('revokePaymentLink', { path: { uuid } }, options),
})
export type PaymentLinks = ReturnType<typeof createPaymentLinks>
