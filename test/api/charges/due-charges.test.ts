import { describe, expect, test } from '@jest/globals'
import { addDays, findBusinessDay } from '../../../src/domain/charges/business-days.ts'
import { PROVIDER_CAPABILITIES } from '../../../src/domain/providers/capabilities.ts'
import type { ProviderApi, ProviderName } from '../../../src/domain/providers/provider.ts'
import { computeBrasiliaDay } from '../../../src/domain/shared/brasilia-day.ts'
import { openMoneySuite } from '../support/money-suite.ts'
import { pollUntil } from '../support/poll-until.ts'

/** Charges with a due date at a running stack, from the order to the refund of what was received (SPEC §2). */

const { stage, createMerchant } = await openMoneySuite()

const TODAY = computeBrasiliaDay(new Date())
const DUE_DAY = findBusinessDay(addDays(TODAY, 10))
const LATER_DUE_DAY = findBusinessDay(addDays(DUE_DAY, 7))
const DEBTOR = {
  name: 'Ana Souza',
  document: '52998224725',
  address: { street: 'Rua A', city: 'São Paulo', state: 'SP', zip_code: '01310100' },
}
const percent = (value: number) => ({ type: 'PERCENTAGE', value })
const fixed = (value: number) => ({ type: 'FIXED', value })
const buildOrder = (due: object) => ({ value: 100, debtor: DEBTOR, due: { on: DUE_DAY, ...due } })

type Story = {
  provider: ProviderName
  dialect: ProviderApi
  due: object
  /** The body of PATCH. */
  change: object
  /** The day of payment; absent: today, because its API does not report what it computes. */
  paidOn?: string
  paid: { value: number; fine?: number; interest?: number; discount?: number; abatement?: number }
}

const STORIES: Story[] = [
  {
    provider: 'PROVIDER_A',
    dialect: 'efi',
    due: { fine: fixed(3), discount: { type: 'FIXED', until: [{ on: DUE_DAY, value: 5 }] } },
    change: { value: 200 },
    paid: { value: 195 },
  },
  {
    provider: 'PROVIDER_B',
    dialect: 'woovi',
    due: { fine: percent(2), discount: { type: 'PERCENTAGE', until: [{ on: addDays(TODAY, 3), value: 5 }] } },
    change: { value: 200 },
    paid: { value: 95 },
  },
  {
    provider: 'PROVIDER_C',
    dialect: 'sicoob',
    due: { fine: fixed(3), interest: { ...fixed(1), per: 'DAY', days: 'CALENDAR' } },
    change: { value: 200, message: 'Mensalidade' },
    paidOn: addDays(DUE_DAY, 2),
    paid: { value: 205, fine: 3, interest: 2, discount: 0, abatement: 0 },
  },
  {
    provider: 'PROVIDER_D',
    dialect: 'stark',
    due: { fine: percent(2) },
    change: { due: { on: LATER_DUE_DAY, fine: percent(2) } },
    paidOn: addDays(LATER_DUE_DAY, 1),
    paid: { value: 102, fine: 2, interest: 0, discount: 0, abatement: 0 },
  },
]

describe.each(STORIES)('at $dialect', ({ provider, dialect, due, change, paidOn, paid }) => {
  const canRevise = PROVIDER_CAPABILITIES[dialect].dueCharges!.revisable !== 'nothing'

  test('a charge is revised, paid by its last terms, and what was received is refunded', async () => {
    const { api } = await createMerchant({ providers: [{ provider, dialect, sendsNotifications: true }] })
    const created = await api.createCharge(buildOrder(due))
    const path = `/api/v1/payments/${created.uuid}`
    expect(created).toMatchObject({
      status: 'PENDING',
      value: 100,
      payment: { pix: { type: 'QR_DYNAMIC' }, due: { on: DUE_DAY, ...due }, amount_due: { on: TODAY } },
    })

    const revised = await api.call('PATCH', path, { body: change })
    expect(revised).toMatchObject(
      canRevise
        ? { status: 200, body: { data: { revision: 1 } } }
        : { status: 409, body: { code: 'charge_not_revisable' } },
    )
    const read = await api.readCharge(created.uuid)
    const { due: changedDue, ...changedFields } = change as { due?: object }
    expect(read).toMatchObject({
      status: 'PENDING',
      ...(canRevise && { ...changedFields, ...(changedDue && { payment: { due: changedDue } }) }),
    })
    const { on } = read.payment.due
    const listed = await api.get(`/api/v1/payments?due_from=${on}&due_to=${on}`)
    expect(listed.body.data).toMatchObject([{ uuid: created.uuid, payment: { due: { on } } }])
    expect((await api.get(`/api/v1/payments?due_from=${addDays(on, 1)}`)).body.data).toEqual([])

    await stage.simulator.pay({ payload: read.payment.payload, ...(paidOn && { on: paidOn }) })
    const settled = await pollUntil(
      () => api.readCharge(created.uuid),
      ({ status }) => status === 'PAID',
    )
    expect(settled.payment.paid).toEqual(paid)
    expect(settled.payment).not.toHaveProperty('amount_due')
    expect(await api.call('PATCH', path, { body: change })).toMatchObject({ status: 409 })

    expect(await api.post(`${path}/refund`)).toMatchObject({ status: 200 })
    await pollUntil(
      () => api.readCharge(created.uuid),
      ({ status }) => status === 'REFUNDED',
    )
    const refunds = await api.get(`${path}/refunds`)
    const { value } = paid
    expect(refunds.body.data).toMatchObject([{ refund: { status: 'COMPLETED', value } }])
  })

  test('a charge that is cancelled is neither paid nor revised any more', async () => {
    const { api } = await createMerchant({ providers: [{ provider, dialect, sendsNotifications: true }] })
    const { uuid, payment } = await api.createCharge(buildOrder(due))
    await api.carryOut('POST', `/api/v1/payments/${uuid}/cancel`)
    expect(await api.readCharge(uuid)).toMatchObject({ status: 'CANCELLED' })
    expect(await api.call('PATCH', `/api/v1/payments/${uuid}`, { body: change })).toMatchObject({
      status: 409,
      body: { code: 'charge_not_revisable' },
    })
    await expect(stage.simulator.pay({ payload: payment.payload })).rejects.toThrow('not payable')
  })
})

test('a provider that does not compute the terms is skipped', async () => {
  const { api, connections } = await createMerchant({
    providers: [
      { provider: 'PROVIDER_D', dialect: 'stark' },
      { provider: 'PROVIDER_C', dialect: 'sicoob' },
    ],
  })
  const { provider } = await api.createCharge(buildOrder({ abatement: fixed(1), fine: fixed(3) }))
  expect(provider).toEqual({ uuid: connections[1]!.uuid, provider: 'PROVIDER_C' })
})

test('what no provider computes is named by member, and nothing is issued', async () => {
  const { api } = await createMerchant({
    providers: [
      { provider: 'PROVIDER_D', dialect: 'stark' },
      { provider: 'PROVIDER_B', dialect: 'woovi' },
    ],
  })
  const interest = { ...fixed(1), per: 'DAY', days: 'BUSINESS' }
  const order = { type: 'PIX', ...buildOrder({ abatement: percent(1), interest }) }
  const refused = await api.post('/api/v1/payments', order)
  expect([refused.status, Object.keys(refused.body.errors).toSorted()]).toEqual([
    422,
    ['due.abatement', 'due.interest'],
  ])
  expect((await api.get('/api/v1/payments')).body.data).toEqual([])
})
