import { v7 as createOrderedUuid } from 'uuid'
import type { EntityManager } from '../client/orm.ts'
import type { Event } from '../entities/webhook.ts'
import { sendStatement } from '../pipeline/query.ts'
import { MATCHES_ENDPOINT_MODE } from './webhook-endpoints.ts'

export type NewEvent = Omit<Event, 'uuid' | 'connectionUuid' | 'createdAt'> & {
  connectionUuid: string | null
  at: Date
}

/**
 * Inserts the event, and a delivery for each endpoint of its mode that subscribes to its type, in one statement, which
 * the transaction does not wait for (`sendStatement`).
 */
export async function insertEvent(em: EntityManager, event: NewEvent): Promise<void> {
  const { accountUuid, connectionUuid, type, subjectUuid, sequence, ownerUuid, requestId, at } = event
  const body = JSON.stringify({ ...event.body, sequence })
  await sendStatement(
    em,
    `with happened as (
       insert into event (uuid, account_uuid, connection_uuid, type, subject_uuid, sequence, body, owner_uuid, request_id, created_at)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       returning uuid, account_uuid, connection_uuid, type, created_at
     )
     insert into delivery (uuid, webhook_uuid, event_uuid, event_type, created_at, updated_at)
     select gen_random_uuid(), w.uuid, e.uuid, e.type, e.created_at, e.created_at
     from happened e join webhook w on w.account_uuid = e.account_uuid left join connection k on k.uuid = e.connection_uuid
     where w.status = 'ACTIVE' and w.deleted_at is null and w.events @> array[e.type] and ${MATCHES_ENDPOINT_MODE}`,
    [
      createOrderedUuid(),
      accountUuid,
      connectionUuid,
      type,
      subjectUuid,
      sequence,
      body,
      ownerUuid,
      requestId,
      at,
    ],
  )
}

/**
 * Makes the deliveries of an owner's events due for the next sweep, where no workflow starts them. Call it in the
 * transaction that records the event.
 */
export function scheduleDeliveriesForSweep(em: EntityManager, ownerUuid: string): Promise<void> {
  return sendStatement(
    em,
    `update delivery d set sweep_at = now() from event e
     where e.uuid = d.event_uuid and e.owner_uuid = ? and d.status = 'PENDING' and d.attempt_count = 0`,
    [ownerUuid],
  )
}

/**
 * Deletes each account's oldest events before a moment, with their deliveries and attempts, and returns their number. An event
 * stays while a delivery of it is pending or due to be signalled, or while its movement is held for a return.
 */
export async function deleteOldEvents(em: EntityManager, before: Date, limit: number): Promise<number> {
  const rows: unknown[] = await em.execute(
    `delete from event where uuid in (
       select old.uuid from account a, lateral (
         select uuid from event e where e.account_uuid = a.uuid and e.created_at < ?
           and not exists (select from delivery d where d.event_uuid = e.uuid
             and (d.status = 'PENDING' or d.sweep_at is not null))
           and not exists (select from movement m where m.uuid = e.subject_uuid and m.disposition = 'held')
         order by e.created_at limit ?
       ) old limit ?
     ) returning uuid`,
    [before, limit, limit],
  )
  return rows.length
}
