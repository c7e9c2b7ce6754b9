import type { Connection } from '../db/entities/connection.ts'
import type { ProviderNotification } from '../db/entities/notice.ts'
import type { ProviderNotificationSignal } from '../workflows/contracts/messages.ts'

/** A notice, and the connection it came through. */
export type InboundNotification = { notification: ProviderNotification; connection: Connection }

/** Its request still waits for it to be handed over; what is older comes in crowds, after something was away. */
const NEW_NOTIFICATION_MS = 5_000

/**
 * What a workflow is signalled: that there is something to ask, whether its provider has just notified it, and whether it is
 * about a return. One that names no transfer of ours but a PIX that we sent is (src/providers/woovi/notifications.ts).
 */
export function buildNotificationSignal({
  uuid,
  connectionUuid,
  receivedAt,
  kind,
  reference,
}: ProviderNotification): ProviderNotificationSignal {
  const isNew = Date.now() - receivedAt.getTime() < NEW_NOTIFICATION_MS
  const isAboutReturn = kind === 'transfer' && reference === null
  return {
    notificationUuid: uuid,
    connectionUuid,
    ...(isNew && { isNew: true }),
    ...(isAboutReturn && { isAboutReturn: isAboutReturn }),
  }
}
