import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { recordUnmatchedPayment } from '../../../src/activities/unmatched/record.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { listUnexpectedSettlements } from '../../../src/db/repositories/operator-lists.ts'
import { readUnreturnedCents } from '../../../src/db/repositories/unmatched-payments.ts'
import type { IncomingPix, SendPayoutOutcome } from '../../../src/domain/providers/provider.ts'
import { toParty } from '../../../src/providers/adapter/party.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'
import { createDisputeFixture } from '../support/dispute-fixture.ts'

/** An unmatched PIX whose return is refused for now, or that its provider returns by a dispute before ours settles. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

const REFUSED = { kind: 'rejected', finality: 'final', code: 'too_much', message: 'gone already' } as const
const NOT_NOW = {
  kind: 'rejected',
  finality: 'other_may_help',
  code: 'rate_limited',
  message: 'not now',
} as const
const LOST = { kind: 'unknown', code: 'timeout', message: 'no answer' } as const
const endToEndId = (letter: 'E' | 'D') => `${letter}${randomUUID().replaceAll('-', '').slice(1)}`

/** A second payment of R$ 10.00 that is to be returned to its payer, beside the account's own balance. */
async function createStrayPayment(ownCents = 1_000) {
  const { accountUuid, connectionUuid } = await fixture.createMerchant(ownCents)
  const now = new Date().toISOString()
  const payment = {
    endToEnd: endToEndId('E'),
    txid: '',
    cents: 1_000,
    status: 'settled',
    at: now,
  } as IncomingPix
  const { uuid } = await runInTransaction(fixture.orm, async em => {
    const connection = await em.findOneOrFail(Connection, connectionUuid)
    return recordUnmatchedPayment(em, { connection, payment, reason: 'second_payment', requestId: 'r' })
  })
  const send = () => fixture.providers.sendReturn({ uuid, connectionUuid, isResend: false })
  const dispute = createDisputeFixture(fixture, { connectionUuid, endToEnd: payment.endToEnd })
  return {
    uuid,
    /** Its provider accepts our return, and the answer is lost. */
    async isBeingReturned() {
      fixture.scriptProvider({ refund: async () => LOST })
      expect(await send()).toMatchObject({ kind: 'unknown' })
    },
    /** The rail returns no more than was received. */
    async isRefused() {
      const sending = { status: 'rejected', endToEnd: '', cents: 1_000, at: now, ...REFUSED }
      fixture.scriptProvider({ findRefund: async () => ({ kind: 'found', payout: sending }) as never })
      return fixture.providers.pollReturn({ uuid, connectionUuid, pollCount: 1 })
    },
    async isSent(answer: SendPayoutOutcome = REFUSED) {
      let calls = 0
      fixture.scriptProvider({
        async refund() {
          calls += 1
          return answer
        },
      })
      return { told: await send(), calls }
    },
    /** An operator keeps what is left of it, or what was left when the operator looked. */
    async isKept(seenCents?: number) {
      const cents = seenCents ?? (await readUnreturnedCents(fixture.orm.em.fork(), uuid))
      const [attempt] = await fixture.sql<{ sendings: number }>(
        'select sendings from attempt where subject_uuid = ?',
        [uuid],
      )
      return fixture.records.keepUnmatchedPayment({ uuid, sending: attempt?.sendings ?? 0, cents })
    },
    /** The account sends this amount elsewhere. */
    async spends(valueCents: number) {
      const order = fixture.transferInput({ accountUuid, connectionUuid }, { valueCents })
      await fixture.records.storeTransfer(order)
      const sending = { status: 'settled', cents: valueCents, endToEnd: endToEndId('E'), at: now } as const
      fixture.scriptProvider({ sendTransfer: async () => ({ kind: 'accepted', payout: sending }) })
      await fixture.providers.sendTransfer({ uuid: order.uuid, connectionUuid, isResend: false })
    },
    /** Its provider reports after all that our return settled. */
    async hasGone() {
      const sending = { status: 'settled', cents: 1_000, endToEnd: endToEndId('D'), at: now } as const
      fixture.scriptProvider({ findRefund: async () => ({ kind: 'found', payout: sending }) })
      expect(await fixture.providers.pollReturn({ uuid, connectionUuid, pollCount: 1 })).toMatchObject({
        kind: 'settled',
      })
    },
    /** Its provider has a return of another value under our id. */
    async differsAtProvider() {
      const sending = { status: 'settled', cents: 1, endToEnd: endToEndId('D'), at: now } as const
      fixture.scriptProvider({ findRefund: async () => ({ kind: 'found', payout: sending }) })
      return fixture.providers.pollReturn({ uuid, connectionUuid, pollCount: 1 })
    },
    /** Its payer disputes this amount of it, and the dispute is undecided. */
    async isDisputed(cents = 1_000) {
      expect(await dispute.pollAnswering({ cents })).toMatchObject({ kind: 'known', state: 'open' })
    },
    disputeHas: dispute.readCents,
    async isGivenBack(cents: number) {
      const returned = { id: randomUUID(), endToEnd: endToEndId('D'), cents, at: now }
      const polled = dispute.pollAnswering({ cents, status: 'agreed', returns: [returned], isClosed: true })
      expect(await polled).toMatchObject({ kind: 'known', state: 'resolved' })
    },
    /** The same, while its provider may return more of it. */
    async isGivenBackInPart(cents: number) {
      const returned = { id: randomUUID(), endToEnd: endToEndId('D'), cents, at: now }
      const polled = dispute.pollAnswering({ status: 'agreed', returns: [returned] })
      expect(await polled).toMatchObject({ kind: 'known', state: 'accepted' })
    },
    async readState() {
      const [row] = await fixture.sql<{ disposition: string }>(
        'select disposition from movement where uuid = ?',
        [uuid],
      )
      const sums = await fixture.sql<{ sum: string }>(
        'select sum(cents) from posting where account_uuid = ?',
        [accountUuid],
      )
      expect(Number(sums[0]!.sum)).toBe(0)
      return { ...(await fixture.readBalances(accountUuid)), disposition: row!.disposition }
    },
  }
}

const sentBack = (): SendPayoutOutcome => ({
  kind: 'accepted',
  payout: { status: 'settled', cents: 1_000, endToEnd: endToEndId('D'), at: new Date().toISOString() },
})

const WAITS = { available: 1_000, pending: 1_000, outside: -2_000, disposition: 'not_returned' }
const RETURNED_BALANCES = { available: 1_000, outside: -1_000, disposition: 'returned' }
const GONE_IN_PART = { available: 1_000, pending: 600, outside: -1_600, disposition: 'not_returned' }

test.each([
  ['whole', 1_000, RETURNED_BALANCES],
  ['in part', 400, GONE_IN_PART],
])(
  'given back %s before it was sent, the PIX is taken from the waiting amount, and is not sent',
  async (_, cents, expectedState) => {
    const pix = await createStrayPayment()
    await pix.isGivenBack(cents)
    expect(await pix.readState()).toEqual(expectedState)
    expect(await pix.isSent()).toMatchObject({
      told: { kind: 'rejected', code: 'returned_by_dispute', finality: 'final' },
      calls: 0,
    })
    expect(await pix.readState()).toEqual(expectedState)
  },
)

test.each([
  ['whole', 1_000, RETURNED_BALANCES],
  ['in part', 400, GONE_IN_PART],
])(
  'given back %s while our return is in progress, the PIX costs the account nothing once our return is refused',
  async (_, cents, expectedState) => {
    const pix = await createStrayPayment()
    await pix.isBeingReturned()
    await pix.isGivenBack(cents)
    expect(await pix.isRefused()).toMatchObject({ kind: 'rejected' })
    expect(await pix.readState()).toEqual(expectedState)
  },
)

test('a return of which its provider has another value stays as it is', async () => {
  const pix = await createStrayPayment()
  await pix.isBeingReturned()
  expect(await pix.differsAtProvider()).toEqual({ kind: 'unknown', code: 'value_differs' })
  expect(await pix.readState()).toMatchObject({ provisioned: 1_000, disposition: 'returning' })
})

test('the account’s missing amount is repaid when our return is refused', async () => {
  const pix = await createStrayPayment(0)
  await pix.isBeingReturned()
  await pix.isGivenBack(1_000)
  expect(await pix.readState()).toEqual({ provisioned: 1_000, shortfall: -1_000, disposition: 'returning' })
  expect(await pix.isRefused()).toMatchObject({ kind: 'rejected' })
  expect(await pix.readState()).toEqual({ disposition: 'returned' })
})

test.each([
  ['for good', REFUSED],
  ['for a cause that may pass', NOT_NOW],
])('refused %s, a return is not sent again by the same id', async (_, answer) => {
  const pix = await createStrayPayment()
  expect(await pix.isSent(answer)).toMatchObject({ told: { kind: 'rejected' }, calls: 1 })
  expect(await pix.isSent(sentBack())).toMatchObject({ told: { kind: 'rejected' }, calls: 0 })
  expect(await pix.readState()).toEqual(WAITS)
})

test('a PIX that cannot be returned belongs to the account once an operator keeps it, and is not sent again', async () => {
  const pix = await createStrayPayment()
  await pix.isSent(NOT_NOW)
  expect(await pix.isKept()).toBe(true)
  const kept = { available: 2_000, outside: -2_000, disposition: 'kept' }
  expect(await pix.readState()).toEqual(kept)
  // A local activity is repeated where its workflow task was lost after the commit.
  expect(await pix.isKept()).toBe(true)
  expect(await pix.isSent(sentBack())).toMatchObject({ told: { kind: 'rejected' }, calls: 0 })
  expect(await pix.readState()).toEqual(kept)
})

test('of a PIX that a dispute has returned in part, the rest is kept', async () => {
  const pix = await createStrayPayment()
  await pix.isGivenBack(400)
  expect(await pix.isKept()).toBe(true)
  expect(await pix.readState()).toEqual({ available: 1_600, outside: -1_600, disposition: 'kept' })
})

test('a PIX whose return is in progress or waits to be sent is not kept', async () => {
  const pix = await createStrayPayment()
  expect(await pix.isKept()).toBe(false)
  await pix.isBeingReturned()
  expect(await pix.isKept()).toBe(false)
  expect(await pix.readState()).toMatchObject({ provisioned: 1_000, disposition: 'returning' })
})

test('a kept PIX whose return settles after all is debited from the account', async () => {
  const pix = await createStrayPayment()
  await pix.isSent(REFUSED)
  await pix.isKept()
  await pix.hasGone()
  expect(await pix.readState()).toEqual(RETURNED_BALANCES)
})

test('a kept and spent PIX whose return settles after all is advanced by the service', async () => {
  const pix = await createStrayPayment()
  await pix.isSent(REFUSED)
  await pix.isKept()
  await pix.spends(1_700)
  await pix.hasGone()
  expect(await pix.readState()).toEqual({ shortfall: -700, outside: 700, disposition: 'returned' })
})

test('a return that settles after it was given up is marked for operators, and one in time is not', async () => {
  const gone = async (pix: Awaited<ReturnType<typeof createStrayPayment>>) => {
    await pix.hasGone()
    const shown = await listUnexpectedSettlements(fixture.orm.em.fork())
    return shown.filter(one => one.subject_uuid === pix.uuid)
  }
  const inTime = await createStrayPayment()
  await inTime.isBeingReturned()
  expect(await gone(inTime)).toEqual([])
  const [givenUp, kept] = [await createStrayPayment(), await createStrayPayment()]
  for (const late of [givenUp, kept]) await late.isSent(REFUSED)
  await kept.isKept()
  for (const late of [givenUp, kept])
    expect(await gone(late)).toMatchObject([{ noun: 'return', reason: 'late_settlement', cents: '1000' }])
})

test('a PIX kept under an open dispute is blocked for it once, and taken from the blocked amount', async () => {
  const pix = await createStrayPayment(0)
  await pix.isSent(REFUSED)
  await pix.isDisputed()
  expect(await pix.readState()).toEqual({ pending: 1_000, outside: -1_000, disposition: 'not_returned' })
  expect(await pix.isKept()).toBe(true)
  for (let polls = 0; polls < 2; polls++) {
    expect(await pix.readState()).toEqual({ blocked: 1_000, outside: -1_000, disposition: 'kept' })
    expect(await pix.disputeHas()).toEqual({ claimed: 1_000, held: 1_000, retained: 0 })
    await pix.isDisputed()
  }
  await pix.isGivenBack(1_000)
  expect(await pix.readState()).toEqual({ disposition: 'kept' })
})

test('a PIX of which a part is returned after an operator looked is not kept', async () => {
  const pix = await createStrayPayment(0)
  await pix.isSent(REFUSED)
  await pix.isDisputed(400)
  await pix.isGivenBack(400)
  expect(await pix.isKept(1_000)).toBe(false)
  expect(await pix.isKept(600)).toBe(true)
  expect(await pix.readState()).toEqual({ available: 600, outside: -600, disposition: 'kept' })
})

test('a PIX that is kept after a return in part is blocked for the rest of its dispute', async () => {
  const pix = await createStrayPayment(0)
  await pix.isSent(REFUSED)
  await pix.isDisputed()
  await pix.isGivenBackInPart(400)
  expect(await pix.isKept()).toBe(true)
  expect(await pix.readState()).toEqual({ blocked: 600, outside: -600, disposition: 'kept' })
  expect(await pix.disputeHas()).toEqual({ claimed: 600, held: 600, retained: 0 })
})

test('of a kept PIX, the amount that its dispute does not claim can be spent', async () => {
  const pix = await createStrayPayment(0)
  await pix.isSent(REFUSED)
  await pix.isDisputed(400)
  expect(await pix.isKept()).toBe(true)
  expect(await pix.readState()).toEqual({
    available: 600,
    blocked: 400,
    outside: -1_000,
    disposition: 'kept',
  })
})

test('a PIX is returned while polls read the charge that it names, without a deadlock', async () => {
  const { accountUuid, connectionUuid } = await fixture.createMerchant(0)
  fixture.scriptProvider({ refund: async () => LOST })
  for (let round = 0; round < 5; round++) {
    const chargeUuid = randomUUID()
    const reference = chargeUuid.replaceAll('-', '')
    const charge = {
      txid: reference,
      payload: 'payload',
      pixKey: 'key',
      receiver: toParty({}),
      expiresAt: new Date(Date.now() + 60_000).toISOString(),
    }
    const payments = [1, 2].map(() => ({
      endToEnd: endToEndId('E'),
      txid: reference,
      reference,
      cents: 1_000,
      status: 'settled' as const,
      at: new Date().toISOString(),
      payer: null,
      pixKey: 'key',
    }))
    fixture.scriptProvider({
      issueCharge: async () => ({ kind: 'accepted', charge }),
      findCharge: async () => ({ kind: 'found', status: 'completed', charge, payments }),
    })
    await fixture.providers.issueCharge({
      uuid: chargeUuid,
      accountUuid,
      candidates: [connectionUuid],
      valueCents: 1_000,
      expiresInSeconds: 60,
      details: fixture.seal.seal({ splits: [], fingerprint: 'f' }),
      requestId: 'r',
      timeScale: 1,
    })
    const look = () => fixture.providers.pollCharge({ chargeUuid, isPayloadExpired: false })
    const { returns } = await look()
    const sent = { uuid: returns![0]!.uuid, connectionUuid, isResend: false }
    const all = await Promise.allSettled([look(), fixture.providers.sendReturn(sent), look()])
    expect(all.map(({ status }) => status)).toEqual(Array(3).fill('fulfilled'))
  }
})
