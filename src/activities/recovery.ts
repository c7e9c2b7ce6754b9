import { Webhook } from '../db/entities/webhook.ts'
import { inTransaction } from '../db/orm.ts'
import type { Engine } from '../engine/start.ts'
import { wakeDue } from './delivery-sweep.ts'
import type { Dependencies } from './dependencies.ts'

/** Events of the endpoint's account from `since` until `until`, from after `after` on; moments are ISO 8601. */
export type RecoveryOrder = {
  webhookUuid: string
  since: string
  until: string
  after?: Place
  recovered?: number
}
type Place = { at: string; uuid: string }

const BATCH = 500

/**
 * Begins again what an endpoint has missed: what failed, what still fails, and what was never sent to it. What it took
 * is left alone. Safe to repeat: what is on its way for the first time is not touched.
 */
export function recoverDeliveries({ orm }: Dependencies, engine: Engine) {
  return async (order: RecoveryOrder): Promise<{ recovered: number; next: Place | null }> => {
    const batch = await inTransaction(orm, async em => {
      // Endpoints are locked before their deliveries. One that is gone or disabled has nothing to recover.
      await em.execute('select from webhook where uuid = ? for no key update', [order.webhookUuid])
      const there = { uuid: order.webhookUuid, status: 'ACTIVE' as const, deletedAt: null }
      const webhook = await em.findOne(Webhook, there)
      if (!webhook) return { recovered: 0, next: null }
      const events: Row[] = await em.execute(
        `select uuid, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at from event
         where account_uuid = ? and type = any(array[?]) and created_at >= ? and created_at <= ?
           and (created_at, uuid) > (?::timestamptz, ?::uuid)
         order by created_at, uuid limit ?`,
        [
          webhook.accountUuid,
          webhook.events,
          order.since,
          order.until,
          order.after?.at ?? '-infinity',
          order.after?.uuid ?? NOBODY,
          BATCH,
        ],
      )
      if (events.length === 0) return { recovered: 0, next: null }
      const begun: unknown[] = await em.execute(
        `insert into delivery (uuid, webhook_uuid, event_uuid, created_at, updated_at, wake_at)
         select gen_random_uuid(), ?, e.uuid, now(), now(), now() from unnest(array[?]::uuid[]) as e (uuid)
         on conflict (webhook_uuid, event_uuid) do update set status = 'PENDING', next_try_at = now(),
           round_from = delivery.tries, wake_at = now(), updated_at = now()
         where delivery.status in ('FAILED', 'CANCELLED')
           or (delivery.status = 'PENDING' and delivery.tries > delivery.round_from)
         returning uuid`,
        [webhook.uuid, events.map(event => event.uuid)],
      )
      return { recovered: begun.length, next: events.length < BATCH ? null : events.at(-1)! }
    })
    await wakeDue(orm, engine)
    return batch
  }
}

type Row = { uuid: string; at: string }
const NOBODY = '00000000-0000-0000-0000-000000000000'
