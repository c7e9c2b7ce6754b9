import type { Body, Call, CallOptions, DefaultProviders, Filters, Message } from '../call.ts'
import type { Provider } from '../openapi/types.ts'
import { defineList, iterateList } from '../pages.ts'

/** Connections of the account to providers, and the order in which they are tried. */
export const createProviders = (call: Call) => ({
  /** Lists the providers, a page of them. */
  list: defineList<'listProviders', Provider>((query, options) => call('listProviders', { query }, options)),
  /** Iterates over all providers that match. */
  listAll: (query?: Filters<'listProviders'>, options?: CallOptions): AsyncGenerator<Provider> =>
    iterateList(query, page => call('listProviders', { query: page }, options)),
  /** Reads a provider with its balances. */
  get: (uuid: string, options?: CallOptions): Promise<Provider> =>
    call('getProvider', { path: { uuid } }, options),
  /** Reads the default providers, by priority. */
  getDefaults: (options?: CallOptions): Promise<DefaultProviders> => call('getDefaultProviders', {}, options),
  /** Replaces the default providers; the first is preferred. */
  replaceDefaults: (body: Body<'replaceDefaultProviders'>, options?: CallOptions): Promise<Message> =>
    call('replaceDefaultProviders', { body }, options),
})
export type Providers = ReturnType<typeof createProviders>
