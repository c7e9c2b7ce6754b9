import { type Orm, runInTransaction } from '../../db/client/orm.ts'
import {
  disableWebhook,
  endPendingDeliveries,
  getUndeliveredStatus,
  lockWebhook,
} from '../../db/repositories/webhook-endpoints.ts'
import { scaleWait, WAITS } from '../../domain/shared/intervals.ts'
import { DISABLE_AFTER_MS } from '../../domain/webhooks/webhook.ts'
import { signalDelivery } from '../../temporal/deliveries.ts'
import type { TemporalContext } from '../../temporal/workflow-options.ts'
import { isCancellationRequested, startTimeBudget } from '../runtime/cancellation.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'

/** Limits of a sweep: rows per claim, endpoints per claim, and workflows signalled concurrently. */
const CLAIM_BATCH_SIZE = 200
const ENDPOINTS_PER_CLAIM = 10
const MAX_CONCURRENT_WAKES = 20
/** Time budget of each half of a sweep, within the activity's timeout; the next sweep continues. */
const MAX_SWEEP_MS = 40_000

/**
 * Sweeps deliveries: signals the workflows of due rows, which the API has changed or whose workflow is lost; disables
 * endpoints without a success for five days; ends the pending deliveries of disabled and deleted endpoints.
 */
export function sweepDeliveries({ orm, timeScale }: ActivityDependencies, temporal: TemporalContext) {
  return async (): Promise<{ woken: number; disabled: number }> => {
    const disabled = await disableFailingEndpoints(orm, timeScale)
    await endUndeliverable(orm)
    return { disabled, woken: await wakeDueDeliveries(orm, temporal) }
  }
}

/**
 * Disables endpoints without a success for five days that have no pending delivery. An endpoint with a pending delivery
 * is judged by its next attempt, because the worker itself may have been down.
 */
async function disableFailingEndpoints(orm: Orm, timeScale: number): Promise<number> {
  const silentSince = new Date(Date.now() - scaleWait(DISABLE_AFTER_MS, timeScale))
  const failing: { uuid: string }[] = await orm.em.fork().execute(
    `select uuid from webhook w where status = 'ACTIVE' and deleted_at is null and failing_since <= ?
         and not exists (select from delivery d where d.webhook_uuid = w.uuid and d.status = 'PENDING') limit 1000`,
    [silentSince],
  )
  let disabled = 0
  for (const { uuid } of failing) {
    if (isCancellationRequested()) break
    await runInTransaction(orm, async em => {
      const webhook = await lockWebhook(em, uuid)
      if (webhook?.status !== 'ACTIVE' || !webhook.failingSince || webhook.failingSince > silentSince) return
      await disableWebhook(em, webhook, 'silent')
      disabled += 1
    })
  }
  return disabled
}

/** Ends the pending deliveries of disabled and deleted endpoints, a batch at a time. */
async function endUndeliverable(orm: Orm): Promise<void> {
  const hasTimeLeft = startTimeBudget(MAX_SWEEP_MS)
  const endpoints: { uuid: string }[] = await orm.em.fork().execute(
    `select uuid from webhook w where (status = 'DISABLED' or deleted_at is not null)
         and exists (select from delivery d where d.webhook_uuid = w.uuid and d.status = 'PENDING')`,
  )
  for (const { uuid } of endpoints) {
    let hasMore = true
    while (hasMore && hasTimeLeft()) hasMore = await endPendingBatch(orm, uuid)
  }
}

/** Ends one batch of an endpoint's deliveries; returns whether there may be more. Stops once it is enabled again. */
function endPendingBatch(orm: Orm, uuid: string): Promise<boolean> {
  return runInTransaction(orm, async em => {
    const webhook = await lockWebhook(em, uuid, {})
    return webhook !== null && getUndeliveredStatus(webhook) !== null && endPendingDeliveries(em, webhook)
  })
}

/**
 * Signals the workflows of due deliveries until none is due or the time budget is used. Every round claims some of each
 * endpoint, so that no endpoint waits for the backlog of another.
 */
async function wakeDueDeliveries(orm: Orm, temporal: TemporalContext): Promise<number> {
  const hasTimeLeft = startTimeBudget(MAX_SWEEP_MS)
  let woken = 0
  for (;;) {
    const previousCount = woken
    const endpoints = await findDueEndpoints(orm)
    for (let from = 0; from < endpoints.length && hasTimeLeft(); from += ENDPOINTS_PER_CLAIM)
      woken += await wakeDeliveries(
        orm,
        temporal,
        await claimDueDeliveries(orm, endpoints.slice(from, from + ENDPOINTS_PER_CLAIM)),
      )
    if (woken === previousCount || !hasTimeLeft()) return woken
  }
}

/** Finds the endpoints with due deliveries, the longest waiting first. */
async function findDueEndpoints(orm: Orm): Promise<string[]> {
  const rows: { uuid: string }[] = await orm.em.fork().execute(
    `select w.uuid from webhook w cross join lateral (
       select sweep_at from delivery where webhook_uuid = w.uuid and sweep_at <= now() order by sweep_at limit 1
     ) as oldest order by oldest.sweep_at`,
  )
  return rows.map(({ uuid }) => uuid)
}

export type ClaimedDelivery = { uuid: string; status: string; held: string }

/** End of a claim on a delivery. Several workers sweep; a delivery whose worker dies is due after its claim. */
export const CLAIM_EXPIRY_SQL = `now() + interval '60 seconds'`
export const CLAIMED_COLUMNS_SQL = 'uuid, status, sweep_at::text as held'

/** Claims a batch of due deliveries, the same number of each endpoint. */
function claimDueDeliveries(orm: Orm, endpoints: string[]): Promise<ClaimedDelivery[]> {
  return orm.em.fork().execute(
    `update delivery set sweep_at = ${CLAIM_EXPIRY_SQL} where uuid in (
       select d.uuid from unnest(array[?]::uuid[]) as w (uuid) cross join lateral (
         select uuid from delivery where webhook_uuid = w.uuid and sweep_at <= now()
         order by sweep_at limit ? for update skip locked
       ) as d
     ) returning ${CLAIMED_COLUMNS_SQL}`,
    [endpoints, Math.ceil(CLAIM_BATCH_SIZE / endpoints.length)],
  )
}

/** Signals the workflows of claimed deliveries, and returns their number. */
export async function wakeDeliveries(
  orm: Orm,
  temporal: TemporalContext,
  claimed: ClaimedDelivery[],
): Promise<number> {
  for (let from = 0; from < claimed.length; from += MAX_CONCURRENT_WAKES) {
    const batch = claimed.slice(from, from + MAX_CONCURRENT_WAKES)
    await Promise.all(batch.map(one => signalDelivery(temporal, one)))
    await recordWokenDeliveries(orm, batch, temporal.timeScale)
  }
  return claimed.length
}

/** Sets when signalled deliveries are overdue. A row that its workflow has updated since the claim stays as it is. */
async function recordWokenDeliveries(orm: Orm, batch: ClaimedDelivery[], timeScale: number): Promise<void> {
  await orm.em.fork().execute(
    `update delivery set sweep_at = case when status = 'PENDING' then ?::timestamptz end
     where (uuid, sweep_at) in (select * from unnest(array[?]::uuid[], array[?]::timestamptz[]))`,
    [
      new Date(Date.now() + scaleWait(WAITS.deliveryOverdue, timeScale)),
      batch.map(one => one.uuid),
      batch.map(one => one.held),
    ],
  )
}
