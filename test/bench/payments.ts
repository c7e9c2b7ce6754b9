import { callMany, measureInTurns, summarizeTimes, warmUp } from './callers.ts'
import { measureCost, measureHistories } from './costs.ts'
import { divideCpuTimes, measureCpu, sumCpuMs } from './cpu.ts'
import type { Figures, Speed } from './figures.ts'
import { type CreatedCharge, createCharge, type Implementation, requireCharge } from './implementations.ts'
import type { Bench } from './main.ts'

const CALLERS = 16
/** A busy machine pays so many in some tens of seconds. */
const CHARGES = 200
const CPU_GOAL_MS = 60

/**
 * From the payer's bank to the merchant's endpoint: whole charges from request to webhook, beside the baseline; many
 * charges paid at once; then refunds.
 */
export async function payments(bench: Bench): Promise<Partial<Figures>> {
  const { site, trilho, baseline, seconds } = bench
  const [ours, plain] = [await openPayer(bench, trilho), await openPayer(bench, baseline)]
  await warmUp([ours.whole, plain.whole], { callers: CALLERS, seconds })
  const [own, other] = await measureInTurns([ours.whole, plain.whole], { callers: CALLERS, seconds })
  const charges = await callMany(CHARGES, CALLERS, ours.create)
  const paid = await ours.payAll(charges)
  const histories = await measureHistories(
    site,
    charges.map(({ uuid }) => `charge/${uuid}`),
  )
  const paidByBaseline = await plain.payAll()

  let next = 0
  const refund = {
    what: 'refund',
    async call() {
      const one = charges[next++]
      if (!one) return false
      const path = `/api/v1/payments/${one.uuid}/refund`
      return (await trilho.api.post(path, ours.token, { value: 1 })).status === 200
    },
  }
  const refunds = await measureInTurns([refund], { callers: 4, seconds: Math.min(seconds, 10) })
  const cost = await measureCost(site, 'charge, paid and announced', {
    settleMs: 4_000,
    workflowIdOf: uuid => `charge/${uuid}`,
    perform: async () => (await ours.payOne())!,
  })
  return {
    speeds: [own!, other!, paid, paidByBaseline, ...refunds],
    comparisons: [
      { what: `charge, paid and announced, ${CALLERS} callers`, ours: own!, baseline: other! },
      { what: `${CHARGES} charges paid at once`, ours: paid, baseline: paidByBaseline },
    ],
    goals: [
      {
        what: 'CPU of a charge, paid and announced',
        is: sumCpuMs(own!.cpuMs),
        atMost: CPU_GOAL_MS,
        unit: 'ms',
      },
    ],
    costs: [cost],
    notes: [
      `${CHARGES} charges paid at once: ${histories.workflowTasks.toFixed(1)} workflow tasks, ${histories.activityTasks.toFixed(1)} activity tasks, ${histories.historyEvents.toFixed(0)} events each`,
    ],
  }
}

/** A merchant with one endpoint, and its payers. */
async function openPayer({ stage, receivers }: Bench, implementation: Implementation) {
  const { name, programs } = implementation
  const token = await implementation.createMerchant([receivers.url(`paid-${name}`)])

  const create = () => requireCharge(implementation, token)
  /** Ms until the webhook. */
  async function pay({ uuid, payment }: CreatedCharge): Promise<number> {
    const began = performance.now()
    await stage.simulator.pay({ payload: payment.payload })
    const arrivedAt = await receivers.waitFor(uuid)
    if (arrivedAt === undefined) throw new Error(`${name} did not announce ${uuid}`)
    return arrivedAt - began
  }
  async function payOne(): Promise<string | undefined> {
    const charge = await createCharge(implementation, token)
    if (charge) await pay(charge)
    return charge?.uuid
  }

  return {
    token,
    create,
    payOne,
    whole: {
      what: `${name}: charge, paid and announced`,
      programs,
      call: async () => (await payOne()) !== undefined,
    },
    /** Pays charges that exist, all at once. */
    async payAll(charges?: CreatedCharge[]): Promise<Speed> {
      const unpaid = charges ?? (await callMany(CHARGES, CALLERS, create))
      const began = performance.now()
      let times: number[] = []
      const spent = await measureCpu(async () => {
        times = await Promise.all(unpaid.map(pay))
      })
      return {
        what: `${name}: ${CHARGES} charges paid at once`,
        callers: CHARGES,
        failures: 0,
        ...summarizeTimes(times, (performance.now() - began) / 1_000),
        cpuMs: divideCpuTimes(spent, { programs, operations: times.length }),
      }
    },
  }
}
