import { setTimeout as sleep } from 'node:timers/promises'
import { callOpenLoop } from './arrivals.ts'
import { callMany, measureInTurns, summarizeTimes, warmUp } from './callers.ts'
import type { Figures, Goal, Speed } from './figures.ts'
import { createCharge } from './implementations.ts'
import type { Bench } from './main.ts'

/** Their number measures the capacity. */
const CALLERS = 32
/** Each with one endpoint. */
const MERCHANTS = 100
const DEAD = 1
const SLOW = 5
/** Longer than an attempt waits. */
const DEAD_DELAY_MS = 60_000
const SLOW_DELAY_MS = 2_000
/** From a create to its payment, so that the create's own time is no part of the lag. */
const PAYER_DELAY_MS = 2_000
/** Times `--seconds`: a p99 needs some hundreds of arrivals. */
const LENGTH = 5
/** Share of the capacity that arrives, and the goal of the lag's p99. */
const LOADS = [
  { share: 0.5, atMostMs: 1_000 },
  { share: 0.75, atMostMs: 3_000 },
]

/**
 * Paid charges of a hundred merchants arrive at random moments, at half and at three quarters of the capacity: the time
 * from each planned payment to its webhook at an endpoint that works, where others are dead or slow.
 */
export async function openloop({
  trilho,
  baseline,
  receivers,
  stage,
  seconds,
  say,
}: Bench): Promise<Partial<Figures>> {
  const figures = { speeds: [] as Speed[], goals: [] as Goal[], notes: [] as string[] }
  for (const implementation of [trilho, baseline]) {
    const { name, programs } = implementation
    const endpoints = Array.from({ length: MERCHANTS }, (_, n) =>
      receivers.url(
        `open-${name}-${n}`,
        n < DEAD ? DEAD_DELAY_MS : n < DEAD + SLOW ? SLOW_DELAY_MS : undefined,
      ),
    )
    const tokens = await callMany(MERCHANTS, 4, n => implementation.createMerchant([endpoints[n]!]))
    const randomMerchant = (from: number) => from + Math.floor(Math.random() * (MERCHANTS - from))

    /** Ms from the payment to the webhook; undefined where it was refused or never arrived. */
    const payAndAwaitWebhook = async (merchant: number, payAt: number): Promise<number | undefined> => {
      const charge = await createCharge(implementation, tokens[merchant]!)
      if (!charge) return undefined
      const waitMs = payAt - performance.now()
      if (waitMs > 0) await sleep(waitMs)
      await stage.simulator.pay({ payload: charge.payment.payload })
      if (merchant < DEAD + SLOW) return Number.NaN
      const arrivedAt = await receivers.waitFor(charge.uuid)
      return arrivedAt === undefined ? undefined : arrivedAt - payAt
    }
    const kind = {
      what: `${name}: charge, paid and announced (the capacity)`,
      call: async () =>
        (await payAndAwaitWebhook(randomMerchant(DEAD + SLOW), performance.now())) !== undefined,
      programs,
    }
    await warmUp([kind], { callers: CALLERS, seconds })
    const [closed] = await measureInTurns([kind], { callers: CALLERS, seconds })
    figures.speeds.push(closed!)
    for (const { share, atMostMs } of LOADS) {
      const perSecond = closed!.perSecond * share
      const length = LENGTH * seconds
      const arrivals = await callOpenLoop({ perSecond, seconds: length }, plannedAt =>
        payAndAwaitWebhook(randomMerchant(0), plannedAt + PAYER_DELAY_MS),
      )
      const lags = arrivals.map(({ result }) => result)
      const failures = lags.filter(lag => lag === undefined).length
      const known = lags.filter(lag => lag !== undefined && !Number.isNaN(lag)) as number[]
      const what = `${name}: payment to webhook at ${share * 100} % of capacity (lag)`
      const lag = summarizeTimes(known, length)
      say(`${what}: p50 ${lag.p50Ms.toFixed(0)} ms, p99 ${lag.p99Ms.toFixed(0)} ms`)
      figures.speeds.push({ what, callers: null, failures, ...lag })
      if (name === 'Trilho')
        figures.goals.push({
          what: `p99 of the lag at ${share * 100} % of capacity`,
          atMost: atMostMs,
          unit: 'ms',
          is: failures > 0 ? Number.NaN : lag.p99Ms,
        })
    }
  }
  figures.notes.push(
    `${DEAD} of ${MERCHANTS} endpoints dead, ${SLOW} slow (${SLOW_DELAY_MS} ms); their webhooks are no part of the lag`,
  )
  return figures
}
