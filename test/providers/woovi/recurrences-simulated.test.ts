import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { addDays } from '../../../src/domain/charges/business-days.ts'
import type { ProviderRecurrenceRequest } from '../../../src/domain/providers/provider-recurrence.ts'
import { openSimulatedProvider, pollUntil, type SimulatedProvider } from '../support/simulated.ts'

/** Recurrences, from the adapter to the simulated Woovi, which was written from the published texts apart from it. */

let shop: SimulatedProvider
beforeAll(async () => {
  shop = await openSimulatedProvider('woovi')
})
beforeEach(() => shop.control.clearFaults())
afterAll(() => shop.close())

const address = { street: 'Rua A', city: 'Belo Horizonte', state: 'MG', zipCode: '30421322' }
const inDays = async (days: number) => addDays((await shop.control.findDay()).today, days)
const orderOf = async (
  changes: Partial<ProviderRecurrenceRequest> = {},
): Promise<ProviderRecurrenceRequest> => ({
  reference: shop.id(),
  subject: 'Internet',
  debtor: { name: 'Ana Souza', document: '52998224725', address },
  frequency: 'MONTHLY',
  startsOn: await inDays(6),
  valueCents: 5_000,
  retryPolicy: 'THREE_IN_SEVEN_DAYS',
  journey: 'QR',
  collectionKey: null,
  ...changes,
})
async function create(changes: Partial<ProviderRecurrenceRequest> = {}) {
  const order = await orderOf(changes)
  const outcome = await shop.provider.createRecurrence!(order)
  if (outcome.kind !== 'accepted') throw new Error(JSON.stringify(outcome))
  return { ...order, ...outcome.recurrence }
}
type Created = Awaited<ReturnType<typeof create>>
async function find({ reference, debtor, railId }: Created) {
  const sent = { reference, debtor, railId, orderedAt: new Date().toISOString() }
  const outcome = await shop.provider.findRecurrence!(sent)
  if (outcome.kind !== 'found') throw new Error(JSON.stringify(outcome))
  return outcome.recurrence
}
async function createActive(changes: Partial<ProviderRecurrenceRequest> = {}) {
  const recurrence = await create(changes)
  await shop.control.decideRecurrence(recurrence.railId, { decision: 'accept' })
  return recurrence
}
const debitOf = ({ railId, reference }: Created, dueOn: string) => ({
  railId,
  recurrenceReference: reference,
  dueOn,
})
/** A charge of ours for the debit of a day. */
const chargeOf = (recurrence: Created, dueOn = recurrence.startsOn) => {
  const debit = debitOf(recurrence, dueOn)
  const order = { ...shop.order(5_000), debit }
  return {
    adopt: () => shop.provider.issueCharge(order),
    find: () => shop.provider.findCharge(order.reference, { isDue: false, isDebit: true, debit }),
  }
}
const loseAnswer = (operation: 'issueRecurrence' | 'cancelRecurrence') =>
  shop.control.addFault({ provider: 'PROVIDER_A', operation, fault: 'done_then_unlisted_refusal' })
const advanceTo = async (day: string) => {
  while ((await shop.control.findDay()).today < day) await shop.control.advanceDay()
}

describe('a recurrence', () => {
  test('whose answer is lost is found by our id, and is made once', async () => {
    const order = await orderOf()
    await loseAnswer('issueRecurrence')
    const outcome = await shop.provider.createRecurrence!(order)
    expect(['unknown', 'accepted']).toContain(outcome.kind)
    const sent = { ...order, railId: null, orderedAt: new Date().toISOString() }
    expect(await shop.provider.findRecurrence!(sent)).toMatchObject({
      kind: 'found',
      recurrence: { status: 'waiting', payload: expect.stringMatching(/^000201/) },
    })
    const all = await shop.control.listRecurrences()
    expect(all.filter(({ contract }) => contract === order.reference)).toHaveLength(1)
    const missing = { ...sent, reference: shop.id() }
    expect(await shop.provider.findRecurrence!(missing)).toEqual({ kind: 'not_found' })
  })

  test('is authorized, and later withdrawn, by its payer', async () => {
    const recurrence = await createActive()
    const { railId } = recurrence
    expect(await find(recurrence)).toMatchObject({ railId, status: 'active' })
    await shop.waitForNotification(item => item.kind === 'recurrence' && item.reference === railId)
    await shop.control.cancelRecurrence(railId)
    expect(await find(recurrence)).toMatchObject({ status: 'rejected' })
    expect(await shop.provider.cancelRecurrence!(recurrence)).toMatchObject({ kind: 'refused' })
  })

  test('is cancelled by us, whatever becomes of the answer', async () => {
    const recurrence = await createActive()
    await loseAnswer('cancelRecurrence')
    expect(await shop.provider.cancelRecurrence!(recurrence)).toEqual({ kind: 'cancelled' })
    expect(await shop.provider.cancelRecurrence!(recurrence)).toEqual({ kind: 'cancelled' })
    expect(await find(recurrence)).toMatchObject({ status: 'cancelled' })
  })
})

// The tests below advance the days of the simulator.

describe('a debit', () => {
  test('is adopted once Woovi has made it, four days ahead, and is paid on its day', async () => {
    const recurrence = await createActive({ frequency: 'WEEKLY' })
    const first = chargeOf(recurrence)
    expect(await first.adopt()).toMatchObject({ kind: 'unknown', code: 'debit_not_made' })
    expect(await first.find()).toEqual({ kind: 'not_found' })
    await advanceTo(addDays(recurrence.startsOn, -4))
    const adopted = await first.adopt()
    expect(adopted).toMatchObject({ kind: 'accepted', charge: { payload: '', expiresAt: null } })
    expect(await first.adopt()).toEqual(adopted)
    const ref = adopted.kind === 'accepted' ? adopted.charge.ref : undefined
    await advanceTo(recurrence.startsOn)
    const paid = await first.find()
    expect(paid).toMatchObject({
      status: 'completed',
      payments: [{ cents: 5_000, reference: null, status: 'settled' }],
      tries: [{ on: recurrence.startsOn, kind: 'FIRST', status: 'PAID' }],
    })
    await shop.waitForNotification(item => item.kind === 'payment' && item.reference === ref)
    const second = chargeOf(recurrence, addDays(recurrence.startsOn, 7))
    await advanceTo(addDays(recurrence.startsOn, 3))
    expect(await second.adopt()).toMatchObject({ kind: 'accepted' })
    const { charges } = await shop.control.findRecurrence(recurrence.railId)
    expect(charges).toHaveLength(2)
  })

  test('that fails is tried again by Woovi, and paid', async () => {
    const recurrence = await createActive()
    await shop.control.setRecurrenceFunds(recurrence.railId, { value: 1 })
    const charge = chargeOf(recurrence)
    await advanceTo(recurrence.startsOn)
    expect(await charge.find()).toMatchObject({
      status: 'open',
      payments: [],
      tries: [
        { on: recurrence.startsOn, kind: 'FIRST', status: 'REJECTED', code: 'EXPR' },
        { on: addDays(recurrence.startsOn, 1), kind: 'RETRY' },
      ],
    })
    await shop.control.setRecurrenceFunds(recurrence.railId, { value: null })
    await advanceTo(addDays(recurrence.startsOn, 1))
    expect(await charge.find()).toMatchObject({ status: 'completed', payments: [{ cents: 5_000 }] })
  })

  test('ends by the code of its last try, or with its recurrence', async () => {
    const closed = await createActive()
    await shop.control.refuseRecurrenceTries(closed.railId, { code: 'AC05' })
    await advanceTo(closed.startsOn)
    expect(await chargeOf(closed).find()).toMatchObject({ status: 'failed', endCode: 'AC05' })
    const cancelled = await createActive()
    const charge = chargeOf(cancelled)
    await advanceTo(addDays(cancelled.startsOn, -4))
    await pollUntil(charge.find, found => found.kind === 'found')
    await shop.control.cancelRecurrence(cancelled.railId)
    expect(await charge.find()).toMatchObject({ status: 'removed', tries: [{ status: 'CANCELLED' }] })
  })

  test('of a recurrence that ends has as many installments as cycles', async () => {
    const recurrence = await createActive({ frequency: 'WEEKLY', endsOn: await inDays(13) })
    await advanceTo(addDays(recurrence.startsOn, 7))
    expect(await chargeOf(recurrence, addDays(recurrence.startsOn, 7)).find()).toMatchObject({
      kind: 'found',
    })
    await advanceTo(addDays(recurrence.startsOn, 10))
    expect(await chargeOf(recurrence, addDays(recurrence.startsOn, 14)).find()).toEqual({ kind: 'not_found' })
    // Its own end is by our calendar: Woovi's authorization stays.
    expect(await find(recurrence)).toMatchObject({ status: 'active' })
  })
})
