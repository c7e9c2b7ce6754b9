import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { recordUnmatchedPayment } from '../../../src/activities/unmatched/record.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { checkLedger } from '../../../src/db/repositories/ledger-rules.ts'
import type { MovementReason } from '../../../src/domain/ledger/movement.ts'
import type { IncomingPix, SendPayoutOutcome } from '../../../src/domain/providers/provider.ts'
import type { DepositReturnInput } from '../../../src/workflows/contracts/orders.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'
import { createDisputeFixture } from '../support/dispute-fixture.ts'

/** A deposit whose return its account orders, beside disputes, the provider's own returns and late answers. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

const REFUSED = { kind: 'rejected', finality: 'final', code: 'AC06', message: 'account blocked' } as const
const UNREACHABLE = { kind: 'unreachable', code: 'ECONNREFUSED', message: 'no route' } as const
const LOST = { kind: 'unknown', code: 'timeout', message: 'no answer' } as const
const endToEndId = (letter: 'E' | 'D') => `${letter}${randomUUID().replaceAll('-', '').slice(1)}`
const sentBack = (): SendPayoutOutcome => ({
  kind: 'accepted',
  payout: { status: 'settled', cents: 1_000, endToEnd: endToEndId('D'), at: new Date().toISOString() },
})

/** A deposit of R$ 10.00 at an account without other money. */
async function createDeposit(reason: MovementReason = 'deposit') {
  const merchant = await fixture.createMerchant(0)
  const { accountUuid, connectionUuid } = merchant
  if (reason !== 'deposit')
    await fixture.sql(`update account set unmatched_policy = 'keep' where uuid = ?`, [accountUuid])
  const at = new Date().toISOString()
  const payment = { endToEnd: endToEndId('E'), txid: '', cents: 1_000, status: 'settled', at } as IncomingPix
  const { uuid } = await runInTransaction(fixture.orm, async em => {
    const connection = await em.findOneOrFail(Connection, connectionUuid)
    return recordUnmatchedPayment(em, { connection, payment, reason, requestId: 'r' })
  })
  const dispute = createDisputeFixture(fixture, { connectionUuid, endToEnd: payment.endToEnd })
  const newOrder = (more: Partial<DepositReturnInput> = {}): DepositReturnInput => ({
    uuid: randomUUID(),
    depositUuid: uuid,
    accountUuid,
    connectionUuid,
    requestId: 'order',
    tokenNumber: 7,
    fingerprint: 'f',
    timeScale: 1,
    ...more,
  })
  return {
    uuid,
    ...merchant,
    newOrder,
    order: (order = newOrder()) => fixture.records.orderDepositReturn(order),
    async send(answer: SendPayoutOutcome = sentBack()) {
      let calls = 0
      fixture.scriptProvider({
        async refund() {
          calls += 1
          return answer
        },
      })
      const result = await fixture.providers.sendReturn({ uuid, connectionUuid, isResend: false })
      return { ...result, calls }
    },
    /** The provider answers a poll of our return. */
    async poll(status: 'settled' | 'rejected') {
      const payout = { status, cents: 1_000, endToEnd: endToEndId('D'), at, code: 'AC06', message: 'no' }
      fixture.scriptProvider({ findRefund: async () => ({ kind: 'found', payout }) })
      return fixture.providers.pollReturn({ uuid, connectionUuid, pollCount: 1 })
    },
    async openDispute(cents = 1_000) {
      expect(await dispute.pollAnswering({ cents })).toMatchObject({ kind: 'known', state: 'open' })
    },
    readDisputeCents: dispute.readCents,
    /** Its provider returns this much of it by a dispute. */
    async returnByDispute(cents: number) {
      const returned = { id: randomUUID(), endToEnd: endToEndId('D'), cents, at }
      await dispute.pollAnswering({ status: 'agreed', returns: [returned], isClosed: true })
    },
    async spend(valueCents: number) {
      const order = fixture.transferInput(merchant, { valueCents })
      await fixture.records.storeTransfer(order)
      const payout = { status: 'settled', cents: valueCents, endToEnd: endToEndId('E'), at } as const
      fixture.scriptProvider({ sendTransfer: async () => ({ kind: 'accepted', payout }) })
      await fixture.providers.sendTransfer({ uuid: order.uuid, connectionUuid, isResend: false })
    },
    /** Balances, disposition, and the failure codes of the orders, oldest first; no rule of the ledger is broken. */
    async readState() {
      expect(await checkLedger(fixture.orm.em.fork())).toEqual([])
      const [row] = await fixture.sql<{ disposition: string }>(
        'select disposition from movement where uuid = ?',
        [uuid],
      )
      const orders = await fixture.sql<{ code: string | null }>(
        `select failure ->> 'code' as code from deposit_return where movement_uuid = ? order by created_at, uuid`,
        [uuid],
      )
      return {
        ...(await fixture.readBalances(accountUuid)),
        disposition: row!.disposition,
        failures: orders.map(({ code }) => code),
      }
    },
    async listReturnEvents() {
      const rows = await fixture.sql<{ body: object; request_id: string }>(
        'select body, request_id from event where account_uuid = ? order by created_at, uuid',
        [accountUuid],
      )
      return rows
        .map(({ body, request_id }): Record<string, unknown> => ({ ...body, request_id }))
        .filter(({ original_uuid }) => original_uuid === uuid)
        .map(({ status, type, request_id }) => ({ status, type, request_id }))
    },
  }
}

const HELD = { pending: 1_000, outside: -1_000, disposition: 'held', failures: [null] }
const RETURNED = { disposition: 'returned', failures: [null] }
const KEPT = { available: 1_000, outside: -1_000, disposition: 'kept' }

test.each(['deposit', 'second_payment'] as const)(
  'a PIX kept for the account (%s) is returned',
  async reason => {
    const deposit = await createDeposit(reason)
    const order = deposit.newOrder()
    const ordered = await deposit.order(order)
    const { uuid, connectionUuid } = deposit
    expect(ordered).toEqual({ failure: null, returns: [{ uuid, connectionUuid, order }] })
    expect(await deposit.readState()).toEqual(HELD)
    // A repeat, after a crash before the workflow was started, has the same result.
    expect(await deposit.order(order)).toEqual(ordered)
    expect(await deposit.send()).toMatchObject({ kind: 'settled', calls: 1 })
    expect(await deposit.readState()).toEqual(RETURNED)
    expect(await deposit.order(order)).toEqual({ failure: null, returns: [] })
    expect(await deposit.listReturnEvents()).toEqual([
      { status: 'SETTLED', type: 'EXTERNAL_REFUND', request_id: 'order' },
    ])
    expect(await deposit.order()).toEqual({ failure: 'deposit_not_returnable', returns: [] })
  },
)

test('a definite refusal gives the money back to the account, and is announced', async () => {
  const deposit = await createDeposit()
  await deposit.order()
  expect(await deposit.send(REFUSED)).toMatchObject({ kind: 'rejected' })
  expect(await deposit.readState()).toEqual({ ...KEPT, failures: ['AC06'] })
  expect(await deposit.listReturnEvents()).toMatchObject([{ status: 'FAILED', request_id: 'order' }])
  expect(await deposit.order()).toMatchObject({ failure: 'deposit_not_returnable' })
  expect(await deposit.send()).toMatchObject({ kind: 'rejected', calls: 0 })
})

test('a refused return that settles late follows the money, and its order has no failure', async () => {
  const deposit = await createDeposit()
  await deposit.order()
  await deposit.send(REFUSED)
  await deposit.spend(400)
  expect(await deposit.poll('settled')).toMatchObject({ kind: 'settled' })
  expect(await deposit.readState()).toEqual({ shortfall: -400, outside: 400, ...RETURNED })
  expect(await deposit.listReturnEvents()).toMatchObject([{ status: 'FAILED' }, { status: 'SETTLED' }])
})

test('an unreachable provider is tried again, and the money stays held', async () => {
  const deposit = await createDeposit()
  await deposit.order()
  expect(await deposit.send(UNREACHABLE)).toMatchObject({ kind: 'unreachable' })
  expect(await deposit.readState()).toEqual(HELD)
  expect(await deposit.listReturnEvents()).toEqual([])
  expect(await deposit.send()).toMatchObject({ kind: 'settled' })
  expect(await deposit.readState()).toEqual(RETURNED)
})

test('of concurrent orders one holds the money', async () => {
  for (let round = 0; round < 3; round++) {
    const deposit = await createDeposit()
    const results = await Promise.all([deposit.order(), deposit.order(), deposit.order()])
    const failures = results.map(({ failure }) => failure)
    expect(failures.sort()).toEqual([null, 'return_in_progress', 'return_in_progress'].sort())
    expect(await deposit.readState()).toMatchObject({ pending: 1_000, disposition: 'held' })
  }
})

test('an order is refused without the money for it, for another account, and once anything was returned', async () => {
  const spent = await createDeposit()
  await spent.spend(1)
  expect(await spent.order()).toMatchObject({ failure: 'insufficient_balance' })
  expect(await spent.readState()).toMatchObject({ available: 999, failures: ['insufficient_balance'] })
  const other = await createDeposit()
  const mine = await createDeposit()
  const foreign = { ...other.newOrder(), depositUuid: mine.uuid, connectionUuid: mine.connectionUuid }
  expect(await mine.order(foreign)).toMatchObject({ failure: 'deposit_not_returnable' })
  const returned = await createDeposit()
  await returned.openDispute(300)
  await returned.returnByDispute(300)
  expect(await returned.order()).toMatchObject({ failure: 'deposit_not_returnable' })
})

test('a disputed deposit is not returned until the dispute is closed', async () => {
  const deposit = await createDeposit()
  await deposit.openDispute()
  expect(await deposit.order()).toMatchObject({ failure: 'return_med_open' })
})

test('a dispute that is opened while the deposit is returned claims what a refusal gives back', async () => {
  const deposit = await createDeposit()
  await deposit.order()
  expect(await deposit.send(LOST)).toMatchObject({ kind: 'unknown' })
  await deposit.openDispute()
  expect(await deposit.readState()).toMatchObject({ provisioned: 1_000, disposition: 'returning' })
  await deposit.poll('rejected')
  expect(await deposit.readState()).toEqual({
    blocked: 1_000,
    outside: -1_000,
    disposition: 'kept',
    failures: ['AC06'],
  })
})

test('a dispute that is opened before the return is sent does not stop it', async () => {
  const deposit = await createDeposit()
  await deposit.order()
  await deposit.openDispute()
  expect(await deposit.send()).toMatchObject({ kind: 'settled' })
  expect(await deposit.readState()).toEqual(RETURNED)
})

test.each([
  [1_000, RETURNED],
  [400, { available: 600, outside: -600, disposition: 'kept', failures: ['AC06'] }],
])('the provider returns %i centavos by a dispute while ours is under way', async (cents, expected) => {
  const deposit = await createDeposit()
  await deposit.order()
  await deposit.send(LOST)
  await deposit.openDispute(cents)
  await deposit.returnByDispute(cents)
  await deposit.poll('rejected')
  expect(await deposit.readState()).toEqual(expected)
})

test('ours settles late although the provider has returned all of it by a dispute: the ledger follows the money', async () => {
  const deposit = await createDeposit()
  await deposit.order()
  await deposit.send(LOST)
  await deposit.openDispute(1_000)
  await deposit.returnByDispute(1_000)
  await deposit.poll('rejected')
  await deposit.poll('settled')
  expect(await deposit.readState()).toEqual({ shortfall: -1_000, outside: 1_000, ...RETURNED })
})

test.each([
  [1_000, RETURNED],
  // The rest waits for an operator, as that of every unmatched PIX.
  [400, { pending: 600, outside: -600, disposition: 'not_returned', failures: ['deposit_not_returnable'] }],
])(
  'the provider returns %i centavos before ours is sent, which is not sent then',
  async (cents, expected) => {
    const deposit = await createDeposit()
    await deposit.order()
    await deposit.openDispute(cents)
    await deposit.returnByDispute(cents)
    expect(await deposit.readState()).toEqual(expected)
    expect(await deposit.send()).toMatchObject({ kind: 'rejected', calls: 0 })
  },
)

test('an order whose acceptance deadline has passed is not sent, and its money is the account’s again', async () => {
  const deposit = await createDeposit()
  await deposit.order(deposit.newOrder({ acceptBefore: new Date(Date.now() - 1_000).toISOString() }))
  expect(await deposit.send()).toMatchObject({ kind: 'rejected', code: 'not_started', calls: 0 })
  expect(await deposit.readState()).toEqual({ ...KEPT, failures: ['not_started'] })
  expect(await deposit.order()).toMatchObject({ failure: null })
})

test('a deposit that nobody ordered to return is never sent back', async () => {
  const deposit = await createDeposit()
  expect(await deposit.send()).toMatchObject({ kind: 'rejected', code: 'not_ordered', calls: 0 })
  expect(await deposit.readState()).toMatchObject({ available: 1_000, disposition: null })
})

test('after a restore the order is stored again, once its deposit is there', async () => {
  const deposit = await createDeposit()
  const order = deposit.newOrder()
  const rebuild = (uuid: string) =>
    fixture.providers.rebuildOperation({
      noun: 'return',
      restored: { orderedAt: new Date().toISOString() },
      order: { uuid, connectionUuid: order.connectionUuid, timeScale: 1, order },
    })
  expect(await rebuild(randomUUID())).toEqual({ kind: 'unknown', code: 'not_found' })
  await deposit.spend(400)
  for (let run = 0; run < 2; run++)
    expect(await rebuild(order.depositUuid)).toMatchObject({ kind: 'known', isEnded: false })
  expect(await deposit.readState()).toEqual({
    pending: 1_000,
    shortfall: -400,
    outside: -600,
    disposition: 'held',
    failures: [null],
  })
})

test('PostgreSQL refuses a second order, an order without held money, and a return of another value', async () => {
  const deposit = await createDeposit()
  const insertOrder = () =>
    fixture.sql(
      `insert into deposit_return (uuid, account_uuid, connection_uuid, provider_account_uuid, movement_uuid, held_at,
         request_id, fingerprint, created_at, updated_at)
       select gen_random_uuid(), account_uuid, connection_uuid, provider_account_uuid, uuid, now(), 'r', 'f', now(), now()
       from movement where uuid = ?`,
      [deposit.uuid],
    )
  const insertReturn = (cents: number) =>
    fixture.sql(
      `insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents,
         status, original_uuid, created_at, updated_at)
       select gen_random_uuid(), account_uuid, provider_account_uuid, connection_uuid, 'EXTERNAL_REFUND', 'OUT', ?, 'PENDING',
         uuid, now(), now() from movement where uuid = ?`,
      [cents, deposit.uuid],
    )
  await expect(insertOrder()).rejects.toThrow('cannot be returned')
  await deposit.order()
  await expect(insertOrder()).rejects.toThrow('deposit_return_once')
  const keep = `update movement set disposition = 'kept' where uuid = ?`
  await expect(fixture.sql(keep, [deposit.uuid])).rejects.toThrow('has no failure and no money')
  await expect(insertReturn(999)).rejects.toThrow('another value')
  await deposit.send(LOST)
  await expect(insertReturn(1_000)).rejects.toThrow('movement_own_return_once')
})
