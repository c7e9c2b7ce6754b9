import type { Logger } from 'pino'
import type { Dispatcher } from 'undici'
import { fetch } from 'undici'
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
  const limit = AbortSignal.timeout(WAITS.noticeAnswer)
  try {
    const answer = await fetch(notice.url, {
      method: 'POST',
      headers: notice.headers,
      body: notice.body,
      redirect: 'manual',
      dispatcher: parts.dispatcher,
      signal: AbortSignal.any([limit, parts.stopping]),
    })
    await answer.body?.cancel()
    return answer.ok ? 'taken' : 'refused'
  } catch {
    return 'no answer'
  }
}
