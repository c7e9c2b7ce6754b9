import { setTimeout as sleep } from 'node:timers/promises'
import { type CpuTimes, divideCpuTimes, mapCpuTimes, measureCpu, type Program } from './cpu.ts'
import { quantile, type Speed } from './figures.ts'

/** One call of a kind, false where it was refused; `programs` whose processor time it takes, if that is measured. */
export type CallKind = { what: string; call: () => Promise<boolean>; programs?: readonly Program[] }

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
  return kinds.map((kind, place) => speedOf(kind, callers, callTimes[place]!))
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
  return kinds.map(({ what }, place) => speedOf({ what: `${what}, nothing beside it` }, 1, callTimes[place]!))
}

/** Durations of the answered calls, the number of refused ones, the total time and the processor time in it. */
type CallTimes = { times: number[]; failures: number; ms: number; cpu: CpuTimes | null }
const emptyCallTimes = (): CallTimes => ({ times: [], failures: 0, ms: 0, cpu: null })

function speedOf(
  { what, programs }: Pick<CallKind, 'what' | 'programs'>,
  callers: number,
  { times, failures, ms, cpu }: CallTimes,
): Speed {
  return {
    what,
    callers,
    failures,
    ...summarizeTimes(times, ms / 1_000),
    cpuMs: programs && divideCpuTimes(cpu, { programs, operations: times.length }),
  }
}

/** The figures of a number of calls in so many seconds, from their durations in ms. */
export function summarizeTimes(times: number[], seconds: number) {
  const sorted = times.toSorted((a, b) => a - b)
  return {
    perSecond: sorted.length / seconds,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
    calls: sorted.length,
  }
}

async function callRepeatedly(
  { call }: CallKind,
  callTimes: CallTimes,
  { callers, ms }: { callers: number; ms: number },
): Promise<void> {
  let began = 0
  const caller = async () => {
    do {
      const asked = performance.now()
      if (await call()) callTimes.times.push(performance.now() - asked)
      else callTimes.failures += 1
    } while (performance.now() < began + ms)
  }
  const spent = await measureCpu(async () => {
    began = performance.now()
    await Promise.all(Array.from({ length: callers }, caller))
    callTimes.ms += performance.now() - began
  })
  const earlier = callTimes.cpu
  callTimes.cpu = spent && earlier ? mapCpuTimes(spent, (ms, name) => ms + earlier[name]) : spent
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
