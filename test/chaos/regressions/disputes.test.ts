import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { recordUnmatchedPayment } from '../../../src/activities/unmatched/record.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { referenceOf } from '../../../src/domain/pix/identifiers.ts'
import type { IncomingPix } from '../../../src/domain/providers/provider.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'
import { createDisputeFixture } from '../support/dispute-fixture.ts'
import { createPaidCharge } from '../support/money-fixture.ts'

/** Findings of a review about disputes, each as a minimal test. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

const endToEndId = (letter: 'E' | 'D') => `${letter}${randomUUID().replaceAll('-', '').slice(1)}`

/** An account with this balance, and a deposit of R$ 10.00 more, which its payer disputes. */
async function disputed(ownCents: number, at: string) {
  const merchant = await fixture.createMerchant(ownCents)
  const { connectionUuid } = merchant
  const payment = { endToEnd: endToEndId('E'), txid: '', cents: 1_000, status: 'settled', at } as IncomingPix
  await runInTransaction(fixture.orm, async em => {
    const connection = await em.findOneOrFail(Connection, connectionUuid)
    return recordUnmatchedPayment(em, { connection, payment, reason: 'deposit', requestId: 'r' })
  })
  return { merchant, ...createDisputeFixture(fixture, { connectionUuid, endToEnd: payment.endToEnd }) }
}

test('a dispute opens in the week of a daylight saving change, whatever the server’s time zone', async () => {
  const [row] = await fixture.sql<{ name: string }>('select current_database() as name')
  await fixture.sql(`alter database "${row!.name}" set timezone = 'America/New_York'`)
  await fixture.orm.close()
  await fixture.orm.connect()
  const [set] = await fixture.sql<{ zone: string }>(`select current_setting('TimeZone') as zone`)
  expect(set!.zone).toBe('America/New_York')
  const openedAt = '2026-03-05T12:00:00Z'
  const dispute = await disputed(0, openedAt)
  expect(await dispute.pollAnswering({ openedAt })).toMatchObject({ kind: 'known', state: 'open' })
})

test('"not found" is no answer of a dispute that an earlier run of the poll stores meanwhile', async () => {
  const openedAt = new Date().toISOString()
  const { order, pollAnswering } = await disputed(0, openedAt)
  fixture.scriptProvider({
    findDispute: async () => {
      await pollAnswering({ openedAt })
      return { kind: 'not_found' }
    },
  })
  expect(await fixture.providers.pollDispute(order)).toEqual({ kind: 'no_answer', code: 'not_found' })
})

test('a deadline that the provider names after the opening replaces the seven days, and never becomes later', async () => {
  const openedAt = new Date().toISOString()
  const { order, pollAnswering } = await disputed(0, openedAt)
  const inDays = (days: number) => new Date(Date.parse(openedAt) + days * 86_400_000).toISOString()
  const pollForDeadline = async (dueAt: string | null) => {
    await pollAnswering({ openedAt, dueAt })
    const [row] = await fixture.sql<{ due: Date }>('select due_at as due from dispute where uuid = ?', [
      order.uuid,
    ])
    return new Date(row!.due).toISOString()
  }
  expect(await pollForDeadline(null)).toBe(inDays(7))
  expect(await pollForDeadline(inDays(3))).toBe(inDays(3))
  expect(await pollForDeadline(inDays(4))).toBe(inDays(3))
  expect(await pollForDeadline(null)).toBe(inDays(3))
})

test('a return may be contested from the latest one on, in whatever order the provider lists them', async () => {
  const { order, pollAnswering } = await disputed(0, '2026-11-01T12:00:00Z')
  const returnAt = (at: string) => ({ id: null, endToEnd: endToEndId('D'), cents: 100, at })
  const latest = returnAt('2026-11-20T12:00:00.000Z')
  const earlier = returnAt('2026-11-10T12:00:00.000Z')
  for (const returns of [[latest], [latest, earlier]]) {
    await pollAnswering({ status: 'agreed', returns })
    const [row] = await fixture.sql<{ at: string; cents: number }>(
      'select returned_at as at, returned_cents::int as cents from dispute where uuid = ?',
      [order.uuid],
    )
    expect([new Date(row!.at), row!.cents]).toEqual([new Date(latest.at), 100 * returns.length])
  }
})

test('a transfer’s return repays what the service has advanced, as a refund’s return does', async () => {
  const at = new Date().toISOString()
  const { merchant, pollAnswering: told } = await disputed(1_000, at)
  const order = fixture.transferInput(merchant, { valueCents: 2_000 })
  const key = { uuid: order.uuid, connectionUuid: merchant.connectionUuid }
  await fixture.records.storeTransfer(order)
  const onItsWay = { status: 'in_process', cents: 2_000, endToEnd: endToEndId('E'), at: null } as const
  fixture.scriptProvider({ sendTransfer: async () => ({ kind: 'accepted', payout: onItsWay }) })
  await fixture.providers.sendTransfer({ ...key, isResend: false })
  const returned = { id: randomUUID(), endToEnd: endToEndId('D'), cents: 1_000, at }
  await told({ status: 'agreed', returns: [returned], isClosed: true })
  expect(await fixture.readBalances(merchant.accountUuid)).toMatchObject({
    provisioned: 2_000,
    shortfall: -1_000,
  })

  const refused = { ...onItsWay, status: 'rejected', code: 'AC03' } as const
  fixture.scriptProvider({ findTransfer: async () => ({ kind: 'found', payout: refused }) })
  expect(await fixture.providers.pollTransfer({ ...key, pollCount: 1 })).toMatchObject({ kind: 'rejected' })
  expect(await fixture.readBalances(merchant.accountUuid)).toEqual({ available: 1_000, outside: -1_000 })
})

test.each([
  ['ends with all of it', 1_000, false, 'resolved'],
  ['goes on after a part', 400, false, 'accepted'],
  ['ends after a part where it is closed', 400, true, 'resolved'],
])('a dispute that we requested of a transfer %s', async (_, cents, isClosed, state) => {
  const merchant = await fixture.createMerchant(1_000)
  const { connectionUuid } = merchant
  const order = fixture.transferInput(merchant, { valueCents: 1_000 })
  const endToEnd = endToEndId('E')
  const at = new Date().toISOString()
  await fixture.records.storeTransfer(order)
  const payout = { status: 'settled', cents: 1_000, endToEnd, at } as const
  fixture.scriptProvider({ sendTransfer: async () => ({ kind: 'accepted', payout }) })
  await fixture.providers.sendTransfer({ uuid: order.uuid, connectionUuid, isResend: false })
  const dispute = createDisputeFixture(fixture, { connectionUuid, endToEnd })
  const returned = { id: randomUUID(), endToEnd: endToEndId('D'), cents, at }
  const facts = { kind: 'REQUESTED_MED', status: 'agreed', returns: [returned], isClosed } as const
  expect(await dispute.pollAnswering({ ...facts, returns: [returned] })).toMatchObject({
    kind: 'known',
    state,
  })
  expect(await fixture.readBalances(merchant.accountUuid)).toMatchObject({ available: cents })
})

test('a dispute whose charge is being refunded claims the rest that a failed refund leaves, after a return in part', async () => {
  const merchant = await fixture.createMerchant(0)
  const chargeUuid = await createPaidCharge(fixture, merchant)
  const { connectionUuid, accountUuid } = merchant
  const refund = {
    uuid: randomUUID(),
    chargeUuid,
    accountUuid,
    connectionUuid,
    valueCents: 600,
    fingerprint: 'f',
    requestId: 'r',
    timeScale: 1,
  }
  await fixture.records.openRefund(refund)
  const [pix] = await fixture.sql<{ name: string }>('select end_to_end as name from charge where uuid = ?', [
    chargeUuid,
  ])
  const dispute = createDisputeFixture(fixture, { connectionUuid, endToEnd: pix!.name })
  await dispute.pollAnswering()
  const returned = {
    id: randomUUID(),
    endToEnd: endToEndId('D'),
    cents: 400,
    at: new Date().toISOString(),
  }
  const agreed = { status: 'agreed', returns: [returned] } as const
  const polled = await dispute.pollAnswering({ ...agreed, returns: [returned] })
  expect(polled).toMatchObject({ kind: 'known', state: 'accepted' })
  expect(await dispute.readCents()).toEqual({ claimed: 0, held: 0, retained: 0 })
  const no = { kind: 'rejected', finality: 'final', code: 'no', message: 'no' } as const
  fixture.scriptProvider({ refund: async () => no })
  await fixture.providers.sendRefund({ uuid: refund.uuid, connectionUuid, isResend: false })
  expect(await dispute.readCents()).toEqual({ claimed: 600, held: 600, retained: 0 })
})

test('of the returns that a provider lists, those that we ordered are refunds, and all others the dispute’s', async () => {
  const merchant = await fixture.createMerchant(0)
  const chargeUuid = await createPaidCharge(fixture, merchant)
  const { connectionUuid, accountUuid } = merchant
  const { refundUuid, endToEnd } = await sendRefund(merchant, chargeUuid)
  const dispute = createDisputeFixture(fixture, { connectionUuid, endToEnd })
  const at = new Date().toISOString()
  // The provider has settled our refund before we know it.
  const ours = { id: referenceOf(refundUuid), endToEnd: endToEndId('D'), cents: 600, at }
  const theirs = { id: 'devolucao1', endToEnd: endToEndId('D'), cents: 400, at }
  expect(await dispute.pollAnswering({ status: 'agreed', returns: [ours] })).toMatchObject({
    state: 'accepted',
  })
  const readReturned = () =>
    fixture.sql('select value_cents::int as cents from movement where dispute_uuid = ? and type = ?', [
      dispute.order.uuid,
      'EXTERNAL_REFUND',
    ])
  expect(await readReturned()).toEqual([])
  const whole = { status: 'agreed', returns: [ours, theirs], isClosed: true } as const
  expect(await dispute.pollAnswering({ ...whole, returns: [ours, theirs] })).toMatchObject({
    state: 'resolved',
  })
  expect(await readReturned()).toEqual([{ cents: 400 }])
  expect(await fixture.readBalances(accountUuid)).not.toHaveProperty('available')
})

test('of the failed returns that a provider lists, one that we did not order ends the accepted dispute', async () => {
  const merchant = await fixture.createMerchant(0)
  const chargeUuid = await createPaidCharge(fixture, merchant)
  const { refundUuid, endToEnd } = await sendRefund(merchant, chargeUuid)
  const dispute = createDisputeFixture(fixture, { connectionUuid: merchant.connectionUuid, endToEnd })
  const poll = (...failedReturnIds: string[]) => dispute.pollAnswering({ status: 'agreed', failedReturnIds })
  expect(await poll(referenceOf(refundUuid))).toMatchObject({ state: 'accepted' })
  expect(await poll(referenceOf(refundUuid), 'devolucao1')).toMatchObject({ state: 'resolved' })
  expect(await fixture.readBalances(merchant.accountUuid)).toMatchObject({ available: 400 })
})

/** Sends a refund of R$ 6.00 of a charge, which its provider accepts. */
async function sendRefund(
  { accountUuid, connectionUuid }: Record<'accountUuid' | 'connectionUuid', string>,
  chargeUuid: string,
) {
  const refundUuid = randomUUID()
  await fixture.records.openRefund({
    uuid: refundUuid,
    chargeUuid,
    accountUuid,
    connectionUuid,
    valueCents: 600,
    fingerprint: 'f',
    requestId: 'r',
    timeScale: 1,
  })
  fixture.scriptProvider({ refund: async () => ({ kind: 'accepted', payout: onItsWay }) })
  await fixture.providers.sendRefund({ uuid: refundUuid, connectionUuid, isResend: false })
  const pix = 'select end_to_end as "endToEnd" from charge where uuid = ?'
  const [charge] = await fixture.sql<{ endToEnd: string }>(pix, [chargeUuid])
  return { refundUuid, endToEnd: charge!.endToEnd }
}
const onItsWay = { status: 'in_process', cents: 600, endToEnd: '', at: null } as const
const unreachable = { kind: 'unreachable', code: 'dns_failed', message: 'nobody there' } as const

/** A dispute of R$ 10.00 whose account has sent this amount elsewhere before. */
async function sentFirst(valueCents: number, ownCents = 0) {
  const { merchant, ...dispute } = await disputed(ownCents, new Date().toISOString())
  const order = fixture.transferInput(merchant, { valueCents })
  const onItsWay = { status: 'in_process', cents: valueCents, endToEnd: '', at: null } as const
  await fixture.records.storeTransfer(order)
  fixture.scriptProvider({ sendTransfer: async () => ({ kind: 'accepted', payout: onItsWay }) })
  const key = { uuid: order.uuid, connectionUuid: merchant.connectionUuid }
  await fixture.providers.sendTransfer({ ...key, isResend: false })
  await dispute.pollAnswering()
  return {
    merchant,
    dispute,
    async fails() {
      const refused = { ...onItsWay, status: 'rejected', code: 'AC03' } as const
      fixture.scriptProvider({ findTransfer: async () => ({ kind: 'found', payout: refused }) })
      expect(await fixture.providers.pollTransfer({ ...key, pollCount: 1 })).toMatchObject({
        kind: 'rejected',
      })
    },
  }
}

test.each([
  ['all that it lacks', { sent: 1_000, own: 0 }, { claimed: 1_000, held: 0, retained: 1_000 }, {}],
  ['a part', { sent: 700, own: 0 }, { claimed: 1_000, held: 300, retained: 700 }, {}],
  [
    'no more than it lacks',
    { sent: 1_800, own: 1_000 },
    { claimed: 1_000, held: 200, retained: 800 },
    { available: 1_000 },
  ],
])(
  'of the hold released by a failed transfer, a dispute without cover gets %s',
  async (_, { sent, own }, has, left) => {
    const { merchant, dispute, fails } = await sentFirst(sent, own)
    expect(await dispute.readCents()).toEqual({ ...has, retained: 0 })
    await fails()
    expect(await dispute.readCents()).toEqual(has)
    const { claimed, held, retained } = has
    expect(await fixture.readBalances(merchant.accountUuid)).toEqual({
      ...left,
      ...(held > 0 && { blocked: held }),
      retained,
      outside: -claimed - own,
    })
  },
)

test('a transfer that moves to another provider leaves its released hold to a dispute without cover', async () => {
  const { merchant, ...dispute } = await disputed(0, new Date().toISOString())
  const other = await fixture.createConnection(merchant)
  const candidates = [merchant.connectionUuid, other]
  const order = fixture.transferInput(merchant, { valueCents: 1_000, candidates })
  await fixture.records.storeTransfer(order)
  fixture.scriptProvider({ sendTransfer: async () => unreachable })
  const through = (connectionUuid: string) =>
    fixture.providers.sendTransfer({ uuid: order.uuid, connectionUuid, isResend: false })
  expect(await through(merchant.connectionUuid)).toMatchObject({ kind: 'unreachable' })
  await dispute.pollAnswering()
  expect(await dispute.readCents()).toEqual({ claimed: 1_000, held: 0, retained: 0 })
  let leaves: Promise<unknown> | undefined
  await runInTransaction(fixture.orm, async em => {
    await em.execute(`select from dispute where account_uuid = ? for update`, [merchant.accountUuid])
    leaves = through(other)
    await waitForLockWaiter()
    // It has no balance yet: any dispute may use them first, without a deadlock.
    await em.execute(`set local lock_timeout = '300ms'`)
    await em.execute('select from balance where account_uuid = ? for update', [merchant.accountUuid])
  })
  expect(await leaves).toMatchObject({ kind: 'rejected', code: 'insufficient_balance' })
  expect(await dispute.readCents()).toEqual({ claimed: 1_000, held: 0, retained: 1_000 })
})

/** Resolves when a transaction in this database waits for a lock. */
async function waitForLockWaiter(): Promise<void> {
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
  const em = fixture.orm.em.fork({ disableContextResolution: true })
  while ((await em.execute<object[]>(waiting)).length === 0) await sleep(10)
}
