import type { Logger } from 'pino'
import type { Dispatcher } from 'undici'
import { request } from 'undici'
import type { ProviderApi } from '../domain/providers/provider.ts'
import type { ConsumedFault, Faults, NotificationFault, ProviderOperation } from './faults.ts'
import { NOTIFICATION_RETRY_SCHEDULE_MS, SIMULATOR_WAITS_MS, type WaitScaler } from './latency.ts'
import type { RailEvent, RailEventHandler } from './rail-events.ts'
import type { TaskSchedule } from './schedule.ts'

/** A notice as it leaves: where to, and what it says. */
export type OutgoingNotification = { url: string; headers: Record<string, string>; body: string }

/** How a dialect tells its customer. */
export type NotificationFormat = {
  /** The notices of one event: none where the customer registered no address for it. */
  buildNotifications(event: RailEvent): OutgoingNotification[]
  /** What someone might send who is not the provider: with a wrong secret, or about a PIX that never was. */
  buildForgeries(notice: OutgoingNotification): OutgoingNotification[]
}

type NotifierDependencies = {
  schedule: TaskSchedule
  faults: Faults
  scaleWaitMs: WaitScaler
  log: Logger
  formatOf: (dialect: ProviderApi) => NotificationFormat
  /** Speaks TLS with the provider's client certificate. */
  dispatcher: Dispatcher
  stopping: AbortSignal
}

type Notifier = {
  onRailEvent: RailEventHandler
  /** Notifies an event again, once: no fault is met, and a notification that is not accepted is not repeated. */
  resend: RailEventHandler
}

/** Queues the notices of what happens, and delivers them until each is answered 2xx or its tries are used up. */
export function createNotifier(parts: NotifierDependencies): Notifier {
  const { schedule: agenda, faults, scaleWaitMs: pace, formatOf: wordsOf } = parts
  agenda.registerHandler('deliver_notice', (notice: QueuedNotification, tries) =>
    deliverNotification(parts, notice, tries),
  )

  const queue = (notice: OutgoingNotification, { afterMs = 0, isRepeated = true } = {}) =>
    agenda.add({
      task: 'deliver_notice',
      subject: { ...notice, isRepeated } satisfies QueuedNotification,
      lane: notice.url,
      afterMs,
    })

  const queueUnder = (
    fault: ConsumedFault<NotificationFault> | null,
    notice: OutgoingNotification,
    words: NotificationFormat,
  ) => {
    if (fault === null) return queue(notice)
    switch (fault.fault) {
      case 'notice_lost':
        return
      case 'notice_duplicated':
        queue(notice)
        return queue(notice)
      case 'notice_reordered':
        return queue(notice, { afterMs: fault.delayMs ?? pace(SIMULATOR_WAITS_MS.reorder) })
      case 'notice_forged':
        for (const forgery of words.buildForgeries(notice)) queue(forgery, { isRepeated: false })
        return queue(notice)
      default:
        return fault.fault satisfies never
    }
  }

  return {
    onRailEvent: event => {
      const words = wordsOf(event.account.dialect)
      for (const notice of words.buildNotifications(event)) {
        queueUnder(
          faults.consumeForNotification(event.account, OPERATIONS_BY_EVENT[event.kind]),
          notice,
          words,
        )
      }
    },
    resend: event => {
      for (const notice of wordsOf(event.account.dialect).buildNotifications(event))
        queue(notice, { isRepeated: false })
    },
  }
}

/** `isRepeated`: it is sent until it is accepted; a forger does not insist. */
type QueuedNotification = OutgoingNotification & { isRepeated: boolean }

/** A fault of any of these operations reaches the notice of such an event. */
const OPERATIONS_BY_EVENT: Record<RailEvent['kind'], readonly ProviderOperation[]> = {
  payment: ['issueCharge', 'findCharge', 'cancelCharge', 'findPayment', 'registerNotificationUrl'],
  refund: ['refund', 'findRefund', 'registerNotificationUrl'],
  transfer: ['sendTransfer', 'findTransfer', 'registerNotificationUrl'],
  order_removed: ['sendTransfer', 'findTransfer', 'registerNotificationUrl'],
  med: ['listDisputes', 'findDispute', 'replyToDispute', 'registerNotificationUrl'],
}

async function deliverNotification(
  parts: NotifierDependencies,
  notice: QueuedNotification,
  tries: number,
): Promise<{ again: number } | undefined> {
  const outcome = await postNotification(parts, notice)
  parts.log.debug({ url: notice.url, tries, outcome, isRepeated: notice.isRepeated }, 'notice')
  if (parts.stopping.aborted) return { again: 0 }
  const wait = NOTIFICATION_RETRY_SCHEDULE_MS[tries]
  if (outcome === 'accepted' || notice.isRepeated === false || wait === undefined) return undefined
  return { again: parts.scaleWaitMs(wait) }
}

async function postNotification(
  parts: NotifierDependencies,
  notice: OutgoingNotification,
): Promise<'accepted' | 'refused' | 'no answer'> {
  const ending = new AbortController()
  const end = () => ending.abort()
  const limit = setTimeout(end, SIMULATOR_WAITS_MS.notificationResponse)
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
    return answer.statusCode >= 200 && answer.statusCode < 300 ? 'accepted' : 'refused'
  } catch {
    return 'no answer'
  } finally {
    clearTimeout(limit)
    parts.stopping.removeEventListener('abort', end)
  }
}
