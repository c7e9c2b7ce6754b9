import { HEARS_OF_ITS_MODE, lockedWebhook } from '../db/deliveries.ts'
import { inTransaction } from '../db/orm.ts'
import type { Engine } from '../engine/start.ts'
import { CLAIMED, type Claimed, HELD_UNTIL, wake } from './delivery-sweep.ts'
import type { Dependencies } from './dependencies.ts'

/** Events of the endpoint's account and mode from `since` until `until`, from after `after` on; moments are ISO 8601. */
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
    const { begun, next } = await inTransaction(orm, async em => {
      const webhook = await lockedWebhook(em, order.webhookUuid)
      // One that is gone or disabled has nothing to recover.
      if (webhook?.status !== 'ACTIVE') return NOTHING
      const events: Row[] = await em.execute(
        `select e.uuid, to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at
         from webhook w join event e on e.account_uuid = w.account_uuid
         left join connection k on k.uuid = e.connection_uuid
         where w.uuid = ? and e.type = any(array[?]) and e.created_at >= ? and e.created_at <= ?
           and (e.created_at, e.uuid) > (?::timestamptz, ?::uuid) and ${HEARS_OF_ITS_MODE}
         order by e.created_at, e.uuid limit ?`,
        [
          webhook.uuid,
          webhook.events,
          order.since,
          order.until,
          order.after?.at ?? '-infinity',
          order.after?.uuid ?? NOBODY,
          BATCH,
        ],
      )
      if (events.length === 0) return NOTHING
      const begun: Claimed[] = await em.execute(
        `insert into delivery (uuid, webhook_uuid, event_uuid, created_at, updated_at, wake_at)
         select gen_random_uuid(), ?, e.uuid, now(), now(), ${HELD_UNTIL} from unnest(array[?]::uuid[]) as e (uuid)
         on conflict (webhook_uuid, event_uuid) do update set status = 'PENDING', next_try_at = now(),
           round_from = delivery.tries, wake_at = excluded.wake_at, updated_at = now()
         where delivery.status in ('FAILED', 'CANCELLED')
           or (delivery.status = 'PENDING' and delivery.tries > delivery.round_from)
         returning ${CLAIMED}`,
        [webhook.uuid, events.map(event => event.uuid)],
      )
      return { begun, next: events.length < BATCH ? null : events.at(-1)! }
    })
    return { recovered: await wake(orm, engine, begun), next }
  }
}

type Row = { uuid: string; at: string }
const NOTHING: { begun: Claimed[]; next: Place | null } = { begun: [], next: null }
const NOBODY = '00000000-0000-0000-0000-000000000000'
