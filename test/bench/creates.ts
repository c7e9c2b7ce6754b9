import { addDays } from '../../src/domain/charges/business-days.ts'
import { computeBrasiliaDay } from '../../src/domain/shared/brasilia-day.ts'
import { measureInTurns, measureOneByOne, warmUp } from './callers.ts'
import { measureCost } from './costs.ts'
import { sumCpuMs } from './cpu.ts'
import { type Comparison, type Figures, formatPerSecond, type Goal, type Speed } from './figures.ts'
import { createCharge, type Implementation } from './implementations.ts'
import type { Bench } from './main.ts'

/** How many callers call at once. */
const CALLERS = [1, 16, 64]
const WARM_UP_CALLERS = 16
const SEQUENTIAL_CALLS = 40

/** Where the processor time of a create is judged. */
const CPU_CALLERS = 16
const CPU_GOAL_MS = 26
/** The processor time of a charge with a due date, as a multiple of that of a plain charge in the same run. */
const DUE_CPU_GOAL = 1.1
const DAYS_UNTIL_DUE = 10

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
  const due = await createDueKind(trilho)
  const kinds = [floors.empty, floors.localAndNormal, ours!, plain!]
  await warmUp([...kinds, due], { callers: WARM_UP_CALLERS, seconds })
  const speeds: Speed[] = []
  const goals: Goal[] = []
  const comparisons: Comparison[] = []
  for (const callers of CALLERS) {
    const measured = callers === CPU_CALLERS ? [...kinds, due] : kinds
    const found = await measureInTurns(measured, { callers, seconds })
    const [, floor, own, other, ownDue] = found
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
    if (ownDue)
      goals.push({
        what: `CPU of a create with a due date ÷ of a create, ${callers} callers`,
        is: sumCpuMs(ownDue.cpuMs) / sumCpuMs(own!.cpuMs),
        atMost: DUE_CPU_GOAL,
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
  const dueCost = await measureCost(site, 'create a charge with a due date', {
    perform: async () => (await due.create())!.uuid,
    workflowIdOf: uuid => `charge/${uuid}`,
  })
  return { speeds, comparisons, goals, costs: [cost, dueCost] }
}

/** Creates of charges with a due date, whose provider computes a fine, interest and a discount. */
async function createDueKind(trilho: Implementation) {
  const token = await trilho.createMerchant()
  const on = addDays(computeBrasiliaDay(new Date()), DAYS_UNTIL_DUE)
  const members = {
    debtor: { name: 'Ana Souza', document: '52998224725' },
    due: {
      on,
      fine: { type: 'PERCENTAGE', value: 2 },
      interest: { type: 'PERCENTAGE', per: 'MONTH', days: 'CALENDAR', value: 1 },
      discount: { type: 'FIXED', until: [{ on, value: 1 }] },
    },
  }
  const create = () => createCharge(trilho, token, members)
  return {
    what: `${trilho.name}: create a charge with a due date`,
    call: async () => (await create()) !== undefined,
    programs: trilho.programs,
    create,
  }
}
