import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { FindPayoutOutcome, PayoutHandle } from '../../../src/domain/providers/provider.ts'
import { openSimulatedProvider, pollUntil, type SimulatedProvider } from '../support/simulated.ts'

/** Inter's adapter against the simulated Inter: a payment is one, however often its order is sent. */

let shop: SimulatedProvider
beforeAll(async () => {
  shop = await openSimulatedProvider('inter', { approval_above: 50 })
})
beforeEach(() => shop.control.clearFaults())
afterAll(() => shop.close())

const listSent = async () =>
  (await shop.control.listStatement('PROVIDER_A')).filter(({ kind }) => kind === 'transfer')
type Order = ReturnType<typeof shop.transferRequest>

/** Finds the payment of an order by the same order, sent again, and gets Inter's id of it. */
async function findHandle(order: Order): Promise<PayoutHandle> {
  const outcome = await shop.provider.findTransfer({ id: order.id, order })
  const handle = outcome.kind === 'found' ? outcome.payout.handle : undefined
  if (!handle) throw new Error(`no handle: ${JSON.stringify(outcome)}`)
  return handle
}
const findBy = (id: string, handle: PayoutHandle) => (): Promise<FindPayoutOutcome> =>
  shop.provider.findTransfer({ id, handle })

describe('a transfer', () => {
  test('is accepted under an id of Inter, by which it settles, is found and is notified', async () => {
    const order = shop.transferRequest()
    const outcome = await shop.provider.sendTransfer(order)
    expect(outcome).toMatchObject({ kind: 'accepted', payout: { status: 'in_process', cents: order.cents } })
    const handle = outcome.kind === 'accepted' ? outcome.payout.handle! : { ref: '' }
    const payout = await shop.waitForEnd(findBy(order.id, handle))
    expect(payout).toMatchObject({
      status: 'settled',
      cents: order.cents,
      endToEnd: expect.stringMatching(/^E/),
      receiver: { name: 'Favorecido de Teste' },
    })
    expect(Math.abs(Date.parse(payout.at!) - Date.now())).toBeLessThan(120_000)
    const item = await shop.waitForNotification(({ kind }) => kind === 'transfer')
    expect(item).toMatchObject({ reference: handle.ref, endToEnd: payout.endToEnd })
  })

  test.each([
    ['settles', '1234567', { status: 'settled' }],
    ['is rejected by the bank of a blocked account', '1010101', { status: 'rejected', code: 'AC06' }],
  ])('to an account %s', async (_, account_number, end) => {
    const order = shop.accountTransferRequest({ account_number })
    const outcome = await shop.provider.sendTransfer(order)
    expect(outcome).toMatchObject({ kind: 'accepted', payout: { cents: order.cents } })
    const handle = outcome.kind === 'accepted' ? outcome.payout.handle! : { ref: '' }
    expect(await shop.waitForEnd(findBy(order.id, handle))).toMatchObject({
      ...end,
      receiver: { name: 'Maria Silva', bank: { ispb: '18236120' } },
    })
  })

  test('whose answer got lost is finished by its order, and moves once', async () => {
    const before = (await listSent()).length
    const order = shop.transferRequest('timeout-then-done@sim.trilho.test')
    expect(await shop.provider.sendTransfer(order)).toMatchObject({ kind: 'unknown' })
    expect(await shop.provider.findTransfer({ id: order.id })).toMatchObject({ kind: 'no_answer' })
    const handle = await findHandle(order)
    expect(await findHandle(order)).toEqual(handle)
    expect(await shop.waitForEnd(findBy(order.id, handle))).toMatchObject({ status: 'settled' })
    expect(await findHandle(order)).toEqual(handle)
    expect(await listSent()).toHaveLength(before + 1)
  })

  test('that never arrived is made by its order, once', async () => {
    const before = (await listSent()).length
    const order = shop.transferRequest('timeout-then-absent@sim.trilho.test')
    expect(await shop.provider.sendTransfer(order)).toMatchObject({ kind: 'unknown' })
    const handle = await findHandle(order)
    expect(await shop.waitForEnd(findBy(order.id, handle))).toMatchObject({ status: 'settled' })
    expect(await findHandle(order)).toEqual(handle)
    expect(await listSent()).toHaveLength(before + 1)
  })

  test('that the rail rejects later is found rejected, with its code', async () => {
    const order = shop.transferRequest('ac03-later@sim.trilho.test')
    const outcome = await shop.provider.sendTransfer(order)
    const handle = outcome.kind === 'accepted' ? outcome.payout.handle! : { ref: '' }
    expect(await shop.waitForEnd(findBy(order.id, handle))).toMatchObject({
      status: 'rejected',
      code: 'AC03',
    })
  })

  test('above the limit of approval waits for it, and settles by it', async () => {
    const order = shop.transferRequest(undefined, 6_000)
    const outcome = await shop.provider.sendTransfer(order)
    expect(outcome).toMatchObject({ kind: 'awaiting_approval' })
    const handle = outcome.kind === 'awaiting_approval' ? outcome.handle! : { ref: '' }
    expect(await findBy(order.id, handle)()).toMatchObject({ kind: 'awaiting_approval', handle })
    expect(await shop.provider.findTransfer({ id: order.id, order })).toMatchObject({
      kind: 'awaiting_approval',
      handle,
    })
    const [waiting] = await shop.control.listOrders()
    await shop.control.approveOrder(waiting!.id)
    expect(await shop.waitForEnd(findBy(order.id, handle))).toMatchObject({ status: 'settled', cents: 6_000 })
  })

  test('whose approval is refused is rejected', async () => {
    const order = shop.transferRequest(undefined, 6_000)
    const outcome = await shop.provider.sendTransfer(order)
    const handle = outcome.kind === 'awaiting_approval' ? outcome.handle! : { ref: '' }
    const [waiting] = await shop.control.listOrders()
    await shop.control.removeOrder(waiting!.id)
    expect(await shop.waitForEnd(findBy(order.id, handle))).toMatchObject({ status: 'rejected' })
  })

  test.each([
    ['http_429', { kind: 'unknown', code: 'http_429' }],
    ['http_500', { kind: 'unknown', code: 'http_500' }],
    ['broken_body', { kind: 'unknown', code: 'unreadable_answer' }],
    ['unreachable', { kind: 'unreachable' }],
    ['refused', { kind: 'unknown', code: 'http_422' }], // No refusal of a transfer by HTTP 422 is published.
  ] as const)('meets the fault %s', async (fault, outcome) => {
    await shop.provider.balances() // A token exists before the fault, so that the fault applies to the transfer.
    await shop.control.addFault({ provider: 'PROVIDER_A', operation: 'sendTransfer', fault })
    expect(await shop.provider.sendTransfer(shop.transferRequest())).toMatchObject(outcome)
  })
})

describe('received money', () => {
  test('a charge is issued, paid, notified, found and refunded', async () => {
    const charge = await shop.issueCharge(1234)
    expect(await shop.provider.findCharge(charge.reference)).toMatchObject({ status: 'open', payments: [] })
    const { end_to_end: endToEnd } = await shop.control.pay({ payload: charge.payload })
    const item = await shop.waitForNotification(({ kind }) => kind === 'payment')
    expect(item).toMatchObject({ reference: charge.reference, endToEnd })
    const payment = {
      endToEnd,
      txid: charge.txid,
      reference: charge.reference,
      cents: 1234,
      status: 'settled',
    }
    expect(await shop.provider.findCharge(charge.reference)).toMatchObject({
      status: 'completed',
      payments: [payment],
    })
    expect(await shop.provider.findPayment(endToEnd)).toMatchObject({ kind: 'found', payment })
    const refund = { id: shop.id(), endToEnd, cents: 234 }
    expect(await shop.provider.refund(refund)).toMatchObject({ kind: 'accepted' })
    expect(await shop.waitForEnd(() => shop.provider.findRefund(refund))).toMatchObject({
      status: 'settled',
      cents: 234,
      endToEnd: expect.stringMatching(/^D/),
    })
  })

  test('a PIX of no charge is found in the statement', async () => {
    const { end_to_end: endToEnd } = await shop.control.deposit({ account: 'shop', value: 4.2 })
    expect(await shop.provider.findPayment(endToEnd)).toMatchObject({
      kind: 'found',
      payment: { endToEnd, cents: 420, reference: null, status: 'settled' },
    })
  })

  test('an unknown resource is not found', async () => {
    expect(await shop.provider.findCharge(shop.id())).toEqual({ kind: 'not_found' })
    expect(await shop.provider.findPayment(`E${'0'.repeat(31)}`)).toEqual({ kind: 'not_found' })
    expect(await shop.provider.findRefund({ id: shop.id(), endToEnd: `E${'0'.repeat(31)}` })).toEqual({
      kind: 'not_found',
    })
  })
})

test('the balance and the statement equal those of the rail', async () => {
  const settled = await pollUntil(
    () => shop.control.findAccount('shop'),
    ({ held }) => held === 0,
  )
  expect(await shop.provider.balances()).toMatchObject({
    balance: { availableCents: Math.round(settled.balance * 100), blockedCents: 0 },
  })
  const rail = (await shop.control.listStatement('PROVIDER_A')).map(({ kind, end_to_end, value }) => [
    end_to_end,
    ['payment', 'deposit', 'return'].includes(kind) ? 'IN' : 'OUT',
    Math.round(value * 100),
  ])
  const from = new Date(Date.now() - 3_600_000).toISOString()
  const statement = await shop.provider.statement(from, new Date(Date.now() + 60_000).toISOString())
  if (statement.kind !== 'found') throw new Error(JSON.stringify(statement))
  const listed = statement.entries.map(({ endToEnd, direction, cents }) => [endToEnd, direction, cents])
  expect(listed.toSorted()).toEqual(rail.toSorted())
  expect(statement.accountEntries).toEqual([])
})

test('beyond the paces there is no answer, and a payment may have been made', async () => {
  await using hurried = Object.assign(await openSimulatedProvider('inter', { enforces_pace: true }), {
    [Symbol.asyncDispose]: () => hurried.close(),
  })
  // At once, and again: a slow machine takes longer than a second for two in turn, and at times for two at once.
  const send = () => hurried.provider.sendTransfer(hurried.transferRequest())
  const isRefused = (outcome: { kind: string }) => outcome.kind === 'unknown'
  const sent: Awaited<ReturnType<typeof send>>[] = []
  while (!sent.some(isRefused) && sent.length < 100)
    sent.push(...(await Promise.all(Array.from({ length: 5 }, send))))
  const accepted = sent.find(outcome => outcome.kind === 'accepted')
  expect(accepted).toBeDefined()
  expect(sent).toContainEqual(expect.objectContaining({ kind: 'unknown', code: 'http_429' }))
  const handle = accepted!.payout.handle!
  const outcomes: FindPayoutOutcome[] = []
  for (let count = 0; count < 21; count += 1)
    outcomes.push(await hurried.provider.findTransfer({ id: 'x', handle }))
  expect(outcomes.at(-1)).toMatchObject({ kind: 'no_answer', code: 'http_429' })
})
