import type { EntityManager } from '../../db/client/orm.ts'
import { Delivery, Webhook } from '../../db/entities/webhook.ts'
import { loadDeliveries, postponeDelivery } from '../../db/repositories/deliveries.ts'
import { scaleWait, WAITS } from '../../domain/shared/intervals.ts'
import type { AttemptDeliveryResult, FirstAttemptsResult } from '../../workflows/contracts/webhooks.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { createDeliveryAttempt, PRUNED_RESULT } from './deliver.ts'
import {
  type ActivitySlots,
  createFirstAttemptSlots,
  type FirstAttemptLimits,
  type FirstAttemptSlot,
  type FirstAttemptSpeed,
} from './first-attempt-slots.ts'
import { waitResponsively } from './responsive-wait.ts'

/**
 * Both are counted from the request. `attemptMs`: time for a first attempt within a workflow task; a slow endpoint's attempt
 * continues after the task. `fastMs`: an endpoint that answers within this time is fast.
 */
const ANSWER_WAITS = { attemptMs: 1_500, fastMs: 500 }
export type FirstAttemptOptions = FirstAttemptLimits & Partial<typeof ANSWER_WAITS>
/** After this an attempt has ended, also one that waited for a slot of the client. */
const ATTEMPT_LIMIT_MS = 20_000
/** Rows that were read this long before an attempt are read again: its endpoint may have been changed or deleted. */
const MAX_ROW_AGE_MS = 200

const AT_ONCE = { kind: 'again', waitMs: 0 } as const satisfies AttemptDeliveryResult

type SlotInput = { loaded: EntityManager; deliveryUuid: string; slots: ActivitySlots; slot: FirstAttemptSlot }

/**
 * Makes the first attempts of the deliveries of one transaction concurrently, as a local activity, so that most need no
 * workflow. Returns those that are open: failed, without a slot, at an endpoint that is failing, or without an answer yet. Such
 * an attempt continues in this process and records its outcome; its workflow reads the row once it must have ended.
 */
export function attemptFirstDeliveries(
  dependencies: ActivityDependencies,
  options: FirstAttemptOptions = {},
) {
  const { orm, timeScale, webhooks } = dependencies
  const { attemptMs, fastMs, ...limits } = { ...ANSWER_WAITS, ...options }
  const attempt = createDeliveryAttempt(dependencies)
  const enterActivity = createFirstAttemptSlots(limits)

  return async (deliveries: string[]): Promise<FirstAttemptsResult> => {
    const slots = enterActivity()
    try {
      const em = orm.em.fork()
      // Their rows are read at once; each attempt then finds them in this entity manager.
      await loadDeliveries(em, deliveries)
      const results = await Promise.all(
        deliveries.map(async uuid => ({
          deliveryUuid: uuid,
          result: await attemptWithSlot(em, uuid, slots),
        })),
      )
      return {
        open: results.flatMap(({ deliveryUuid, result }) =>
          result.kind === 'again' ? { deliveryUuid, firstWaitMs: result.waitMs } : [],
        ),
      }
    } finally {
      slots.leave()
    }
  }

  async function attemptWithSlot(loaded: EntityManager, deliveryUuid: string, slots: ActivitySlots) {
    const delivery = await loaded.findOne(Delivery, deliveryUuid)
    if (!delivery) return PRUNED_RESULT
    const endpoint = await loaded.findOneOrFail(Webhook, delivery.webhookUuid)
    if (endpoint.failingSince) return AT_ONCE
    const slot = await slots.acquire(endpoint.uuid)
    return slot ? attemptInTime({ loaded, deliveryUuid, slots, slot }) : AT_ONCE
  }

  async function attemptInTime({ loaded, deliveryUuid, slots, slot }: SlotInput) {
    let isLate = false
    let speed: FirstAttemptSpeed | undefined
    const { promise: isSending, resolve: startSending } = Promise.withResolvers<void>()
    const postSigned: typeof webhooks.postSigned = async request => {
      speed = 'silent'
      startSending()
      const answer = await webhooks.postSigned(request)
      speed = isLate ? 'late' : 'fast'
      return answer
    }
    try {
      const em = slot.waitedMs > MAX_ROW_AGE_MS ? orm.em.fork() : loaded
      if (em !== loaded) await loadDeliveries(em, [deliveryUuid])
      const attempted = attempt({ deliveryUuid }, { em, postSigned })
      // The wait for a request slot, which the client limits, is not the endpoint's silence.
      const slotWait = Promise.race([isSending, attempted])
      if ((await waitResponsively(slotWait, fastMs)) === 'silent') {
        if (!slots.waitLonger()) return await leaveRunning(attempted, em, deliveryUuid)
        await slotWait
      }
      const result = await waitResponsively(attempted, fastMs)
      if (result !== 'silent') return result
      isLate = true
      if (slots.waitLonger()) {
        const lateResult = await waitResponsively(attempted, attemptMs - fastMs)
        if (lateResult !== 'silent') return lateResult
      } else if (speed === 'silent') speed = 'late' // Whether it would have answered in time remains unknown.
      return await leaveRunning(attempted, em, deliveryUuid)
    } catch {
      // A failure of ours concerns this delivery only: its workflow attempts it at once.
      return AT_ONCE
    } finally {
      slot.release(speed)
    }
  }

  /**
   * Lets an attempt continue after the task. Its delivery is due only when the attempt must have ended, so that no second one is made
   * meanwhile.
   */
  async function leaveRunning(attempted: Promise<unknown>, em: EntityManager, deliveryUuid: string) {
    attempted.catch(() => {}) // The workflow attempts the delivery again.
    const delivery = await em.findOneOrFail(Delivery, deliveryUuid)
    const nextAttemptAt = new Date(Date.now() + ATTEMPT_LIMIT_MS)
    const sweepAt = new Date(nextAttemptAt.getTime() + scaleWait(WAITS.deliveryOverdue, timeScale))
    const isPostponed = await postponeDelivery(em, delivery, { sweepAt, nextAttemptAt })
    // The running attempt compares the row with this one when it records its failure.
    if (isPostponed) delivery.nextAttemptAt = nextAttemptAt
    return { kind: 'again', waitMs: ATTEMPT_LIMIT_MS * timeScale } as const
  }
}
