import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { ChargeSplit } from '../../../src/domain/charges/split.ts'
import type { FindPayoutOutcome } from '../../../src/domain/providers/provider.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'
import { createDisputeFixture } from '../support/dispute-fixture.ts'
import { createPaidCharge, type FixtureMerchant, newEndToEndId } from '../support/money-fixture.ts'

/** A refund of R$ 3.00 that a restore has lost, of a charge of R$ 10.00 whose money is claimed or spent before it. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

type LostRefundOptions = { merchant?: FixtureMerchant; splits?: ChargeSplit[] }

async function createDisputedCharge(options: LostRefundOptions = {}) {
  const refund = await createLostRefund(options)
  const { chargeUuid, connectionUuid } = refund
  const [row] = await fixture.sql<{ end_to_end: string }>('select end_to_end from charge where uuid = ?', [
    chargeUuid,
  ])
  const dispute = createDisputeFixture(fixture, { connectionUuid, endToEnd: row!.end_to_end })
  await dispute.pollAnswering()
  expect(await dispute.readCents()).toEqual({ claimed: 1_000, held: 1_000, retained: 0 })
  return { ...refund, dispute }
}

async function createLostRefund({ merchant: owner, splits = [] }: LostRefundOptions = {}) {
  const merchant = owner ?? (await fixture.createMerchant(0))
  const { accountUuid, connectionUuid } = merchant
  const chargeUuid = await createPaidCharge(fixture, merchant, splits)
  const orderedAt = new Date().toISOString()
  const order = {
    uuid: randomUUID(),
    chargeUuid,
    accountUuid,
    connectionUuid,
    valueCents: 300,
    fingerprint: 'f',
    requestId: 'r',
    timeScale: 1,
  }
  return {
    merchant,
    accountUuid,
    connectionUuid,
    chargeUuid,
    /** A transfer of this value settles that a restore has lost too. */
    async settleLostTransfer(valueCents: number) {
      const transfer = fixture.transferInput(merchant, { valueCents })
      const payout = {
        status: 'settled',
        cents: valueCents,
        endToEnd: newEndToEndId(),
        at: new Date().toISOString(),
      } as const
      fixture.scriptProvider({ sendTransfer: async () => ({ kind: 'accepted', payout }) })
      const key = { uuid: transfer.uuid, connectionUuid }
      await fixture.providers.sendTransfer({ ...key, isResend: false, order: transfer })
    },
    rebuild: (more: { ended?: string } = {}, valueCents = 300) =>
      fixture.providers.rebuildOperation({
        noun: 'refund',
        order: { ...order, valueCents },
        restored: { orderedAt, ...more },
      }),
    async poll(found: FindPayoutOutcome) {
      fixture.scriptProvider({ findRefund: async () => found })
      const { uuid } = order
      const search = { uuid, candidates: [connectionUuid], orderedAt, pollCount: 0, isFinalPoll: true }
      const result = await fixture.providers.lookUpRefund(search)
      if (result.kind === 'found')
        await fixture.providers.pollRefund({ uuid, connectionUuid, pollCount: 0, canAnswerFromRow: false })
    },
    async readStates() {
      const [states] = await fixture.sql(
        `select r.state as refund, c.state as charge, c.disputed_cents::int as disputed
         from refund r join charge c on c.uuid = r.charge_uuid where r.uuid = ?`,
        [order.uuid],
      )
      return states
    },
  }
}

test('a refund that was executed is rebuilt and settled while a later dispute is open', async () => {
  const { accountUuid, dispute, rebuild, poll, readStates } = await createDisputedCharge()
  expect(await rebuild()).toMatchObject({ kind: 'known', state: 'sending' })
  expect(await dispute.readCents()).toEqual({ claimed: 700, held: 700, retained: 0 })
  const endToEnd = `D${randomUUID().replaceAll('-', '').slice(1)}`
  await poll({
    kind: 'found',
    payout: { status: 'settled', cents: 300, endToEnd, at: new Date().toISOString() },
  })
  expect(await readStates()).toEqual({ refund: 'settled', charge: 'partially_refunded', disputed: 700 })
  expect(await fixture.readBalances(accountUuid)).toEqual({ blocked: 700, outside: -700 })
})

test('what a dispute releases for a rebuilt refund repays the shortfall of its account first', async () => {
  const pool = randomUUID()
  const merchant = await fixture.createMerchant(0, pool)
  await fixture.sql(`update account set disputed_split_policy = 'owner' where uuid = ?`, [
    merchant.accountUuid,
  ])
  const { accountUuid: recipientAccountUuid } = await fixture.createMerchant(0, pool)
  const other = await createLostRefund({ merchant })
  const { accountUuid, dispute, rebuild } = await createDisputedCharge({
    merchant,
    splits: [{ type: 'FIXED', amount: 500, recipientAccountUuid }],
  })
  await other.settleLostTransfer(500)
  await other.rebuild()
  const before = { blocked: 1_000, provisioned: 300, shortfall: -300, outside: -1_500 }
  expect(await fixture.readBalances(accountUuid)).toEqual(before)
  expect(await rebuild()).toMatchObject({ kind: 'known', state: 'sending' })
  expect(await dispute.readCents()).toEqual({ claimed: 700, held: 700, retained: 0 })
  // The recipient of the split pays half of the refund to the account, from which the whole of it is held.
  expect(await fixture.readBalances(accountUuid)).toEqual({
    ...before,
    blocked: 700,
    provisioned: 600,
    shortfall: -150,
  })
})

test('a refund that no provider has gives its money back to the dispute', async () => {
  const { accountUuid, dispute, rebuild, poll, readStates } = await createDisputedCharge()
  await rebuild()
  await poll({ kind: 'not_found' })
  expect(await readStates()).toEqual({ refund: 'failed', charge: 'paid', disputed: 1_000 })
  expect(await dispute.readCents()).toEqual({ claimed: 1_000, held: 1_000, retained: 0 })
  expect(await fixture.readBalances(accountUuid)).toEqual({ blocked: 1_000, outside: -1_000 })
})

test.each<[what: string, found: FindPayoutOutcome, balances: object]>([
  [
    'is settled, and what lacks is a shortfall',
    { kind: 'found', payout: { status: 'settled', cents: 300, endToEnd: `D${'4'.repeat(31)}`, at: null } },
    { shortfall: -200, outside: 200 },
  ],
  ['repays the shortfall where no provider has it', { kind: 'not_found' }, { available: 100, outside: -100 }],
])('a refund that the restored balance does not cover %s', async (_, found, balances) => {
  const { accountUuid, rebuild, poll, settleLostTransfer } = await createLostRefund()
  await settleLostTransfer(900)
  expect(await rebuild()).toMatchObject({ kind: 'known', state: 'sending' })
  expect(await fixture.readBalances(accountUuid)).toMatchObject({ shortfall: -200 })
  await poll(found)
  expect(await fixture.readBalances(accountUuid)).toEqual(balances)
})

test.each([
  ['that had failed', 'known', { ended: 'failed' }, 300],
  ['of more than was received', 'unknown', {}, 1_001],
])('a refund %s leaves the dispute its money', async (_, kind, restored, valueCents) => {
  const { dispute, rebuild } = await createDisputedCharge()
  expect(await rebuild(restored, valueCents)).toMatchObject({ kind })
  expect(await dispute.readCents()).toEqual({ claimed: 1_000, held: 1_000, retained: 0 })
})
