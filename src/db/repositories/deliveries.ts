import type { DeliveryEvent, DeliveryOutcome } from '../../domain/webhooks/delivery.ts'
import type { EntityManager } from '../client/orm.ts'
import { Delivery, Event, Webhook } from '../entities/webhook.ts'
import { queryEntities } from '../pipeline/entity-mapper.ts'
import { batchQueries, query, runQuery } from '../pipeline/query.ts'
import { selectValues } from '../select-values.ts'
import { buildDeliveryTransition } from './delivery-status.ts'
import { type EndpointEndingEvent, MATCHES_ENDPOINT_MODE } from './webhook-endpoints.ts'

/** Deliveries of events to endpoints: claims of the sweep, ends and replays. */

/** `sweep_at` is as PostgreSQL formats it, to the microsecond. */
export type ClaimedDelivery = { uuid: string; status: string; sweep_at: string }

/** Several workers sweep concurrently; a delivery whose worker dies is due again after its claim. */
const CLAIM_EXPIRY_SQL = `now() + interval '60 seconds'`
const CLAIMED_COLUMNS_SQL = 'uuid, status, sweep_at::text'

/** Finds active endpoints without a success since a moment and without a pending delivery. */
export function findFailingEndpoints(em: EntityManager, since: Date): Promise<{ uuid: string }[]> {
  return em.execute(
    `select uuid from webhook w where status = 'ACTIVE' and deleted_at is null and failing_since <= ?
         and not exists (select from delivery d where d.webhook_uuid = w.uuid and d.status = 'PENDING') limit 1000`,
    [since],
  )
}

/** Finds disabled and deleted endpoints that have pending deliveries. */
export function findUndeliverableEndpoints(em: EntityManager): Promise<{ uuid: string }[]> {
  return em.execute(
    `select uuid from webhook w where (status = 'DISABLED' or deleted_at is not null)
         and exists (select from delivery d where d.webhook_uuid = w.uuid and d.status = 'PENDING')`,
  )
}

/** Finds the endpoints with due deliveries, the longest waiting first. */
export function findDueEndpoints(em: EntityManager): Promise<string[]> {
  return selectValues(
    em,
    `select w.uuid from webhook w cross join lateral (
       select sweep_at from delivery where webhook_uuid = w.uuid and sweep_at <= now() order by sweep_at limit 1
     ) as oldest order by oldest.sweep_at`,
  )
}

/** Claims due deliveries, at most `limit` of each endpoint. */
export function claimDueDeliveries(
  em: EntityManager,
  endpoints: string[],
  limit: number,
): Promise<ClaimedDelivery[]> {
  return em.execute(
    `update delivery set sweep_at = ${CLAIM_EXPIRY_SQL} where uuid in (
       select d.uuid from unnest(array[?]::uuid[]) as w (uuid) cross join lateral (
         select uuid from delivery where webhook_uuid = w.uuid and sweep_at <= now()
         order by sweep_at limit ? for update skip locked
       ) as d
     ) returning ${CLAIMED_COLUMNS_SQL}`,
    [endpoints, limit],
  )
}

/** Sets when signalled deliveries are overdue. A row that its workflow has updated since the claim stays as it is. */
export async function recordSignalledDeliveries(
  em: EntityManager,
  claimed: ClaimedDelivery[],
  overdueAt: Date,
): Promise<void> {
  await em.execute(
    `update delivery set sweep_at = case when status = 'PENDING' then ?::timestamptz end
     where (uuid, sweep_at) in (select * from unnest(array[?]::uuid[], array[?]::timestamptz[]))`,
    [overdueAt, claimed.map(one => one.uuid), claimed.map(one => one.sweep_at)],
  )
}

/** Reads deliveries with their events and endpoints into the unit of work, in one round trip. */
export async function loadDeliveries(em: EntityManager, uuids: string[]): Promise<void> {
  const referred = (column: string) =>
    `where r.uuid in (select ${column} from delivery where uuid = any(?::uuid[]))`
  const values = [uuids]
  await runQuery(
    em,
    batchQueries(
      queryEntities(em, Delivery, { rest: 'where r.uuid = any(?::uuid[])', values }),
      queryEntities(em, Event, { rest: referred('event_uuid'), values }),
      queryEntities(em, Webhook, { rest: referred('webhook_uuid'), values }),
    ),
  )
}

/** The events that end a pending delivery as it had ended before a restore. */
const RESTORED_BY: Record<DeliveryOutcome, DeliveryEvent> = {
  DELIVERED: 'accepted',
  FAILED: 'given_up',
  CANCELLED: 'endpoint_deleted',
}

/** Ends a pending delivery as it had ended before a restore; any other stays as it is. */
export async function restoreDeliveryOutcome(
  em: EntityManager,
  uuid: string,
  outcome: DeliveryOutcome,
): Promise<void> {
  const { set } = buildDeliveryTransition(RESTORED_BY[outcome])
  await em.execute(`update delivery set ${set}, sweep_at = null where uuid = ? and status = 'PENDING'`, [
    uuid,
  ])
}

/**
 * Ends a pending delivery by the event that its endpoint, as it was read, ends deliveries by, and returns how; null where the
 * endpoint was enabled, disabled or deleted since, or the delivery has ended already.
 */
export async function endUndeliverableDelivery(
  em: EntityManager,
  { uuid, endpoint, event }: UndeliverableDelivery,
): Promise<DeliveryOutcome | null> {
  const { set, isAccepted } = buildDeliveryTransition(event)
  const [ended] = await em.execute<{ status: DeliveryOutcome }[]>(
    `update delivery set ${set}, sweep_at = null
     from webhook w where delivery.uuid = ? and ${isAccepted} and w.uuid = delivery.webhook_uuid
       and w.status = ? and (w.deleted_at is not null) = ?
     returning delivery.status`,
    [uuid, endpoint.status, endpoint.deletedAt !== null],
  )
  return ended?.status ?? null
}
type UndeliverableDelivery = { uuid: string; endpoint: Webhook; event: EndpointEndingEvent }

type Postponement = { sweepAt: Date; nextAttemptAt?: Date | undefined }

/**
 * Sets when a pending delivery is overdue and, where given, due, unless another attempt of it was ordered or recorded since it
 * was read. Returns whether it did.
 */
export async function postponeDelivery(
  em: EntityManager,
  delivery: { uuid: string; nextAttemptAt?: Date | null },
  { sweepAt, nextAttemptAt }: Postponement,
): Promise<boolean> {
  const rows: unknown[] = await em.execute(
    `update delivery set sweep_at = ?, next_attempt_at = coalesce(?::timestamptz, next_attempt_at)
     where uuid = ? and status = 'PENDING'
       and date_trunc('milliseconds', next_attempt_at) is not distinct from ?::timestamptz
     returning uuid`,
    [sweepAt, nextAttemptAt ?? null, delivery.uuid, delivery.nextAttemptAt ?? null],
  )
  return rows.length > 0
}

type SuccessfulAttempt = {
  delivery: { uuid: string; webhookUuid: string }
  url: string
  attempt: { status: number; durationMs: number; answer: string }
  at: Date
}

/**
 * Records a successful attempt and ends its delivery, in one statement. The endpoint is locked first; its success is
 * recorded unless its address has changed, and at most once a minute where it was healthy. False for a pruned delivery.
 */
export function recordSuccessfulAttempt(
  em: EntityManager,
  { delivery, url, attempt, at }: SuccessfulAttempt,
): Promise<boolean> {
  const { set, isAccepted } = buildDeliveryTransition('accepted')
  const sql = `with endpoint as (
       update webhook set last_success_at = ?, failing_since = null where uuid = ? and url = ?
         and (failing_since is not null or last_success_at is null or last_success_at < ?)
       returning uuid
     ), ended as (
       update delivery set ${set}, sweep_at = null, attempt_count = attempt_count + 1
       where uuid = ? and ${isAccepted} and (select count(*) from endpoint) >= 0
       returning uuid, attempt_count
     )
     insert into delivery_attempt (delivery_uuid, number, status_code, duration_ms, answer, at)
     select uuid, attempt_count, ?, ?, ?, ? from ended returning number`
  const values = [
    ...[at, delivery.webhookUuid, url, new Date(at.getTime() - 60_000)],
    ...[delivery.uuid, attempt.status, attempt.durationMs, attempt.answer, at],
  ]
  return runQuery(
    em,
    query(sql, values, rows => rows.length > 0),
  )
}

/** Counts the newest deliveries of an endpoint, at most a thousand: those that ended, that it accepted, and that wait. */
export async function countRecentDeliveries(em: EntityManager, webhookUuid: string) {
  const [counts] = await em.execute<{ ended: number; delivered: number; pending: number }[]>(
    `select count(*) filter (where status <> 'PENDING')::int as ended,
       count(*) filter (where status = 'DELIVERED')::int as delivered,
       count(*) filter (where status = 'PENDING')::int as pending
     from (select status from delivery where webhook_uuid = ? order by created_at desc, uuid desc limit 1000) newest`,
    [webhookUuid],
  )
  return counts!
}

type EventPeriod = { since: string; until: string; after: EventPosition | undefined; limit: number }
type EventPosition = { at: string; uuid: string }

/** Lists the events of a period that an endpoint subscribes to, delivered ones included, after a position. */
export function listEndpointEvents(
  em: EntityManager,
  webhook: Webhook,
  { since, until, after, limit }: EventPeriod,
): Promise<EventPosition[]> {
  return em.execute(
    `select e.uuid, to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at
     from webhook w join event e on e.account_uuid = w.account_uuid
     left join connection k on k.uuid = e.connection_uuid
     where w.uuid = ? and e.type = any(array[?]) and e.created_at >= ? and e.created_at <= ?
       and (e.created_at, e.uuid) > (?::timestamptz, ?::uuid) and ${MATCHES_ENDPOINT_MODE}
     order by e.created_at, e.uuid limit ?`,
    [webhook.uuid, webhook.events, since, until, after?.at ?? '-infinity', after?.uuid ?? NIL_UUID, limit],
  )
}

/**
 * Claims the deliveries of events that an endpoint has missed: failed ones, ones that are being retried, and events
 * that were never sent to it. A delivery whose first attempt is still to be made is not changed, unless it waits for a slot of a
 * failing endpoint for more than a minute.
 */
export function claimMissedDeliveries(
  em: EntityManager,
  webhookUuid: string,
  events: string[],
): Promise<ClaimedDelivery[]> {
  const { set, isAccepted } = buildDeliveryTransition('resent')
  return em.execute(
    `insert into delivery (uuid, webhook_uuid, event_uuid, event_type, created_at, updated_at, sweep_at)
     select gen_random_uuid(), ?, e.uuid, e.type, now(), now(), ${CLAIM_EXPIRY_SQL} from event e where e.uuid = any(array[?]::uuid[])
     on conflict (webhook_uuid, event_uuid) do update set ${set}, next_attempt_at = now(),
       attempts_before_run = delivery.attempt_count, sweep_at = excluded.sweep_at
     where ${isAccepted} and delivery.status <> 'DELIVERED' and (delivery.status <> 'PENDING'
       or delivery.attempt_count > delivery.attempts_before_run or delivery.next_attempt_at > now() + interval '1 minute')
     returning ${CLAIMED_COLUMNS_SQL}`,
    [webhookUuid, events],
  )
}

const NIL_UUID = '00000000-0000-0000-0000-000000000000'
