/**
 * Rules by which an API process refuses new operations (docs/production.md, "Overload"). Past its capacity a queue only
 * grows: every operation then waits longer than its request, and the work for requests that have gone displaces all other.
 */

/** How many new operations one process awaits at once; `loweredAtMs` is by the clock of the samples. */
export type AdmissionLimit = { count: number; loweredAtMs: number }

/** Limit of a process that has just started: any machine that carries 30 operations a second confirms them in time. */
export const INITIAL_LIMIT: AdmissionLimit = { count: 128, loweredAtMs: Number.NEGATIVE_INFINITY }
/** Keeps the workers of a small machine busy, also while the limit is at its lowest. */
const MIN_COUNT = 32
const MAX_COUNT = 1_024
const DECREASE = 0.7
/** Operations that are lost together lower the limit once. */
const DECREASE_INTERVAL_MS = 1_000
/** After an incident, once few operations wait, the limit is soon what it was at the start. */
const RECOVERY = 1
/** A tenth in the time in which as many operations are confirmed as the limit allows: slower than their answers. */
const STEP = 0.1
/** A slow provider makes operations late as well, and must not lower the limit further. */
const MIN_COUNT_OF_LATE = 64
/** Less than half of a request's time, because times vary: operations that are confirmed later are late. */
const TARGET_MS = 2_000

/** An operation that has ended: how long its request waited, and how many were awaited with it. */
type AdmissionSample = { isConfirmed: boolean; waitMs: number; runningCount: number; nowMs: number }

/**
 * Computes the limit after an operation. One that no worker has confirmed within its request lowers it. One that was
 * confirmed early raises it and a late one lowers it, both slowly and while at least half of it is used: under a lasting
 * overload the limit stays where an operation waits `TARGET_MS`. With fewer operations the limit returns to that of the
 * start.
 */
export function adjustLimit(
  limit: AdmissionLimit,
  { isConfirmed, waitMs, runningCount, nowMs }: AdmissionSample,
): AdmissionLimit {
  const { count, loweredAtMs } = limit
  if (!isConfirmed)
    return nowMs - loweredAtMs < DECREASE_INTERVAL_MS
      ? limit
      : { count: Math.max(MIN_COUNT, count * DECREASE), loweredAtMs: nowMs }
  const changeTo = (changed: number) => ({ count: changed, loweredAtMs })
  const isUsed = runningCount >= count / 2
  if (waitMs > TARGET_MS) return isUsed && count > MIN_COUNT_OF_LATE ? changeTo(count - STEP) : limit
  if (isUsed) return changeTo(Math.min(MAX_COUNT, count + STEP))
  return changeTo(Math.max(count, Math.min(INITIAL_LIMIT.count, count + RECOVERY)))
}

/** What an API process knows about the work in progress. */
export type ServiceLoad = {
  limitCount: number
  /** New operations that this process awaits. */
  runningCount: number
  /** How long the oldest of them has waited; 0 if there is none. */
  oldestWaitMs: number
  /** Time since this process started or an operation was last confirmed. */
  sinceConfirmedMs: number
  /** Age of the oldest task that no worker has started, as Temporal reports it; 0 if unknown. */
  taskAgeMs: number
}

type OverloadCause = 'too many operations in progress' | 'tasks wait for workers'

/** From this age on, tasks wait for workers and not for their next poll. */
const MAX_TASK_AGE_MS = 2_000
/** An operation that waits for longer shows that the old task is not the only one, such as one of a removed build. */
const STALLED_AFTER_MS = 1_000

/** Returns why a new operation would not be confirmed in time; null if it may start. */
export function findOverload(load: ServiceLoad): OverloadCause | null {
  const { limitCount, runningCount, oldestWaitMs, sinceConfirmedMs, taskAgeMs } = load
  if (runningCount >= Math.floor(limitCount)) return 'too many operations in progress'
  const isStalled = Math.min(oldestWaitMs, sinceConfirmedMs) >= STALLED_AFTER_MS
  return isStalled && taskAgeMs >= MAX_TASK_AGE_MS ? 'tasks wait for workers' : null
}
