import { createSemaphore } from '../../domain/shared/semaphore.ts'
import { waitResponsively } from './responsive-wait.ts'

/** How the request of a first attempt went: answered soon, answered late, or without an answer when the wait for it ended. */
export type FirstAttemptSpeed = 'fast' | 'late' | 'silent'

/** `waitedMs`: how long the attempt waited for the slot. `release`: without a speed where no request was made. */
export type FirstAttemptSlot = { waitedMs: number; release(speed?: FirstAttemptSpeed): void }

/** Slots of one local activity. */
export type ActivitySlots = {
  /** Returns undefined where the delivery is left to a workflow. */
  acquire(endpoint: string): Promise<FirstAttemptSlot | undefined>
  /** Returns whether the activity may wait for an endpoint that is not fast. */
  waitLonger(): boolean
  /** Ends the activity: it waits for no endpoint any more. */
  leave(): void
}

/** Local activities of a worker at once: those that make first attempts, and those of everything else. */
export const MAX_LOCAL_ACTIVITIES = 24

/**
 * `maxWaitingActivities`: local activities that wait for endpoints on probation or longer than for a fast answer; the
 * others of a worker remain for everything else. `maxAttempts`: attempts at fast endpoints at once; with the hundreds of
 * a burst, each would take longer than its time and need a workflow. `maxWaitMs`: how long one waits for its turn.
 * `pauseMs`: how long a silent endpoint gets no first attempt.
 */
const FIRST_ATTEMPT_LIMITS = {
  maxWaitingActivities: MAX_LOCAL_ACTIVITIES / 2,
  maxAttempts: 64,
  maxWaitMs: 2_000,
  pauseMs: 60_000,
}
export type FirstAttemptLimits = Partial<typeof FIRST_ATTEMPT_LIMITS>

/** The speed of so many endpoints is remembered. One that is forgotten is on probation again, which costs few workflows. */
const MAX_ENDPOINTS = 10_000

/** Fast, or on probation with the next attempt from `probeFromMs`; infinite while an attempt is in progress. */
type EndpointSpeed = { isFast: boolean; probeFromMs: number }

/**
 * Decides which deliveries get a first attempt within a workflow task, by how fast their endpoint answered before. An endpoint
 * that is unknown to this process, or whose last first attempt was not answered fast, is on probation: one first attempt at a
 * time, none for a while after a silent one, and only in few local activities at once. Only attempts at fast endpoints wait for
 * a slot. This saves workflows and promises nothing: a delivery without a slot is attempted by a workflow at once.
 */
export function createFirstAttemptSlots(limits: FirstAttemptLimits = {}, now = () => performance.now()) {
  const { maxWaitingActivities, maxAttempts, maxWaitMs, pauseMs } = { ...FIRST_ATTEMPT_LIMITS, ...limits }
  const endpoints = new Map<string, EndpointSpeed>()
  const attempts = createSemaphore(maxAttempts)
  let waitingActivities = 0

  /** Opens the slots of a local activity. */
  return function enter(): ActivitySlots {
    let isWaiting = false
    /** The ends of the probes that this activity has started, by endpoint. */
    const probes = new Map<string, Promise<void>>()
    function waitLonger(): boolean {
      if (!isWaiting && waitingActivities >= maxWaitingActivities) return false
      if (!isWaiting) waitingActivities += 1
      isWaiting = true
      return true
    }
    return {
      async acquire(endpoint) {
        const askedMs = now()
        const ownProbe = probes.get(endpoint)
        // The activity waits for its own probe anyway: a payment often has two events for a new endpoint.
        if (ownProbe) await ownProbe
        if (isFast(endpoint)) return waitForTurn(endpoint, askedMs)
        if (ownProbe || !canProbe(endpoint) || !waitLonger()) return undefined
        const { promise, resolve } = Promise.withResolvers<void>()
        probes.set(endpoint, promise)
        return startProbe(endpoint, resolve)
      },
      waitLonger,
      leave() {
        if (isWaiting) waitingActivities -= 1
        isWaiting = false
      },
    }
  }

  async function waitForTurn(endpoint: string, askedMs: number): Promise<FirstAttemptSlot | undefined> {
    const release = await acquireInTime(attempts.acquire('fast endpoints'), maxWaitMs)
    if (!release) return undefined
    if (!isFast(endpoint)) {
      // Another attempt has found it slow meanwhile.
      release()
      return undefined
    }
    return {
      waitedMs: now() - askedMs,
      release(speed) {
        release()
        // Attempts that began before a slow one may end after it: only a probe makes an endpoint fast again.
        if (speed && speed !== 'fast') recordSpeed(endpoint, speed)
      },
    }
  }

  function canProbe(endpoint: string): boolean {
    return now() >= (endpoints.get(endpoint)?.probeFromMs ?? 0)
  }

  function startProbe(endpoint: string, onEnd: () => void): FirstAttemptSlot {
    setSpeed(endpoint, { isFast: false, probeFromMs: Number.POSITIVE_INFINITY })
    return {
      waitedMs: 0,
      release(speed) {
        if (speed) recordSpeed(endpoint, speed)
        else setSpeed(endpoint, { isFast: false, probeFromMs: 0 })
        onEnd()
      },
    }
  }

  function isFast(endpoint: string): boolean {
    return endpoints.get(endpoint)?.isFast ?? false
  }

  function recordSpeed(endpoint: string, speed: FirstAttemptSpeed): void {
    setSpeed(endpoint, { isFast: speed === 'fast', probeFromMs: speed === 'silent' ? now() + pauseMs : 0 })
  }

  /** Sets the speed of an endpoint, as the newest entry; the oldest one is removed. */
  function setSpeed(endpoint: string, speed: EndpointSpeed): void {
    endpoints.delete(endpoint)
    endpoints.set(endpoint, speed)
    if (endpoints.size > MAX_ENDPOINTS) endpoints.delete(endpoints.keys().next().value!)
  }
}

/** Waits for a slot; undefined after `limitMs`, and the slot is then released as soon as it comes. */
async function acquireInTime(slot: Promise<() => void>, limitMs: number): Promise<(() => void) | undefined> {
  const release = await waitResponsively(slot, limitMs)
  if (release !== 'silent') return release
  slot.then(releaseLate => releaseLate())
  return undefined
}
