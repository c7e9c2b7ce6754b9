import { measureInTurns, measureOneByOne, warmUp } from './callers.ts'
import { measureCost } from './costs.ts'
import { sumCpuMs } from './cpu.ts'
import { type Comparison, type Figures, formatPerSecond, type Goal, type Speed } from './figures.ts'
import { createCharge } from './implementations.ts'
import type { Bench } from './main.ts'

/** How many callers call at once. */
const CALLERS = [1, 16, 64]
const WARM_UP_CALLERS = 16
const SEQUENTIAL_CALLS = 40

/** Where the processor time of a create is judged. */
const CPU_CALLERS = 16
const CPU_GOAL_MS = 26

/** POST /payments beside the floors under it, and beside the baseline. */
export async function creates({
  site,
  trilho,
  baseline,
  floors,
  seconds,
  say,
}: Bench): Promise<Partial<Figures>> {
  const [ours, plain] = await Promise.all(
    [trilho, baseline].map(async implementation => {
      const token = await implementation.createMerchant()
      const create = () => createCharge(implementation, token)
      return {
        what: `${implementation.name}: create a charge`,
        call: async () => (await create()) !== undefined,
        programs: implementation.programs,
        create,
      }
    }),
  )
  const kinds = [floors.empty, floors.localAndNormal, ours!, plain!]
  await warmUp(kinds, { callers: WARM_UP_CALLERS, seconds })
  const speeds: Speed[] = []
  const goals: Goal[] = []
  const comparisons: Comparison[] = []
  for (const callers of CALLERS) {
    const found = await measureInTurns(kinds, { callers, seconds })
    const [, floor, own, other] = found
    speeds.push(...found)
    say(`${callers} callers: ${formatPerSecond(found)}`)
    comparisons.push({ what: `create a charge, ${callers} callers`, ours: own!, baseline: other! })
    goals.push({
      what: `creates ÷ floor of local + normal, ${callers} callers`,
      is: own!.perSecond / floor!.perSecond,
      atLeast: 0.6,
    })
    if (callers === CPU_CALLERS)
      goals.push({
        what: `CPU of a create, ${callers} callers`,
        atMost: CPU_GOAL_MS,
        unit: 'ms',
        is: sumCpuMs(own!.cpuMs),
      })
  }
  const alone = await measureOneByOne([floors.localAndNormal, ours!, plain!], {
    calls: SEQUENTIAL_CALLS,
    restMs: 100,
  })
  speeds.push(...alone)
  goals.push({
    what: 'p50 of the floor of local + normal ÷ of a create, nothing beside it',
    is: alone[0]!.p50Ms / alone[1]!.p50Ms,
    atLeast: 0.6,
  })
  const cost = await measureCost(site, 'create a charge', {
    perform: async () => (await ours!.create())!.uuid,
    workflowIdOf: uuid => `charge/${uuid}`,
  })
  return { speeds, comparisons, goals, costs: [cost] }
}
