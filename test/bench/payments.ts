import { pollUntil } from '../api/support/poll-until.ts'
import { callMany, measureInTurns } from './callers.ts'
import { measureCost } from './costs.ts'
import { type Figures, quantile } from './figures.ts'
import type { Bench } from './main.ts'

const CALLERS = 16
/** A busy machine pays so many in some tens of seconds. */
const CHARGES = 200

/** From the payer's bank to the merchant's endpoint: paid, posted, delivered; then refunded. */
export async function payments({ site, seconds }: Bench): Promise<Partial<Figures>> {
  const { stage, local } = site
  const merchant = await stage.createMerchant({ providers: [{ balance: 1_000 }] })
  const { token } = merchant
  const api = site.api()
  const hook = await api.post('/api/v1/webhooks', token, {
    url: `${local.inbox_url}/paid`,
    events: ['PAYMENT'],
  })
  if (hook.status !== 201) throw new Error(`no webhook: ${JSON.stringify(hook.body)}`)
  const create = async () => (await api.post('/api/v1/payments', token, { value: 10, type: 'PIX' })).body.data
  const pay = (payload: string) => stage.simulator.pay({ payload })
  const delivered = () =>
    stage
      .sql<{ n: string }>(
        `select count(*) as n from delivery d join event e on e.uuid = d.event_uuid
         where d.status = 'DELIVERED' and e.account_uuid = ?`,
        [merchant.uuid],
      )
      .then(([row]) => Number(row!.n))

  const charges = await callMany(CHARGES, CALLERS, create)
  const began = performance.now()
  await callMany(CHARGES, CALLERS, place => pay(charges[place].payment.payload))
  await pollUntil(delivered, n => n >= CHARGES, { limitMs: 600_000, everyMs: 100 })
  const elapsed = (performance.now() - began) / 1_000
  const lags = await stage.sql<{ ms: string }>(
    `select extract(epoch from d.updated_at - c.created_at) * 1000 as ms
     from delivery d join event e on e.uuid = d.event_uuid
     join movement c on c.charge_uuid = e.subject_uuid where e.account_uuid = ? and d.status = 'DELIVERED'`,
    [merchant.uuid],
  )
  const sorted = lags.map(({ ms }) => Number(ms)).toSorted((a, b) => a - b)
  const paid = {
    what: 'paid and announced',
    callers: CALLERS,
    perSecond: CHARGES / elapsed,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
    calls: CHARGES,
    failures: 0,
  }

  let next = 0
  const refund = {
    what: 'refund',
    async call() {
      const one = charges[next++]
      if (!one) return false
      const { status } = await api.post(`/api/v1/payments/${one.uuid}/refund`, token, { value: 1 })
      return status === 200
    },
  }
  const refunds = await measureInTurns([refund], { callers: 4, seconds: Math.min(seconds, 10) })

  const cost = await measureCost(site, 'charge, paid and announced', {
    settleMs: 4_000,
    workflowIdOf: uuid => `charge/${uuid}`,
    async perform() {
      const { uuid, payment } = await create()
      const before = await delivered()
      await pay(payment.payload)
      await pollUntil(delivered, n => n > before, { limitMs: 60_000, everyMs: 500 })
      return uuid
    },
  })
  return { speeds: [paid, ...refunds], costs: [cost] }
}
