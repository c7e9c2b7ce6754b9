import { setTimeout as sleep } from 'node:timers/promises'

/** A call of an open loop: when it was planned, by `performance.now()`, and the time from then to its result. */
export type Arrival<T> = { plannedAt: number; ms: number; result: T }

/**
 * Calls at random moments of a given rate (a Poisson process), however slowly the calls before are answered. Each
 * duration starts at the planned moment, so that a late call counts with its delay.
 */
export async function callOpenLoop<T>(
  { perSecond, seconds }: { perSecond: number; seconds: number },
  call: (plannedAt: number) => Promise<T>,
): Promise<Arrival<T>[]> {
  const began = performance.now()
  const arrivals: Promise<Arrival<T>>[] = []
  for (const plannedAt of planArrivals({ from: began, until: began + seconds * 1_000, perSecond })) {
    const waitMs = plannedAt - performance.now()
    if (waitMs > 0) await sleep(waitMs)
    arrivals.push(time(plannedAt, call))
  }
  return Promise.all(arrivals)
}

function* planArrivals({ from, until, perSecond }: { from: number; until: number; perSecond: number }) {
  const nextGapMs = () => (-Math.log(1 - Math.random()) * 1_000) / perSecond
  for (let at = from + nextGapMs(); at < until; at += nextGapMs()) yield at
}

/** Calls now; the duration starts at the planned moment. */
export async function time<T>(
  plannedAt: number,
  call: (plannedAt: number) => Promise<T>,
): Promise<Arrival<T>> {
  const result = await call(plannedAt)
  return { plannedAt, ms: performance.now() - plannedAt, result }
}
