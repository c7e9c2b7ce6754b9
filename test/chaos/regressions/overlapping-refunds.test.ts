import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { checkLedger } from '../../../src/db/repositories/ledger-rules.ts'
import type { ProviderPayout } from '../../../src/domain/providers/provider.ts'
import { createSeededRandom } from '../../domain/support/seeded-random.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'
import { createDisputeFixture } from '../support/dispute-fixture.ts'
import { createPaidCharge, type FixtureMerchant } from '../support/money-fixture.ts'

/** What the splits of a charge owe where its PIX is returned by a dispute while a refund of it is under way (SPEC §3). */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

const railId = () => `D${randomUUID().replaceAll('-', '').slice(1)}`
const settled = (cents: number): ProviderPayout => ({
  status: 'settled',
  endToEnd: railId(),
  cents,
  at: new Date().toISOString(),
})
const rejected = { kind: 'rejected', finality: 'final', code: 'no', message: 'no' } as const
const unanswered = { kind: 'unknown', code: 'timeout', message: 'no answer' } as const

type SplitCharge = { receivedCents: number; shares: number[]; ownCents?: number }

/** A paid charge, whose value is divided among its owner and these shares. `ownCents`: what its owner has besides. */
async function createSplitCharge({ receivedCents, shares, ownCents = 0 }: SplitCharge) {
  const pool = randomUUID()
  const owner = await fixture.createMerchant(ownCents, pool)
  const recipients: FixtureMerchant[] = []
  for (const _ of shares) recipients.push(await fixture.createMerchant(0, pool))
  const splits = shares.map((amount, index) => ({
    type: 'FIXED' as const,
    amount,
    recipientAccountUuid: recipients[index]!.accountUuid,
  }))
  const uuid = await createPaidCharge(fixture, owner, splits, receivedCents)
  const { accountUuid, connectionUuid } = owner
  const key = (refund: string) => ({ uuid: refund, connectionUuid })
  return {
    owner,
    recipients,
    async open(valueCents: number): Promise<string> {
      const refund = await this.tryToOpen(valueCents)
      expect(refund).not.toBeNull()
      return refund!
    },
    /** Returns null where the owner has too little for its part. */
    async tryToOpen(valueCents: number): Promise<string | null> {
      const order = {
        uuid: randomUUID(),
        chargeUuid: uuid,
        accountUuid,
        connectionUuid,
        valueCents,
        fingerprint: 'f',
        requestId: 'r',
        timeScale: 1,
      }
      if ((await fixture.records.openRefund(order)).state === 'failed') return null
      fixture.scriptProvider({ refund: async () => unanswered })
      await fixture.providers.sendRefund({ ...key(order.uuid), isResend: false })
      return order.uuid
    },
    /** The provider shows a refund as settled, whatever its state is here. */
    async settle(refund: string, cents: number) {
      fixture.scriptProvider({ findRefund: async () => ({ kind: 'found', payout: settled(cents) }) })
      const outcome = await fixture.providers.pollRefund({ ...key(refund), pollCount: 1 })
      expect(outcome).toMatchObject({ kind: 'settled' })
    },
    async reject(refund: string) {
      const sql = 'select value_cents::float8 as cents from refund where uuid = ?'
      const [row] = await fixture.sql<{ cents: number }>(sql, [refund])
      const payout = { ...settled(row!.cents), status: 'rejected', code: rejected.code } as ProviderPayout
      fixture.scriptProvider({ findRefund: async () => ({ kind: 'found', payout }) })
      await fixture.providers.pollRefund({ ...key(refund), pollCount: 1 })
    },
    /** The provider returns a part by a dispute. */
    async returnByDispute(cents: number) {
      const [row] = await fixture.sql<{ name: string }>(
        'select end_to_end as name from charge where uuid = ?',
        [uuid],
      )
      const dispute = createDisputeFixture(fixture, { connectionUuid, endToEnd: row!.name })
      const returned = { id: randomUUID(), endToEnd: railId(), cents, at: new Date().toISOString() }
      await dispute.pollAnswering({ status: 'agreed', returns: [returned], isClosed: true })
    },
    async read() {
      const [row] = await fixture.sql<{ state: string; refunded: number; refunding: number }>(
        'select state, refunded_cents::int as refunded, refunding_cents::int as refunding from charge where uuid = ?',
        [uuid],
      )
      const requests = await fixture.sql<{ requested: number }>(
        'select return_requested_cents::int as requested from split where charge_uuid = ? order by position',
        [uuid],
      )
      return { ...row!, requested: requests.map(({ requested }) => requested) }
    },
    /** What each split has paid of settled refunds; a late settlement is the owner's alone. */
    async readPaidCents(): Promise<number[]> {
      const rows = await fixture.sql<{ paid: number }>(
        `select coalesce(sum((part ->> 'cents')::int), 0)::int as paid
         from split s left join (
           refund r join movement m on m.uuid = r.movement_uuid and m.reason is distinct from 'late_settlement'
           cross join jsonb_array_elements(r.parts) as part
         ) on r.charge_uuid = s.charge_uuid and r.state = 'settled' and (part ->> 'splitUuid')::uuid = s.uuid
         where s.charge_uuid = ? group by s.uuid, s.position order by s.position`,
        [uuid],
      )
      return rows.map(({ paid }) => paid)
    },
    balances: () =>
      Promise.all([owner, ...recipients].map(({ accountUuid }) => fixture.readBalances(accountUuid))),
  }
}

test('a refund under way during a return ends at the whole share of the split', async () => {
  const charge = await createSplitCharge({ receivedCents: 10_000, shares: [3_333] })
  const refund = await charge.open(5_000)
  await charge.returnByDispute(5_000)
  expect(await charge.read()).toMatchObject({ refunded: 5_000, requested: [1_666] })
  await charge.settle(refund, 5_000)
  // The centavo that was not held of the recipient is the owner's, as what a recipient lacks is.
  expect(await charge.read()).toMatchObject({ state: 'refunded', refunded: 10_000, requested: [3_333] })
  const [, recipient] = await charge.balances()
  // The dispute claimed R$ 10.00, of which the recipient paid its share.
  expect(recipient).toMatchObject({ available: 1_667 - 333 })
})

test('a refund settles, however rounded its share was when another return overlapped it', async () => {
  const charge = await createSplitCharge({ receivedCents: 100, shares: [33] })
  const first = await charge.open(5)
  await charge.returnByDispute(5)
  await charge.settle(first, 5)
  expect(await charge.read()).toMatchObject({ refunded: 10, requested: [3] })
  const second = await charge.open(60)
  await charge.returnByDispute(30)
  await charge.settle(second, 60)
  expect(await charge.read()).toMatchObject({ state: 'refunded', refunding: 0, requested: [33] })
})

/** A refund of one centavo, held of the recipient, who owes none of it since a return of another centavo. */
async function openWithExcess() {
  const charge = await createSplitCharge({ receivedCents: 1_000, shares: [500] })
  const [recipient] = charge.recipients as [FixtureMerchant]
  await charge.settle(await charge.open(1), 1)
  const refund = await charge.open(1)
  expect(await fixture.readBalances(recipient.accountUuid)).toMatchObject({ available: 499 })
  await charge.returnByDispute(1)
  return {
    ...charge,
    recipient,
    async settle() {
      await charge.settle(refund, 1)
      expect(await charge.read()).toMatchObject({ refunded: 3, refunding: 0, requested: [1] })
      expect(await checkLedger(fixture.orm.em.fork())).toEqual([])
      const [parts] = await fixture.sql<{ parts: object[] }>('select parts from refund where uuid = ?', [
        refund,
      ])
      expect(parts!.parts).toMatchObject([{ cents: 0, requestedCents: 0 }, { cents: 1 }])
    },
  }
}

test('a centavo held in excess of a recipient is released, and the owner pays it', async () => {
  const refund = await openWithExcess()
  expect(await refund.balances()).toMatchObject([{ available: 499 }, { available: 498 }])
  await refund.settle()
  expect(await refund.balances()).toMatchObject([{ available: 498 }, { available: 499 }])
})

test('the service advances that centavo where the owner has none left', async () => {
  const refund = await openWithExcess()
  await spend(refund.owner, 499)
  await refund.settle()
  expect(await refund.balances()).toMatchObject([{ provisioned: 499, shortfall: -1 }, { available: 499 }])
})

test('that centavo repays the shortfall of the recipient first', async () => {
  const refund = await openWithExcess()
  const { connectionUuid, accountUuid } = refund.recipient
  await createPaidCharge(fixture, refund.recipient)
  await spend(refund.recipient, 1_498)
  const [pix] = await fixture.sql<{ name: string }>(
    'select end_to_end as name from charge where account_uuid = ?',
    [accountUuid],
  )
  const dispute = createDisputeFixture(fixture, { connectionUuid, endToEnd: pix!.name })
  const returned = { id: randomUUID(), endToEnd: railId(), cents: 1_000, at: new Date().toISOString() }
  await dispute.pollAnswering({ status: 'agreed', returns: [returned], isClosed: true })
  expect(await fixture.readBalances(accountUuid)).toMatchObject({ provisioned: 1_498, shortfall: -1_000 })
  await refund.settle()
  expect(await fixture.readBalances(accountUuid)).toMatchObject({ provisioned: 1_498, shortfall: -999 })
})

test('each split owes its share of the total, whatever refunds, returns and late settlements overlap', async () => {
  const random = createSeededRandom(11)
  for (let time = 0; time < 20; time++) await refundAtRandom(random.upTo)
  expect(await checkLedger(fixture.orm.em.fork())).toEqual([])
})

/** Refunds all of a charge at random. The provider returns no more than it received. */
async function refundAtRandom(upTo: (most: number) => number) {
  const receivedCents = 2 + upTo(98)
  const shares = Array.from({ length: 1 + upTo(2) }, () => Math.max(1, upTo(Math.floor(receivedCents / 3))))
  const charge = await createSplitCharge({ receivedCents, shares, ownCents: 1 + upTo(200) })
  for (const recipient of charge.recipients) {
    const { available = 0 } = await fixture.readBalances(recipient.accountUuid)
    if (upTo(2) === 0) await spend(recipient, available)
  }
  let returnedCents = 0
  let running: { uuid: string; cents: number } | null = null
  const failed: { uuid: string; cents: number }[] = []
  while (returnedCents < receivedCents) {
    const runningCents: number = running?.cents ?? 0
    const leftCents = receivedCents - returnedCents - runningCents
    const late = failed.find(({ cents }) => cents <= leftCents)
    const cents = 1 + upTo(Math.min(leftCents, upTo(receivedCents)) - 1)
    const step = upTo(4)
    if (step === 0 && leftCents > 0) {
      await charge.returnByDispute(cents)
      returnedCents += cents
    } else if (step === 1 && late) {
      await charge.settle(late.uuid, late.cents)
      failed.splice(failed.indexOf(late), 1)
      returnedCents += late.cents
    } else if (!running) {
      const uuid: string | null = leftCents > 0 ? await charge.tryToOpen(cents) : null
      if (uuid) running = { uuid, cents }
    } else if (step === 2) {
      await charge.reject(running.uuid)
      failed.push(running)
      running = null
    } else {
      await charge.settle(running.uuid, running.cents)
      returnedCents += running.cents
      running = null
    }
    const { refunded, requested } = await charge.read()
    expect(requested).toEqual(shares.map(share => Math.floor((share * refunded) / receivedCents)))
  }
  expect(await charge.read()).toMatchObject({ state: 'refunded', refunding: 0, requested: shares })
  const paid = await charge.readPaidCents()
  for (const [index, share] of shares.entries()) expect(paid[index]).toBeLessThanOrEqual(share)
}

async function spend(merchant: FixtureMerchant, valueCents: number) {
  const order = fixture.transferInput(merchant, { valueCents })
  await fixture.records.storeTransfer(order)
  const payout = { status: 'in_process', cents: valueCents, endToEnd: '', at: null } as const
  fixture.scriptProvider({ sendTransfer: async () => ({ kind: 'accepted', payout }) })
  const { connectionUuid } = merchant
  await fixture.providers.sendTransfer({ uuid: order.uuid, connectionUuid, isResend: false })
}
