import { disable, endingOf, endPending, lockedWebhook } from '../db/deliveries.ts'
import { inTransaction, type Orm } from '../db/orm.ts'
import { scaled, WAITS } from '../domain/waits.ts'
import { DISABLE_AFTER_MS } from '../domain/webhook.ts'
import { wakeDelivery } from '../engine/deliveries.ts'
import type { Engine } from '../engine/start.ts'
import type { Dependencies } from './dependencies.ts'
import { goingOnFor, isToEnd } from './ending.ts'

/** So many rows are claimed at a time, of so many endpoints, and so many of them woken at once. */
const BATCH = 200
const ENDPOINTS = 10
const AT_ONCE = 20
/** Of each half of a sweep, well within the activity's limit; the next sweep goes on. */
const LONGEST_MS = 40_000

/**
 * Wakes the lives whose rows were changed from outside or forgotten, disables who has not answered for five days, and ends
 * what was left to be delivered to endpoints that are not called any more.
 */
export function sweepDeliveries({ orm, timeScale }: Dependencies, engine: Engine) {
  return async (): Promise<{ woken: number; disabled: number }> => {
    const disabled = await disableSilent(orm, timeScale)
    await endLeft(orm)
    return { disabled, woken: await wakeDue(orm, engine) }
  }
}

/**
 * An endpoint without a success for five days that has nothing under way by which it would be noticed. What is under way
 * is judged by its next try: it may be we who were away.
 */
async function disableSilent(orm: Orm, timeScale: number): Promise<number> {
  const silentSince = new Date(Date.now() - scaled(DISABLE_AFTER_MS, timeScale))
  const silent: { uuid: string }[] = await orm.em.fork().execute(
    `select uuid from webhook w where status = 'ACTIVE' and deleted_at is null and failing_since <= ?
         and not exists (select from delivery d where d.webhook_uuid = w.uuid and d.status = 'PENDING') limit 1000`,
    [silentSince],
  )
  let disabled = 0
  for (const { uuid } of silent) {
    if (isToEnd()) break
    await inTransaction(orm, async em => {
      const webhook = await lockedWebhook(em, uuid)
      if (webhook?.status !== 'ACTIVE' || !webhook.failingSince || webhook.failingSince > silentSince) return
      await disable(em, webhook, 'silent')
      disabled += 1
    })
  }
  return disabled
}

/** Ends the rest of what was to be delivered to endpoints that were disabled or removed, a batch at a time. */
async function endLeft(orm: Orm): Promise<void> {
  const mayGoOn = goingOnFor(LONGEST_MS)
  const left: { uuid: string }[] = await orm.em.fork().execute(
    `select uuid from webhook w where (status = 'DISABLED' or deleted_at is not null)
         and exists (select from delivery d where d.webhook_uuid = w.uuid and d.status = 'PENDING')`,
  )
  for (const { uuid } of left) {
    let isMore = true
    while (isMore && mayGoOn()) isMore = await endSome(orm, uuid)
  }
}

/** Whether there may be more; what is left of an endpoint that was enabled again meanwhile goes on. */
function endSome(orm: Orm, uuid: string): Promise<boolean> {
  return inTransaction(orm, async em => {
    const webhook = await lockedWebhook(em, uuid, {})
    return webhook !== null && endingOf(webhook) !== null && endPending(em, webhook)
  })
}

/**
 * Wakes whatever is due to be woken now, until nothing is or time is up: some of each endpoint in every round, so that
 * none waits for the backlog of another.
 */
async function wakeDue(orm: Orm, engine: Engine): Promise<number> {
  const mayGoOn = goingOnFor(LONGEST_MS)
  let woken = 0
  for (;;) {
    const before = woken
    const due = await endpointsDue(orm)
    for (let from = 0; from < due.length && mayGoOn(); from += ENDPOINTS)
      woken += await wake(orm, engine, await claim(orm, due.slice(from, from + ENDPOINTS)))
    if (woken === before || !mayGoOn()) return woken
  }
}

/** Endpoints with something due, the one that has waited longest first. */
async function endpointsDue(orm: Orm): Promise<string[]> {
  const rows: { uuid: string }[] = await orm.em.fork().execute(
    `select w.uuid from webhook w cross join lateral (
       select wake_at from delivery where webhook_uuid = w.uuid and wake_at <= now() order by wake_at limit 1
     ) as oldest order by oldest.wake_at`,
  )
  return rows.map(({ uuid }) => uuid)
}

export type Claimed = { uuid: string; status: string; held: string }

/** Who claims a delivery holds it until then: several workers sweep side by side, and what one of them drops is found again. */
export const HELD_UNTIL = `now() + interval '60 seconds'`
export const CLAIMED = 'uuid, status, wake_at::text as held'

/** Takes a batch, the same number of each endpoint. */
function claim(orm: Orm, endpoints: string[]): Promise<Claimed[]> {
  return orm.em.fork().execute(
    `update delivery set wake_at = ${HELD_UNTIL} where uuid in (
       select d.uuid from unnest(array[?]::uuid[]) as w (uuid) cross join lateral (
         select uuid from delivery where webhook_uuid = w.uuid and wake_at <= now()
         order by wake_at limit ? for update skip locked
       ) as d
     ) returning ${CLAIMED}`,
    [endpoints, Math.ceil(BATCH / endpoints.length)],
  )
}

/** Wakes the lives of what was claimed. */
export async function wake(orm: Orm, engine: Engine, claimed: Claimed[]): Promise<number> {
  for (let from = 0; from < claimed.length; from += AT_ONCE) {
    const some = claimed.slice(from, from + AT_ONCE)
    await Promise.all(some.map(one => wakeDelivery(engine, one)))
    await wokenUp(orm, some, engine.timeScale)
  }
  return claimed.length
}

/** What a life has said of itself meanwhile stays. */
async function wokenUp(orm: Orm, some: Claimed[], timeScale: number): Promise<void> {
  await orm.em.fork().execute(
    `update delivery set wake_at = case when status = 'PENDING' then ?::timestamptz end
     where (uuid, wake_at) in (select * from unnest(array[?]::uuid[], array[?]::timestamptz[]))`,
    [
      new Date(Date.now() + scaled(WAITS.deliveryForgotten, timeScale)),
      some.map(one => one.uuid),
      some.map(one => one.held),
    ],
  )
}
