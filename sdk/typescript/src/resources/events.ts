import type { Call, CallOptions, Filters } from '../call.ts'
import type { Event } from '../openapi/types.ts'
import { defineList, iterateList } from '../pages.ts'

/** Events of the last 30 days, as webhooks received them. */
export const createEvents = (call: Call) => ({
  /** Lists events, a page of them. */
  list: defineList<'listEvents', Event>((query, options) => call('listEvents', { query }, options)),
  /** Iterates over all events that match. */
  listAll: (query?: Filters<'listEvents'>, options?: CallOptions): AsyncGenerator<Event> =>
    iterateList(query, page => call('listEvents', { query: page }, options)),
  /** Reads an event. */
  get: (id: string, options?: CallOptions): Promise<Event> => call('getEvent', { path: { id } }, options),
})
export type Events = ReturnType<typeof createEvents>
