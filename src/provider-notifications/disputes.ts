import type { NotificationOutcome, ProviderNotification } from '../db/entities/provider-notification.ts'
import { deriveDisputeUuid } from '../temporal/disputes.ts'
import { signalDispute } from '../temporal/signals.ts'
import type { TemporalContext } from '../temporal/workflow-options.ts'
import { buildNotificationSignal, type InboundNotification } from './notification.ts'

/** Routing of notifications about disputes, and about a PIX that may have some. */

/** Signals the workflow of the dispute with this provider's id; the workflow creates the dispute or polls it. */
export async function routeToDispute(
  temporal: TemporalContext,
  { notification, connection }: InboundNotification,
): Promise<NotificationOutcome> {
  const { providerAccountUuid, uuid: connectionUuid } = connection
  const { endToEnd = null, requestId } = notification
  const providerDisputeId = notification.reference!
  const uuid = deriveDisputeUuid({ providerAccountUuid, providerDisputeId })
  await signalDispute(
    temporal,
    { uuid, connectionUuid, providerDisputeId, endToEnd, requestId },
    buildNotificationSignal(notification),
  )
  return 'routed'
}

/** Signals the workflow of each dispute; returns whether there is any. */
export async function routeToDisputes(
  temporal: TemporalContext,
  { notification, connection }: InboundNotification,
  disputes: string[],
): Promise<boolean> {
  for (const reference of disputes)
    await routeToDispute(temporal, {
      connection,
      notification: { ...notification, reference } as ProviderNotification,
    })
  return disputes.length > 0
}
