import { setTimeout as sleep } from 'node:timers/promises'
import { summarizeTimes, warmUp } from './callers.ts'
import { type Figures, type Goal, quantile, type Speed } from './figures.ts'
import type { Bench } from './main.ts'

const ITEMS = 1_000
/** Between a response and the next single transfer: the machine carries far more. */
const REST_MS = 250
/** Of single transfers without a batch, times `--seconds`, before it and again after it. */
const LENGTH = 5
const MOST_TIMES = 2
/** Reais that cover so many transfers of a centavo. */
const INITIAL_BALANCE_REAIS = 1_000_000
const END_LIMIT_MS = 1_800_000

/** POST /transfers, one after the other, without a batch and while one is carried out: of its own account, and of another one. */
export async function batches({ site, trilho, seconds, say }: Bench): Promise<Partial<Figures>> {
  const { api } = trilho
  const [own, other] = [await createAccount(), await createAccount()]
  const send = async (token: string): Promise<boolean> => {
    const order = { value: 0.01, pix_key: 'maria@example.com' }
    return (await api.post('/api/v1/transfers', token, order)).status === 201
  }
  const kinds = [
    { what: 'single transfer of the account of the batch', token: own },
    { what: 'single transfer of another account', token: other },
  ]
  await warmUp(
    kinds.map(({ what, token }) => ({ what, call: () => send(token) })),
    { callers: 8, seconds },
  )
  const withoutMs = LENGTH * seconds * 1_000
  const without = [emptyTimes(), emptyTimes()]
  const during = [emptyTimes(), emptyTimes()]
  await measureSingles(without, withinMs(withoutMs))
  const orderedAtMs = performance.now()
  const uuid = await orderBatch()
  await measureSingles(during, async () => {
    const { status } = (await api.get(`/api/v1/transfers/batches/${uuid}`, own)).body.data
    if (performance.now() - orderedAtMs > END_LIMIT_MS) throw new Error(`batch ${uuid} is ${status}`)
    return status === 'PROCESSING'
  })
  const batchSeconds = (performance.now() - orderedAtMs) / 1_000
  await measureSingles(without, withinMs(withoutMs))

  const speeds: Speed[] = []
  const goals: Goal[] = []
  const notes = [
    `a batch of ${ITEMS} items in ${batchSeconds.toFixed(0)} s, ${(ITEMS / batchSeconds).toFixed(1)} a second`,
  ]
  for (const [place, { what }] of kinds.entries()) {
    const [alone, beside] = [without[place]!, during[place]!]
    speeds.push(describe(what, alone, 2 * (withoutMs / 1_000)))
    speeds.push(describe(`${what}, during a batch`, beside, batchSeconds))
    const [aloneMs, besideMs] = [computeP95(alone.times), computeP95(beside.times)]
    const note = `p95 of a ${what}: ${aloneMs.toFixed(0)} ms without a batch, ${besideMs.toFixed(0)} ms during one`
    notes.push(note)
    say(note)
    const failures = alone.failures + beside.failures
    goals.push({
      what: `p95 of a ${what} during a batch ÷ without`,
      is: failures > 0 ? Number.NaN : besideMs / aloneMs,
      atMost: MOST_TIMES,
    })
  }
  return { speeds, goals, notes }

  async function createAccount(): Promise<string> {
    const merchant = await site.stage.createMerchant({ providers: [{ balance: INITIAL_BALANCE_REAIS }] })
    return merchant.token
  }

  async function orderBatch(): Promise<string> {
    const items = Array.from({ length: ITEMS }, (_, index) => ({
      value: 0.01,
      pix_key: 'maria@example.com',
      external_ref: `item-${index}`,
    }))
    const { status, body } = await api.post('/api/v1/transfers/batches', own, { items })
    if (status !== 202) throw new Error(`no batch: ${status} ${JSON.stringify(body)}`)
    return body.data.uuid
  }

  /** Sends one of each kind in turn while that goes on. */
  async function measureSingles(found: CallTimes[], goesOn: () => Promise<boolean>): Promise<void> {
    for (let next = 0; await goesOn(); next += 1) {
      const place = next % kinds.length
      const askedAtMs = performance.now()
      if (await send(kinds[place]!.token)) found[place]!.times.push(performance.now() - askedAtMs)
      else found[place]!.failures += 1
      await sleep(REST_MS)
    }
  }
}

type CallTimes = { times: number[]; failures: number }
const emptyTimes = (): CallTimes => ({ times: [], failures: 0 })

function withinMs(limitMs: number): () => Promise<boolean> {
  const startedAtMs = performance.now()
  return async () => performance.now() - startedAtMs < limitMs
}

function computeP95(times: number[]): number {
  return quantile(
    times.toSorted((one, other) => one - other),
    0.95,
  )
}

function describe(what: string, { times, failures }: CallTimes, inSeconds: number): Speed {
  return { what, callers: 1, failures, ...summarizeTimes(times, inSeconds) }
}
