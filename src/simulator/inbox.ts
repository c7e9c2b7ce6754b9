import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SimulatorStore } from './store.ts'

/** One request that reached a name of the inbox. */
type InboxEntry = { at: string; method: string; headers: IncomingHttpHeaders; body: string }
/** How a name answers. */
type InboxResponse = { status: number; delayMs: number; headers: Record<string, string> }

/** A place for webhooks under test: it records whatever comes and answers as told. */
export type Inbox = {
  setResponse(name: string, answer: InboxResponse): void
  /** Records first, so that what is answered 500 or too late was seen all the same. */
  receive(name: string, entry: Omit<InboxEntry, 'at'>): Promise<InboxResponse>
  listEntries(name: string): InboxEntry[]
  clear(name: string): void
}

const DEFAULT_RESPONSE: InboxResponse = { status: 200, delayMs: 0, headers: {} }

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
  const answerOf = (name: string): InboxResponse => {
    const row = store.first<{ status: number; delayMs: number; headers: string }>(
      'SELECT status, delayMs, headers FROM inboxAnswer WHERE name = ?',
      name,
    )
    return row ? { ...row, headers: JSON.parse(row.headers) as Record<string, string> } : DEFAULT_RESPONSE
  }

  return {
    setResponse: (name, { status, delayMs, headers }) =>
      void store.run(
        'INSERT OR REPLACE INTO inboxAnswer (name, status, delayMs, headers) VALUES (?, ?, ?, ?)',
        name,
        status,
        delayMs,
        JSON.stringify(headers),
      ),
    receive: async (name, { method, headers, body }) => {
      const at = now().toISOString()
      store.insert('inboxEntry', { name, at, method, headers: JSON.stringify(headers), body })
      const answer = answerOf(name)
      if (answer.delayMs > 0)
        await sleep(answer.delayMs, undefined, { signal: stopping }).catch(() => undefined)
      return answer
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
