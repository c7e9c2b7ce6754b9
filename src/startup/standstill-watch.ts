/**
 * Longest allowed standstill. A workflow task may take 10 s; after a longer standstill Temporal may have given tasks
 * of this worker to others.
 */
const MAX_STANDSTILL_MS = 8_000
const CHECK_EVERY_MS = 500

type StandstillOptions = {
  /** Called once, with the length of the standstill in milliseconds. */
  onStandstill: (standstillMs: number) => void
  maxStandstillMs?: number
  checkEveryMs?: number
}

/**
 * Watches whether this process was stopped, suspended or starved for longer than a workflow task may take. The SDK
 * continues a workflow task that timed out meanwhile, and a signal received meanwhile reaches the workflow later than
 * its history says: that history cannot be replayed. Such a worker must end, so that the next one replays its
 * workflows. Two clocks are compared, because the monotonic one stops while a machine is suspended. Returns a
 * function that ends the watch.
 */
export function watchStandstill({
  onStandstill,
  maxStandstillMs = MAX_STANDSTILL_MS,
  checkEveryMs = CHECK_EVERY_MS,
}: StandstillOptions): () => void {
  let checkedAt = readClocks()
  const timer = setInterval(() => {
    const now = readClocks()
    const standstillMs = Math.max(...now.map((at, clock) => at - checkedAt[clock]!)) - checkEveryMs
    checkedAt = now
    if (standstillMs < maxStandstillMs) return
    clearInterval(timer)
    onStandstill(Math.round(standstillMs))
  }, checkEveryMs)
  timer.unref()
  return () => clearInterval(timer)
}

function readClocks(): [monotonic: number, wall: number] {
  return [performance.now(), Date.now()]
}
