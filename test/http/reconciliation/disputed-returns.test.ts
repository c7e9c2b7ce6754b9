import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { reconcile } from '../../../src/activities/reconciliation/reconcile.ts'
import { recordUnmatchedPayment } from '../../../src/activities/unmatched/record.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { readDatabaseGauges } from '../../../src/db/repositories/database-gauges.ts'
import { checkLedger } from '../../../src/db/repositories/ledger-rules.ts'
import type { IncomingPix, StatementEntry } from '../../../src/domain/providers/provider.ts'
import { openActivityFixture } from '../../chaos/support/activity-fixture.ts'
import { createDisputeFixture } from '../../chaos/support/dispute-fixture.ts'

/** Returns of a disputed PIX that only the provider's statement has: some providers list no returns with a dispute. */

const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
const endToEndId = (letter: 'E' | 'D') => `${letter}${randomUUID().replaceAll('-', '').slice(1)}`

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

/** A deposit of R$ 10.00 whose payer disputes it; the merchant has R$ 5.00 more. */
async function openDispute() {
  const merchant = await fixture.createMerchant(500)
  const payment = {
    endToEnd: endToEndId('E'),
    txid: '',
    cents: 1_000,
    status: 'settled',
    at: ago(40),
  } as IncomingPix
  const connection = await runInTransaction(fixture.orm, async em => {
    const connection = await em.findOneOrFail(Connection, merchant.connectionUuid)
    await recordUnmatchedPayment(em, { connection, payment, reason: 'deposit', requestId: 'r' })
    return connection
  })
  const dispute = createDisputeFixture(fixture, { ...merchant, endToEnd: payment.endToEnd })
  await dispute.pollAnswering()
  return {
    ...dispute,
    balances: () => fixture.readBalances(merchant.accountUuid),
    /** A return of the PIX in the statement, made without an order of ours. */
    returned: (cents: number, days: number): StatementEntry => ({
      endToEnd: endToEndId('D'),
      returnOf: payment.endToEnd,
      reference: null,
      direction: 'OUT',
      cents,
      at: ago(days),
    }),
    /** Reconciles twice: the first comparison routes an entry to its possible owner. */
    async reconcile(entries: StatementEntry[]) {
      fixture.scriptProvider({
        statement: async () => ({ kind: 'found', entries }),
        listDisputes: async () => ({ kind: 'found', disputes: [] }),
      })
      const { providerAccountUuid } = connection
      const order = { providerAccountUuid, from: ago(30), to: new Date().toISOString() }
      await reconcile(fixture.dependencies)(order)
      await reconcile(fixture.dependencies)(order)
      const rows = await fixture.sql<{ pending_reason: string }>(
        'select pending_reason from difference where provider_account_uuid = ? and settled_at is null',
        [providerAccountUuid],
      )
      return rows.map(row => row.pending_reason)
    },
    async readState() {
      const [row] = await fixture.sql<{ state: string; returned: number }>(
        'select state, returned_cents::int as returned from dispute where uuid = ?',
        [dispute.order.uuid],
      )
      return row
    },
    countEvents: async (type: string) =>
      (
        await fixture.sql('select 1 from event where account_uuid = ? and type = ?', [
          merchant.accountUuid,
          type,
        ])
      ).length,
  }
}

/** The number of differences that the alert StatementDiffers counts. */
async function countOpenDifferences(): Promise<number> {
  const gauges = await readDatabaseGauges(fixture.orm.em.fork())
  return gauges.find(({ gauge }) => gauge === 'trilho_reconciliation_differences')?.value ?? 0
}

const ledgerHolds = async () => expect(await checkLedger(fixture.orm.em.fork())).toEqual([])

test('the return of an accepted dispute is recorded from the statement and ends it', async () => {
  const dispute = await openDispute()
  await dispute.pollAnswering({ status: 'agreed' })
  const eventCount = await dispute.countEvents('MED')
  expect(await dispute.balances()).toMatchObject({ available: 500, blocked: 1_000 })
  const entry = dispute.returned(1_000, 2)
  expect(await dispute.reconcile([entry])).toEqual([])
  expect(await dispute.readState()).toEqual({ state: 'resolved', returned: 1_000 })
  expect(await dispute.balances()).toEqual({ available: 500, outside: -500 })
  expect(await dispute.countEvents('MED')).toBe(eventCount + 1)
  await ledgerHolds()
  // The provider lists it with the dispute later: it is the same return.
  await dispute.pollAnswering({ status: 'agreed', returns: [toListedReturn(entry)], isClosed: true })
  expect(await dispute.balances()).toEqual({ available: 500, outside: -500 })
})

test('a return in part leaves the rest of the claim held until it is returned too', async () => {
  const dispute = await openDispute()
  await dispute.pollAnswering({ status: 'agreed' })
  const first = dispute.returned(400, 3)
  await dispute.reconcile([first])
  expect(await dispute.readState()).toEqual({ state: 'accepted', returned: 400 })
  expect(await dispute.readCents()).toEqual({ claimed: 600, held: 600, retained: 0 })
  await dispute.reconcile([first, dispute.returned(600, 2)])
  expect(await dispute.readState()).toEqual({ state: 'resolved', returned: 1_000 })
  expect(await dispute.balances()).toEqual({ available: 500, outside: -500 })
  await ledgerHolds()
})

/** A return as the provider lists it with the dispute. */
const toListedReturn = ({ endToEnd, cents, at }: StatementEntry) => ({ id: endToEnd, endToEnd, cents, at })

test.each(['the dispute', 'the statement'])(
  'a return in part that the dispute lists leaves the rest held, also where %s shows the next part first',
  async next => {
    const dispute = await openDispute()
    const [first, second] = [dispute.returned(400, 3), dispute.returned(600, 2)]
    await dispute.pollAnswering({ status: 'agreed', returns: [toListedReturn(first)] })
    expect(await dispute.readState()).toEqual({ state: 'accepted', returned: 400 })
    expect(await dispute.readCents()).toEqual({ claimed: 600, held: 600, retained: 0 })
    expect(await dispute.balances()).toMatchObject({ available: 500, blocked: 600 })
    // The same part again changes nothing.
    await dispute.pollAnswering({ status: 'agreed', returns: [toListedReturn(first)] })
    expect(await dispute.readState()).toEqual({ state: 'accepted', returned: 400 })
    if (next === 'the statement') await dispute.reconcile([first, second])
    else
      await dispute.pollAnswering({
        status: 'agreed',
        returns: [toListedReturn(first), toListedReturn(second)],
      })
    expect(await dispute.readState()).toEqual({ state: 'resolved', returned: 1_000 })
    expect(await dispute.balances()).toEqual({ available: 500, outside: -500 })
    await ledgerHolds()
  },
)

test('what is held is released where the provider closes a dispute that it has returned in part', async () => {
  const dispute = await openDispute()
  const returns = [toListedReturn(dispute.returned(400, 3))]
  await dispute.pollAnswering({ status: 'agreed', returns })
  await dispute.pollAnswering({ status: 'agreed', returns, isClosed: true })
  expect(await dispute.readState()).toEqual({ state: 'resolved', returned: 400 })
  expect(await dispute.balances()).toEqual({ available: 1_100, outside: -1_100 })
  await ledgerHolds()
})

test('a return of an accepted dispute waits a day for the dispute’s own poll', async () => {
  const dispute = await openDispute()
  await dispute.pollAnswering({ status: 'agreed' })
  expect(await dispute.reconcile([dispute.returned(1_000, 0.5)])).toEqual(['too_young'])
  expect(await dispute.readState()).toEqual({ state: 'accepted', returned: 0 })
})

test('a return of an undecided dispute waits for the decision', async () => {
  const dispute = await openDispute()
  const entry = dispute.returned(1_000, 2)
  expect(await dispute.reconcile([entry])).toEqual(['has_open_dispute'])
  expect(await dispute.readState()).toEqual({ state: 'open', returned: 0 })
  expect(await countOpenDifferences()).toBe(0)
  await dispute.pollAnswering({ status: 'agreed' })
  expect(await dispute.reconcile([entry])).toEqual([])
  expect(await dispute.readState()).toEqual({ state: 'resolved', returned: 1_000 })
})

test('a return whose dispute is undecided for longer than the rail allows alerts an operator', async () => {
  const dispute = await openDispute()
  const entry = dispute.returned(1_000, 12)
  expect(await dispute.reconcile([entry])).toEqual(['has_overdue_dispute'])
  expect(await countOpenDifferences()).toBe(1)
  await dispute.pollAnswering({ status: 'agreed' })
  expect(await dispute.reconcile([entry])).toEqual([])
  expect(await countOpenDifferences()).toBe(0)
})

test('a return that an operator has closed is not recorded: an adjustment may account for it', async () => {
  const dispute = await openDispute()
  const entry = dispute.returned(1_000, 12)
  await dispute.reconcile([entry])
  await fixture.sql(
    `update difference set closed_at = now(), closed_as = 'accepted', closed_reason = 'adjusted', closed_by = 'ana'
     where closed_at is null and settled_at is null`,
  )
  await dispute.pollAnswering({ status: 'agreed' })
  await dispute.reconcile([entry])
  expect(await dispute.readState()).toEqual({ state: 'accepted', returned: 0 })
})

test('a dispute without a decision ends with its period of returns: nothing is held, and its return is posted', async () => {
  const dispute = await openDispute()
  const entry = dispute.returned(400, 12)
  await dispute.reconcile([entry])
  const eventCount = await dispute.countEvents('MED')
  const closed = await dispute.pollAnswering({ status: 'analysing', isClosed: true })
  expect(closed).toMatchObject({ kind: 'known', state: 'lapsed' })
  expect(await dispute.readCents()).toEqual({ claimed: 0, held: 0, retained: 0 })
  expect(await dispute.balances()).toMatchObject({ available: 1_500 })
  expect(await dispute.countEvents('MED')).toBe(eventCount + 1)
  expect(await dispute.reconcile([entry])).toEqual([])
  expect(await dispute.balances()).toEqual({ available: 1_100, outside: -1_100 })
  await ledgerHolds()
  await dispute.pollAnswering({ status: 'disagreed' })
  expect(await dispute.readState()).toEqual({ state: 'rejected', returned: 0 })
})
