import type { NotificationOutcome, ProviderNotification } from '../db/entities/provider-notification.ts'
import { type Query, query } from '../db/pipeline/query.ts'
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

/** Queries the provider's ids of the disputes about a PIX. */
export function queryProviderDisputeIds({
  providerAccountUuid,
  endToEnd,
}: {
  providerAccountUuid: string
  endToEnd?: string | null
}): Query<string[]> {
  return query(
    'select provider_dispute_id as reference from dispute where provider_account_uuid = ? and end_to_end = ?',
    [providerAccountUuid, endToEnd ?? null],
    rows => rows.map(({ reference }) => reference as string),
  )
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
