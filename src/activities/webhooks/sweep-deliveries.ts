import type { Orm } from '../../db/client/orm.ts'
import { runInTransaction } from '../../db/client/transaction.ts'
import {
  type ClaimedDelivery,
  claimDueDeliveries,
  claimMissedDeliveries,
  findDueEndpoints,
  findFailingEndpoints,
  findUndeliverableEndpoints,
  listEndpointEvents,
  recordSignalledDeliveries,
} from '../../db/repositories/deliveries.ts'
import { disableWebhook, endPendingDeliveries, lockWebhook } from '../../db/repositories/webhook-endpoints.ts'
import { scaleWait, WAITS } from '../../domain/shared/intervals.ts'
import { DISABLE_AFTER_MS } from '../../domain/webhooks/webhook.ts'
import { signalDelivery } from '../../temporal/deliveries.ts'
import type { EventCursor, ReplayEventsInput } from '../../workflows/contracts/webhooks.ts'
import { isCancellationRequested, startTimeBudget } from '../runtime/cancellation.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'

/** Limits of a sweep: rows per claim, endpoints per claim, and workflows signalled concurrently. */
const CLAIM_BATCH_SIZE = 200
const ENDPOINTS_PER_CLAIM = 10
const MAX_CONCURRENT_SIGNALS = 20
/** Time budget of each half of a sweep, within the activity's timeout; the next sweep continues. */
const MAX_SWEEP_MS = 40_000

/**
 * Sweeps deliveries: signals the workflows of due rows, which the API has changed or whose workflow is lost; disables
 * endpoints without a success for five days; ends the pending deliveries of disabled and deleted endpoints.
 */
export function sweepDeliveries(dependencies: ActivityDependencies) {
  const { orm, timeScale } = dependencies
  return async (): Promise<{ signalled: number; disabled: number }> => {
    const disabled = await disableFailingEndpoints(orm, timeScale)
    await endUndeliverable(orm)
    return { disabled, signalled: await signalDueDeliveries(dependencies) }
  }
}

/**
 * Disables endpoints without a success for five days that have no pending delivery. An endpoint with a pending delivery
 * is judged by its next attempt, because the worker itself may have been down.
 */
async function disableFailingEndpoints(orm: Orm, timeScale: number): Promise<number> {
  const silentSince = new Date(Date.now() - scaleWait(DISABLE_AFTER_MS, timeScale))
  let disabled = 0
  for (const { uuid } of await findFailingEndpoints(orm.em.fork(), silentSince)) {
    if (isCancellationRequested()) break
    const isDisabled = await runInTransaction(orm, async em => {
      const webhook = await lockWebhook(em, uuid)
      if (webhook?.status !== 'ACTIVE' || !webhook.failingSince || webhook.failingSince > silentSince)
        return false
      await disableWebhook(em, webhook, 'silent')
      return true
    })
    if (isDisabled) disabled += 1
  }
  return disabled
}

/** Ends the pending deliveries of disabled and deleted endpoints, a batch at a time, until one is enabled again. */
async function endUndeliverable(orm: Orm): Promise<void> {
  const hasTimeLeft = startTimeBudget(MAX_SWEEP_MS)
  for (const { uuid } of await findUndeliverableEndpoints(orm.em.fork())) {
    let hasMore = true
    while (hasMore && hasTimeLeft())
      hasMore = await runInTransaction(orm, async em => {
        const webhook = await lockWebhook(em, uuid, {})
        return webhook !== null && endPendingDeliveries(em, webhook)
      })
  }
}

/**
 * Signals the workflows of due deliveries until none is due or the time budget is used. Every round claims some of each
 * endpoint, so that no endpoint waits for the backlog of another.
 */
async function signalDueDeliveries(dependencies: SignalDependencies): Promise<number> {
  const hasTimeLeft = startTimeBudget(MAX_SWEEP_MS)
  let signalled = 0
  for (;;) {
    const previousCount = signalled
    const em = dependencies.orm.em.fork()
    const endpoints = await findDueEndpoints(em)
    for (let from = 0; from < endpoints.length && hasTimeLeft(); from += ENDPOINTS_PER_CLAIM) {
      const claimable = endpoints.slice(from, from + ENDPOINTS_PER_CLAIM)
      const limit = Math.ceil(CLAIM_BATCH_SIZE / claimable.length)
      signalled += await signalDeliveries(dependencies, await claimDueDeliveries(em, claimable, limit))
    }
    if (signalled === previousCount || !hasTimeLeft()) return signalled
  }
}

type SignalDependencies = Pick<ActivityDependencies, 'orm' | 'temporal'>

/** Signals the workflows of claimed deliveries, and returns their number. */
async function signalDeliveries({ orm, temporal }: SignalDependencies, claimed: ClaimedDelivery[]) {
  for (let from = 0; from < claimed.length; from += MAX_CONCURRENT_SIGNALS) {
    const batch = claimed.slice(from, from + MAX_CONCURRENT_SIGNALS)
    await Promise.all(batch.map(one => signalDelivery(temporal, one)))
    const overdueAt = new Date(Date.now() + scaleWait(WAITS.deliveryOverdue, temporal.timeScale))
    await recordSignalledDeliveries(orm.em.fork(), batch, overdueAt)
  }
  return claimed.length
}

const REPLAY_BATCH_SIZE = 500

/**
 * Replays one batch of the events that an endpoint has missed: failed deliveries, deliveries that are being retried,
 * and events that were never sent to it. Delivered events are not sent again. Repeatable: a delivery whose first
 * attempt is due is not changed.
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
      const eventUuids = events.map(event => event.uuid)
      const claimed = await claimMissedDeliveries(em, webhook.uuid, eventUuids)
      return { claimed, next: events.length < REPLAY_BATCH_SIZE ? null : events.at(-1)! }
    })
    return { recovered: await signalDeliveries(dependencies, claimed), next }
  }
}
