import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SimulatorStore } from './store.ts'

/** One request to an inbox. */
type InboxEntry = { at: string; method: string; headers: IncomingHttpHeaders; body: string }
/** The response of an inbox. */
type InboxResponse = { status: number; delayMs: number; headers: Record<string, string>; body: string }

/** A receiver of webhooks under test: each inbox records its requests and answers with its configured response. */
export type Inbox = {
  setResponse(name: string, response: InboxResponse): void
  /**
   * Records a request and returns the response after its delay; the record exists even if the response is a 500 or
   * late.
   */
  receive(name: string, entry: Omit<InboxEntry, 'at'>): Promise<InboxResponse>
  listEntries(name: string): InboxEntry[]
  clear(name: string): void
}

/** Body of an inbox that has no other one. */
export const DEFAULT_INBOX_BODY = '{"received":true}'
const DEFAULT_RESPONSE: InboxResponse = { status: 200, delayMs: 0, headers: {}, body: DEFAULT_INBOX_BODY }

type InboxEntryRow = { at: string; method: string; headers: string; body: string }

export function createInbox({
  store,
  now,
  stopping,
}: {
  store: SimulatorStore
  now: () => Date
  stopping: AbortSignal
}): Inbox {
  const findResponse = (name: string): InboxResponse => {
    const row = store.first<Omit<InboxResponse, 'headers'> & { headers: string }>(
      'SELECT status, delayMs, headers, body FROM inboxResponse WHERE name = ?',
      name,
    )
    return row ? { ...row, headers: JSON.parse(row.headers) as Record<string, string> } : DEFAULT_RESPONSE
  }

  return {
    setResponse: (name, { status, delayMs, headers, body }) =>
      void store.run(
        'INSERT OR REPLACE INTO inboxResponse (name, status, delayMs, headers, body) VALUES (?, ?, ?, ?, ?)',
        name,
        status,
        delayMs,
        JSON.stringify(headers),
        body,
      ),
    receive: async (name, { method, headers, body }) => {
      const at = now().toISOString()
      store.insert('inboxEntry', { name, at, method, headers: JSON.stringify(headers), body })
      const response = findResponse(name)
      if (response.delayMs > 0)
        await sleep(response.delayMs, undefined, { signal: stopping }).catch(() => undefined)
      return response
    },
    listEntries: name =>
      store
        .all<InboxEntryRow>(
          'SELECT at, method, headers, body FROM inboxEntry WHERE name = ? ORDER BY sequence',
          name,
        )
        .map(row => ({ ...row, headers: JSON.parse(row.headers) as IncomingHttpHeaders })),
    clear: name => void store.run('DELETE FROM inboxEntry WHERE name = ?', name),
  }
}
