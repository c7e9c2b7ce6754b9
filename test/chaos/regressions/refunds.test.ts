import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import type { ChargeSplit } from '../../../src/domain/charges/split.ts'
import type { IncomingPix, IssuedCharge, ProviderPayout } from '../../../src/domain/providers/provider.ts'
import type { RefundInput } from '../../../src/workflows/contracts/refunds.ts'
import { readEventBodies } from '../../support/event-bodies.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'
import { createDisputeFixture } from '../support/dispute-fixture.ts'
import { slowDownCommits } from '../support/slow-commit.ts'

/** Findings of a review about refunds, each as a minimal test. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

const settled = (cents: number): ProviderPayout => ({
  status: 'settled',
  endToEnd: `D${randomUUID().replaceAll('-', '').slice(1)}`,
  cents,
  at: new Date().toISOString(),
})

const NO_FEE = { fixedCents: 0, hundredthsOfPercent: 0 }
const LOJA = {
  name: 'Loja',
  document: '11222333000181',
  account_number: '1',
  account_agency: '1',
  bank: { code: '', name: '', ispb: '' },
  account_type: 'PAYMENT' as const,
}

type Merchant = Awaited<ReturnType<typeof fixture.createMerchant>>

/** A charge of R$ 10.00 that was paid, and refunds of it. */
async function paid(
  payments: IncomingPix['status'][] = ['settled'],
  merchant?: Merchant,
  splits: ChargeSplit[] = [],
) {
  const { accountUuid, connectionUuid } = merchant ?? (await fixture.createMerchant(0))
  const [uuid, now] = [randomUUID(), new Date()]
  const charge = {
    txid: uuid.replaceAll('-', ''),
    payload: 'payload',
    pixKey: 'key',
    receiver: LOJA,
    expiresAt: new Date(Date.now() + 60_000).toISOString(),
  } as IssuedCharge
  fixture.scriptProvider({ issueCharge: async () => ({ kind: 'accepted', charge }) })
  await fixture.providers.issueCharge({
    uuid,
    accountUuid,
    candidates: [connectionUuid],
    valueCents: 1_000,
    expiresInSeconds: 60,
    details: fixture.seal.seal({ splits, fingerprint: 'f' }),
    requestId: 'r',
    timeScale: 1,
  })
  const payment = {
    endToEnd: `E${charge.txid.slice(1)}`,
    txid: charge.txid,
    cents: 1_000,
    status: 'settled',
    at: now.toISOString(),
    payer: null,
    pixKey: 'key',
    reference: null,
  } as IncomingPix
  const pays = async (status: IncomingPix['status']) => {
    fixture.scriptProvider({
      findCharge: async () => ({
        kind: 'found',
        status: 'completed',
        charge,
        payments: [{ ...payment, status }],
      }),
    })
    await fixture.providers.pollCharge({ chargeUuid: uuid, isPayloadExpired: false })
  }
  for (const status of payments) await pays(status)

  return {
    accountUuid,
    uuid,
    pays,
    /** Its payer disputes it. */
    dispute: () => createDisputeFixture(fixture, { connectionUuid, endToEnd: payment.endToEnd }),
    key: (refund: string) => ({ uuid: refund, connectionUuid }),
    async refund(valueCents: number): Promise<string> {
      const order = this.order(valueCents)
      expect(await fixture.records.openRefund(order)).toMatchObject({ state: 'sending' })
      return order.uuid
    },
    order: (valueCents: number): RefundInput => ({
      uuid: randomUUID(),
      chargeUuid: uuid,
      accountUuid,
      connectionUuid,
      valueCents,
      fingerprint: 'f',
      requestId: 'r',
      timeScale: 1,
    }),
    /** One that its provider refuses, as it does every later call. */
    async refused(valueCents: number) {
      fixture.scriptProvider({ refund: async () => no })
      const refund = this.key(await this.refund(valueCents))
      await fixture.providers.sendRefund({ ...refund, isResend: false })
      return refund
    },
    async shows() {
      const [row] = await fixture.sql(
        'select state, refunded_cents, refunding_cents from charge where uuid = ?',
        [uuid],
      )
      return row
    },
    async eventStatuses(): Promise<string[]> {
      const bodies = await readEventBodies<{ status: string }>(
        fixture.sql,
        `subject_uuid = ? and type = 'PAYMENT'`,
        [uuid],
      )
      return bodies.map(({ status }) => status)
    },
  }
}

test.each(['waits too long for its charge', 'takes too long to commit'])(
  'a refund without a key that %s is not sent: its caller was answered so',
  async why => {
    const charge = await paid()
    const before = await fixture.readBalances(charge.accountUuid)
    let calls = 0
    fixture.scriptProvider({
      refund: async () => {
        calls++
        return { kind: 'unreachable', code: 'dns_failed', message: 'nobody there' }
      },
    })
    // It starts in time even where the machine stands still for a moment.
    const inTime = () => ({ ...charge.order(300), acceptBefore: new Date(Date.now() + 4_000).toISOString() })
    let order = inTime()
    if (why.startsWith('takes')) {
      const slow = await slowDownCommits(fixture, 'refund', 5)
      order = inTime()
      await fixture.records.openRefund(order)
      await slow.end()
    } else {
      let opened: Promise<unknown> | undefined
      await runInTransaction(fixture.orm, async em => {
        await em.execute('select from charge where uuid = ? for update', [charge.uuid])
        order = inTime()
        opened = fixture.records.openRefund(order)
        await sleep(5_000)
      })
      await opened
    }
    // A local activity that is repeated finds the row, and decides from it.
    expect(await fixture.records.openRefund(order)).toMatchObject({ state: 'sending' })
    const key = charge.key(order.uuid)
    expect(await fixture.providers.sendRefund({ ...key, isResend: false })).toMatchObject({
      code: 'not_started',
    })
    expect(calls).toBe(0)
    expect(await charge.shows()).toMatchObject({ state: 'paid', refunding_cents: '0' })
    expect(await fixture.readBalances(charge.accountUuid)).toEqual(before)
    const [row] = await fixture.sql('select state, failure from refund where charge_uuid = ?', [charge.uuid])
    expect(row).toMatchObject({ state: 'failed', failure: { code: 'not_started' } })
    expect(await charge.refund(300)).toBeTruthy()
  },
)

test('a refund whose attempt is committed late, and which the API then confirms, is sent once, by the repeat', async () => {
  const charge = await paid()
  let calls = 0
  fixture.scriptProvider({
    refund: async () => {
      calls++
      return { kind: 'accepted', payout: settled(300) }
    },
  })
  const order = { ...charge.order(300), acceptBefore: new Date(Date.now() + 4_000).toISOString() }
  await fixture.records.openRefund(order)
  const confirm = 'update refund set accept_before = null where uuid = new.subject_uuid'
  const slow = await slowDownCommits(fixture, 'attempt', 5, confirm)
  const key = charge.key(order.uuid)
  expect(await fixture.providers.sendRefund({ ...key, isResend: false })).toEqual({ kind: 'not_connected' })
  await slow.end()
  expect(calls).toBe(0)
  expect(await fixture.providers.pollRefund({ ...key, pollCount: 1 })).toEqual({ kind: 'not_started' })
  expect(await fixture.providers.sendRefund({ ...key, isResend: false })).toMatchObject({ kind: 'settled' })
  expect(calls).toBe(1)
})

test('a refund refused before its workflow polled it is not sent again, however long it is not found', async () => {
  const charge = await paid()
  const refund = charge.key(await charge.refund(400))
  let calls = 0
  fixture.scriptProvider({
    refund: async () => {
      calls++
      return { kind: 'unreachable', code: 'dns_failed', message: 'nobody there' }
    },
    findRefund: async () => ({ kind: 'not_found' }),
  })
  expect(await fixture.providers.sendRefund({ ...refund, isResend: false })).toMatchObject({
    kind: 'unreachable',
  })
  expect(await charge.shows()).toMatchObject({ state: 'paid', refunding_cents: '0' })
  // The worker was killed with this answer: the workflow does not know it, polls, and may send once more.
  await fixture.providers.pollRefund({ ...refund, pollCount: 1 })
  const again = await fixture.providers.sendRefund({ ...refund, isResend: true })
  expect(again).toMatchObject({ kind: 'rejected', code: 'no_provider_available', finality: 'final' })
  expect(calls).toBe(1)
  expect(await fixture.readBalances(charge.accountUuid)).toEqual({ available: 1_000, outside: -1_000 })
})

test('a refund of which its provider has another value stays as it is, and its money stays held', async () => {
  const charge = await paid()
  const refund = charge.key(await charge.refund(400))
  fixture.scriptProvider({ refund: async () => ({ kind: 'unknown', code: 'timeout', message: 'no answer' }) })
  await fixture.providers.sendRefund({ ...refund, isResend: false })
  fixture.scriptProvider({ findRefund: async () => ({ kind: 'found', payout: settled(1) }) })
  expect(await fixture.providers.pollRefund({ ...refund, pollCount: 1 })).toEqual({
    kind: 'unknown',
    code: 'value_differs',
  })
  expect(await charge.shows()).toMatchObject({ state: 'refunding', refunding_cents: '400' })
  expect(await fixture.readBalances(charge.accountUuid)).toMatchObject({ available: 600, provisioned: 400 })
})

test('a refund that settles late while another one runs is counted once that one has settled', async () => {
  const charge = await paid()
  const first = await charge.refused(300)
  const second = charge.key(await charge.refund(400))
  fixture.scriptProvider({ refund: async () => ({ kind: 'unknown', code: 'timeout', message: 'no answer' }) })
  await fixture.providers.sendRefund({ ...second, isResend: false })
  for (const [one, cents] of [
    [first, 300],
    [second, 400],
  ] as const) {
    fixture.scriptProvider({ findRefund: async () => ({ kind: 'found', payout: settled(cents) }) })
    expect(await fixture.providers.pollRefund({ ...one, pollCount: 1 })).toMatchObject({ kind: 'settled' })
  }
  expect(await charge.shows()).toEqual({
    state: 'partially_refunded',
    refunded_cents: '700',
    refunding_cents: '0',
  })
  expect(await fixture.readBalances(charge.accountUuid)).toEqual({ available: 300, outside: -300 })
})

test('a refund that settles late while another one runs is reported when that one fails', async () => {
  const charge = await paid()
  const first = await charge.refused(300)
  const second = charge.key(await charge.refund(400))
  fixture.scriptProvider({ findRefund: async () => ({ kind: 'found', payout: settled(300) }) })
  await fixture.providers.pollRefund({ ...first, pollCount: 1 })
  await fixture.providers.sendRefund({ ...second, isResend: false })
  expect(await charge.shows()).toEqual({
    state: 'partially_refunded',
    refunded_cents: '300',
    refunding_cents: '0',
  })
  expect(await charge.eventStatuses()).toEqual(['PAID', 'PARTIALLY_REFUNDED'])
})

describe('a bank that shows a refund by what is left of the PIX only', () => {
  /** A refund that the bank refused, and a later one of the same value, of which the bank shows what it has carried out. */
  async function refusedAndRepeated() {
    const merchant = await fixture.createMerchant(0)
    await fixture.sql(`update connection set dialect = 'stark' where uuid = ?`, [merchant.connectionUuid])
    const charge = await paid(['settled'], merchant)
    const refused = await charge.refused(300)
    const repeated = charge.key(await charge.refund(300))
    fixture.scriptProvider({ refund: async () => ({ kind: 'accepted', payout: inProcess }) })
    await fixture.providers.sendRefund({ ...repeated, isResend: false })
    const payout = settled(300)
    fixture.scriptProvider({ findRefund: async () => ({ kind: 'found', payout }) })
    return { charge, refused, repeated, payout }
  }
  const inProcess = { status: 'in_process', cents: 300, endToEnd: '', at: null } as const
  const poll = (one: { uuid: string; connectionUuid: string }) =>
    fixture.providers.pollRefund({ ...one, pollCount: 1 })

  test('takes none for one that failed before, which would then hold its money for good', async () => {
    const { charge, refused, repeated, payout } = await refusedAndRepeated()
    expect(await poll(refused)).toMatchObject({ kind: 'rejected', code: 'no' })
    expect(await poll(repeated)).toMatchObject({ kind: 'settled' })
    expect(await poll(refused)).toMatchObject({ kind: 'rejected', code: 'no' })
    const attempts = await fixture.sql(
      `select state, end_to_end, contradiction_code from attempt where subject_uuid in (?, ?) order by created_at`,
      [refused.uuid, repeated.uuid],
    )
    expect(attempts).toEqual([
      { state: 'rejected', end_to_end: null, contradiction_code: null },
      { state: 'settled', end_to_end: payout.endToEnd, contradiction_code: null },
    ])
    expect(await charge.shows()).toMatchObject({ state: 'partially_refunded', refunded_cents: '300' })
    expect(await fixture.readBalances(charge.accountUuid)).toEqual({ available: 700, outside: -700 })
  })

  test('ends the poll of a failed one where something else has changed the PIX', async () => {
    const charge = await paid()
    const refused = await charge.refused(300)
    const changed = {
      kind: 'no_answer',
      code: 'payment_changed',
      message: 'changed',
      isLasting: true,
    } as const
    fixture.scriptProvider({ findRefund: async () => changed })
    expect(await poll(refused)).toMatchObject({ kind: 'rejected', code: 'no' })
    expect(await charge.shows()).toMatchObject({ state: 'paid', refunding_cents: '0' })
  })

  test('still finds one that has settled after its refusal, where no other was made', async () => {
    const merchant = await fixture.createMerchant(0)
    await fixture.sql(`update connection set dialect = 'stark' where uuid = ?`, [merchant.connectionUuid])
    const charge = await paid(['settled'], merchant)
    const earlier = charge.key(await charge.refund(100))
    fixture.scriptProvider({ refund: async () => ({ kind: 'accepted', payout: settled(100) }) })
    await fixture.providers.sendRefund({ ...earlier, isResend: false })
    const refused = await charge.refused(300)
    fixture.scriptProvider({ findRefund: async () => ({ kind: 'found', payout: settled(300) }) })
    expect(await poll(refused)).toMatchObject({ kind: 'settled' })
    expect(await charge.shows()).toMatchObject({ state: 'partially_refunded', refunded_cents: '400' })
  })
})

test('a refund that its provider does not have is not sent again where another return has left too little', async () => {
  const charge = await paid()
  const first = await charge.refused(700)
  const second = charge.key(await charge.refund(400))
  let calls = 0
  const refund = async () => {
    calls++
    return { kind: 'unknown', code: 'http_400', message: 'in words that nobody documents' } as const
  }
  fixture.scriptProvider({ refund })
  await fixture.providers.sendRefund({ ...second, isResend: false })
  fixture.scriptProvider({ findRefund: async () => ({ kind: 'found', payout: settled(700) }) })
  await fixture.providers.pollRefund({ ...first, pollCount: 1 })
  fixture.scriptProvider({ refund, findRefund: async () => ({ kind: 'not_found' }) })
  await fixture.providers.pollRefund({ ...second, pollCount: 1 })

  const again = await fixture.providers.sendRefund({ ...second, isResend: true })
  expect(again).toMatchObject({ kind: 'rejected', code: 'refund_above_remainder', finality: 'final' })
  expect(calls).toBe(1)
  expect(await charge.shows()).toEqual({
    state: 'partially_refunded',
    refunded_cents: '700',
    refunding_cents: '0',
  })
  expect(await fixture.readBalances(charge.accountUuid)).toEqual({ available: 300, outside: -300 })
})

test('a centavo that a refund returns to its owner repays his shortfall, and does not where the refund fails', async () => {
  const pool = randomUUID()
  const merchant = await fixture.createMerchant(1, pool)
  const recipients = [await fixture.createMerchant(0, pool), await fixture.createMerchant(0, pool)]
  const charge = await paid(
    ['settled'],
    merchant,
    recipients.map(({ accountUuid }) => ({ type: 'FIXED', amount: 500, recipientAccountUuid: accountUuid })),
  )
  // The first centavo is from the owner, who has nothing left then.
  const first = charge.key(await charge.refund(1))
  fixture.scriptProvider({ refund: async () => ({ kind: 'accepted', payout: settled(1) }) })
  await fixture.providers.sendRefund({ ...first, isResend: false })
  // A late refund of another charge, whose money is held for a second one, is his shortfall.
  const other = await paid(['settled'], merchant)
  const late = await other.refused(600)
  await other.refund(1_000)
  fixture.scriptProvider({ findRefund: async () => ({ kind: 'found', payout: settled(600) }) })
  await fixture.providers.pollRefund({ ...late, pollCount: 1 })
  const balances = { shortfall: -600, provisioned: 1_000, outside: -1_400 }
  expect(await fixture.readBalances(merchant.accountUuid)).toEqual(balances)

  // The next centavo is one from each recipient, and one back to the owner.
  await charge.refused(1)
  expect(await charge.shows()).toMatchObject({ state: 'partially_refunded', refunding_cents: '0' })
  expect(await fixture.readBalances(merchant.accountUuid)).toEqual(balances)
  for (const { accountUuid } of recipients)
    expect(await fixture.readBalances(accountUuid)).toMatchObject({ available: 500 })

  const second = charge.key(await charge.refund(1))
  fixture.scriptProvider({ refund: async () => ({ kind: 'accepted', payout: settled(1) }) })
  await fixture.providers.sendRefund({ ...second, isResend: false })
  expect(await fixture.readBalances(merchant.accountUuid)).toEqual({
    ...balances,
    // The recipients pay the owner, from whom the refund leaves.
    shortfall: -599,
    outside: -1_399,
  })
})

test('a refund that settles late shows no fee, because none was charged', async () => {
  const charge = await paid()
  const fees = { charge: NO_FEE, transfer: NO_FEE, refund: { fixedCents: 10, hundredthsOfPercent: 0 } }
  await fixture.sql('update connection set fees = ? where account_uuid = ?', [
    JSON.stringify(fees),
    charge.accountUuid,
  ])
  const refund = await charge.refused(400)
  fixture.scriptProvider({ findRefund: async () => ({ kind: 'found', payout: settled(400) }) })
  expect(await fixture.providers.pollRefund({ ...refund, pollCount: 1 })).toMatchObject({ kind: 'settled' })
  const bodies = await readEventBodies<{ refund: { status: string; fees: number } }>(
    fixture.sql,
    `subject_uuid = ? and type = 'REFUND'`,
    [refund.uuid],
  )
  expect(bodies.map(body => body.refund)).toMatchObject([
    { status: 'FAILED', fees: 0.1 },
    { status: 'COMPLETED', fees: 0 },
  ])
  expect(await fixture.readBalances(charge.accountUuid)).toEqual({ available: 600, outside: -600 })
})

test('a refund that settles late is marked late in its movement, and one in time is not', async () => {
  const charge = await paid()
  const late = await charge.refused(400)
  const inTime = charge.key(await charge.refund(300))
  fixture.scriptProvider({ refund: async () => ({ kind: 'unknown', code: 'timeout', message: 'no answer' }) })
  await fixture.providers.sendRefund({ ...inTime, isResend: false })
  for (const [refund, cents, reason] of [
    [late, 400, 'late_settlement'],
    [inTime, 300, null],
  ] as const) {
    fixture.scriptProvider({ findRefund: async () => ({ kind: 'found', payout: settled(cents) }) })
    await fixture.providers.pollRefund({ ...refund, pollCount: 1 })
    const moved = await fixture.sql('select status, reason from movement where refund_uuid = ?', [
      refund.uuid,
    ])
    expect(moved).toEqual([{ status: 'SETTLED', reason }])
  }
})

test('a payment that had failed and settles after all is posted in full, and can be refunded', async () => {
  const charge = await paid(['in_process', 'failed', 'settled', 'settled'])
  expect(await charge.shows()).toMatchObject({ state: 'paid' })
  expect(await charge.eventStatuses()).toEqual(['PAID'])
  expect(await fixture.readBalances(charge.accountUuid)).toEqual({ available: 1_000, outside: -1_000 })
  await charge.refund(1_000)
})

test('a dispute opened while its payment is in progress blocks the payment once it settles, and refuses refunds', async () => {
  const charge = await paid(['in_process'])
  const dispute = charge.dispute()
  expect(await dispute.pollAnswering()).toMatchObject({ kind: 'known', state: 'open' })
  expect(await dispute.readCents()).toEqual({ claimed: 0, held: 0, retained: 0 })
  await charge.pays('settled')
  expect(await dispute.readCents()).toEqual({ claimed: 1_000, held: 1_000, retained: 0 })
  expect(await fixture.readBalances(charge.accountUuid)).toEqual({ blocked: 1_000, outside: -1_000 })
  expect(await fixture.records.openRefund(charge.order(1_000))).toMatchObject({ state: 'failed' })
})

test('a dispute of a failed payment blocks no money until that payment settles after all', async () => {
  const charge = await paid(['in_process', 'failed'])
  const dispute = charge.dispute()
  expect(await dispute.pollAnswering()).toEqual({ kind: 'no_answer', code: 'pix_not_known' })
  expect(await dispute.pollAnswering({ status: 'disagreed' })).toEqual({ kind: 'foreign' })
  await charge.pays('settled')
  expect(await dispute.pollAnswering()).toMatchObject({ kind: 'known', state: 'open' })
  expect(await dispute.readCents()).toEqual({ claimed: 1_000, held: 1_000, retained: 0 })
})

test('a dispute of a payment that fails claims nothing, and is followed to its end or until the payment settles', async () => {
  const charge = await paid(['in_process'])
  const [dispute, other] = [charge.dispute(), charge.dispute()]
  for (const one of [dispute, other])
    expect(await one.pollAnswering()).toMatchObject({ kind: 'known', state: 'open' })
  await charge.pays('failed')
  expect(await other.pollAnswering({ status: 'disagreed', isClosed: true })).toMatchObject({
    state: 'rejected',
  })
  expect(await dispute.pollAnswering()).toMatchObject({ kind: 'known', state: 'open' })
  expect(await dispute.readCents()).toEqual({ claimed: 0, held: 0, retained: 0 })
  await charge.pays('settled')
  expect(await dispute.pollAnswering()).toMatchObject({ kind: 'known', state: 'open' })
  expect(await dispute.readCents()).toEqual({ claimed: 1_000, held: 1_000, retained: 0 })
  expect(await fixture.readBalances(charge.accountUuid)).toEqual({ blocked: 1_000, outside: -1_000 })
})

/** Sends an amount of an account, which is in progress from then on. */
async function spends(merchant: Merchant, valueCents: number) {
  const order = fixture.transferInput(merchant, { valueCents })
  await fixture.records.storeTransfer(order)
  const sending = { status: 'in_process', cents: valueCents, endToEnd: '', at: null } as const
  fixture.scriptProvider({ sendTransfer: async () => ({ kind: 'accepted', payout: sending }) })
  const { connectionUuid } = merchant
  await fixture.providers.sendTransfer({ uuid: order.uuid, connectionUuid, isResend: false })
}

const no = { kind: 'rejected', finality: 'final', code: 'no', message: 'no' } as const

test.each([
  [
    'the rest of its own charge',
    300,
    { claimed: 300, held: 300 },
    { claimed: 1_000, held: 0, retained: 700 },
  ],
  ['nothing needed by its own charge', 1_000, { claimed: 1_000, held: 1_000 }, { claimed: 1_000, held: 0 }],
  ['all of it where its own charge needs none', 0, undefined, { claimed: 1_000, held: 0, retained: 1_000 }],
])(
  'of the hold released by a failed refund, a dispute of another PIX without cover gets %s',
  async (_, asked, own, other) => {
    const merchant = await fixture.createMerchant(0)
    const charge = await paid(['settled'], merchant)
    const refund = charge.key(await charge.refund(1_000))
    const elsewhere = await paid(['settled'], merchant)
    await spends(merchant, 1_000)
    const lacking = elsewhere.dispute()
    await lacking.pollAnswering()
    expect(await lacking.readCents()).toEqual({ claimed: 1_000, held: 0, retained: 0 })
    const itsOwn = charge.dispute()
    if (asked > 0) await itsOwn.pollAnswering({ cents: asked })

    fixture.scriptProvider({ refund: async () => no })
    await fixture.providers.sendRefund({ ...refund, isResend: false })
    expect(await itsOwn.readCents()).toEqual(own && { ...own, retained: 0 })
    expect(await lacking.readCents()).toEqual({ retained: 0, ...other })
    const { available = 0 } = await fixture.readBalances(merchant.accountUuid)
    expect(available).toBe(0)
  },
)

test('what a recipient gets back from a failed refund covers a dispute against that recipient', async () => {
  const pool = randomUUID()
  const [owner, recipient] = [await fixture.createMerchant(0, pool), await fixture.createMerchant(0, pool)]
  const share = { type: 'FIXED', amount: 400, recipientAccountUuid: recipient.accountUuid } as const
  const charge = await paid(['settled'], owner, [share])
  const refund = charge.key(await charge.refund(1_000))
  const own = await paid(['settled'], recipient)
  await spends(recipient, 1_000)
  const lacking = own.dispute()
  await lacking.pollAnswering()
  expect(await lacking.readCents()).toEqual({ claimed: 1_000, held: 0, retained: 0 })

  fixture.scriptProvider({ refund: async () => no })
  await fixture.providers.sendRefund({ ...refund, isResend: false })
  expect(await lacking.readCents()).toEqual({ claimed: 1_000, held: 0, retained: 400 })
  expect(await fixture.readBalances(owner.accountUuid)).toMatchObject({ available: 600 })
  expect(await fixture.readBalances(recipient.accountUuid)).not.toHaveProperty('available')
})
