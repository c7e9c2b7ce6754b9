import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { reconcile } from '../../../src/activities/reconciliation/reconcile.ts'
import { recordUnmatchedPayment } from '../../../src/activities/unmatched/record.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { checkLedger } from '../../../src/db/repositories/ledger-rules.ts'
import { referenceOf } from '../../../src/domain/pix/identifiers.ts'
import type { IncomingPix, ProviderPayout, StatementEntry } from '../../../src/domain/providers/provider.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'
import { createPaidCharge } from '../support/money-fixture.ts'

/** Payouts that their providers settle without an end-to-end id, which they report later. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

const HOUR_MS = 3_600_000
const ago = (ms: number) => new Date(Date.now() - ms).toISOString()
const railId = (letter: 'E' | 'D') => `${letter}${randomUUID().replaceAll('-', '').slice(1)}`

type Merchant = Awaited<ReturnType<typeof fixture.createMerchant>>
/** Our uuid of the payout, its poll, and the end-to-end id of the PIX that it returns. */
type SettledPayout = { uuid: string; poll: () => Promise<unknown>; returnOf?: string }

/** Payouts of R$ 5.00, or of R$ 10.00 where a whole PIX is returned, that settle without an end-to-end id. */
const PAYOUTS = {
  async transfer(merchant: Merchant): Promise<SettledPayout> {
    const order = fixture.transferInput(merchant)
    const key = { uuid: order.uuid, connectionUuid: merchant.connectionUuid }
    await fixture.records.storeTransfer(order)
    await fixture.providers.sendTransfer({ ...key, isResend: false })
    return { uuid: order.uuid, poll: () => fixture.providers.pollTransfer({ ...key, pollCount: 1 }) }
  },
  async refund(merchant: Merchant): Promise<SettledPayout> {
    const chargeUuid = await createPaidCharge(fixture, merchant)
    const order = { uuid: randomUUID(), chargeUuid, ...merchant, valueCents: 500 }
    const key = { uuid: order.uuid, connectionUuid: merchant.connectionUuid }
    await fixture.records.openRefund({ ...order, fingerprint: 'f', requestId: 'r', timeScale: 1 })
    await fixture.providers.sendRefund({ ...key, isResend: false })
    const returnOf = await readId('select end_to_end as id from charge where uuid = ?', chargeUuid)
    return {
      uuid: order.uuid,
      returnOf: returnOf!,
      poll: () => fixture.providers.pollRefund({ ...key, pollCount: 1 }),
    }
  },
  async return({ connectionUuid }: Merchant): Promise<SettledPayout> {
    const returnOf = railId('E')
    const payment = { endToEnd: returnOf, txid: '', cents: 500, status: 'settled', at: ago(9 * HOUR_MS) }
    const { uuid } = await runInTransaction(fixture.orm, async em => {
      const connection = await em.findOneOrFail(Connection, connectionUuid)
      const pix = { connection, payment: payment as IncomingPix }
      return recordUnmatchedPayment(em, { ...pix, reason: 'second_payment', requestId: 'r' })
    })
    const key = { uuid, connectionUuid }
    await fixture.providers.sendReturn({ ...key, isResend: false })
    return { uuid, returnOf, poll: () => fixture.providers.pollReturn({ ...key, pollCount: 1 }) }
  },
}
type PayoutKind = keyof typeof PAYOUTS
const KINDS = Object.keys(PAYOUTS) as PayoutKind[]

async function readId(sql: string, ...values: string[]): Promise<string | null | undefined> {
  const [row] = await fixture.sql<{ id: string | null }>(sql, values)
  return row?.id
}

/** A payout that has settled without an end-to-end id, and the statement of its provider. */
async function settleWithoutId(kind: PayoutKind) {
  const merchant = await fixture.createMerchant(2_000)
  const settled: ProviderPayout = { status: 'settled', cents: 500, endToEnd: '', at: ago(HOUR_MS) }
  const accept = async () => ({ kind: 'accepted', payout: settled }) as const
  fixture.scriptProvider({ sendTransfer: accept, refund: accept })
  const payout = await PAYOUTS[kind](merchant)
  const { uuid, returnOf } = payout
  const providerAccountUuid = (await readId(
    'select provider_account_uuid as id from connection where uuid = ?',
    merchant.connectionUuid,
  ))!
  return {
    ...payout,
    merchant,
    /** Polls a provider that reports this id. */
    async pollReporting(endToEnd: string) {
      const find = async () => ({ kind: 'found', payout: { ...settled, endToEnd } }) as const
      fixture.scriptProvider({ findTransfer: find, findRefund: find })
      return payout.poll()
    },
    entry: (more: Partial<StatementEntry> = {}): StatementEntry => ({
      endToEnd: railId(kind === 'transfer' ? 'E' : 'D'),
      reference: referenceOf(uuid),
      direction: 'OUT',
      cents: 500,
      at: settled.at!,
      ...(returnOf && { returnOf }),
      ...more,
    }),
    /** Compares a statement, by default of the last two hours. */
    async compare(entries: StatementEntry[], hours = 2) {
      const isListed = (from: string, to: string) => entries.filter(({ at }) => at >= from && at <= to)
      fixture.scriptProvider({
        statement: async (from, to) => ({ kind: 'found', entries: isListed(from, to) }),
        listDisputes: async () => ({ kind: 'found', disputes: [] }),
      })
      const order = { providerAccountUuid, from: ago(hours * HOUR_MS), to: ago(0) }
      const { repaired, differences } = await reconcile(fixture.dependencies)(order)
      return { repaired, differences }
    },
    /** The ids of the attempt, of its movement and, where there is one, of the order. */
    async readIds() {
      const rows = await fixture.sql<{ id: string | null }>(
        `select end_to_end as id from attempt where subject_uuid = ?
         union all select end_to_end from movement where movement_type = 'OUT'
           and ? in (transfer_uuid, refund_uuid, case when refund_uuid is null then original_uuid end)
         union all select end_to_end from transfer where uuid = ?
         union all select end_to_end from refund where uuid = ?`,
        [uuid, uuid, uuid, uuid],
      )
      return [...new Set(rows.map(({ id }) => id))]
    },
    async listOpenDifferences() {
      const rows = await fixture.sql<{ kind: string }>(
        'select kind from difference where provider_account_uuid = ? and settled_at is null',
        [providerAccountUuid],
      )
      return rows.map(row => row.kind)
    },
  }
}

describe.each(KINDS)('a %s that has settled without an end-to-end id', kind => {
  test('gets the id that its provider reports in a later poll, once', async () => {
    const payout = await settleWithoutId(kind)
    const endToEnd = railId('E')
    expect(await payout.readIds()).toEqual([null])
    expect(await payout.pollReporting('')).toMatchObject({ kind: 'settled' })
    expect(await payout.readIds()).toEqual([null])
    expect(await payout.pollReporting(endToEnd)).toMatchObject({ kind: 'settled' })
    expect(await payout.readIds()).toEqual([endToEnd])
    expect(await payout.pollReporting(railId('E'))).toMatchObject({ kind: 'settled' })
    expect(await payout.readIds()).toEqual([endToEnd])
  })

  test('gets the id of the statement entry that names our id, and nothing differs', async () => {
    const payout = await settleWithoutId(kind)
    const balances = await fixture.readBalances(payout.merchant.accountUuid)
    const entry = payout.entry()
    fixture.signalledWorkflowIds.length = 0
    for (const _ of ['first', 'repeated'])
      expect(await payout.compare([entry])).toMatchObject({ repaired: 0, differences: 0 })
    expect(await payout.readIds()).toEqual([entry.endToEnd])
    expect(await payout.listOpenDifferences()).toEqual([])
    expect(fixture.signalledWorkflowIds).toEqual([])
    expect(await fixture.readBalances(payout.merchant.accountUuid)).toEqual(balances)
    expect(await checkLedger(fixture.orm.em.fork())).toEqual([])
  })
})

test.each<[what: string, kind: PayoutKind, (entry: StatementEntry) => StatementEntry[]]>([
  ['without our id, by its value alone', 'transfer', entry => [{ ...entry, reference: null }]],
  ['with another id of ours', 'transfer', entry => [{ ...entry, reference: referenceOf(randomUUID()) }]],
  ['with another value', 'transfer', entry => [{ ...entry, cents: 499 }]],
  ['that returns another PIX', 'refund', entry => [{ ...entry, returnOf: railId('E') }]],
  ['one of two that name our id', 'transfer', entry => [entry, { ...entry, endToEnd: railId('E') }]],
])('the id of a statement entry %s is not recorded', async (_, kind, alter) => {
  const payout = await settleWithoutId(kind)
  const entries = alter(payout.entry())
  await payout.compare(entries)
  await payout.compare(entries)
  expect(await payout.readIds()).toEqual([null])
  expect(await payout.listOpenDifferences()).toEqual(entries.map(() => 'missing_here'))
})

test('an id that another movement carries is recorded neither from a poll nor from the statement', async () => {
  const payout = await settleWithoutId('transfer')
  const other = await PAYOUTS.transfer(payout.merchant)
  const entry = payout.entry()
  await payout.compare([entry])
  const find = async () =>
    ({
      kind: 'found',
      payout: { status: 'settled', cents: 500, endToEnd: entry.endToEnd, at: entry.at },
    }) as const
  fixture.scriptProvider({ findTransfer: find })
  expect(await other.poll()).toMatchObject({ kind: 'settled' })
  expect(await payout.compare([entry, { ...entry, reference: referenceOf(other.uuid) }])).toMatchObject({
    differences: 0,
  })
  const id = await readId('select end_to_end as id from transfer where uuid = ?', other.uuid)
  expect(id).toBeNull()
})

test('a difference of a payout that settles without its id after its day was compared is gone with the next run', async () => {
  const payout = await settleWithoutId('transfer')
  const entry = payout.entry({ at: ago(3 * HOUR_MS) })
  const setState = (from: string, to: string) =>
    fixture.sql(
      `set session_replication_role = replica;
       update attempt set state = '${to}' where subject_uuid = '${payout.uuid}' and state = '${from}';
       set session_replication_role = origin`,
    )
  await setState('settled', 'unknown')
  for (const _ of ['routed', 'shown']) await payout.compare([entry], 4)
  expect(await payout.listOpenDifferences()).toEqual(['missing_here'])
  await setState('unknown', 'settled')
  await payout.compare([entry], 2)
  expect(await payout.listOpenDifferences()).toEqual([])
  expect(await payout.readIds()).toEqual([entry.endToEnd])
})
