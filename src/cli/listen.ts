import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { InvalidArgumentError, Option } from 'commander'
import { EVENT_TYPES, eventRetentionStartOf } from '../domain/webhooks/webhook.ts'
import { buildSignatureHeaders, isUsableSigningSecret } from '../webhook-client/signature.ts'
import { ApiCallError, type ApiClient } from './api-client.ts'
import { type ApiContext, type OperatorCommand, parsePastInstant } from './command-context.ts'

type ListenOptions = { forwardTo: string; events?: string[]; secret?: string; since?: Date }

/** How often the list of events is read. */
const POLL_MS = 1_000

/** Registers `listen`, which forwards the events of an account to a receiver on this machine. */
export function registerListenCommand(program: OperatorCommand): void {
  program
    .command('listen')
    .requiredOption('--forward-to <url>', 'address of the receiver', parseReceiverUrl)
    .option('--events <types>', `only these, separated by commas: ${EVENT_TYPES.join(', ')}`, parseTypes)
    .option('--since <time>', 'first those since then that were missed, oldest first; ISO 8601', parseSince)
    .addOption(
      new Option('--secret <secret>', 'signing secret; where absent, one that belongs to the token')
        .env('TRILHO_WEBHOOK_SECRET')
        .argParser(parseSecret),
    )
    .addHelpText(
      'after',
      `
The API and the token are those of the npm start of this folder, unless options or variables name others.
An answer of the receiver is final. A receiver that cannot be reached is tried again for five minutes; later events wait.

  npm run trilho -- listen --forward-to http://localhost:4242/hooks --events PAYMENT,TRANSFER`,
    )
    .runByApi(listen)
}

async function listen(
  { api, printText }: ApiContext,
  { forwardTo, events = [], secret, since }: ListenOptions,
): Promise<void> {
  const printTimed = (line: string) => printText(`${new Date().toTimeString().slice(0, 8)}  ${line}`)
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort())
  const signingSecret = secret ?? deriveSigningSecret(api.token)
  const forwarder = new EventForwarder({
    url: forwardTo,
    secret: signingSecret,
    print: printTimed,
    signal: stopping.signal,
  })
  const feed = new EventFeed(api, { types: events })
  await feed.begin(since)
  printText(`Forwarding ${events.join(', ') || 'all events'} of ${api.url} to ${forwardTo}`)
  printText(`Signing secret: ${signingSecret}`)
  printText('Ready. Ctrl-C ends it.')
  let isApiReached = true
  while (!stopping.signal.aborted) {
    const result = await feed.readNew().catch(requireTemporary)
    if (result instanceof Error && isApiReached)
      printTimed(`The API does not answer, and is asked again: ${result.message}`)
    isApiReached = !(result instanceof Error)
    for (const event of result instanceof Error ? [] : result) await forwarder.forward(event)
    await sleep(POLL_MS, undefined, { signal: stopping.signal }).catch(() => {})
  }
  const { delivered, failed } = forwarder.counts
  printText(`Ended: ${delivered} delivered, ${failed} not accepted.`)
}

/** Returns an error after which the list can be read again; throws it where the API refuses, such as by 401. */
function requireTemporary(error: unknown): Error {
  if (!(error instanceof Error) || (error instanceof ApiCallError && !error.isTemporary)) throw error
  return error
}

/** Derives the signing secret of a token: the same at every start, and no one can compute the token from it. */
function deriveSigningSecret(token: ApiClient['token']): string {
  return `whsec_${createHmac('sha256', token).update('trilho listen').digest('base64')}`
}

function parseReceiverUrl(value: string): string {
  if (!URL.canParse(value) || !['http:', 'https:'].includes(new URL(value).protocol))
    throw new InvalidArgumentError('Not an http or https address.')
  return value
}

function parseTypes(value: string): string[] {
  const types = value.split(',').map(type => type.trim().toUpperCase())
  const unknown = types.filter(type => !EVENT_TYPES.some(known => known === type))
  if (unknown.length > 0) throw new InvalidArgumentError(`Not a type of event: ${unknown.join(', ')}.`)
  return types
}

function parseSince(value: string): Date {
  const since = parsePastInstant(value)
  if (since < eventRetentionStartOf(new Date()))
    throw new InvalidArgumentError('Events are kept for 30 days.')
  return since
}

function parseSecret(value: string): string {
  if (!isUsableSigningSecret(value))
    throw new InvalidArgumentError('Not a signing secret of at least 24 bytes.')
  return value
}

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
    const events = new Map<string, ListedEvent>()
    for (let page = 1; ; page += 1) {
      // Events that are inserted meanwhile move others to the next page, where they are read again: none is skipped.
      const listed = await this.#readPage(page)
      const recent = listed.filter(({ timestamp }) => timestamp >= horizon)
      for (const event of recent) if (!this.#known.has(event.id)) events.set(event.id, event)
      if (listed.length < PAGE_SIZE || recent.length < listed.length) break
    }
    const newEvents = [...events.values()].sort(compareEvents)
    for (const { id, timestamp } of newEvents) this.#known.set(id, timestamp)
    this.#moveHorizon()
    return newEvents
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

/** Time for the answer of the receiver, as for a delivery of the service (SPEC §8). */
const RECEIVER_TIMEOUT_MS = 15_000
/** How long an event waits for a receiver that cannot be reached, and how often it is tried. */
const RECEIVER_DOWN_MS = 5 * 60_000
const RECEIVER_RETRY_MS = 1_000

type ForwarderOptions = {
  url: string
  /** Signing secret of the deliveries. */
  secret: string
  print: (line: string) => void
  signal: AbortSignal
  receiverDownMs?: number
  retryMs?: number
}

/** Sends events to a receiver as signed deliveries, one after the other, and prints each answer. */
export class EventForwarder {
  readonly #options: ForwarderOptions
  counts = { delivered: 0, failed: 0 }

  constructor(options: ForwarderOptions) {
    this.#options = options
  }

  /** Sends one event. A receiver that cannot be reached is tried again for some minutes; an answer is final. */
  async forward(event: ListedEvent): Promise<void> {
    const { print, signal, receiverDownMs = RECEIVER_DOWN_MS, retryMs = RECEIVER_RETRY_MS } = this.#options
    const line = `${event.type} ${statusOf(event)} ${event.id}`
    const deadlineMs = performance.now() + receiverDownMs
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      const startedAt = performance.now()
      const answer = await this.#deliver(event)
      const ms = Math.round(performance.now() - startedAt)
      if (typeof answer === 'number') {
        const isDelivered = answer >= 200 && answer < 300
        this.counts[isDelivered ? 'delivered' : 'failed'] += 1
        return print(`${line}  ${answer}${isDelivered ? '' : ' not accepted'} (${ms} ms)`)
      }
      if (signal.aborted) return
      if (performance.now() >= deadlineMs) {
        this.counts.failed += 1
        return print(`${line}  given up: ${answer}`)
      }
      if (attempt === 1) print(`${line}  ${answer}; trying again every ${retryMs / 1_000} s`)
      await sleep(retryMs, undefined, { signal }).catch(() => {})
    }
  }

  /** Returns the status of the answer, or why there is none. */
  async #deliver(event: ListedEvent): Promise<number | string> {
    const { url, secret, signal } = this.#options
    const body = JSON.stringify(event)
    const signature = buildSignatureHeaders({ id: event.id, at: new Date(), body, secrets: [secret] })
    try {
      const response = await fetch(url, {
        method: 'POST',
        body,
        headers: { 'Content-Type': 'application/json', 'User-Agent': 'Trilho-Webhooks/1', ...signature },
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(RECEIVER_TIMEOUT_MS)]),
      })
      await response.body?.cancel()
      return response.status
    } catch (error) {
      if (error instanceof Error && error.name === 'TimeoutError')
        return `no answer within ${RECEIVER_TIMEOUT_MS / 1_000} s`
      const code: unknown = Object(Object(error).cause).code
      return `the receiver cannot be reached (${typeof code === 'string' ? code : String(error)})`
    }
  }
}

/** The status that an event reports; of a refund it is the refund's own. */
function statusOf({ data }: ListedEvent): string {
  const { status } = Object(data.refund ?? data)
  return typeof status === 'string' ? status : '-'
}
