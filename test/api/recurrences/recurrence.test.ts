import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { addDays, findBusinessDay } from '../../../src/domain/charges/business-days.ts'
import { type Stack, startStack } from '../../support/stack.ts'
import type { ApiResource } from '../support/payout-actions.ts'
import { pollUntil } from '../support/poll-until.ts'
import { type Merchant, openTestStack, type TestStack } from '../support/test-stack.ts'

/** Recurrences by the API, at the simulated banks that have Pix Automático. The simulator's day of recurrences moves ahead. */

let ownStack: Stack
let stack: TestStack
beforeAll(async () => {
  // The days of its simulator move ahead, which recurrences of other tests would not bear.
  ownStack = await startStack({ timeScale: 50 })
  stack = await openTestStack(ownStack.home)
})
afterAll(async () => {
  await stack?.close()
  expect(await ownStack.stop()).toBe(0)
})

const order = async (changes: object = {}) => ({
  value: 59.9,
  frequency: 'MONTHLY',
  starts_on: await inDays(5),
  contract: 'PLANO-42',
  subject: 'Internet',
  debtor: { name: 'Ana Souza', document: '52998224725' },
  retry_policy: 'THREE_IN_SEVEN_DAYS',
  journey: 'QR',
  // Its time has passed: the first charge is created at once.
  days_before: 9,
  ...changes,
})

const inDays = async (days: number) => addDays((await stack.simulator.findDay()).today, days)

const read = async ({ api }: Merchant, { uuid }: ApiResource): Promise<ApiResource> =>
  (await api.get(`/api/v1/recurrences/${uuid}`)).body.data

const waitForStatus = (merchant: Merchant, recurrence: ApiResource, status: string): Promise<ApiResource> =>
  pollUntil(
    () => read(merchant, recurrence),
    shown => shown.status === status,
  )

const listCharges = async ({ api }: Merchant, { uuid }: ApiResource): Promise<ApiResource[]> =>
  (await api.get(`/api/v1/payments?recurrence_uuid=${uuid}`)).body.data

async function create(merchant: Merchant, changes?: object): Promise<ApiResource> {
  const { status, body } = await merchant.api.post('/api/v1/recurrences', await order(changes))
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body.data
}

/** Waits until the first charge of a recurrence shows a status. */
const waitForCharge = async (merchant: Merchant, recurrence: ApiResource, status: string) => {
  const [charge] = await pollUntil(
    () => listCharges(merchant, recurrence),
    charges => charges[0]?.status === status,
  )
  return charge!
}

async function advanceTo(day: string): Promise<void> {
  while ((await stack.simulator.findDay()).today < day) await stack.simulator.advanceDay()
}

type Charged = Awaited<ReturnType<typeof createCharged>>

/** A merchant with a recurrence that its payer has authorized by its code, and the charge of its first cycle. */
async function createCharged(dialect: (typeof DIALECTS)[number] | 'woovi', changes?: object) {
  const merchant = await stack.createMerchant({ providers: [{ dialect }] })
  const recurrence = await create(merchant, changes)
  expect(recurrence).toMatchObject({ status: 'PENDING', payload: expect.stringMatching(/^000201/) })
  await stack.simulator.decideRecurrence(recurrence.rail_id, { decision: 'accept' })
  await waitForStatus(merchant, recurrence, 'ACTIVE')
  return { merchant, recurrence, charge: await waitForCharge(merchant, recurrence, 'PENDING') }
}

/** Woovi needs an address, and makes the debit four days ahead: it is adopted at once. */
const atWoovi = async () => ({
  starts_on: await inDays(3),
  days_before: 4,
  debtor: {
    name: 'Ana Souza',
    document: '52998224725',
    address: { street: 'Rua A', city: 'Belo Horizonte', state: 'MG', zip_code: '30421322' },
  },
})

test('a provider without Pix Automático is passed over, and none left is an error of the journey', async () => {
  const merchant = await stack.createMerchant({ providers: [{ provider: 'PROVIDER_C', dialect: 'sicoob' }] })
  const { status, body } = await merchant.api.post('/api/v1/recurrences', await order())
  expect([status, Object.keys(body.errors ?? {})]).toEqual([422, ['journey']])
})

/** The banks over the Central Bank's API, which report why a recurrence has ended. */
const BACEN_DIALECTS = ['efi', 'inter'] as const
const DIALECTS = [...BACEN_DIALECTS, 'stark'] as const

test('a request that Stark Bank sends with the creation is rejected by the payer, for no known cause', async () => {
  const merchant = await stack.createMerchant({ providers: [{ dialect: 'stark' }] })
  const recurrence = await create(merchant, {
    journey: 'REQUEST',
    payer_account: { ispb: '91193552', agency: '2569', account: '550689' },
  })
  expect(recurrence.payload).toBeNull()
  await stack.simulator.decideRecurrence(recurrence.rail_id, { decision: 'reject', journey: 1 })
  expect(await waitForStatus(merchant, recurrence, 'REJECTED')).not.toHaveProperty('reason')
})

describe.each(BACEN_DIALECTS)('at %s', dialect => {
  test('a request in the bank of the payer is rejected there', async () => {
    const merchant = await stack.createMerchant({ providers: [{ dialect }] })
    const recurrence = await create(merchant, {
      journey: 'REQUEST',
      payer_account: { ispb: '91193552', agency: '2569', account: '550689' },
    })
    expect(recurrence.payload).toBeNull()
    // The request is sent after the recurrence is made; until then the simulator has none to decide.
    await pollUntil(
      () =>
        stack.simulator
          .decideRecurrence(recurrence.rail_id, { decision: 'reject', code: 'AP14', journey: 1 })
          .then(
            () => true,
            () => false,
          ),
      Boolean,
    )
    expect(await waitForStatus(merchant, recurrence, 'REJECTED')).toMatchObject({ reason: { code: 'AP14' } })
    const charged = await merchant.api.post(`/api/v1/recurrences/${recurrence.uuid}/charges`, {
      value: 59.9,
      due_on: await inDays(5),
    })
    expect([charged.status, charged.body.code]).toEqual([409, 'recurrence_not_active'])
    expect(await listCharges(merchant, recurrence)).toEqual([])
  })

  test.each(['QR_WITH_PAYMENT', 'PAYMENT_THEN_OFFER'] as const)(
    'a payer who pays the code of %s pays the first charge, and authorizes or rejects the recurrence',
    async journey => {
      const merchant = await stack.createMerchant({ providers: [{ dialect }] })
      const first_charge = {
        value: 12.3,
        type: 'PIX',
        ...(journey === 'PAYMENT_THEN_OFFER' && { due: { on: await inDays(5) } }),
      }
      for (const [recurrence, status] of [
        ['accept', 'ACTIVE'],
        ['reject', 'REJECTED'],
      ] as const) {
        const created = await create(merchant, { journey, first_charge })
        await stack.simulator.pay({ payload: created.payload, recurrence })
        await waitForStatus(merchant, created, status)
        await pollUntil(
          () => merchant.api.readCharge(created.first_charge.uuid),
          charge => charge.status === 'PAID',
        )
      }
      await stack.waitUntilLedgerAgrees(merchant)
    },
  )

  test('its payer revokes it: the debit of the next cycle is cancelled with it', async () => {
    const { merchant, recurrence } = await createCharged(dialect)
    await stack.simulator.cancelRecurrence(recurrence.rail_id)
    expect(await waitForStatus(merchant, recurrence, 'CANCELLED')).toMatchObject({ reason: { by: 'payer' } })
    await waitForCharge(merchant, recurrence, 'CANCELLED')
  })
})

// What follows moves the day of the simulator ahead of that of Trilho: no recurrence can be created after it.

describe('on its due day, the charge of a cycle', () => {
  let paying: Charged[]
  let lacking: Charged[]
  let adopting: Charged
  let dueDay: string
  beforeAll(async () => {
    ;[paying, lacking] = await Promise.all([
      Promise.all(DIALECTS.map(dialect => createCharged(dialect))),
      Promise.all(DIALECTS.map(dialect => createCharged(dialect))),
    ])
    adopting = await createCharged('woovi', await atWoovi())
    for (const { recurrence } of [...lacking, adopting])
      await stack.simulator.setRecurrenceFunds(recurrence.rail_id, { value: 1 })
    dueDay = findBusinessDay(paying[0]!.recurrence.starts_on)
    await advanceTo(dueDay)
  })

  test.each(DIALECTS)('is debited once (%s)', async dialect => {
    const { merchant, recurrence, charge } = paying[DIALECTS.indexOf(dialect)]!
    expect(charge).toMatchObject({
      value: 59.9,
      recurrence: { uuid: recurrence.uuid, cycle: 1 },
      payment: { payload: '', pix: { type: 'AUTOMATIC' }, due: { on: recurrence.starts_on } },
    })
    const paid = await waitForCharge(merchant, recurrence, 'PAID')
    expect(paid.payment.tries).toMatchObject([{ kind: 'FIRST', status: 'PAID', code: null }])
    expect(await listCharges(merchant, recurrence)).toHaveLength(1)
    await stack.waitUntilLedgerAgrees(merchant)

    const cancelled = await merchant.api.post(`/api/v1/recurrences/${recurrence.uuid}/cancel`)
    expect(cancelled).toMatchObject({
      status: 200,
      body: { data: { status: 'CANCELLED', next_charge_on: null, reason: { code: 'SLCR', by: 'receiver' } } },
    })
    expect(await stack.simulator.findRecurrence(recurrence.rail_id)).toMatchObject({ status: 'cancelled' })
  })

  test('that could not be debited is debited again on the day that the merchant chooses', async () => {
    const on = addDays(dueDay, 1)
    for (const { merchant, recurrence, charge } of lacking) {
      await pollUntil(
        () => merchant.api.readCharge(charge.uuid),
        ({ payment }) => ['REJECTED', 'EXPIRED'].includes(payment.tries[0]?.status),
      )
      await stack.simulator.setRecurrenceFunds(recurrence.rail_id, { value: 1000 })
      const retried = await merchant.api.post(`/api/v1/payments/${charge.uuid}/retry`, { on })
      expect([retried.status, retried.body.code]).toEqual([200, undefined])
    }
    await advanceTo(on)
    for (const { merchant, recurrence } of lacking) {
      const paid = await waitForCharge(merchant, recurrence, 'PAID')
      expect(paid.payment.tries).toMatchObject([{ kind: 'FIRST' }, { on, kind: 'RETRY', status: 'PAID' }])
      await stack.waitUntilLedgerAgrees(merchant)
    }
  })

  test('that Woovi has made, and tries again itself, is debited once', async () => {
    const { merchant, recurrence, charge } = adopting
    const on = addDays(recurrence.starts_on, 7)
    const retry = await merchant.api.post(`/api/v1/payments/${charge.uuid}/retry`, { on })
    expect([retry.status, retry.body.data]).toEqual([409, { reason: 'retried_by_provider' }])
    await stack.simulator.setRecurrenceFunds(recurrence.rail_id, { value: 1000 })
    await advanceTo(on)
    const { payment } = await waitForCharge(merchant, recurrence, 'PAID')
    expect(payment.tries[0]).toMatchObject({
      on: recurrence.starts_on,
      kind: 'FIRST',
      status: 'REJECTED',
      code: 'EXPR',
    })
    expect(payment.tries.at(-1)).toMatchObject({ kind: 'RETRY', status: 'PAID' })
    expect(await listCharges(merchant, recurrence)).toHaveLength(1)
    await stack.waitUntilLedgerAgrees(merchant)
  })
})
