import type { NotificationOutcome, ProviderNotification } from '../db/entities/notice.ts'
import { type Query, query } from '../db/pipeline/query.ts'
import { deriveDisputeUuid } from '../temporal/disputes.ts'
import { signalDispute } from '../temporal/signals.ts'
import type { WorkflowClientContext } from '../temporal/workflow-options.ts'
import { buildNotificationSignal, type InboundNotification } from './notification.ts'

/** Notices about disputes, and about a PIX that may have some. */

/** A dispute is known by its provider's own id; its life opens it, or looks at what is new. */
export async function routeToDispute(
  engine: WorkflowClientContext,
  { notification: notice, connection }: InboundNotification,
): Promise<NotificationOutcome> {
  const { providerAccountUuid, uuid: connectionUuid } = connection
  const { endToEnd = null, requestId } = notice
  const providerMedId = notice.reference!
  const uuid = deriveDisputeUuid({ providerAccountUuid, providerMedId })
  await signalDispute(
    engine,
    { uuid, connectionUuid, providerDisputeId: providerMedId, endToEnd, requestId },
    buildNotificationSignal(notice),
  )
  return 'taken'
}

/** The disputes about a PIX, by their provider's ids. */
export function queryProviderDisputeIds({
  providerAccountUuid,
  endToEnd,
}: {
  providerAccountUuid: string
  endToEnd?: string | null
}): Query<string[]> {
  return query(
    'select provider_med_id as reference from med where provider_account_uuid = ? and end_to_end = ?',
    [providerAccountUuid, endToEnd ?? null],
    rows => rows.map(({ reference }) => reference as string),
  )
}

/** Tells each of them; whether there is one. */
export async function routeToDisputes(
  engine: WorkflowClientContext,
  { notification: notice, connection }: InboundNotification,
  disputes: string[],
): Promise<boolean> {
  for (const reference of disputes)
    await routeToDispute(engine, {
      connection,
      notification: { ...notice, reference } as ProviderNotification,
    })
  return disputes.length > 0
}
