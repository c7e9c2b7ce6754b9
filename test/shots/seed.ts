import { randomUUID } from 'node:crypto'
import { addDays } from '../../src/domain/charges/business-days.ts'
import { computeBrasiliaDay } from '../../src/domain/shared/brasilia-day.ts'
import { pollUntil } from '../api/support/poll-until.ts'
import type { TestStack } from '../api/support/test-stack.ts'

/** A merchant's account after two weeks of business: every state of every object that a page shows. */

const PAYERS = [
  { name: 'Maria Aparecida da Silva', document: '52998224725' },
  { name: 'João Pedro Albuquerque Cavalcanti de Oliveira', document: '11144477735' },
  { name: 'Mercadinho do Zé Ltda', document: '11222333000181' },
  { name: 'Ana Beatriz Souza', document: '39053344705' },
]
const SALES = [
  [18.9, 'balcão 1042'],
  [249, 'Pedido #2291 – bolo de casamento'],
  [73.5, 'mesa 7'],
  [1_890, 'Encomenda Hotel Atlântico'],
  [12.5, 'balcão 1043'],
  [96.4, 'mesa 2'],
  [330, 'Pedido #2292'],
  [54.2, 'mesa 11'],
  [27.8, 'balcão 1044'],
  [415.75, 'Pedido #2293'],
  [64, 'mesa 5'],
  [38.9, 'balcão 1045'],
] as const

export type Seed = Awaited<ReturnType<typeof seedMerchant>>

export async function seedMerchant(stage: TestStack) {
  const { simulator, sql } = stage
  const merchant = await stage.createMerchant({
    unmatchedPolicy: 'keep',
    providers: [
      { balance: 12_480.37, charge: { fixedCents: 0, hundredthsOfPercent: 99 } },
      { provider: 'PROVIDER_B', dialect: 'woovi', balance: 3_915.1 },
      { provider: 'PROVIDER_C', balance: 860 },
    ],
  })
  const { api, uuid } = merchant
  await sql('update account set name = ? where uuid = ?', ['Padaria Trilho Ltda', uuid])
  const [first] = merchant.connections
  const paid: { uuid: string; endToEnd: string; payload: string }[] = []
  for (const [index, [value, external_ref]] of SALES.entries()) {
    const { uuid: charge, payment } = await api.createCharge({ value, external_ref })
    const { end_to_end } = await simulator.pay({
      payload: payment.payload,
      payer: PAYERS[index % PAYERS.length]!,
    })
    paid.push({ uuid: charge, endToEnd: end_to_end, payload: payment.payload })
  }
  for (const { uuid } of paid)
    await pollUntil(
      () => api.readCharge(uuid),
      ({ status }) => status === 'PAID',
    )
  const open = await api.createCharge({ value: 129.9, external_ref: 'Pedido #2294', expires_in: 86_400 })
  const today = computeBrasiliaDay(new Date())
  const due = await api.createCharge({
    value: 890,
    external_ref: 'Mensalidade novembro',
    due: {
      on: addDays(today, 6),
      payable_days_after: 20,
      fine: { type: 'PERCENTAGE', value: 2 },
      interest: { type: 'PERCENTAGE', per: 'MONTH', days: 'CALENDAR', value: 1 },
      discount: { type: 'FIXED', until: [{ on: addDays(today, 3), value: 45 }] },
    },
    debtor: {
      name: PAYERS[0]!.name,
      document: PAYERS[0]!.document,
      address: { street: 'Avenida Paulista, 1000', city: 'São Paulo', state: 'SP', zip_code: '01310100' },
    },
    message: 'Obrigado pela preferência',
  })
  const plan = {
    value: 59.9,
    frequency: 'MONTHLY',
    starts_on: addDays(today, 8),
    contract: 'PLANO-42',
    subject: 'Clube do pão',
    debtor: PAYERS[0]!,
    retry_policy: 'THREE_IN_SEVEN_DAYS',
    journey: 'QR',
  }
  const recurrence = (await api.post('/api/v1/recurrences', plan)).body.data.uuid
  const cancelled = await api.createCharge({ value: 44, external_ref: 'mesa 3' })
  await api.post(`/api/v1/payments/${cancelled.uuid}/cancel`, {})

  const limits = {
    per_transfer: 2_000,
    per_day: 3_000,
    per_night: 2_500,
    new_receiver: { value: 2_000, hours: 24 },
    trusted_receivers: [{ document: '11222333000181' }, { pix_key: 'fornecedor@moinho.com.br' }],
    duplicate_guard: { seconds: 300 },
  }
  await api.put('/api/v1/limits', limits)
  await api.put('/api/v1/limits', { ...limits, per_day: 10_000, per_transfer: 5_000 })
  const keys = [
    [120, 'fornecedor@moinho.com.br', 'Farinha – NF 8812'],
    [1_430.55, '+5511988887777', 'Aluguel novembro'],
    [86.1, '52998224725', 'Diária Maria'],
  ] as const
  const refused = { provider: first!.provider, account: first!.account } as const
  await simulator.addFault({ ...refused, operation: 'sendTransfer', fault: 'refused', times: 1 })
  const transfers: string[] = []
  for (const [value, pix_key, external_ref] of keys)
    transfers.push((await api.post('/api/v1/transfers', { value, pix_key, external_ref })).body.data.uuid)
  const scheduled_for = new Date(Date.now() + 3 * 86_400_000).toISOString()
  const planned = {
    value: 950,
    pix_key: 'contador@escritorio.com.br',
    external_ref: 'Contabilidade',
    scheduled_for,
  }
  const scheduled = (await api.post('/api/v1/transfers', planned)).body.data.uuid
  for (const transfer of transfers)
    await pollUntil(
      async () => (await api.get(`/api/v1/transfers/${transfer}`)).body.data.status,
      status => status === 'PAID' || status === 'COMPLETED' || status === 'FAILED',
    )

  const returned = await api.post(`/api/v1/payments/${paid[1]!.uuid}/refund`, { value: 49 })
  await simulator.openDispute({ end_to_end: paid[3]!.endToEnd, type: 'SCAM' })
  await simulator.pay({ payload: paid[2]!.payload, force: true, payer: PAYERS[0]! })
  const unanswered = { operation: 'sendTransfer', fault: 'timeout_then_done', times: 3 } as const
  await simulator.addFault({ ...refused, ...unanswered })
  await simulator.addFault({ ...refused, operation: 'findTransfer', fault: 'http_500', times: 10_000 })
  const doubtful = {
    value: 310,
    pix_key: 'energia@concessionaria.com.br',
    external_ref: 'Luz',
    provider_uuid: first!.uuid,
  }
  const unknown = (await api.post('/api/v1/transfers', doubtful)).body.data.uuid

  const inbox = `shots-${randomUUID()}`
  const healthy = await api.post('/api/v1/webhooks', { url: `${stage.local.inbox_url}/${inbox}` })
  await simulator.setInboxResponse(`${inbox}-down`, { status: 500 })
  const failing = await api.post('/api/v1/webhooks', { url: `${stage.local.inbox_url}/${inbox}-down` })
  for (const { body } of [healthy, failing]) await api.post(`/api/v1/webhooks/${body.data.uuid}/test`, {})
  await stage.token({ accountUuid: uuid, name: 'Loja on-line' })
  const { body: disputes } = await pollUntil(
    () => api.get('/api/v1/meds'),
    ({ body }) => body.data.length > 0,
  )
  await pollUntil(
    () => sql(`select from attempt where subject_uuid = ? and state = 'unknown'`, [unknown]),
    rows => rows.length > 0,
  )
  await spreadOverTwoWeeks(stage, uuid)
  const [event] = await sql<{ uuid: string }>('select uuid from event where account_uuid = ? limit 1', [uuid])
  const [line] = await sql<{ uuid: string }>(
    `select uuid from movement where account_uuid = ? and reason = 'second_payment'`,
    [uuid],
  )
  return {
    account: uuid,
    connection: first!.uuid,
    paid: paid[0]!.uuid,
    refunded: paid[1]!.uuid,
    refund: returned.body.data.refund.uuid,
    open: open.uuid,
    due: due.uuid,
    recurrence,
    fallback: transfers[0]!,
    scheduled,
    unknown,
    dispute: disputes.data[0].uuid,
    webhook: failing.body.data.uuid,
    event: event!.uuid,
    unmatched: line?.uuid,
  }
}

/** What was received today becomes two weeks of it, so that plots and lists have days to show. */
async function spreadOverTwoWeeks({ sql }: TestStack, account: string): Promise<void> {
  await sql(
    `with old as (select uuid, row_number() over (order by created_at) as n from charge where account_uuid = ?)
     update charge set created_at = created_at - (greatest(0, 13 - n) * interval '26 hours') from old where old.uuid = charge.uuid`,
    [account],
  )
  await sql(
    `with old as (select uuid, row_number() over (order by created_at) as n from movement
       where account_uuid = ? and type = 'EXTERNAL_TRANSFER')
     update movement set created_at = created_at - (greatest(0, 14 - n) * interval '26 hours'),
       settled_at = settled_at - (greatest(0, 14 - n) * interval '26 hours') from old where old.uuid = movement.uuid`,
    [account],
  )
}
