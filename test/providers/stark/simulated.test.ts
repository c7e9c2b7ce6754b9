import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { showEndToEndId } from '../../../src/domain/pix/identifiers.ts'
import { createStarkAdapter } from '../../../src/providers/stark/adapter.ts'
import { starkCredentialsSchema } from '../../../src/providers/stark/client.ts'
import {
  openSimulatorFixture,
  pollUntil,
  type SimulatorFixture,
} from '../../simulator/support/simulator-fixture.ts'
import { putStarkShop, STARK_KEYS, STARK_PROJECT } from '../../simulator/support/stark-client.ts'
import { accountDestination, keyDestination } from '../../support/transfer-destinations.ts'

/** Whole operations of the adapter at the simulated Stark Bank, which was written from the published texts apart from it. */

let simulator: SimulatorFixture
let provider: ReturnType<typeof createStarkAdapter>

beforeAll(async () => {
  simulator = await openSimulatorFixture()
  await putStarkShop(simulator.control)
  provider = createStarkAdapter({
    baseUrl: simulator.facts.providers.PROVIDER_A.base_url,
    ca: simulator.ca,
    credentials: starkCredentialsSchema.parse({
      access_id: STARK_PROJECT,
      private_key: STARK_KEYS.privateKey,
    }),
    timeoutMs: 10_000,
  })
  await provider.registerNotificationUrl(`${simulator.facts.inbox_url}/stark`, null)
})
afterAll(async () => {
  await provider?.close()
  await simulator.close()
})

let made = 0
/** Makes ids of ours: 32 hexadecimal digits. */
function makeId(): string {
  made += 1
  return made.toString(16).padStart(32, 'a')
}

async function issueCharge(totalCents: number, debtor?: { name: string; document: string }) {
  const reference = makeId()
  const order = {
    reference,
    totalCents,
    expiresInSeconds: 3600,
    collectionKey: null,
    ...(debtor && { debtor }),
  }
  const issued = await provider.issueCharge(order)
  if (issued.kind !== 'accepted') throw new Error(JSON.stringify(issued))
  return { reference, ...issued.charge }
}

const orderOf = (changes: object = {}) => ({
  id: makeId(),
  cents: 1000,
  destination: keyDestination('maria@example.com'),
  payerKey: null,
  ...changes,
})

async function prepare(order: ReturnType<typeof orderOf>) {
  const outcome = await pollUntil(
    () => provider.prepareTransfer!(order),
    ({ kind }) => kind !== 'no_answer',
  )
  if (outcome.kind !== 'prepared') throw new Error(JSON.stringify(outcome))
  return outcome.handle
}

async function readItems() {
  const messages = await simulator.control.listInbox('stark')
  const read = messages.map(({ body, headers }) => {
    const single = Object.entries(headers).map(([name, value]) => [name, [value].flat()[0]])
    return provider.readNotification({ body, headers: Object.fromEntries(single), secret: null })
  })
  const outcomes = await Promise.all(read)
  expect(outcomes.filter(({ kind }) => kind !== 'items')).toEqual([])
  return outcomes.flatMap(outcome => (outcome.kind === 'items' ? outcome.items : []))
}

async function readStatement() {
  const hourMs = 3_600_000
  const period = [-hourMs, hourMs].map(ms => new Date(Date.now() + ms).toISOString())
  const statement = await provider.statement(period[0]!, period[1]!)
  if (statement.kind !== 'found') throw new Error(JSON.stringify(statement))
  // The simulated account has no entry that is no PIX.
  expect(statement).not.toHaveProperty('accountEntries')
  return statement.entries
}

test('the account is identified, and its balance read', async () => {
  expect(await provider.identity()).toMatchObject({ kind: 'found', id: expect.any(String) })
  expect(await provider.balances()).toMatchObject({ kind: 'found', balance: { blockedCents: 0 } })
})

test('a charge is paid, and refunded in two parts, one after another', async () => {
  const charge = await issueCharge(2500)
  expect(await provider.findCharge(charge.reference)).toMatchObject({ status: 'open', payments: [] })
  expect(await provider.cancelCharge(charge.reference)).toMatchObject({ kind: 'refused' })
  await simulator.control.pay({ payload: charge.payload })
  const found = await pollUntil(
    () => provider.findCharge(charge.reference),
    outcome => outcome.kind === 'found' && outcome.payments[0]?.status === 'settled',
  )
  const [payment] = found.kind === 'found' ? found.payments : []
  expect(payment).toMatchObject({ cents: 2500, reference: charge.reference, txid: charge.txid })
  const { endToEnd } = payment!
  expect(await provider.findPayment(endToEnd)).toEqual({ kind: 'found', payment })
  await pollUntil(readItems, items =>
    items.some(item => item.kind === 'payment' && item.reference === charge.reference),
  )

  const refundIds = await refundInTwoParts(endToEnd)
  expect(await provider.prepareRefund!({ id: makeId(), endToEnd, cents: 1 })).toMatchObject({
    kind: 'rejected',
    code: 'refund_above_remainder',
  })
  // What was paid is told as it was, whatever is left of the deposit.
  expect(await provider.findCharge(charge.reference)).toMatchObject({ payments: [{ cents: 2500 }] })
  const entries = await readStatement()
  expect(entries.filter(entry => entry.endToEnd === endToEnd)).toMatchObject([
    { direction: 'IN', cents: 2500, reference: charge.reference },
  ])
  const returned = entries.filter(({ returnOf }) => returnOf === endToEnd)
  expect(returned.map(({ direction }) => direction)).toEqual(['OUT', 'OUT'])
  expect(returned.map(entry => entry.endToEnd).sort()).toEqual(refundIds.sort())
  await pollUntil(readItems, items =>
    items.some(item => item.kind === 'refund' && item.endToEnd === endToEnd),
  )
})

/** Refunds all 25 reais of a PIX, each part prepared, sent and followed to its settlement; returns the ids of the refunds. */
async function refundInTwoParts(endToEnd: string): Promise<string[]> {
  const refundIds: string[] = []
  for (const cents of [500, 2000]) {
    const order = { id: makeId(), endToEnd, cents }
    const prepared = await provider.prepareRefund!(order)
    if (prepared.kind !== 'prepared') throw new Error(JSON.stringify(prepared))
    const { handle } = prepared
    expect(await provider.findRefund({ ...order, handle })).toEqual({ kind: 'not_found' })
    expect(await provider.refund(order, handle)).toMatchObject({ kind: 'accepted', payout: { cents } })
    const settled = await pollUntil(
      () => provider.findRefund({ ...order, handle }),
      outcome => outcome.kind === 'found' && outcome.payout.status === 'settled',
    )
    expect(settled).toMatchObject({ payout: { cents } })
    if (settled.kind === 'found') refundIds.push(settled.payout.endToEnd)
  }
  return refundIds
}

const PAYER = { name: 'Pagador de Teste', document: '12345678909' }

test('a charge with a debtor is an invoice, which is paid with an end-to-end id and refunded in two parts', async () => {
  const charge = await issueCharge(2500, PAYER)
  expect(Date.parse(charge.expiresAt!) - Date.now()).toBeGreaterThan(3_590_000)
  expect(Date.parse(charge.expiresAt!) - Date.now()).toBeLessThanOrEqual(3_600_000)
  expect(await provider.findCharge(charge.reference)).toMatchObject({ status: 'open', payments: [] })
  const { end_to_end } = await simulator.control.pay({ payload: charge.payload })
  const found = await pollUntil(
    () => provider.findCharge(charge.reference),
    outcome => outcome.kind === 'found' && outcome.payments[0]?.status === 'settled',
  )
  const [payment] = found.kind === 'found' ? found.payments : []
  const { endToEnd } = payment!
  expect(showEndToEndId(endToEnd)).toBe(end_to_end)
  expect(payment).toMatchObject({ cents: 2500, reference: charge.reference, txid: charge.txid, payer: PAYER })
  // An event of Stark Bank names the invoice alone.
  const notified = await pollUntil(readItems, items =>
    items.some(item => item.kind === 'payment' && item.reference === charge.reference),
  )
  const { endToEnd: notifiedName } = notified.find(({ reference }) => reference === charge.reference)!
  for (const name of [endToEnd, notifiedName!])
    expect(await provider.findPayment(name)).toEqual({ kind: 'found', payment })
  expect(await provider.cancelCharge(charge.reference)).toMatchObject({ kind: 'refused' })

  await refundInTwoParts(endToEnd)
  const entries = await readStatement()
  expect(entries.filter(entry => entry.endToEnd === endToEnd)).toMatchObject([
    { direction: 'IN', cents: 2500, reference: charge.reference },
  ])
  const returned = entries.filter(({ returnOf }) => returnOf === endToEnd)
  expect(returned.map(({ direction, cents }) => [direction, cents]).sort()).toEqual([
    ['OUT', 2000],
    ['OUT', 500],
  ])
})

test.each([
  ['an invoice', PAYER],
  ['a dynamic code', undefined],
])(
  'a refund of %s that fails is rejected, moves nothing in the statement, and can be made again',
  async (_name, debtor) => {
    const charge = await issueCharge(900, debtor)
    await simulator.control.pay({ payload: charge.payload })
    const found = await pollUntil(
      () => provider.findCharge(charge.reference),
      outcome => outcome.kind === 'found' && outcome.payments[0]?.status === 'settled',
    )
    const { endToEnd } = (found.kind === 'found' && found.payments[0]) || {}
    const refund = async () => {
      const order = { id: makeId(), endToEnd: endToEnd!, cents: 400 }
      const prepared = await provider.prepareRefund!(order)
      if (prepared.kind !== 'prepared') throw new Error(JSON.stringify(prepared))
      const { handle } = prepared
      expect(await provider.refund(order, handle)).toMatchObject({ kind: 'accepted' })
      return pollUntil(
        () => provider.findRefund({ ...order, handle }),
        outcome => outcome.kind === 'found' && outcome.payout.status !== 'in_process',
      )
    }
    await simulator.control.addFault({
      provider: 'PROVIDER_A',
      operation: 'refund',
      fault: 'accepted_then_rejected',
    })
    expect(await refund()).toMatchObject({ payout: { status: 'rejected', cents: 400 } })
    const { balance } = (await provider.balances()) as { balance: { availableCents: number } }
    expect(await refund()).toMatchObject({ payout: { status: 'settled', cents: 400 } })
    expect(await provider.balances()).toMatchObject({
      balance: { availableCents: balance.availableCents - 400 },
    })
    const entries = await readStatement()
    expect(entries.filter(({ returnOf }) => returnOf === endToEnd)).toMatchObject([
      { direction: 'OUT', cents: 400 },
    ])
  },
)

test('an invoice is cancelled, and cannot be paid any more', async () => {
  const charge = await issueCharge(700, PAYER)
  expect(await provider.cancelCharge(charge.reference)).toEqual({ kind: 'cancelled' })
  expect(await provider.findCharge(charge.reference)).toMatchObject({ status: 'removed', payments: [] })
  await expect(simulator.control.pay({ payload: charge.payload })).rejects.toThrow('removed')
  expect(await provider.cancelCharge(charge.reference)).toEqual({ kind: 'cancelled' })
})

test('an open amount is paid with what its payer chooses', async () => {
  const charge = await issueCharge(0)
  await simulator.control.pay({ payload: charge.payload, value: 3.21 })
  const found = await pollUntil(
    () => provider.findCharge(charge.reference),
    outcome => outcome.kind === 'found' && outcome.payments.length > 0,
  )
  expect(found).toMatchObject({ charge: { totalCents: 0 }, payments: [{ cents: 321 }] })
})

test('a transfer is prepared twice, sent once, and refused under the same id', async () => {
  const order = orderOf()
  const handle = await prepare(order)
  expect((await prepare(order)).ref).toBe(handle.ref)
  expect(handle.receiver).toMatchObject({ name: expect.stringMatching(/./) })
  expect(await provider.findTransfer({ id: order.id, handle })).toMatchObject({ kind: 'no_answer' })
  expect(await provider.sendTransfer(order, handle)).toMatchObject({ kind: 'accepted' })
  const settled = await pollUntil(
    () => provider.findTransfer({ id: order.id, handle }),
    outcome => outcome.kind === 'found' && outcome.payout.status === 'settled',
  )
  expect(settled).toMatchObject({ payout: { cents: 1000, returns: [] } })
  // What a second one under our id is answered with is published nowhere: it proves nothing.
  expect(await provider.sendTransfer(order, handle)).toMatchObject({ kind: 'unknown' })
  const endToEnd = settled.kind === 'found' ? settled.payout.endToEnd : ''
  const entries = await readStatement()
  expect(entries.filter(({ reference }) => reference === order.id)).toMatchObject([
    { endToEnd, direction: 'OUT', cents: 1000 },
  ])
  await pollUntil(readItems, items =>
    items.some(item => item.kind === 'transfer' && item.reference === order.id && item.endToEnd === endToEnd),
  )
})

test.each([
  ['settles', '1234567', 'settled'],
  ['is rejected by the bank of one that does not exist', '1111111', 'rejected'],
])('a transfer to an account %s', async (_, account_number, status) => {
  const order = orderOf({ destination: accountDestination({ account_number }) })
  const handle = await prepare(order)
  expect((await prepare(order)).ref).toBe(handle.ref)
  expect(await provider.sendTransfer(order, handle)).toMatchObject({ kind: 'accepted' })
  const end = await pollUntil(
    () => provider.findTransfer({ id: order.id, handle }),
    outcome => outcome.kind === 'found' && outcome.payout.status !== 'in_process',
  )
  expect(end).toMatchObject({
    payout: { status, cents: 1000, receiver: { name: 'Maria Silva', document: '52998224725' } },
  })
})

test('the key of another owner is refused before anything is sent', async () => {
  const order = orderOf({ destination: keyDestination('52998224725', '11144477735') })
  expect(await provider.prepareTransfer!(order)).toMatchObject({
    kind: 'rejected',
    code: 'document_mismatch',
  })
})
