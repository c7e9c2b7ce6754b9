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

/** A notification is deleted this many days after it was last routed. */
const RETENTION_DAYS = 30

/**
 * Deletes notifications that were routed thirty days ago, except those about the PIX or the operation of a difference
 * that no comparison has found gone. Reconciliation routes a notification again while its change is still missing here,
 * so that such a one is not deleted either. A repeat that comes later is stored and routed anew: its workflow polls the
 * provider and finds the change recorded. Returns how many, at most `limit`.
 */
export async function pruneProviderNotifications(em: EntityManager, limit: number): Promise<number> {
  const rows = await em.execute<object[]>(
    `with differing as (
       select c.uuid as connection_uuid, id from difference d
       join connection c on c.provider_account_uuid = d.provider_account_uuid
       cross join lateral unnest(array[d.end_to_end, d.detail #>> '{entry,returnOf}', d.detail #>> '{entry,reference}']) id
       where d.settled_at is null and id is not null
     )
     delete from provider_notification where uuid in (
       select uuid from provider_notification where routed_at < now() - interval '${RETENTION_DAYS} days'
         and (connection_uuid, coalesce(end_to_end, '')) not in (select connection_uuid, id from differing)
         and (connection_uuid, coalesce(reference, '')) not in (select connection_uuid, id from differing)
       order by routed_at limit ?) returning uuid`,
    [limit],
  )
  return rows.length
}
