import { runInTransaction } from '../../db/client/orm.ts'
import { lockWebhook, MATCHES_ENDPOINT_MODE } from '../../db/repositories/webhook-endpoints.ts'
import type { TemporalContext } from '../../temporal/workflow-options.ts'
import type { EventCursor, ReplayEventsInput } from '../../workflows/contracts/webhooks.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import {
  CLAIM_EXPIRY_SQL,
  CLAIMED_COLUMNS_SQL,
  type ClaimedDelivery,
  wakeDeliveries,
} from './sweep-deliveries.ts'

const REPLAY_BATCH_SIZE = 500

/**
 * Replays one batch of the events that an endpoint has missed: failed deliveries, deliveries that are being retried,
 * and events that were never sent to it. Delivered events are not sent again. Repeatable: a delivery whose first
 * attempt is still to be made is not changed.
 */
export function replayMissedEvents({ orm }: ActivityDependencies, temporal: TemporalContext) {
  return async (order: ReplayEventsInput): Promise<{ recovered: number; next: EventCursor | null }> => {
    const { claimed, next } = await runInTransaction(orm, async em => {
      const webhook = await lockWebhook(em, order.webhookUuid)
      // A deleted or disabled endpoint receives nothing.
      if (webhook?.status !== 'ACTIVE') return NOTHING_TO_REPLAY
      const events: MissedEventRow[] = await em.execute(
        `select e.uuid, to_char(e.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at
         from webhook w join event e on e.account_uuid = w.account_uuid
         left join connection k on k.uuid = e.connection_uuid
         where w.uuid = ? and e.type = any(array[?]) and e.created_at >= ? and e.created_at <= ?
           and (e.created_at, e.uuid) > (?::timestamptz, ?::uuid) and ${MATCHES_ENDPOINT_MODE}
         order by e.created_at, e.uuid limit ?`,
        [
          webhook.uuid,
          webhook.events,
          order.since,
          order.until,
          order.after?.at ?? '-infinity',
          order.after?.uuid ?? NIL_UUID,
          REPLAY_BATCH_SIZE,
        ],
      )
      if (events.length === 0) return NOTHING_TO_REPLAY
      const claimed: ClaimedDelivery[] = await em.execute(
        `insert into delivery (uuid, webhook_uuid, event_uuid, created_at, updated_at, sweep_at)
         select gen_random_uuid(), ?, e.uuid, now(), now(), ${CLAIM_EXPIRY_SQL} from unnest(array[?]::uuid[]) as e (uuid)
         on conflict (webhook_uuid, event_uuid) do update set status = 'PENDING', next_attempt_at = now(),
           attempts_before_run = delivery.attempt_count, sweep_at = excluded.sweep_at, updated_at = now()
         where delivery.status in ('FAILED', 'CANCELLED')
           or (delivery.status = 'PENDING' and delivery.attempt_count > delivery.attempts_before_run)
         returning ${CLAIMED_COLUMNS_SQL}`,
        [webhook.uuid, events.map(event => event.uuid)],
      )
      return { claimed, next: events.length < REPLAY_BATCH_SIZE ? null : events.at(-1)! }
    })
    return { recovered: await wakeDeliveries(orm, temporal, claimed), next }
  }
}

type MissedEventRow = { uuid: string; at: string }
const NOTHING_TO_REPLAY: { claimed: ClaimedDelivery[]; next: EventCursor | null } = {
  claimed: [],
  next: null,
}
const NIL_UUID = '00000000-0000-0000-0000-000000000000'
