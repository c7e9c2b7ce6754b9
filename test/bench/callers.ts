import { setTimeout as sleep } from 'node:timers/promises'
import { quantile, type Speed } from './figures.ts'

/** One call of a kind; false where it was refused. */
export type CallKind = { what: string; call: () => Promise<boolean> }

/** Turns of a few seconds each, one kind after the other and again: what else the machine does comes to all of them. */
const ROUNDS = 4

/**
 * Asks each kind for so long and listens to none: over its first hundreds of operations a program compiles what it does
 * often, and each connection of PostgreSQL plans it, which no service that has been up for a minute does any more.
 */
export async function warmUp(
  kinds: CallKind[],
  { callers, seconds }: { callers: number; seconds: number },
): Promise<void> {
  for (const kind of kinds) await callRepeatedly(kind, emptyCallTimes(), { callers, ms: seconds * 1_000 })
}

/** How fast each kind is with so many callers at once, each of them asking again as soon as it is answered. */
export async function measureInTurns(
  kinds: CallKind[],
  { callers, seconds }: { callers: number; seconds: number },
): Promise<Speed[]> {
  const heard = kinds.map(emptyCallTimes)
  for (const { call } of kinds) await Promise.all(Array.from({ length: callers }, call)) // So that all are warm.
  for (let turn = 0; turn < ROUNDS; turn += 1)
    for (const place of turn % 2 === 0 ? kinds.keys() : [...kinds.keys()].reverse())
      await callRepeatedly(kinds[place]!, heard[place]!, { callers, ms: (seconds * 1_000) / ROUNDS })
  return kinds.map(({ what }, place) => speedOf(what, callers, heard[place]!))
}

/** What each kind takes where nothing else runs: one call after the other, what it set going over before the next. */
export async function measureOneByOne(
  kinds: CallKind[],
  { calls, restMs }: { calls: number; restMs: number },
): Promise<Speed[]> {
  const heard = kinds.map(emptyCallTimes)
  for (let turn = 0; turn < calls; turn += 1)
    for (const [place, kind] of kinds.entries()) {
      await callRepeatedly(kind, heard[place]!, { callers: 1, ms: 0 })
      await sleep(restMs)
    }
  return kinds.map(({ what }, place) => speedOf(`${what}, nothing beside it`, 1, heard[place]!))
}

/** Times of the calls that were answered, those that were refused, and the time that all took together. */
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
  heard: CallTimes,
  { callers, ms }: { callers: number; ms: number },
): Promise<void> {
  const began = performance.now()
  const caller = async () => {
    do {
      const asked = performance.now()
      if (await call()) heard.times.push(performance.now() - asked)
      else heard.failures += 1
    } while (performance.now() < began + ms)
  }
  await Promise.all(Array.from({ length: callers }, caller))
  heard.ms += performance.now() - began
}

/** A fixed number of calls, so many at a time, and what they answered. */
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
