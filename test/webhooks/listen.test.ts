import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from '@jest/globals'
import { Webhook } from 'standardwebhooks'
import { reserveFreePort } from '../../packages/dev/os/ports.ts'
import type { ApiClient } from '../../src/cli/api-client.ts'
import { EventFeed, EventForwarder, type ListedEvent } from '../../src/cli/listen.ts'
import { generateSigningSecret } from '../../src/webhook-client/signature.ts'

/** What `trilho listen` reads and sends: each event once, whatever is inserted meanwhile and however the receiver fails. */

const START_MS = Date.parse('2026-11-21T12:00:00Z')
let eventCount = 0
const eventAt = (seconds: number): ListedEvent => ({
  id: `event-${++eventCount}`,
  type: 'PAYMENT',
  timestamp: new Date(START_MS + seconds * 1_000).toISOString().replace('Z', '000Z'),
  data: { status: 'PAID', sequence: 1 },
})

describe('the feed of events', () => {
  /** A list as `GET /events` shows it; `onPage` runs before each page is read. */
  function listOf(events: ListedEvent[], onPage: (page: number) => void = () => {}) {
    const pages: number[] = []
    const api = {
      async get(path: string) {
        const query = new URL(path, 'http://api').searchParams
        const [page, perPage] = [Number(query.get('page')), Number(query.get('per_page'))]
        onPage(page)
        pages.push(page)
        const newestFirst = events.toSorted((a, b) => (a.timestamp > b.timestamp ? -1 : 1))
        return { data: newestFirst.slice((page - 1) * perPage, page * perPage) }
      },
    } as Pick<ApiClient, 'get'>
    return { api, pages }
  }

  test('begins behind the events that exist, also where there are none', async () => {
    for (const events of [[eventAt(0), eventAt(1)], []]) {
      const feed = new EventFeed(listOf(events).api, { types: [] })
      await feed.begin()
      expect(await feed.readNew()).toEqual([])
      const added = eventAt(2)
      events.push(added)
      expect(await feed.readNew()).toEqual([added])
      expect(await feed.readNew()).toEqual([])
    }
  })

  test('begins at a time with the events since then, oldest first, and goes on without repeating one', async () => {
    const events = Array.from({ length: 130 }, (_, second) => eventAt(second))
    const { api } = listOf(events)
    const feed = new EventFeed(api, { types: [] })
    await feed.begin(new Date(START_MS + 20_000))
    expect(await feed.readNew()).toEqual(events.slice(20))
    const [late, newer] = [eventAt(128.5), eventAt(135)]
    events.push(newer, late)
    expect(await feed.readNew()).toEqual([late, newer])
    expect(await feed.readNew()).toEqual([])
  })

  test('never returns an event before the time at which it began', async () => {
    const events = [eventAt(0), eventAt(10), eventAt(30)]
    const feed = new EventFeed(listOf(events).api, { types: [] })
    await feed.begin(new Date(START_MS + 20_000))
    expect(await feed.readNew()).toEqual(events.slice(2))
    expect(await feed.readNew()).toEqual([])
    events.push(eventAt(40))
    expect(await feed.readNew()).toEqual(events.slice(3))
  })

  test('returns one that appears behind newer ones, because its transaction took longer', async () => {
    const events = [eventAt(0)]
    const feed = new EventFeed(listOf(events).api, { types: [] })
    await feed.begin()
    const [late, newer] = [eventAt(10), eventAt(40)]
    events.push(newer)
    expect(await feed.readNew()).toEqual([newer])
    events.push(late)
    expect(await feed.readNew()).toEqual([late])
  })

  test('reads many pages while more are inserted: none is skipped or repeated', async () => {
    const events = [eventAt(0)]
    let inserted = 0
    const { api, pages } = listOf(events, page => {
      if (page > 1 && inserted++ < 20) events.push(eventAt(200 + inserted), eventAt(190))
    })
    const feed = new EventFeed(api, { types: [] })
    await feed.begin()
    for (let index = 0; index < 330; index++) events.push(eventAt(1 + index / 10))
    const all: ListedEvent[] = []
    for (let read = 0; read < 3; read++) all.push(...(await feed.readNew()))
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
    expect(all.length).toBe(events.length - 1)
    const pagesBefore = pages.length
    await feed.readNew()
    expect(pages.length - pagesBefore).toBeLessThanOrEqual(2) // It reads the last minute again, not the past.
  })

  test('orders events by time, and those of one resource and time by their number', async () => {
    const events: ListedEvent[] = []
    const feed = new EventFeed(listOf(events).api, { types: [] })
    await feed.begin()
    const [second, first, later] = [eventAt(5), eventAt(5), eventAt(6)]
    second.data.sequence = 2
    events.push(later, second, first)
    expect(await feed.readNew()).toEqual([first, second, later])
  })
})

describe('the forwarder', () => {
  let server: Server | undefined
  afterEach(() => void server?.close())

  const secret = generateSigningSecret()
  const received: string[] = []

  /** A receiver as docs/webhooks.md shows it; answers `status` to a verified event. */
  async function startReceiver({ port = 0, status = 204, delayMs = 0 } = {}): Promise<number> {
    const webhook = new Webhook(secret)
    server = createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray())
      await sleep(delayMs)
      try {
        const event = webhook.verify(
          body.toString(),
          request.headers as Record<string, string>,
        ) as ListedEvent
        received.push(event.id)
        response.writeHead(status).end('a body that nobody reads')
      } catch {
        response.writeHead(400).end()
      }
    })
    await new Promise<void>(resolve => server!.listen(port, '127.0.0.1', resolve))
    return (server.address() as AddressInfo).port
  }

  function createForwarder(port: number, more: object = {}) {
    const lines: string[] = []
    const stopping = new AbortController()
    const forwarder = new EventForwarder({
      url: `http://127.0.0.1:${port}/hooks`,
      secret,
      signal: stopping.signal,
      retryMs: 20,
      print: (line: string) => void lines.push(line),
      ...more,
    })
    return { forwarder, lines, stopping }
  }

  test('sends a signed delivery, and prints the answer, whatever it is', async () => {
    for (const [status, shown] of [
      [204, '204'],
      [500, '500 not accepted'],
      [302, '302 not accepted'],
    ] as const) {
      const { forwarder, lines } = createForwarder(await startReceiver({ status }))
      const event = eventAt(0)
      await forwarder.forward(event)
      expect(received).toContain(event.id)
      expect(lines).toEqual([expect.stringMatching(`^PAYMENT PAID ${event.id}  ${shown} \\(\\d+ ms\\)$`)])
      server?.close()
    }
  })

  test('waits for a receiver that is down, then sends each event once and in order', async () => {
    const { port, release } = await reserveFreePort()
    const { forwarder, lines } = createForwarder(port)
    const events = [eventAt(0), eventAt(1)]
    const forwarding = events.reduce(
      (previousForwards, event) => previousForwards.then(() => forwarder.forward(event)),
      Promise.resolve(),
    )
    while (lines.length === 0) await sleep(10)
    await startReceiver({ port })
    await forwarding
    release()
    expect(received.filter(id => events.some(event => event.id === id))).toEqual(events.map(({ id }) => id))
    expect(lines[0]).toContain('the receiver cannot be reached (ECONNREFUSED); trying again')
    expect(lines).toHaveLength(3)
    expect(forwarder.counts).toEqual({ delivered: 2, failed: 0 })
  })

  test('gives up a receiver that stays down, and ends at once when it is stopped', async () => {
    const { port, release } = await reserveFreePort()
    const given = createForwarder(port, { receiverDownMs: 50 })
    await given.forwarder.forward(eventAt(0))
    expect(given.lines.at(-1)).toContain('given up')
    const stopped = createForwarder(port, { retryMs: 60_000 })
    const forwarding = stopped.forwarder.forward(eventAt(0))
    while (stopped.lines.length === 0) await sleep(10)
    stopped.stopping.abort()
    await forwarding
    release()
    expect(stopped.forwarder.counts).toEqual({ delivered: 0, failed: 0 })
  })
})
