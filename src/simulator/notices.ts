import type { Logger } from 'pino'
import type { Dispatcher } from 'undici'
import { request } from 'undici'
import type { Dialect } from '../domain/provider.ts'
import type { Agenda } from './agenda.ts'
import type { Announce, RailEvent } from './events.ts'
import type { Faults, NoticeFault, Operation, Taken } from './faults.ts'
import { NOTICE_RETRIES, type Pace, WAITS } from './pace.ts'

/** A notice as it leaves: where to, and what it says. */
export type Notice = { url: string; headers: Record<string, string>; body: string }

/** How a dialect tells its customer. */
export type NoticeWords = {
  /** The notices of one event: none where the customer registered no address for it. */
  noticesOf(event: RailEvent): Notice[]
  /** What someone might send who is not the provider: with a wrong secret, or about a PIX that never was. */
  forgeriesOf(notice: Notice): Notice[]
}

type Parts = {
  agenda: Agenda
  faults: Faults
  pace: Pace
  log: Logger
  wordsOf: (dialect: Dialect) => NoticeWords
  /** Speaks TLS with the provider's client certificate. */
  dispatcher: Dispatcher
  stopping: AbortSignal
}

/** Queues the notices of what happens, and delivers them until each is answered 2xx or its tries are used up. */
export function noticesOf(parts: Parts): { announce: Announce } {
  const { agenda, faults, pace, wordsOf } = parts
  agenda.does('deliver_notice', (notice: Queued, tries) => deliver(parts, notice, tries))

  const queue = (notice: Notice, { afterMs = 0, forged = false } = {}) =>
    agenda.add({
      task: 'deliver_notice',
      subject: { ...notice, forged } satisfies Queued,
      lane: notice.url,
      afterMs,
    })

  const queueUnder = (fault: Taken<NoticeFault> | null, notice: Notice, words: NoticeWords) => {
    if (fault === null) return queue(notice)
    switch (fault.fault) {
      case 'notice_lost':
        return
      case 'notice_duplicated':
        queue(notice)
        return queue(notice)
      case 'notice_reordered':
        return queue(notice, { afterMs: fault.delayMs ?? pace(WAITS.reorder) })
      case 'notice_forged':
        for (const forgery of words.forgeriesOf(notice)) queue(forgery, { forged: true })
        return queue(notice)
      default:
        return fault.fault satisfies never
    }
  }

  return {
    announce: event => {
      const words = wordsOf(event.account.dialect)
      for (const notice of words.noticesOf(event)) {
        queueUnder(faults.takeForNotice(event.account, OPERATIONS_OF[event.kind]), notice, words)
      }
    },
  }
}

type Queued = Notice & { forged: boolean }

/** A fault of any of these operations reaches the notice of such an event. */
const OPERATIONS_OF: Record<RailEvent['kind'], readonly Operation[]> = {
  payment: ['issueCharge', 'findCharge', 'cancelCharge', 'findPayment', 'registerNotices'],
  refund: ['refund', 'findRefund', 'registerNotices'],
  transfer: ['sendTransfer', 'findTransfer', 'registerNotices'],
  med: ['listMeds', 'findMed', 'replyMed', 'registerNotices'],
}

async function deliver(parts: Parts, notice: Queued, tries: number): Promise<{ again: number } | undefined> {
  const outcome = await post(parts, notice)
  parts.log.debug({ url: notice.url, tries, outcome, forged: notice.forged }, 'notice')
  if (parts.stopping.aborted) return { again: 0 }
  const wait = NOTICE_RETRIES[tries]
  // A forger does not insist.
  if (outcome === 'taken' || notice.forged || wait === undefined) return undefined
  return { again: parts.pace(wait) }
}

async function post(parts: Parts, notice: Notice): Promise<'taken' | 'refused' | 'no answer'> {
  const ending = new AbortController()
  const end = () => ending.abort()
  const limit = setTimeout(end, WAITS.noticeAnswer)
  parts.stopping.addEventListener('abort', end)
  try {
    parts.stopping.throwIfAborted()
    const { url, headers, body } = notice
    const answer = await request(url, {
      method: 'POST',
      headers,
      body,
      dispatcher: parts.dispatcher,
      signal: ending.signal,
    })
    await answer.body.dump()
    return answer.statusCode >= 200 && answer.statusCode < 300 ? 'taken' : 'refused'
  } catch {
    return 'no answer'
  } finally {
    clearTimeout(limit)
    parts.stopping.removeEventListener('abort', end)
  }
}
