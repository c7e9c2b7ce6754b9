import { setTimeout as sleep } from 'node:timers/promises'
import { quantile, type Speed } from './figures.ts'

/** One call of a kind; false where it was refused. */
export type CallKind = { what: string; call: () => Promise<boolean> }

/** Rounds of a few seconds each, one kind after the other and again, so that other load affects all of them. */
const ROUNDS = 4

/**
 * Calls each kind for some time and ignores the results: over its first hundreds of operations a program compiles its
 * hot code, and each connection of PostgreSQL plans its statements, which no service that has run for a minute does any
 * more.
 */
export async function warmUp(
  kinds: CallKind[],
  { callers, seconds }: { callers: number; seconds: number },
): Promise<void> {
  for (const kind of kinds) await callRepeatedly(kind, emptyCallTimes(), { callers, ms: seconds * 1_000 })
}

/** How fast each kind is with so many callers at once, each calling again as soon as it is answered. */
export async function measureInTurns(
  kinds: CallKind[],
  { callers, seconds }: { callers: number; seconds: number },
): Promise<Speed[]> {
  const callTimes = kinds.map(emptyCallTimes)
  for (const { call } of kinds) await Promise.all(Array.from({ length: callers }, call)) // So that all are warm.
  for (let turn = 0; turn < ROUNDS; turn += 1)
    for (const place of turn % 2 === 0 ? kinds.keys() : [...kinds.keys()].reverse())
      await callRepeatedly(kinds[place]!, callTimes[place]!, { callers, ms: (seconds * 1_000) / ROUNDS })
  return kinds.map(({ what }, place) => speedOf(what, callers, callTimes[place]!))
}

/**
 * The duration of each kind where nothing else runs: one call after the other, the effects of one completed before the
 * next.
 */
export async function measureOneByOne(
  kinds: CallKind[],
  { calls, restMs }: { calls: number; restMs: number },
): Promise<Speed[]> {
  const callTimes = kinds.map(emptyCallTimes)
  for (let turn = 0; turn < calls; turn += 1)
    for (const [place, kind] of kinds.entries()) {
      await callRepeatedly(kind, callTimes[place]!, { callers: 1, ms: 0 })
      await sleep(restMs)
    }
  return kinds.map(({ what }, place) => speedOf(`${what}, nothing beside it`, 1, callTimes[place]!))
}

/** Durations of the answered calls, the number of refused ones, and the total time. */
type CallTimes = { times: number[]; failures: number; ms: number }
const emptyCallTimes = (): CallTimes => ({ times: [], failures: 0, ms: 0 })

function speedOf(what: string, callers: number, { times, failures, ms }: CallTimes): Speed {
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
}

async function callRepeatedly(
  { call }: CallKind,
  callTimes: CallTimes,
  { callers, ms }: { callers: number; ms: number },
): Promise<void> {
  const began = performance.now()
  const caller = async () => {
    do {
      const asked = performance.now()
      if (await call()) callTimes.times.push(performance.now() - asked)
      else callTimes.failures += 1
    } while (performance.now() < began + ms)
  }
  await Promise.all(Array.from({ length: callers }, caller))
  callTimes.ms += performance.now() - began
}

/** A fixed number of calls with a given concurrency, and their answers. */
export async function callMany<T>(
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
