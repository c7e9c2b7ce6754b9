import { setTimeout as sleep } from 'node:timers/promises'

const MIN_PAUSE_MS = 25
const MAX_PAUSE_MS = 400
/** Longer than a machine stays busy; only what never comes takes it. */
export const POLL_LIMIT_MS = 300_000

/** Polls until the value fits, and answers it; fails after the limit with the last value. */
export async function pollUntil<T>(
  ask: () => Promise<T> | T,
  fits: (answer: NoInfer<T>) => boolean,
  { limitMs = POLL_LIMIT_MS, everyMs }: { limitMs?: number; everyMs?: number } = {},
): Promise<T> {
  const beganAtMs = Date.now()
  for (;;) {
    const answer = await ask()
    if (fits(answer)) return answer
    const waitedMs = Date.now() - beganAtMs
    if (waitedMs > limitMs)
      throw new Error(`Not within ${limitMs} ms: ${fits}\nat last: ${JSON.stringify(answer, null, 1)}`)
    await sleep(everyMs ?? pauseAfter(waitedMs))
  }
}

/** A quarter of the time waited so far: concurrent tests that poll for seconds take the time of what they wait for. */
function pauseAfter(waitedMs: number): number {
  return Math.min(Math.max(waitedMs / 4, MIN_PAUSE_MS), MAX_PAUSE_MS)
}
