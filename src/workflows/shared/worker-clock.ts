/**
 * Difference between the clock of this worker and that of Temporal, which all workflows of the process share: the one module of the
 * bundle with state. No command depends on it.
 */

/** A difference is remembered for one to two windows, so that a corrected clock counts soon. */
const WINDOW_MS = 15 * 60_000
/** A smaller least age may be the load of the machine. */
const MIN_DIFFERENCE_MS = 5_000

let windowStartedAtMs = 0
let previousLeastAgeMs = Number.POSITIVE_INFINITY
let leastAgeMs = Number.POSITIVE_INFINITY

/** Records the age of a workflow task at its first activation: the worker's time `nowMs` less Temporal's time of the start of the task. */
export function observeTaskAge(ageMs: number, nowMs: number): void {
  if (Math.abs(nowMs - windowStartedAtMs) > WINDOW_MS) {
    previousLeastAgeMs = leastAgeMs
    leastAgeMs = Number.POSITIVE_INFINITY
    windowStartedAtMs = nowMs
  }
  leastAgeMs = Math.min(leastAgeMs, ageMs)
}

/** Corrects the age of a workflow task by the difference of the clocks: the least age of recent tasks. */
export function correctTaskAge(ageMs: number): number {
  const leastMs = Math.min(leastAgeMs, previousLeastAgeMs)
  const isDifference = Number.isFinite(leastMs) && Math.abs(leastMs) >= MIN_DIFFERENCE_MS
  return isDifference ? ageMs - leastMs : ageMs
}
