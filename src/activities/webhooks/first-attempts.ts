import type { EntityManager } from '../../db/client/orm.ts'
import { Delivery, Webhook } from '../../db/entities/webhook.ts'
import { loadDeliveries, postponeDelivery } from '../../db/repositories/deliveries.ts'
import { scaleWait, WAITS } from '../../domain/shared/intervals.ts'
import { createSemaphore } from '../../domain/shared/semaphore.ts'
import type { AttemptDeliveryResult, FirstAttemptsResult } from '../../workflows/contracts/webhooks.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'
import { createDeliveryAttempt, PRUNED_RESULT } from './deliver.ts'

/** Local activities of a worker at once: those that make first attempts, and those of everything else. */
export const MAX_LOCAL_ACTIVITIES = 24

/**
 * `fastMs`: an endpoint that answers within this time is fast; the activity waits no longer for one that has been, nor for a request slot
 * of the client. `probeMs`: its wait for any other endpoint. Both are counted from the request. `maxProbes`: attempts at
 * endpoints that are not fast, at once; each may hold one local activity, and the others remain for everything else. `pauseMs`: how
 * long an endpoint gets no first attempt after one that it left unanswered. `maxAttempts`: attempts at fast endpoints at once;
 * with the hundreds of a burst, each would take longer than its time and need a workflow. `maxTurnMs`: how long one waits for its turn.
 */
const FIRST_ATTEMPT_LIMITS = {
  fastMs: 500,
  probeMs: 1_500,
  maxProbes: MAX_LOCAL_ACTIVITIES / 2,
  pauseMs: 60_000,
  maxAttempts: 64,
  maxTurnMs: 2_000,
}
export type FirstAttemptLimits = typeof FIRST_ATTEMPT_LIMITS

/** After this an attempt has ended, also one that waited for a slot of the client. */
const ATTEMPT_LIMIT_MS = 20_000
/** Rows that were read this long before an attempt are read again: its endpoint may have been changed or deleted. */
const MAX_ROW_AGE_MS = 200

const AT_ONCE = { kind: 'again', waitMs: 0 } as const satisfies AttemptDeliveryResult

/**
 * Makes the first attempts of the deliveries of one transaction concurrently, as a local activity, so that most need no
 * workflow. Returns those that are open: failed, without a slot, at an endpoint that is failing, or without an answer yet. Such
 * an attempt continues in this process and records its outcome; its workflow reads the row once it must have ended.
 */
export function attemptFirstDeliveries(
  dependencies: ActivityDependencies,
  options: Partial<FirstAttemptLimits> = {},
) {
  const { orm, timeScale, webhooks } = dependencies
  const limits = { ...FIRST_ATTEMPT_LIMITS, ...options }
  const attempt = createDeliveryAttempt(dependencies)
  const acquireSlot = createFirstAttemptSlots(limits)

  return async (deliveries: string[]): Promise<FirstAttemptsResult> => {
    const em = orm.em.fork()
    // Their rows are read at once; each attempt then finds them in this entity manager.
    await loadDeliveries(em, deliveries)
    const results = await Promise.all(deliveries.map(uuid => attemptWithSlot(em, uuid)))
    const openDeliveries = results.flatMap((result, index) =>
      result.kind === 'again' ? { deliveryUuid: deliveries[index]!, firstWaitMs: result.waitMs } : [],
    )
    return { open: openDeliveries }
  }

  async function attemptWithSlot(
    loaded: EntityManager,
    deliveryUuid: string,
  ): Promise<AttemptDeliveryResult> {
    const delivery = await loaded.findOne(Delivery, deliveryUuid)
    if (!delivery) return PRUNED_RESULT
    const endpoint = await loaded.findOneOrFail(Webhook, delivery.webhookUuid)
    if (endpoint.failingSince) return AT_ONCE
    const slot = await acquireSlot(endpoint.uuid)
    if (!slot) return AT_ONCE
    let speed: EndpointSpeed | undefined
    try {
      const em = slot.waitedMs > MAX_ROW_AGE_MS ? orm.em.fork() : loaded
      if (em !== loaded) await loadDeliveries(em, [deliveryUuid])
      const { attempted, isRequested, answered } = startAttempt(em, deliveryUuid)
      // The wait for a request slot of the client is not the endpoint's silence.
      const mayWait = await isSettledWithin(limits.fastMs, isRequested)
      if (mayWait && (await isRequested)) speed = await measureSpeed(answered, slot)
      if (!mayWait || speed === 'silent') return await leaveRunning(attempted, em, deliveryUuid)
      return await attempted
    } catch {
      // A failure of ours concerns this delivery only: its workflow attempts it at once.
      return AT_ONCE
    } finally {
      slot.release(speed)
    }
  }

  /** `isRequested`: whether the attempt makes a request, known once it begins; `answered`: when that request has ended. */
  function startAttempt(em: EntityManager, deliveryUuid: string) {
    const [request, answer] = [Promise.withResolvers<true>(), Promise.withResolvers<void>()]
    const postSigned: typeof webhooks.postSigned = post => {
      request.resolve(true)
      return webhooks.postSigned(post).finally(answer.resolve)
    }
    const attempted = attempt({ deliveryUuid }, { em, postSigned })
    const isRequested = Promise.race([request.promise, attempted.then(() => false)])
    return { attempted, isRequested, answered: answer.promise }
  }

  async function measureSpeed(
    answered: Promise<void>,
    { isProbe }: FirstAttemptSlot,
  ): Promise<EndpointSpeed> {
    const { fastMs, probeMs } = limits
    if (await isSettledWithin(fastMs, answered)) return 'fast'
    return isProbe && (await isSettledWithin(probeMs - fastMs, answered)) ? 'late' : 'silent'
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

/** How an endpoint answered a first attempt: soon, late, or not before the wait for it ended. */
export type EndpointSpeed = 'fast' | 'late' | 'silent'

/** `waitedMs`: how long the attempt waited for the slot. `release`: without a speed where no request was made. */
type FirstAttemptSlot = { isProbe: boolean; waitedMs: number; release(speed?: EndpointSpeed): void }

/** What a process knows of an endpoint: that it is fast, or when the next probe may be made; infinite while one is made. */
type EndpointState = 'fast' | { probeFromMs: number }

/** So many endpoints are remembered. One that is forgotten is probed again, which costs few workflows. */
const MAX_ENDPOINTS = 10_000

/**
 * Creates the function that decides which deliveries get a first attempt within a workflow task, by how fast their endpoint
 * answered before; undefined where it is left to a workflow. An endpoint that is unknown to this process, or did not answer fast, is probed:
 * one first attempt at a time, none for a while after a silent one, and few probes at once. Only attempts at fast endpoints wait for
 * a slot. This saves workflows and promises nothing: a delivery without a slot is attempted by a workflow at once.
 */
export function createFirstAttemptSlots(
  limits: Partial<FirstAttemptLimits> = {},
  now = () => performance.now(),
) {
  const { maxProbes, pauseMs, maxAttempts, maxTurnMs } = { ...FIRST_ATTEMPT_LIMITS, ...limits }
  const endpoints = new Map<string, EndpointState>()
  const attempts = createSemaphore(maxAttempts)
  let probeCount = 0

  return async (endpoint: string): Promise<FirstAttemptSlot | undefined> => {
    const state = endpoints.get(endpoint)
    if (state === 'fast') return waitForTurn(endpoint)
    const isProbeDue = state === undefined || now() >= state.probeFromMs
    return isProbeDue && probeCount < maxProbes ? startProbe(endpoint) : undefined
  }

  async function waitForTurn(endpoint: string): Promise<FirstAttemptSlot | undefined> {
    const startedMs = now()
    const turn = attempts.acquire('fast endpoints')
    if (!(await isSettledWithin(maxTurnMs, turn))) {
      turn.then(release => release())
      return undefined
    }
    const release = await turn
    if (endpoints.get(endpoint) !== 'fast') {
      // Another attempt has found it slow meanwhile.
      release()
      return undefined
    }
    return {
      isProbe: false,
      waitedMs: now() - startedMs,
      release(speed) {
        release()
        // Whether it would have answered a probe is unknown. Only a probe makes it fast again, whatever earlier attempts answer.
        const isSlow = speed !== undefined && speed !== 'fast'
        if (isSlow && endpoints.get(endpoint) === 'fast') setState(endpoint, { probeFromMs: 0 })
      },
    }
  }

  function startProbe(endpoint: string): FirstAttemptSlot {
    probeCount += 1
    setState(endpoint, { probeFromMs: Number.POSITIVE_INFINITY })
    return {
      isProbe: true,
      waitedMs: 0,
      release(speed) {
        probeCount -= 1
        if (speed === 'fast') setState(endpoint, 'fast')
        else setState(endpoint, { probeFromMs: speed === 'silent' ? now() + pauseMs : 0 })
      },
    }
  }

  /** Sets the state of an endpoint, as the newest entry; the oldest one is removed. */
  function setState(endpoint: string, state: EndpointState): void {
    endpoints.delete(endpoint)
    endpoints.set(endpoint, state)
    if (endpoints.size > MAX_ENDPOINTS) endpoints.delete(endpoints.keys().next().value!)
  }
}

/** Step in which a wait is counted. */
const STEP_MS = 50
/** A wait ends after this many times its limit, however busy the process is. */
const MAX_STRETCH = 2

/**
 * Returns whether work settles within a time. The wait is counted in steps: a process that is too busy to count makes fewer of
 * them, so that its own delay is not mistaken for that of the work.
 */
async function isSettledWithin(limitMs: number, work: Promise<unknown>): Promise<boolean> {
  const { promise: hasSettled, resolve } = Promise.withResolvers<boolean>()
  const startedMs = performance.now()
  let countedMs = 0
  const timer = setInterval(() => {
    countedMs += STEP_MS
    if (countedMs >= limitMs || performance.now() - startedMs >= MAX_STRETCH * limitMs) resolve(false)
  }, STEP_MS)
  try {
    return await Promise.race([work.then(() => true), hasSettled])
  } finally {
    clearInterval(timer)
  }
}
