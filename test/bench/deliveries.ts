import { setTimeout as sleep } from 'node:timers/promises'
import { pollUntil } from '../api/support/poll-until.ts'
import type { Merchant } from '../api/support/test-stack.ts'
import { callMany } from './callers.ts'
import { type Figures, quantile } from './figures.ts'
import type { Bench } from './main.ts'

/** An account has twenty endpoints at most, so a hundred belong to five. */
const MERCHANTS = 5
const ENDPOINTS = 20
/** Per merchant; each is delivered to all its endpoints. */
const CHARGES = 6
/** Longer than an attempt waits. */
const DEAD_ENDPOINT_DELAY_MS = 60_000

/** A hundred endpoints, one of them unresponsive: what the others receive, and how late. */
export async function deliveries({ site }: Bench): Promise<Partial<Figures>> {
  const { stage, local } = site
  const api = site.api()
  await stage.simulator.setInboxResponse('bench-dead', { delay_ms: DEAD_ENDPOINT_DELAY_MS })
  const merchants: Merchant[] = []
  for (let n = 0; n < MERCHANTS; n += 1) {
    const merchant = await stage.createMerchant()
    for (let place = 0; place < ENDPOINTS; place += 1) {
      const name = n === 0 && place === 0 ? 'bench-dead' : `bench-${n}-${place}`
      const order = { url: `${local.inbox_url}/${name}`, events: ['PAYMENT'] }
      const { status, body } = await api.post('/api/v1/webhooks', merchant.token, order)
      if (status !== 201) throw new Error(`no webhook: ${JSON.stringify(body)}`)
    }
    merchants.push(merchant)
  }
  const payloads = await callMany(MERCHANTS * CHARGES, 8, async place => {
    const { token } = merchants[place % MERCHANTS]!
    const { body } = await api.post('/api/v1/payments', token, { value: 10, type: 'PIX' })
    return body.data.payment.payload as string
  })
  const accounts = `{${merchants.map(merchant => merchant.uuid).join(',')}}`
  const delivered = () =>
    stage
      .sql<{ n: string }>(
        `select count(*) as n from delivery d join event e on e.uuid = d.event_uuid
         where d.status = 'DELIVERED' and e.account_uuid = any(?::uuid[])`,
        [accounts],
      )
      .then(([row]) => Number(row!.n))

  const wanted = MERCHANTS * CHARGES * ENDPOINTS - CHARGES
  const began = performance.now()
  await callMany(payloads.length, 8, place => stage.simulator.pay({ payload: payloads[place]! }))
  await pollUntil(delivered, n => n >= wanted, { limitMs: 600_000, everyMs: 100 })
  const elapsed = (performance.now() - began) / 1_000
  await sleep(100)
  const rows = await stage.sql<{ ms: string }>(
    `select extract(epoch from d.updated_at - e.created_at) * 1000 as ms
     from delivery d join event e on e.uuid = d.event_uuid
     where d.status = 'DELIVERED' and e.account_uuid = any(?::uuid[])`,
    [accounts],
  )
  const lags = rows.map(({ ms }) => Number(ms)).toSorted((a, b) => a - b)
  await stage.simulator.clearInbox('bench-dead')
  return {
    speeds: [
      {
        what: 'deliveries, 1 % dead endpoints (lag)',
        callers: 8,
        perSecond: wanted / elapsed,
        p50Ms: quantile(lags, 0.5),
        p99Ms: quantile(lags, 0.99),
        calls: wanted,
        failures: 0,
      },
    ],
  }
}
