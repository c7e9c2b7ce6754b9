import { setTimeout as sleep } from 'node:timers/promises'
import { buildSignatureHeaders } from '../webhook-client/signature.ts'
import type { ListedEvent } from './event-feed.ts'

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
