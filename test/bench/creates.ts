import { measureInTurns, measureOneByOne, warmUp } from './callers.ts'
import { measureCost } from './costs.ts'
import { type Figures, formatPerSecond } from './figures.ts'
import type { Bench } from './main.ts'

/** How many callers call at once. */
const CALLERS = [1, 16, 64]
const WARM_UP_CALLERS = 16
const SEQUENTIAL_CALLS = 40

/** POST /payments beside the floors under it. */
export async function creates({ site, floors, seconds, say }: Bench): Promise<Partial<Figures>> {
  const { token } = await site.stage.createMerchant()
  const api = site.api()
  const create = async () => {
    const { status, body } = await api.post('/api/v1/payments', token, { value: 10, type: 'PIX' })
    if (status !== 201) return undefined
    return body.data.uuid as string
  }
  const ours = { what: 'create a charge', call: async () => (await create()) !== undefined }
  const kinds = [floors.empty, floors.localAndNormal, ours]
  await warmUp(kinds, { callers: WARM_UP_CALLERS, seconds })
  const speeds = []
  const goals = []
  for (const callers of CALLERS) {
    const found = await measureInTurns(kinds, { callers, seconds })
    const [, floor, own] = found
    speeds.push(...found)
    say(`${callers} callers: ${formatPerSecond(found)}`)
    goals.push({
      what: `creates ÷ floor of local + normal, ${callers} callers`,
      is: own!.perSecond / floor!.perSecond,
      atLeast: 0.6,
    })
  }
  const alone = await measureOneByOne([floors.localAndNormal, ours], { calls: SEQUENTIAL_CALLS, restMs: 100 })
  speeds.push(...alone)
  goals.push({
    what: 'p50 of the floor of local + normal ÷ of a create, nothing beside it',
    is: alone[0]!.p50Ms / alone[1]!.p50Ms,
    atLeast: 0.6,
  })
  const cost = await measureCost(site, 'create a charge', {
    perform: async () => (await create())!,
    workflowIdOf: uuid => `charge/${uuid}`,
  })
  return { speeds, goals, costs: [cost] }
}
