import { runInTransaction } from '../../db/client/orm.ts'
import { claimMissedDeliveries, listEndpointEvents } from '../../db/repositories/deliveries.ts'
import { lockWebhook } from '../../db/repositories/webhook-endpoints.ts'
import type { EventCursor, ReplayEventsInput } from '../../workflows/contracts/webhooks.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { signalDeliveries } from './sweep-deliveries.ts'

const REPLAY_BATCH_SIZE = 500

/**
 * Replays one batch of the events that an endpoint has missed: failed deliveries, deliveries that are being retried,
 * and events that were never sent to it. Delivered events are not sent again. Repeatable: a delivery whose first
 * attempt is still to be made is not changed.
 */
export function replayMissedEvents(dependencies: ActivityDependencies) {
  return async (order: ReplayEventsInput): Promise<{ recovered: number; next: EventCursor | null }> => {
    const { claimed, next } = await runInTransaction(dependencies.orm, async em => {
      const webhook = await lockWebhook(em, order.webhookUuid)
      // A deleted or disabled endpoint receives nothing.
      if (webhook?.status !== 'ACTIVE') return { claimed: [], next: null }
      const { since, until, after } = order
      const events = await listEndpointEvents(em, webhook, { since, until, after, limit: REPLAY_BATCH_SIZE })
      if (events.length === 0) return { claimed: [], next: null }
      const missed = events.map(event => event.uuid)
      const claimed = await claimMissedDeliveries(em, webhook.uuid, missed)
      return { claimed, next: events.length < REPLAY_BATCH_SIZE ? null : events.at(-1)! }
    })
    return { recovered: await signalDeliveries(dependencies, claimed), next }
  }
}
