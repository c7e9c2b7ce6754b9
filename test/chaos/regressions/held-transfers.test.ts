import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { giveVerdict } from '../../../src/api/operations/approvals.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import type { FindPayoutOutcome } from '../../../src/domain/providers/provider.ts'
import type { TransferInput } from '../../../src/workflows/contracts/transfers.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

/** A transfer that waits for its approvals, after its database was restored and while its connection and account are in use. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

let merchant: Awaited<ReturnType<typeof fixture.createMerchant>>
let tokenNumber: number
beforeEach(async () => {
  merchant = await fixture.createMerchant(1_000)
  tokenNumber = await fixture.limitByApprovals(merchant.accountUuid)
  fixture.scriptProvider({
    sendTransfer: async () => ({ kind: 'accepted', payout: payout('in_process') }),
  })
})

const payout = (status: 'in_process' | 'settled') => ({
  status,
  cents: 500,
  endToEnd: 'E1',
  at: '2026-11-01T00:00:00.000Z',
})

async function hold(more: Partial<TransferInput> = {}): Promise<TransferInput> {
  const order = fixture.transferInput(merchant, { tokenNumber, ...more })
  await (more.scheduledFor
    ? fixture.records.storeTransfer(order)
    : fixture.providers.sendTransfer({ ...sending(order), order }))
  return order
}
const sending = ({ uuid, candidates: [connectionUuid] }: TransferInput) => ({
  uuid,
  connectionUuid: connectionUuid!,
  isResend: false,
})
const approve = (uuid: string, person = 'bia') =>
  runInTransaction(fixture.orm, em => giveVerdict(em, { subjectUuid: uuid, verdict: 'approve', person }))
const read = async (uuid: string) =>
  (
    await fixture.sql<{ state: string; held: string; decision: string }>(
      `select state, held_cents as held, (select decision from approval_request where subject_uuid = t.uuid) as decision
       from transfer t where uuid = ?`,
      [uuid],
    )
  )[0]

/** Looks a transfer up as after a restore, of which its row knows nothing more. */
function lookUp(order: TransferInput, found: FindPayoutOutcome, isFinalPoll = false) {
  fixture.scriptProvider({ findTransfer: async () => found })
  const { uuid, candidates } = order
  return fixture.providers.lookUpTransfer({
    uuid,
    candidates,
    orderedAt: new Date().toISOString(),
    pollCount: 0,
    isFinalPoll,
  })
}

describe('after a restore to a time at which it waited', () => {
  test('it is paid where its provider has it: the ledger follows the money', async () => {
    const order = await hold()
    expect(await lookUp(order, { kind: 'found', payout: payout('settled') })).toMatchObject({ kind: 'found' })
    await fixture.providers.pollTransfer({ ...sending(order), pollCount: 0 })
    expect(await read(order.uuid)).toMatchObject({ state: 'paid', held: '0' })
    expect(await fixture.readBalances(merchant.accountUuid)).toMatchObject({ available: 500 })
  })

  test('it is not approved any more, and ends unsent with its hold released where no provider has it', async () => {
    const order = await hold()
    await lookUp(order, { kind: 'not_found' })
    expect(await read(order.uuid)).toMatchObject({ state: 'sending', held: '500' })
    await approve(order.uuid)
    expect(await fixture.records.advanceHeldTransfer(order.uuid)).toMatchObject({ state: 'sending' })
    await lookUp(order, { kind: 'not_found' }, true)
    await fixture.records.failTransfer(order.uuid)
    expect(await read(order.uuid)).toMatchObject({ state: 'failed', held: '0' })
    expect(await fixture.readBalances(merchant.accountUuid)).toMatchObject({ available: 1_000 })
  })

  test('a scheduled one that its history proves unsent is stored again, and must be approved again', async () => {
    const scheduledFor = new Date(Date.now() + 3_600_000).toISOString()
    const order = fixture.transferInput(merchant, { tokenNumber, scheduledFor })
    await fixture.providers.rebuildOperation({
      noun: 'transfer',
      order,
      restored: { orderedAt: new Date(Date.now() - 3_600_000).toISOString(), isScheduled: true },
    })
    expect(await read(order.uuid)).toMatchObject({ state: 'held', decision: null })
  })

  test('the end that its history proves is the end of its row, and of its wait', async () => {
    const order = await hold()
    await fixture.providers.rebuildOperation({
      noun: 'transfer',
      order,
      restored: { orderedAt: new Date().toISOString(), ended: 'cancelled' },
    })
    expect(await read(order.uuid)).toEqual({ state: 'cancelled', held: '0', decision: 'withdrawn' })
  })
})

test('many that wait, are approved, cancelled and sent at once deadlock nowhere, and hold what they may', async () => {
  await fixture.fund(merchant.connectionUuid, 19_000)
  const orders = await Promise.all(Array.from({ length: 12 }, () => hold()))
  expect(await fixture.readBalances(merchant.accountUuid)).toMatchObject({ available: 20_000 - 12 * 500 })
  await Promise.all(
    orders.map(async (order, index) => {
      const { uuid } = order
      if (index % 3 === 0) return fixture.records.endScheduledTransfer({ uuid, event: 'cancelled' })
      await Promise.all([approve(uuid), fixture.records.advanceHeldTransfer(uuid)])
      await fixture.records.advanceHeldTransfer(uuid)
      return fixture.providers.sendTransfer(sending(order))
    }),
  )
  const states = await Promise.all(orders.map(async ({ uuid }) => (await read(uuid))!.state))
  expect(states.filter(state => state === 'cancelled')).toHaveLength(4)
  expect(states.filter(state => state === 'settling')).toHaveLength(8)
  expect(await fixture.readBalances(merchant.accountUuid)).toMatchObject({ available: 20_000 - 8 * 500 })
})
