const TICK_MS = 25
/** A timer that is later than this was late because the process or the machine stood still. */
const MAX_TICK_MS = 100

/**
 * Measures how long an operation takes, in milliseconds, without the time during which this process or the whole machine
 * stood still: for upper bounds on what a process waits for.
 */
export async function measureRunningTime<T>(
  operation: () => Promise<T>,
): Promise<{ result: T; elapsedMs: number }> {
  let elapsedMs = 0
  let countedAt = performance.now()
  const count = () => {
    const now = performance.now()
    elapsedMs += Math.min(now - countedAt, MAX_TICK_MS)
    countedAt = now
  }
  const timer = setInterval(count, TICK_MS)
  try {
    const result = await operation()
    count()
    return { result, elapsedMs }
  } finally {
    clearInterval(timer)
  }
}

/**
 * The 5 s within which callers are answered (src/http/limits.ts), and half as much again, as a caller waits for several
 * things on a busy machine. Measured by `measureRunningTime`, so that a machine that stands still does not exceed it.
 */
export const RESPONSE_LIMIT_MS = 7_500
