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
import type { WorkflowClientContext } from '../../temporal/workflow-options.ts'
import { isCancellationRequested, startTimeBudget } from '../runtime/cancellation.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'

/** So many rows are claimed at a time, of so many endpoints, and so many of them woken at once. */
const CLAIM_BATCH_SIZE = 200
const ENDPOINTS_PER_CLAIM = 10
const MAX_CONCURRENT_WAKES = 20
/** Of each half of a sweep, well within the activity's limit; the next sweep goes on. */
const MAX_SWEEP_MS = 40_000

/**
 * Wakes the lives whose rows were changed from outside or forgotten, disables who has not answered for five days, and ends
 * what was left to be delivered to endpoints that are not called any more.
 */
export function sweepDeliveries({ orm, timeScale }: ActivityDependencies, engine: WorkflowClientContext) {
  return async (): Promise<{ woken: number; disabled: number }> => {
    const disabled = await disableFailingEndpoints(orm, timeScale)
    await endUndeliverable(orm)
    return { disabled, woken: await wakeDueDeliveries(orm, engine) }
  }
}

/**
 * An endpoint without a success for five days that has nothing under way by which it would be noticed. What is under way
 * is judged by its next try: it may be we who were away.
 */
async function disableFailingEndpoints(orm: Orm, timeScale: number): Promise<number> {
  const silentSince = new Date(Date.now() - scaleWait(DISABLE_AFTER_MS, timeScale))
  const silent: { uuid: string }[] = await orm.em.fork().execute(
    `select uuid from webhook w where status = 'ACTIVE' and deleted_at is null and failing_since <= ?
         and not exists (select from delivery d where d.webhook_uuid = w.uuid and d.status = 'PENDING') limit 1000`,
    [silentSince],
  )
  let disabled = 0
  for (const { uuid } of silent) {
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

/** Ends the rest of what was to be delivered to endpoints that were disabled or removed, a batch at a time. */
async function endUndeliverable(orm: Orm): Promise<void> {
  const mayGoOn = startTimeBudget(MAX_SWEEP_MS)
  const left: { uuid: string }[] = await orm.em.fork().execute(
    `select uuid from webhook w where (status = 'DISABLED' or deleted_at is not null)
         and exists (select from delivery d where d.webhook_uuid = w.uuid and d.status = 'PENDING')`,
  )
  for (const { uuid } of left) {
    let isMore = true
    while (isMore && mayGoOn()) isMore = await endPendingBatch(orm, uuid)
  }
}

/** Whether there may be more; what is left of an endpoint that was enabled again meanwhile goes on. */
function endPendingBatch(orm: Orm, uuid: string): Promise<boolean> {
  return runInTransaction(orm, async em => {
    const webhook = await lockWebhook(em, uuid, {})
    return webhook !== null && getUndeliveredStatus(webhook) !== null && endPendingDeliveries(em, webhook)
  })
}

/**
 * Wakes whatever is due to be woken now, until nothing is or time is up: some of each endpoint in every round, so that
 * none waits for the backlog of another.
 */
async function wakeDueDeliveries(orm: Orm, engine: WorkflowClientContext): Promise<number> {
  const mayGoOn = startTimeBudget(MAX_SWEEP_MS)
  let woken = 0
  for (;;) {
    const before = woken
    const due = await findDueEndpoints(orm)
    for (let from = 0; from < due.length && mayGoOn(); from += ENDPOINTS_PER_CLAIM)
      woken += await wakeDeliveries(
        orm,
        engine,
        await claimDueDeliveries(orm, due.slice(from, from + ENDPOINTS_PER_CLAIM)),
      )
    if (woken === before || !mayGoOn()) return woken
  }
}

/** Endpoints with something due, the one that has waited longest first. */
async function findDueEndpoints(orm: Orm): Promise<string[]> {
  const rows: { uuid: string }[] = await orm.em.fork().execute(
    `select w.uuid from webhook w cross join lateral (
       select wake_at from delivery where webhook_uuid = w.uuid and wake_at <= now() order by wake_at limit 1
     ) as oldest order by oldest.wake_at`,
  )
  return rows.map(({ uuid }) => uuid)
}

export type ClaimedDelivery = { uuid: string; status: string; held: string }

/** Who claims a delivery holds it until then: several workers sweep side by side, and what one of them drops is found again. */
export const CLAIM_EXPIRY_SQL = `now() + interval '60 seconds'`
export const CLAIMED_COLUMNS_SQL = 'uuid, status, wake_at::text as held'

/** Takes a batch, the same number of each endpoint. */
function claimDueDeliveries(orm: Orm, endpoints: string[]): Promise<ClaimedDelivery[]> {
  return orm.em.fork().execute(
    `update delivery set wake_at = ${CLAIM_EXPIRY_SQL} where uuid in (
       select d.uuid from unnest(array[?]::uuid[]) as w (uuid) cross join lateral (
         select uuid from delivery where webhook_uuid = w.uuid and wake_at <= now()
         order by wake_at limit ? for update skip locked
       ) as d
     ) returning ${CLAIMED_COLUMNS_SQL}`,
    [endpoints, Math.ceil(CLAIM_BATCH_SIZE / endpoints.length)],
  )
}

/** Wakes the lives of what was claimed. */
export async function wakeDeliveries(
  orm: Orm,
  engine: WorkflowClientContext,
  claimed: ClaimedDelivery[],
): Promise<number> {
  for (let from = 0; from < claimed.length; from += MAX_CONCURRENT_WAKES) {
    const some = claimed.slice(from, from + MAX_CONCURRENT_WAKES)
    await Promise.all(some.map(one => signalDelivery(engine, one)))
    await recordWokenDeliveries(orm, some, engine.timeScale)
  }
  return claimed.length
}

/** What a life has said of itself meanwhile stays. */
async function recordWokenDeliveries(orm: Orm, some: ClaimedDelivery[], timeScale: number): Promise<void> {
  await orm.em.fork().execute(
    `update delivery set wake_at = case when status = 'PENDING' then ?::timestamptz end
     where (uuid, wake_at) in (select * from unnest(array[?]::uuid[], array[?]::timestamptz[]))`,
    [
      new Date(Date.now() + scaleWait(WAITS.deliveryOverdue, timeScale)),
      some.map(one => one.uuid),
      some.map(one => one.held),
    ],
  )
}
