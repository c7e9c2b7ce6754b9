import type { Logger } from 'pino'
import type { Dispatcher } from 'undici'
import { request } from 'undici'
import type { ProviderApi } from '../../src/domain/providers/provider.ts'
import type { ConsumedFault, Faults, NotificationFault, ProviderOperation } from './faults.ts'
import { NOTIFICATION_RETRY_SCHEDULE_MS, SIMULATOR_WAITS_MS, type WaitScaler } from './latency.ts'
import type { RailEvent, RailEventHandler } from './rail-events.ts'
import type { TaskRetry, TaskSchedule } from './schedule.ts'

/** The request of a notification. */
export type OutgoingNotification = { url: string; headers: Record<string, string>; body: string }

/** The notifications of one provider API. */
export type NotificationFormat = {
  /** Builds the notifications of an event; none if the account registered no URL for it. */
  buildNotifications(event: RailEvent): OutgoingNotification[]
  /** Builds forged variants of a notification: with a wrong secret, or about a PIX that does not exist. */
  buildForgeries(notification: OutgoingNotification): OutgoingNotification[]
}

type NotifierDependencies = {
  schedule: TaskSchedule
  faults: Faults
  scaleWaitMs: WaitScaler
  log: Logger
  formats: Record<ProviderApi, NotificationFormat>
  /** Presents the providers' client certificate. */
  dispatcher: Dispatcher
  stopping: AbortSignal
}

type Notifier = {
  onRailEvent: RailEventHandler
  /** Notifies an event once more, without faults; the notification is attempted once. */
  resend: RailEventHandler
}

/**
 * Creates the sender of notifications: it schedules those of each event and repeats each until a 2xx or the last
 * attempt.
 */
export function createNotifier(dependencies: NotifierDependencies): Notifier {
  const { schedule, faults, scaleWaitMs, formats } = dependencies
  schedule.registerHandler('deliver_notification', (notification: QueuedNotification, retries) =>
    deliverNotification(dependencies, notification, retries),
  )

  const queue = (notification: OutgoingNotification, { afterMs = 0, isRepeated = true } = {}) =>
    schedule.add({
      task: 'deliver_notification',
      input: { ...notification, isRepeated } satisfies QueuedNotification,
      concurrencyGroup: notification.url,
      afterMs,
    })

  const queueUnderFault = (
    fault: ConsumedFault<NotificationFault> | null,
    notification: OutgoingNotification,
    format: NotificationFormat,
  ) => {
    if (fault === null) return queue(notification)
    switch (fault.fault) {
      case 'notification_lost':
        return
      case 'notification_duplicated':
        queue(notification)
        return queue(notification)
      case 'notification_reordered':
        return queue(notification, { afterMs: fault.delayMs ?? scaleWaitMs(SIMULATOR_WAITS_MS.reorder) })
      case 'notification_forged':
        for (const forgery of format.buildForgeries(notification)) queue(forgery, { isRepeated: false })
        return queue(notification)
      default:
        return fault.fault satisfies never
    }
  }

  return {
    onRailEvent: event => {
      const format = formats[event.account.dialect]
      for (const notification of format.buildNotifications(event)) {
        const fault = faults.consumeForNotification(event.account, OPERATIONS_BY_EVENT[event.kind])
        queueUnderFault(fault, notification, format)
      }
    },
    resend: event => {
      for (const notification of formats[event.account.dialect].buildNotifications(event))
        queue(notification, { isRepeated: false })
    },
  }
}

/** `isRepeated` false: attempted once, as a forgery or a requested resend. */
type QueuedNotification = OutgoingNotification & { isRepeated: boolean }

/** Operations whose notification faults apply to an event. */
const OPERATIONS_BY_EVENT: Record<RailEvent['kind'], readonly ProviderOperation[]> = {
  payment: ['issueCharge', 'findCharge', 'cancelCharge', 'findPayment', 'registerNotificationUrl'],
  refund: ['refund', 'findRefund', 'registerNotificationUrl'],
  transfer: ['sendTransfer', 'findTransfer', 'registerNotificationUrl'],
  return: ['sendTransfer', 'findTransfer', 'registerNotificationUrl'],
  order_removed: ['sendTransfer', 'findTransfer', 'registerNotificationUrl'],
  dispute: [
    'listDisputes',
    'findDispute',
    'requestDispute',
    'cancelDispute',
    'replyToDispute',
    'registerNotificationUrl',
  ],
  recurrence: [
    'issueRecurrence',
    'requestConsent',
    'findRecurrence',
    'cancelRecurrence',
    'registerNotificationUrl',
  ],
  automatic_charge: [
    'issueAutomaticCharge',
    'findAutomaticCharge',
    'cancelAutomaticCharge',
    'retryAutomaticCharge',
    'registerNotificationUrl',
  ],
}

async function deliverNotification(
  dependencies: NotifierDependencies,
  notification: QueuedNotification,
  retries: number,
): Promise<TaskRetry | undefined> {
  const { log, stopping, scaleWaitMs } = dependencies
  const { url, isRepeated } = notification
  const outcome = await postNotification(dependencies, notification)
  log.debug({ url, retries, outcome, isRepeated }, 'notification attempted')
  if (stopping.aborted) return { retryAfterMs: 0 }
  const waitMs = NOTIFICATION_RETRY_SCHEDULE_MS[retries]
  if (outcome === 'accepted' || isRepeated === false || waitMs === undefined) return undefined
  return { retryAfterMs: scaleWaitMs(waitMs) }
}

async function postNotification(
  { stopping, dispatcher }: NotifierDependencies,
  { url, headers, body }: OutgoingNotification,
): Promise<'accepted' | 'refused' | 'no answer'> {
  const cancellation = new AbortController()
  const cancel = () => cancellation.abort()
  const timeout = setTimeout(cancel, SIMULATOR_WAITS_MS.notificationResponse)
  stopping.addEventListener('abort', cancel)
  try {
    stopping.throwIfAborted()
    const { signal } = cancellation
    const response = await request(url, { method: 'POST', headers, body, dispatcher, signal })
    await response.body.dump()
    return response.statusCode >= 200 && response.statusCode < 300 ? 'accepted' : 'refused'
  } catch {
    return 'no answer'
  } finally {
    clearTimeout(timeout)
    stopping.removeEventListener('abort', cancel)
  }
}
