import { pollUntil } from '../api/support/poll-until.ts'
import type { Merchant } from '../api/support/test-stack.ts'
import { callMany, measureInTurns, measureOneByOne, summarizeTimes, warmUp } from './callers.ts'
import { measureCost } from './costs.ts'
import { divideCpuTimes, measureCpu, sumCpuMs } from './cpu.ts'
import { type Figures, formatPerSecond, type Goal, type Speed } from './figures.ts'
import type { Bench } from './main.ts'

const CALLERS = [1, 16]
const BALANCES = 100
/** Far longer than a settlement at the simulator with all its follow-ups. */
const SETTLE_WAIT_MS = 600
const SEQUENTIAL_CALLS = 40
/** Sent at once and followed to their ends. */
const FOLLOWED = 200
const CPU_GOAL_MS = 65
/** Reais that cover so many transfers of a centavo. */
const INITIAL_BALANCE_REAIS = 1_000_000

/** POST /transfers, whose settlements follow while others are sent, beside the floors under it; over one balance beside many. */
export async function transfers({ site, trilho, floors, seconds, say }: Bench): Promise<Partial<Figures>> {
  const { api, programs } = trilho
  const merchants: Merchant[] = []
  for (let n = 0; n < BALANCES; n += 1)
    merchants.push(await site.stage.createMerchant({ providers: [{ balance: INITIAL_BALANCE_REAIS }] }))
  const [hot] = merchants
  const send = async (token: string) => {
    const order = { value: 0.01, pix_key: 'maria@example.com' }
    const { status, body } = await api.post('/api/v1/transfers', token, order)
    return status === 201 ? (body.data.uuid as string) : undefined
  }
  const overOne = {
    what: 'transfer, one balance',
    call: async () => (await send(hot!.token)) !== undefined,
  }
  let next = 0
  const overMany = {
    what: `transfer, ${BALANCES} balances`,
    call: async () => (await send(merchants[next++ % BALANCES]!.token)) !== undefined,
  }
  const kinds = [floors.localNormalLocal, floors.localNormalLocalSignalled, overOne, overMany]
  await warmUp(kinds, { callers: Math.max(...CALLERS), seconds })
  const speeds: Speed[] = []
  const goals: Goal[] = []
  for (const callers of CALLERS) {
    const found = await measureInTurns(kinds, { callers, seconds })
    const [floor, floorOfSettled, one, many] = found
    speeds.push(...found)
    say(`${callers} callers: ${formatPerSecond(found)}`)
    goals.push(
      {
        what: `transfers ÷ floor of local + normal + local, ${callers} callers`,
        is: many!.perSecond / floor!.perSecond,
        atLeast: 0.5,
      },
      {
        what: `transfers, each settled ÷ floor of their hops until then, ${callers} callers`,
        is: many!.perSecond / floorOfSettled!.perSecond,
        atLeast: 0.5,
      },
      {
        what: `time of transfers over one balance ÷ over ${BALANCES}, ${callers} callers`,
        is: many!.perSecond / one!.perSecond,
        atMost: 2,
      },
    )
  }
  const alone = await measureOneByOne([floors.localNormalLocal, overOne], {
    calls: SEQUENTIAL_CALLS,
    restMs: SETTLE_WAIT_MS,
  })
  speeds.push(...alone)
  goals.push({
    what: 'p50 of the floor of local + normal + local ÷ of a transfer, nothing beside it',
    is: alone[0]!.p50Ms / alone[1]!.p50Ms,
    atLeast: 0.5,
  })
  const followed = await followToTheEnd()
  speeds.push(followed)
  goals.push({
    what: 'CPU of a transfer to its end',
    is: sumCpuMs(followed.cpuMs),
    atMost: CPU_GOAL_MS,
    unit: 'ms',
  })
  const cost = await measureCost(site, 'transfer, settled', {
    perform: async () => (await send(hot!.token))!,
    workflowIdOf: uuid => `transfer/${uuid}`,
  })
  return { speeds, goals, costs: [cost] }

  /** Many at once, until each has settled. */
  async function followToTheEnd(): Promise<Speed> {
    const callers = Math.max(...CALLERS)
    const began = performance.now()
    const times: number[] = []
    const spent = await measureCpu(async () => {
      const sent = await callMany(FOLLOWED, callers, async place => {
        const sentAt = performance.now()
        const uuid = await send(merchants[place % BALANCES]!.token)
        if (uuid) times.push(performance.now() - sentAt)
        return uuid ?? []
      })
      const uuids = sent.flat()
      await pollUntil(
        () =>
          site.stage.sql<{ n: string }>(
            `select count(*) as n from transfer where uuid = any(?::uuid[]) and state = 'paid'`,
            [`{${uuids.join(',')}}`],
          ),
        ([row]) => Number(row!.n) === uuids.length,
        { limitMs: 120_000 },
      )
    })
    return {
      what: 'transfer to its end (times of the responses)',
      callers,
      failures: FOLLOWED - times.length,
      ...summarizeTimes(times, (performance.now() - began) / 1_000),
      cpuMs: divideCpuTimes(spent, { programs, operations: times.length }),
    }
  }
}
