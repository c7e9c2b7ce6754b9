import { quantile, type Speed } from './figures.ts'

/** One call of a kind; false where it was refused. */
export type Kind = { what: string; call: () => Promise<boolean> }

/** Turns of a few seconds each, one kind after the other and again: what else the machine does comes to all of them. */
const TURNS = 4

/** How fast each kind is with so many callers at once, each of them asking again as soon as it is answered. */
export async function inTurns(
  kinds: Kind[],
  { callers, seconds }: { callers: number; seconds: number },
): Promise<Speed[]> {
  const heard = kinds.map(() => ({ times: [] as number[], failures: 0, ms: 0 }))
  for (const { call } of kinds) await Promise.all(Array.from({ length: callers }, call)) // So that all are warm.
  for (let turn = 0; turn < TURNS; turn += 1)
    for (const place of turn % 2 === 0 ? kinds.keys() : [...kinds.keys()].reverse())
      await asking(kinds[place]!, heard[place]!, { callers, ms: (seconds * 1_000) / TURNS })
  return kinds.map(({ what }, place) => {
    const { times, failures, ms } = heard[place]!
    const sorted = times.toSorted((a, b) => a - b)
    return {
      what,
      callers,
      perSecond: sorted.length / (ms / 1_000),
      p50Ms: quantile(sorted, 0.5),
      p99Ms: quantile(sorted, 0.99),
      calls: sorted.length,
      failures,
    }
  })
}

async function asking(
  { call }: Kind,
  heard: { times: number[]; failures: number; ms: number },
  { callers, ms }: { callers: number; ms: number },
): Promise<void> {
  const began = performance.now()
  const caller = async () => {
    while (performance.now() < began + ms) {
      const asked = performance.now()
      if (await call()) heard.times.push(performance.now() - asked)
      else heard.failures += 1
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  heard.ms += performance.now() - began
}

/** A fixed number of calls, so many at a time, and what they answered. */
export async function allOf<T>(
  count: number,
  callers: number,
  call: (place: number) => Promise<T>,
): Promise<T[]> {
  const answers: T[] = new Array(count)
  let next = 0
  const caller = async () => {
    while (next < count) {
      const place = next++
      answers[place] = await call(place)
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  return answers
}
