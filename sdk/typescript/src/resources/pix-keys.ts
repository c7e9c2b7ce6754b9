import type { Body, Call, CallOptions, Filters, KeyedCallOptions, Message } from '../call.ts'
import type { AuthCode, KeyLookup, PixKey } from '../openapi/types.ts'
import { defineList, iterateList } from '../pages.ts'

/** PIX keys of the account. */
export const createPixKeys = (call: Call) => ({
  /** Requests the code that proves an e-mail address or a phone. */
  requestAuthCode: (body: Body<'createPixKeyAuthCode'>, options?: KeyedCallOptions): Promise<AuthCode> =>
    call('createPixKeyAuthCode', { body }, options),
  /** Registers a key at a NOMINAL provider. */
  create: (body: Body<'createPixKey'>, options?: KeyedCallOptions): Promise<PixKey> =>
    call('createPixKey', { body }, options),
  /** Lists the active keys, a page of them. */
  list: defineList<'listPixKeys', PixKey>((query, options) => call('listPixKeys', { query }, options)),
  /** Iterates over all active keys that match. */
  listAll: (query?: Filters<'listPixKeys'>, options?: CallOptions): AsyncGenerator<PixKey> =>
    iterateList(query, page => call('listPixKeys', { query: page }, options)),
  /** Reads a key. */
  get: (key: string, options?: CallOptions): Promise<PixKey> => call('getPixKey', { path: { key } }, options),
  /** Looks up the owner of any key, before a transfer. */
  lookUp: (body: Body<'lookUpPixKey'>, options?: CallOptions): Promise<KeyLookup> =>
    call('lookUpPixKey', { body }, options),
  /** Reads a look-up again, the key masked. */
  getLookup: (uuid: string, options?: CallOptions): Promise<KeyLookup> =>
    call('getPixKeyLookup', { path: { uuid } }, options),
  /** Removes a key. After a lost response its repeat may be a `not_found`. */
  delete: (key: string, options?: CallOptions): Promise<Message> =>
    call('deletePixKey', { path: { key } }, options),
})
export type PixKeys = ReturnType<typeof createPixKeys>
