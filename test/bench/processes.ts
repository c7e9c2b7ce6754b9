import { randomUUID } from 'node:crypto'
import { startSecondProcesses } from '../support/second-processes.ts'
import type { BenchApiClient } from './bench-stack.ts'
import { callMany, measureInTurns } from './callers.ts'
import type { Figures } from './figures.ts'
import type { Bench } from './main.ts'

const CALLERS = 16
/** Requests sent to both APIs at once under one key. */
const DUPLICATE_ORDERS = 50

/** A second API and a second worker over the same servers: what they add, and that together they are consistent. */
export async function processes({ site, seconds }: Bench): Promise<Partial<Figures>> {
  const { token } = await site.stage.createMerchant()
  const first = site.api()
  const charge = (api: BenchApiClient) => async () => (await api.post(PATH, token, ORDER)).status === 201
  const alone = await measureInTurns([{ what: 'create a charge, one of each', call: charge(first) }], {
    callers: CALLERS,
    seconds,
  })
  const second = await startSecondProcesses(site.stack, site.environment)
  try {
    await site.keepProductionIntervals()
    const api = site.api(second.apiUrl)
    let next = 0
    const either = () => charge(next++ % 2 === 0 ? first : api)()
    const both = await measureInTurns([{ what: 'create a charge, two of each', call: either }], {
      callers: CALLERS,
      seconds,
    })
    const answers = await callMany(DUPLICATE_ORDERS, 4, async () => {
      const key = randomUUID()
      const order = { ...ORDER, external_ref: key }
      const twins = await Promise.all(
        [first, api].map(one => one.post(PATH, token, order, { 'idempotency-key': key })),
      )
      const [stored] = await site.stage.sql<{ n: string }>(
        'select count(*) as n from charge where external_ref = ?',
        [key],
      )
      const uuids = new Set(twins.map(({ body }) => body.data?.uuid))
      return uuids.size === 1 && Number(stored!.n) === 1
    })
    const right = answers.filter(Boolean).length
    return {
      speeds: [...alone, ...both],
      goals: [
        {
          what: 'orders that came to two APIs at once and are one charge',
          is: right / DUPLICATE_ORDERS,
          atLeast: 1,
        },
      ],
    }
  } finally {
    await second.stop()
  }
}

const PATH = '/api/v1/payments'
const ORDER = { value: 10, type: 'PIX' }
