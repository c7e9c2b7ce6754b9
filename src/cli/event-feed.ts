import type { ApiClient } from './api-client.ts'

/** An event as `GET /events` lists it, and as endpoints receive it. */
export type ListedEvent = { id: string; type: string; timestamp: string; data: Record<string, unknown> }

/**
 * How far behind the newest event the list is read again, in ms. An event has the time of its transaction and appears when that
 * is committed, so events appear out of order, by no more than a transaction and the clocks of the workers differ.
 */
const OVERLAP_MS = 60_000
const PAGE_SIZE = 50

/**
 * Reads the events of an account as they appear: none is skipped and none is returned twice, while others are inserted. Its
 * position is the time of the newest event, and the ids of the last minute before it.
 */
export class EventFeed {
  readonly #api: Pick<ApiClient, 'get'>
  readonly #query: string
  /** Timestamps by id of the events since `#horizon`. */
  readonly #known = new Map<string, string>()
  #horizon: string | undefined

  constructor(api: Pick<ApiClient, 'get'>, { types }: { types: readonly string[] }) {
    this.#api = api
    this.#query = types.map(type => `&type=${type}`).join('')
  }

  /** Begins at a time, whose events `readNew` returns first; without one it takes the events of now as known. */
  async begin(since?: Date): Promise<void> {
    if (since) {
      this.#horizon = formatApiTimestamp(since)
      return
    }
    const [newest] = await this.#readPage(1)
    this.#horizon = newest ? shiftTimestamp(newest.timestamp) : ''
    await this.readNew()
  }

  /** Returns the events that have appeared since the call before, oldest first. */
  async readNew(): Promise<ListedEvent[]> {
    const horizon = this.#horizon ?? ''
    const found = new Map<string, ListedEvent>()
    for (let page = 1; ; page += 1) {
      // Events that are inserted meanwhile move others to the next page, where they are read again: none is skipped.
      const events = await this.#readPage(page)
      const recent = events.filter(({ timestamp }) => timestamp >= horizon)
      for (const event of recent) if (!this.#known.has(event.id)) found.set(event.id, event)
      if (events.length < PAGE_SIZE || recent.length < events.length) break
    }
    const added = [...found.values()].sort(compareEvents)
    for (const { id, timestamp } of added) this.#known.set(id, timestamp)
    this.#moveHorizon()
    return added
  }

  async #readPage(page: number): Promise<ListedEvent[]> {
    const path = `/events?page=${page}&per_page=${PAGE_SIZE}${this.#query}`
    const { data } = await this.#api.get<{ data: ListedEvent[] }>(path)
    return data
  }

  #moveHorizon(): void {
    const newest = [...this.#known.values()].reduce((a, b) => (a > b ? a : b), '')
    if (newest === '') return
    // It never moves backwards: events before the beginning are not returned.
    const horizon = shiftTimestamp(newest)
    if (horizon > (this.#horizon ?? '')) this.#horizon = horizon
    for (const [id, timestamp] of this.#known) if (timestamp < this.#horizon!) this.#known.delete(id)
  }
}

/** Orders events by time; those of one transaction have the same, and those of one resource are numbered. */
function compareEvents(a: ListedEvent, b: ListedEvent): number {
  if (a.timestamp !== b.timestamp) return a.timestamp < b.timestamp ? -1 : 1
  return Number(a.data.sequence) - Number(b.data.sequence)
}

/** Returns the timestamp an overlap earlier. */
function shiftTimestamp(timestamp: string): string {
  return formatApiTimestamp(new Date(Date.parse(timestamp) - OVERLAP_MS))
}

/** Formats a time as the API does: with six fractional digits, so that times compare as texts. */
function formatApiTimestamp(at: Date): string {
  return at.toISOString().replace('Z', '000Z')
}
