import { setTimeout as sleep } from 'node:timers/promises'
import { type Arrival, callOpenLoop, time } from './arrivals.ts'
import { measureInTurns, summarizeTimes, warmUp } from './callers.ts'
import { type Figures, quantile, type Speed } from './figures.ts'
import type { Bench } from './main.ts'

/** Their number measures the capacity. */
const CALLERS = 64
/** Arrivals ÷ capacity. */
const OVERLOAD = 3
/** A client that waited longer has given up: a later 201 is of no use to it. */
const CLIENT_LIMIT_MS = 10_000
/** Of a 503 that has begun nothing. */
const ADMISSION_CODE = 'overloaded'
/** Single calls before and after the load, and how many normal ones in a row show that it has recovered. */
const PROBE_INTERVAL_MS = 200
const NORMAL_PROBES = 10
/** A call is normal up to so many times the median before the load. */
const NORMAL_TIMES = 10
const RECOVERY_LIMIT_MS = 120_000
/** Parts of the load whose goodput is shown, so that a collapse shows. */
const PERIODS = 6

/** HTTP status and error code of a response; status 0 without one. */
type CreateResult = { status: number; code: string }

/** Three times as many creates arrive as it can carry: what it still completes, what it refuses, and when it recovers. */
export async function overload({ site, seconds, overloadSeconds, say }: Bench): Promise<Partial<Figures>> {
  const { token } = await site.stage.createMerchant()
  const api = site.api(undefined, { connections: null, limitMs: CLIENT_LIMIT_MS })
  const create = async (): Promise<CreateResult> => {
    try {
      const { status, body } = await api.post('/api/v1/payments', token, { value: 10, type: 'PIX' })
      return { status, code: body?.code ?? '' }
    } catch (error) {
      return { status: 0, code: (error as { code?: string }).code ?? String(error) }
    }
  }
  const kind = {
    what: 'create a charge, closed loop (the capacity)',
    call: async () => (await create()).status === 201,
  }
  await warmUp([kind], { callers: CALLERS, seconds })
  const [closed] = await measureInTurns([kind], { callers: CALLERS, seconds })
  const capacity = closed!.perSecond
  const before = await probeFor(create, NORMAL_PROBES * 3)
  const normalMs = NORMAL_TIMES * quantile(sortedMs(before), 0.5)
  say(`capacity ${capacity.toFixed(1)}/s; a single create is normal within ${normalMs.toFixed(0)} ms`)

  const load = callOpenLoop({ perSecond: capacity * OVERLOAD, seconds: overloadSeconds }, create)
  await sleep(overloadSeconds * 1_000)
  const recovery = await measureRecovery(create, normalMs)
  const arrivals = await load
  const accepted = arrivals.filter(isAccepted)
  const refused = arrivals.filter(({ result }) => result.code === ADMISSION_CODE)
  const others = arrivals.filter(one => !isAccepted(one) && one.result.code !== ADMISSION_CODE)
  const goodput = accepted.length / overloadSeconds
  return {
    speeds: [
      closed!,
      {
        ...speedOf(`create a charge, ${OVERLOAD} × capacity: accepted`, accepted, overloadSeconds),
        failures: arrivals.length - accepted.length,
      },
      speedOf(`create a charge, ${OVERLOAD} × capacity: refused at once`, refused, overloadSeconds),
      speedOf(`create a charge, ${OVERLOAD} × capacity: not confirmed in time`, others, overloadSeconds),
    ],
    goals: [
      { what: 'goodput under overload ÷ capacity', is: goodput / capacity, atLeast: 0.8 },
      {
        what: 'p99 of an accepted create',
        is: quantile(sortedMs(accepted), 0.99),
        atMost: 5_000,
        unit: 'ms',
      },
      { what: 'p99 of a refusal', is: quantile(sortedMs(refused), 0.99), atMost: 100, unit: 'ms' },
      { what: 'normal again after the load', is: recovery / 1_000, atMost: 10, unit: 's' },
    ],
    notes: [
      `accepted per second, by sixths of the load: ${formatPeriods(accepted, arrivals, overloadSeconds)}`,
      `responses: ${formatResponses(arrivals)}`,
    ],
  }
}

function isAccepted({ ms, result }: Arrival<CreateResult>): boolean {
  return result.status === 201 && ms <= CLIENT_LIMIT_MS
}

function sortedMs(arrivals: Arrival<unknown>[]): number[] {
  return arrivals.map(({ ms }) => ms).toSorted((a, b) => a - b)
}

function speedOf(what: string, arrivals: Arrival<unknown>[], seconds: number): Speed {
  const times = arrivals.map(({ ms }) => ms)
  return { what, callers: null, failures: 0, ...summarizeTimes(times, seconds) }
}

async function probeFor(create: () => Promise<CreateResult>, count: number) {
  const probes: Arrival<CreateResult>[] = []
  for (let n = 0; n < count; n += 1) {
    probes.push(await time(performance.now(), create))
    await sleep(PROBE_INTERVAL_MS)
  }
  return probes
}

/** Ms until the first of so many normal probes in a row, from now on; NaN where they do not come. */
async function measureRecovery(create: () => Promise<CreateResult>, normalMs: number): Promise<number> {
  const began = performance.now()
  const probes: (boolean | undefined)[] = []
  const running: Promise<unknown>[] = []
  for (let n = 0; n * PROBE_INTERVAL_MS < RECOVERY_LIMIT_MS; n += 1) {
    const first = probes.findIndex((_, place) => {
      const row = probes.slice(place, place + NORMAL_PROBES)
      return row.length === NORMAL_PROBES && row.every(Boolean)
    })
    if (first !== -1) return first * PROBE_INTERVAL_MS
    probes.push(undefined)
    running.push(
      time(began + n * PROBE_INTERVAL_MS, create).then(({ ms, result }) => {
        probes[n] = result.status === 201 && ms <= normalMs
      }),
    )
    await sleep(began + (n + 1) * PROBE_INTERVAL_MS - performance.now())
  }
  await Promise.all(running)
  return Number.NaN
}

function formatPeriods(
  accepted: Arrival<CreateResult>[],
  arrivals: Arrival<CreateResult>[],
  seconds: number,
): string {
  const began = arrivals[0]?.plannedAt ?? 0
  const periodMs = (seconds * 1_000) / PERIODS
  const counts = new Array<number>(PERIODS).fill(0)
  for (const { plannedAt } of accepted)
    counts[Math.min(PERIODS - 1, Math.floor((plannedAt - began) / periodMs))]! += 1
  return counts.map(count => (count / (periodMs / 1_000)).toFixed(1)).join(', ')
}

function formatResponses(arrivals: Arrival<CreateResult>[]): string {
  const counts = Map.groupBy(arrivals, ({ result }) => `${result.status || 'none'} ${result.code}`.trim())
  return [...counts].map(([name, { length }]) => `${length} × ${name}`).join(', ')
}
