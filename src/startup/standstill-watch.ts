/** A workflow task may take 10 s; after a standstill of this length, Temporal may have given tasks of this worker to others. */
const MAX_STANDSTILL_MS = 8_000
const CHECK_EVERY_MS = 500

type StandstillOptions = {
  /** Called once, with the length of the standstill in milliseconds. */
  onStandstill: (standstillMs: number) => void
  maxStandstillMs?: number
  checkEveryMs?: number
}

/**
 * Watches whether this process was stopped, suspended or starved for longer than a workflow task may take. The SDK goes on with
 * a workflow task that timed out meanwhile, and a signal that came meanwhile reaches the workflow later than its history says:
 * that history cannot be replayed. A worker that stood still must therefore end, so that its workflows are replayed by the next
 * one. Both clocks count, because the monotonic one stands still while a machine is suspended. Returns a function that ends the watch.
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
