import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { pollUntil } from '../api/support/poll-until.ts'
import { callMany, summarizeTimes } from './callers.ts'
import { divideCpuTimes, measureCpu, sumCpuMs } from './cpu.ts'
import type { Figures, Speed } from './figures.ts'
import type { WebhookLoopRequest, WebhookLoopResult } from './floors/webhook-loop.ts'
import { type Implementation, requireCharge } from './implementations.ts'
import type { Bench } from './main.ts'

/** An account has twenty endpoints at most, so a hundred belong to five. */
const MERCHANTS = 5
const ENDPOINTS = 20
/** Per merchant; each is delivered to all its endpoints. */
const CHARGES = 12
/** First, so that the measured ones are not the first of their kind. */
const WARM_UP_CHARGES = 2
const CALLERS = 8
/** Of the loop: as many as may be in flight from the baseline. */
const LOOP_CONCURRENCY = 64
/** Longer than an attempt waits. */
const DEAD_ENDPOINT_DELAY_MS = 60_000
/** Results of the last attempts are stored within it. */
const SETTLE_MS = 1_000

/** A hundred endpoints, one of them unresponsive: what the others receive, how late, and what an event costs. */
export async function deliveries(bench: Bench): Promise<Partial<Figures>> {
  const ours = await measureDeliveries(bench, bench.trilho)
  const baseline = await measureDeliveries(bench, bench.baseline)
  const loop = await measureLoop(bench)
  return {
    speeds: [ours, baseline, loop],
    comparisons: [{ what: 'webhook event', ours, baseline }],
    goals: [
      { what: 'webhook events a second', is: ours.perSecond, atLeast: 120, unit: '/s' },
      { what: 'CPU of a webhook event', is: sumCpuMs(ours.cpuMs), atMost: 12, unit: 'ms' },
    ],
    notes: [
      `the CPU of an event includes its share of the payment, one of ${ENDPOINTS}`,
      `plain HTTP loop ÷ Trilho: ${(loop.perSecond / ours.perSecond).toFixed(1)} × its rate`,
    ],
  }
}

async function measureDeliveries(
  { stage, receivers }: Bench,
  implementation: Implementation,
): Promise<Speed> {
  const { name, programs } = implementation
  const tokens: string[] = []
  for (let n = 0; n < MERCHANTS; n += 1) {
    const urls = Array.from({ length: ENDPOINTS }, (_, place) =>
      receivers.url(`${name}-${n}-${place}`, n === 0 && place === 0 ? DEAD_ENDPOINT_DELAY_MS : undefined),
    )
    tokens.push(await implementation.createMerchant(urls))
  }
  const paidAt = new Map<string, number>()

  /** Pays so many charges of each merchant and waits for all their webhooks; answers the moments of both. */
  async function payAndAwait(chargesOfEach: number) {
    const charges = await callMany(MERCHANTS * chargesOfEach, CALLERS, place =>
      requireCharge(implementation, tokens[place % MERCHANTS]!),
    )
    const wanted = charges.length * ENDPOINTS - chargesOfEach
    const first = receivers.arrivals.length
    const began = performance.now()
    await callMany(charges.length, CALLERS, async place => {
      const { uuid, payment } = charges[place]!
      paidAt.set(uuid, performance.now())
      await stage.simulator.pay({ payload: payment.payload })
    })
    await pollUntil(
      () => receivers.arrivals.length - first,
      count => count >= wanted,
      { limitMs: 600_000, everyMs: 20 },
    )
    const arrivals = receivers.arrivals.slice(first, first + wanted)
    return { arrivals, seconds: (arrivals.at(-1)!.at - began) / 1_000 }
  }

  await payAndAwait(WARM_UP_CHARGES)
  await sleep(SETTLE_MS)
  let found: Awaited<ReturnType<typeof payAndAwait>>
  const spent = await measureCpu(async () => {
    found = await payAndAwait(CHARGES)
    await sleep(SETTLE_MS)
  })
  const { arrivals, seconds } = found!
  return {
    what: `${name}: webhook events, 1 % dead endpoints (lag)`,
    callers: CALLERS,
    failures: 0,
    ...summarizeTimes(
      arrivals.map(({ chargeUuid, at }) => at - paidAt.get(chargeUuid)!),
      seconds,
    ),
    cpuMs: divideCpuTimes(spent, { programs, operations: arrivals.length }),
  }
}

async function measureLoop({ site, receivers }: Bench): Promise<Speed> {
  const { arrivals } = receivers
  const request: WebhookLoopRequest = {
    urls: Array.from({ length: MERCHANTS * ENDPOINTS }, (_, place) => receivers.url(`loop-${place}`)),
    body: JSON.stringify({ data: { uuid: arrivals.at(-1)?.chargeUuid, padding: 'x'.repeat(1_500) } }),
    count: MERCHANTS * CHARGES * ENDPOINTS,
    concurrency: LOOP_CONCURRENCY,
  }
  const loop = fileURLToPath(new URL('./floors/webhook-loop.ts', import.meta.url))
  const child = fork(loop, { env: site.environment })
  const answered = once(child, 'message')
  child.send(request)
  const [{ times, elapsedMs, cpuMs }] = (await answered) as [WebhookLoopResult]
  return {
    what: 'floor: plain HTTP loop, signed',
    callers: LOOP_CONCURRENCY,
    failures: 0,
    ...summarizeTimes(times, elapsedMs / 1_000),
    cpuMs: { floor: cpuMs / times.length },
  }
}
