import type { EntityManager } from '../client/orm.ts'
import { type NotificationOutcome, ProviderNotification } from '../entities/provider-notification.ts'
import { getEntityMapper } from '../pipeline/entity-mapper.ts'
import { ASYNC_COMMIT, type Query, query, runAsyncCommit } from '../pipeline/query.ts'

export type ReceivedNotification = Pick<
  ProviderNotification,
  'uuid' | 'kind' | 'reference' | 'endToEnd' | 'body' | 'requestId'
>

/**
 * Stores the notifications that a provider sent through a connection, each uuid once, and returns those that no workflow
 * has accepted yet, repeats included. One statement, because every payment waits for it. If two calls store the same
 * one at once, the first returns it.
 */
export function storeProviderNotifications(
  em: EntityManager,
  connectionUuid: string,
  notifications: ReceivedNotification[],
): Query<ProviderNotification[]> {
  const mapper = getEntityMapper(em, ProviderNotification, 'n')
  return query(
    `with inbound as (
       select * from json_to_recordset(?::json) as t (uuid uuid, kind text, reference text, "endToEnd" text,
         body text, "requestId" text)
     ), kept as (
       insert into provider_notification (uuid, connection_uuid, kind, reference, end_to_end, body, request_id)
       select uuid, ?::uuid, kind, reference, "endToEnd", body, "requestId" from inbound
       on conflict (uuid) do nothing
       returning *
     )
     select ${mapper.columns} from kept n
     union all
     select ${mapper.columns} from provider_notification n
     where n.uuid in (select uuid from inbound) and n.routed_at is null`,
    [JSON.stringify(notifications), connectionUuid],
    found => found.map(mapper.mapRow),
  )
}

/**
 * Records that a notification was routed, and its outcome. Runs with asynchronous commit: if it is lost, the
 * notification is routed once more.
 */
export async function markNotificationRouted(
  em: EntityManager,
  { uuid }: Pick<ProviderNotification, 'uuid'>,
  outcome: NotificationOutcome,
): Promise<void> {
  const sql = `update provider_notification set routed_at = now(), outcome = ? from ${ASYNC_COMMIT} where uuid = ?`
  await runAsyncCommit(
    em,
    query(sql, [outcome, uuid], () => undefined),
  )
}
