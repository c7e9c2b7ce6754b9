import { disable, endingOf, endPending, lockedWebhook } from '../db/deliveries.ts'
import { type EntityManager, inTransaction, type Orm } from '../db/orm.ts'
import { scaled, WAITS } from '../domain/waits.ts'
import { DISABLE_AFTER_MS } from '../domain/webhook.ts'
import { wakeDelivery } from '../engine/deliveries.ts'
import type { Engine } from '../engine/start.ts'
import type { Dependencies } from './dependencies.ts'

/** So many rows are claimed at a time, and so many of them woken at once. */
const BATCH = 200
const AT_ONCE = 20
/** A claim by a worker that died holds no longer than this. */
const CLAIM_S = 60
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
  for (const { uuid } of silent)
    await inTransaction(orm, async em => {
      const webhook = await lockedWebhook(em, uuid)
      if (webhook?.status !== 'ACTIVE' || !webhook.failingSince || webhook.failingSince > silentSince) return
      await disable(em, webhook, 'silent')
      disabled += 1
    })
  return disabled
}

/** Ends the rest of what was to be delivered to endpoints that were disabled or removed, a batch at a time. */
async function endLeft(orm: Orm): Promise<void> {
  const until = Date.now() + LONGEST_MS
  const left: { uuid: string }[] = await orm.em.fork().execute(
    `select uuid from webhook w where (status = 'DISABLED' or deleted_at is not null)
         and exists (select from delivery d where d.webhook_uuid = w.uuid and d.status = 'PENDING')`,
  )
  for (const { uuid } of left) {
    let isMore = true
    while (isMore && Date.now() < until) isMore = await endSome(orm, uuid)
  }
}

/** Whether there may be more; what is left of an endpoint that was enabled again meanwhile goes on. */
function endSome(orm: Orm, uuid: string): Promise<boolean> {
  return inTransaction(orm, async em => {
    const webhook = await lockedWebhook(em, uuid, {})
    return webhook !== null && endingOf(webhook) !== null && endPending(em, webhook)
  })
}

type Claimed = { uuid: string; status: string }

/** Wakes whatever is due to be woken now, until nothing is or time is up. */
export async function wakeDue(orm: Orm, engine: Engine): Promise<number> {
  const until = Date.now() + LONGEST_MS
  let woken = 0
  for (;;) {
    const em = orm.em.fork()
    const claimed = await claim(em)
    for (let from = 0; from < claimed.length; from += AT_ONCE) {
      const some = claimed.slice(from, from + AT_ONCE)
      await Promise.all(some.map(one => wakeDelivery(engine, one)))
      await wokenUp(em, some, engine.timeScale)
      woken += some.length
    }
    if (claimed.length < BATCH || Date.now() > until) return woken
  }
}

/** Takes a batch for a minute: several workers sweep side by side, and what one of them drops is found again. */
function claim(em: EntityManager): Promise<Claimed[]> {
  return em.execute(
    `update delivery set wake_at = now() + ? * interval '1 second' where uuid in (
       select uuid from delivery where wake_at <= now() order by wake_at limit ? for update skip locked
     ) returning uuid, status`,
    [CLAIM_S, BATCH],
  )
}

async function wokenUp(em: EntityManager, some: Claimed[], timeScale: number): Promise<void> {
  await em.execute(
    `update delivery set wake_at = case when status = 'PENDING' then ?::timestamptz end
     where uuid = any(array[?]::uuid[]) and wake_at > now()`,
    [new Date(Date.now() + scaled(WAITS.deliveryForgotten, timeScale)), some.map(one => one.uuid)],
  )
}
