import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { changeAccount } from '../../../src/admin/accounts.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { checkLedger } from '../../../src/db/repositories/ledger-rules.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'
import { createDisputeFixture } from '../support/dispute-fixture.ts'
import { createPaidCharge, type FixtureMerchant } from '../support/money-fixture.ts'

/** Who pays a disputed charge that was split (SPEC §5): the recipients their shares, as of a refund, or the owner all. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

type DisputedSplit = { percent: number; policy?: 'share' | 'owner'; spentCents?: number }

/** A charge of R$ 10.00, of which a seller has got a share and spent so much, and its open dispute. */
async function openDisputeOfSplit({ percent, policy = 'share', spentCents = 0 }: DisputedSplit) {
  const pool = randomUUID()
  const [owner, seller] = [await fixture.createMerchant(0, pool), await fixture.createMerchant(0, pool)]
  await runInTransaction(fixture.orm, em =>
    changeAccount(em, {
      actor: 'ana',
      reason: 'a drill',
      uuid: owner.accountUuid,
      change: { disputedSplitPolicy: policy },
    }),
  )
  const uuid = await createPaidCharge(fixture, owner, [
    { type: 'PERCENTAGE', amount: percent * 100, recipientAccountUuid: seller.accountUuid },
  ])
  if (spentCents > 0) await spend(seller, spentCents)
  const [pix] = await fixture.sql<{ endToEnd: string }>(
    'select end_to_end as "endToEnd" from charge where uuid = ?',
    [uuid],
  )
  const dispute = createDisputeFixture(fixture, { connectionUuid: owner.connectionUuid, ...pix! })
  await dispute.pollAnswering()
  return {
    ...dispute,
    async readBalances() {
      expect(await checkLedger(fixture.orm.em.fork())).toEqual([])
      return [await fixture.readBalances(owner.accountUuid), await fixture.readBalances(seller.accountUuid)]
    },
    async isReturned(cents: number, isClosed = true) {
      const returned = {
        id: randomUUID(),
        endToEnd: `D${randomUUID().replaceAll('-', '').slice(1)}`,
        cents,
        at: new Date().toISOString(),
      }
      await dispute.pollAnswering({ status: 'agreed', returns: [returned], isClosed })
    },
    async readParts() {
      const refunds = await fixture.sql<{ parts: { cents: number }[] }>(
        'select parts from refund where charge_uuid = ?',
        [uuid],
      )
      return refunds.map(({ parts }) => parts.map(({ cents }) => cents))
    },
  }
}

async function spend(merchant: FixtureMerchant, valueCents: number) {
  const order = fixture.transferInput(merchant, { valueCents })
  await fixture.records.storeTransfer(order)
  const payout = { status: 'in_process', cents: valueCents, endToEnd: '', at: null } as const
  fixture.scriptProvider({ sendTransfer: async () => ({ kind: 'accepted', payout }) })
  const { connectionUuid } = merchant
  await fixture.providers.sendTransfer({ uuid: order.uuid, connectionUuid, isResend: false })
}

test.each([100, 40])(
  'of a split of %d %% the seller pays its share of an accepted dispute',
  async percent => {
    const dispute = await openDisputeOfSplit({ percent })
    expect(await dispute.readBalances()).toMatchObject([{ blocked: 1_000 }, {}])
    await dispute.isReturned(1_000)
    expect(await dispute.readBalances()).toEqual([{}, {}])
    expect(await dispute.readParts()).toEqual([[percent * 10, 1_000 - percent * 10]])
  },
)

test.each(['disagreed', 'withdrawn'] as const)(
  'a dispute that is %s gives the seller its share again',
  async status => {
    const dispute = await openDisputeOfSplit({ percent: 40 })
    await dispute.pollAnswering({ status })
    expect(await dispute.readBalances()).toEqual([{ available: 600, outside: -1_000 }, { available: 400 }])
  },
)

test('of a return of a part the seller pays in proportion, and has the rest again once the dispute is over', async () => {
  const dispute = await openDisputeOfSplit({ percent: 40 })
  await dispute.isReturned(500)
  expect(await dispute.readBalances()).toEqual([{ available: 300, outside: -500 }, { available: 200 }])
  expect(await dispute.readParts()).toEqual([[200, 300]])
})

test('what a seller has spent of its share is the owner’s debt', async () => {
  const dispute = await openDisputeOfSplit({ percent: 100, spentCents: 700 })
  expect(await dispute.readBalances()).toMatchObject([{ blocked: 300 }, { provisioned: 700 }])
  await dispute.isReturned(1_000)
  expect(await dispute.readBalances()).toMatchObject([{ shortfall: -700 }, { provisioned: 700 }])
})

test('by the policy `owner` no seller pays', async () => {
  const dispute = await openDisputeOfSplit({ percent: 40, policy: 'owner' })
  expect(await dispute.readBalances()).toMatchObject([{ blocked: 600 }, { available: 400 }])
  await dispute.isReturned(1_000)
  expect(await dispute.readBalances()).toMatchObject([{ shortfall: -400 }, { available: 400 }])
})

test('no more is taken back from splits than a dispute claims', async () => {
  await openDisputeOfSplit({ percent: 40 })
  await expect(
    fixture.sql('update dispute set reclaimed_cents = claimed_cents + 1 where claimed_cents > 0'),
  ).rejects.toMatchObject({ constraint: 'dispute_reclaimed_limit' })
})
