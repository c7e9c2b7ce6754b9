import type { Connection } from '../db/entities/connection.ts'
import type { ProviderNotification } from '../db/entities/provider-notification.ts'
import type { ProviderNotificationSignal } from '../workflows/contracts/provider-notifications.ts'

/** A provider notification and the connection that received it. */
export type InboundNotification = { notification: ProviderNotification; connection: Connection }

/** Age up to which a notification's own request still waits for the routing; older ones come in bulk. */
const NEW_NOTIFICATION_MS = 5_000

/**
 * Builds the signal of a notification: what to poll, whether it has just arrived, and whether it is about a return. A
 * transfer notification without a reference, only with the id of a PIX that we sent, is about a return
 * (src/providers/woovi/notifications.ts).
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
    ...(isAboutReturn && { isAboutReturn }),
  }
}
