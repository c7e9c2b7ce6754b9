import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { postPanelPix } from '../../../src/activities/reconciliation/panel-pix.ts'
import { recordUnmatchedPayment } from '../../../src/activities/unmatched/record.ts'
import { approveAdjustment, proposeAdjustment } from '../../../src/admin/ledger-adjustments.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { recordDifferences } from '../../../src/db/repositories/differences.ts'
import { checkLedger } from '../../../src/db/repositories/ledger-rules.ts'
import type { IncomingPix, ProviderPayout } from '../../../src/domain/providers/provider.ts'
import { pollUntil } from '../../api/support/poll-until.ts'
import { openActivityFixture } from '../../chaos/support/activity-fixture.ts'
import {
  addOperators,
  ago,
  createScriptedMerchant,
  endToEndId,
  entry,
  sent,
} from '../support/scripted-statement.ts'

/** An adjustment that was proposed for money of a statement is not approved once that money is booked otherwise. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
let ana: string
let bea: string
beforeAll(async () => {
  fixture = await openActivityFixture()
  ;[ana, bea] = await addOperators(fixture)
})
afterAll(() => fixture?.close())

type Merchant = Awaited<ReturnType<typeof createScriptedMerchant>>

const merchant = () => createScriptedMerchant(fixture, 10_000)
const findEntryUuid = async (id: string) =>
  (await fixture.sql<{ uuid: string }>('select uuid from account_entry where entry_id = ?', [id]))[0]?.uuid ??
  null
const propose = ({ accountUuid, connectionUuid }: Merchant, cents: number, entryUuid: string | null) =>
  proposeAdjustment(fixture.orm, {
    accountUuid,
    connectionUuid,
    direction: 'OUT',
    cents,
    entryUuid,
    reason: 'seen in the panel',
    operatorEmail: ana,
  })
const approve = (uuid: string) =>
  approveAdjustment(fixture.orm, { uuid, operatorEmail: bea, reason: 'seen too', timeScale: 1 })

/** A transfer that its provider took; `settle` polls it as settled under the given id. */
async function send(shop: Merchant, valueCents: number) {
  fixture.scriptProvider({
    sendTransfer: async () => ({ kind: 'unknown', code: 'timeout', message: 'no answer' }),
  })
  const order = fixture.transferInput(shop, { valueCents })
  await fixture.records.storeTransfer(order)
  const key = { uuid: order.uuid, connectionUuid: shop.connectionUuid }
  await fixture.providers.sendTransfer({ ...key, isResend: false })
  return async function settle(endToEnd: string) {
    const payout: ProviderPayout = {
      status: 'settled',
      cents: valueCents,
      endToEnd,
      at: ago(1.5),
      returns: [],
    }
    fixture.scriptProvider({ findTransfer: async () => ({ kind: 'found', payout }) })
    await fixture.providers.pollTransfer({ ...key, pollCount: 1 })
    await fixture.sql(
      `update movement set updated_at = now() - interval '3 hours' where end_to_end = ? and movement_type = 'OUT'`,
      [endToEnd],
    )
  }
}

test('a withdrawal that the statement lists as a transfer of ours later is booked once', async () => {
  const shop = await merchant()
  const settle = await send(shop, 500)
  const withdrawal = entry('withdrawal', 500)
  await shop.look({ accountEntries: [withdrawal] })
  const uuid = await propose(shop, 500, await findEntryUuid(withdrawal.id))
  await expect(approve(uuid)).rejects.toMatchObject({ reason: 'may_be_payout' })

  const endToEnd = endToEndId()
  await settle(endToEnd)
  const entries = [sent(500, { endToEnd, at: ago(1.5) })]
  expect(await shop.look({ entries })).toMatchObject({ differences: 0, unexplainedEntryCount: 0, booked: 0 })
  await expect(approve(uuid)).rejects.toMatchObject({ reason: 'explained' })
  expect(await shop.look({ entries })).toMatchObject({ booked: 0 })
  expect(await shop.balances()).toEqual({ available: 9_500, outside: -9_500 })
  expect(await checkLedger(fixture.orm.em.fork())).toEqual([])
})

test('a withdrawal that the statement lists again is open again', async () => {
  const shop = await merchant()
  const unlisted = entry('unlisted', 300)
  await shop.look({ accountEntries: [unlisted] })
  const uuid = await propose(shop, 300, await findEntryUuid(unlisted.id))
  await shop.look()
  await expect(approve(uuid)).rejects.toMatchObject({ reason: 'explained' })
  await shop.look({ accountEntries: [unlisted] })
  await approve(uuid)
  expect(await shop.balances()).toEqual({ available: 9_700, outside: -9_700 })
})

test('a withdrawal that was booked meanwhile is not adjusted, whether the proposal names it or not', async () => {
  const shop = await merchant()
  const withdrawal = entry('withdrawal', 500)
  const unnamed = await propose(shop, 500, null)
  const settle = await send(shop, 500)
  await shop.look({ accountEntries: [withdrawal] })
  const named = await propose(shop, 500, await findEntryUuid(withdrawal.id))
  await expect(propose(shop, 500, null)).rejects.toMatchObject({ reason: 'unnamed_entry' })
  await expect(approve(unnamed)).rejects.toMatchObject({ reason: 'unnamed_entry' })

  const endToEnd = endToEndId()
  await settle(endToEnd)
  const statement = { accountEntries: [withdrawal], entries: [sent(500, { endToEnd, at: ago(1.5) })] }
  expect(await shop.look(statement)).toMatchObject({ booked: 1, differences: 0 })
  for (const uuid of [named, unnamed])
    await expect(approve(uuid)).rejects.toMatchObject({ reason: 'explained' })
  expect(await shop.balances()).toEqual({ available: 9_000, outside: -9_000 })
  // What is proposed afterwards is other money of the same value.
  await approve(await propose(shop, 500, null))
  expect(await shop.balances()).toEqual({ available: 8_500, outside: -8_500 })
})

test('a PIX of the panel that waits to be booked is not adjusted too', async () => {
  const shop = await merchant()
  const before = await propose(shop, 400, null)
  const entries = [sent(400, { at: ago(0.5) })]
  // The first comparison routes it to a possible owner.
  await shop.look({ entries })
  await shop.look({ entries })
  await expect(approve(before)).rejects.toMatchObject({ reason: 'pix_waiting' })
  await expect(propose(shop, 400, null)).rejects.toMatchObject({ reason: 'pix_waiting' })
  const old = entries.map(one => ({ ...one, at: ago(2) }))
  await shop.look({ entries: old })
  await shop.look({ entries: old })
  await expect(approve(before)).rejects.toMatchObject({ reason: 'explained' })
  expect(await shop.balances()).toEqual({ available: 9_600, outside: -9_600 })
})

test('a transfer without an outcome, or settled since, is not adjusted by a proposal without an entry', async () => {
  const shop = await merchant()
  const settle = await send(shop, 500)
  const uuid = await propose(shop, 500, null)
  await expect(approve(uuid)).rejects.toMatchObject({ reason: 'may_be_payout' })
  const endToEnd = endToEndId()
  await settle(endToEnd)
  await fixture.sql('update movement set updated_at = now() where end_to_end = ?', [endToEnd])
  await expect(approve(uuid)).rejects.toMatchObject({ reason: 'explained' })
  expect(await shop.balances()).toEqual({ available: 9_500, outside: -9_500 })
})

test('a PIX that arrived after the proposal of its value is not adjusted too', async () => {
  const shop = await merchant()
  const uuid = await proposeAdjustment(fixture.orm, {
    accountUuid: shop.accountUuid,
    connectionUuid: shop.connectionUuid,
    direction: 'IN',
    cents: 500,
    entryUuid: null,
    reason: 'seen in the panel',
    operatorEmail: ana,
  })
  await runInTransaction(fixture.orm, async em => {
    const connection = await em.findOneOrFail(Connection, shop.connectionUuid)
    const payment = {
      endToEnd: endToEndId(),
      txid: '',
      cents: 500,
      status: 'settled',
      at: ago(0),
    } as IncomingPix
    return recordUnmatchedPayment(em, { connection, payment, reason: 'second_payment', requestId: 'r' })
  })
  await expect(approve(uuid)).rejects.toMatchObject({ reason: 'explained' })
})

test('the database refuses to book an entry that its statement lists no longer, or beside the entry', async () => {
  const shop = await merchant()
  const unlisted = entry('unlisted', 300)
  await shop.look({ accountEntries: [unlisted] })
  const entryUuid = await findEntryUuid(unlisted.id)
  const uuid = await propose(shop, 300, entryUuid)
  await shop.look()
  const movementUuid = randomUUID()
  const posting = fixture.orm.em.fork().transactional(async tx => {
    await tx.execute(
      `insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents,
         status, reason, entry_name, settled_at, created_at, updated_at)
       values (?, ?, ?, ?, 'ADJUSTMENT', 'OUT', 300, 'SETTLED', 'adjustment', ?, now(), now(), now())`,
      [movementUuid, shop.accountUuid, shop.providerAccountUuid, shop.connectionUuid, `adjustment/${uuid}`],
    )
    await tx.execute(
      `update ledger_adjustment set movement_uuid = ?, approved_at = now(),
         approved_by = (select uuid from app_user where email = ?) where uuid = ?`,
      [movementUuid, bea, uuid],
    )
  })
  await expect(posting).rejects.toMatchObject({ constraint: 'movement_adjusted' })
  const [movement] = await fixture.sql<{ uuid: string }>('select uuid from movement limit 1')
  await expect(
    fixture.sql('update account_entry set movement_uuid = ? where uuid = ?', [movement!.uuid, entryUuid]),
  ).rejects.toMatchObject({ constraint: 'account_entry_accounted' })
})

test('a PIX that an operator closes while a reconciliation is about to book it is not booked', async () => {
  const shop = await merchant()
  const { providerAccountUuid } = shop
  const entry = sent(500)
  const { endToEnd, direction } = entry
  await recordDifferences(fixture.orm.em.fork(), {
    providerAccountUuid,
    covers: () => true,
    remaining: [{ kind: 'missing_here', endToEnd, direction, entry }],
  })
  let booking: Promise<unknown> | undefined
  await runInTransaction(fixture.orm, async em => {
    await em.execute(
      `update difference set closed_at = now(), closed_as = 'accepted', closed_reason = 'adjusted', closed_by = ?
       where provider_account_uuid = ?`,
      [ana, providerAccountUuid],
    )
    booking = postPanelPix(fixture.dependencies, providerAccountUuid)
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    await pollUntil(
      () => fixture.sql(waiting),
      rows => rows.length > 0,
    )
  })
  expect(await booking).toEqual({ booked: 0 })
  expect(await shop.balances()).toEqual({ available: 10_000, outside: -10_000 })
})

const proposeBy = (
  { accountUuid, connectionUuid }: Merchant,
  operatorEmail: string,
  direction: 'IN' | 'OUT',
) =>
  proposeAdjustment(fixture.orm, {
    accountUuid,
    connectionUuid,
    direction,
    cents: 2_500,
    entryUuid: null,
    reason: 'seen in the panel',
    operatorEmail,
  })
const approveBy = (uuid: string, operatorEmail: string) =>
  approveAdjustment(fixture.orm, { uuid, operatorEmail, reason: 'seen too', timeScale: 1 })

test('of two proposals of the same correction, each approved by the proposer of the other, one is booked', async () => {
  const shop = await merchant()
  const proposals = [await proposeBy(shop, ana, 'IN'), await proposeBy(shop, bea, 'IN')] as const
  const approvals = await Promise.allSettled([approveBy(proposals[0], bea), approveBy(proposals[1], ana)])
  expect(approvals.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  const refusal = approvals.find(({ status }) => status === 'rejected') as PromiseRejectedResult
  expect(refusal.reason).toMatchObject({ reason: 'explained' })
  expect(await shop.balances()).toEqual({ available: 12_500, outside: -12_500 })
  // PostgreSQL holds it too.
  const openProposal = proposals[approvals.findIndex(({ status }) => status === 'rejected')]!
  const approval = fixture.sql(
    `update ledger_adjustment a set approved_by = b.proposed_by, approved_at = now(), movement_uuid = b.movement_uuid
     from ledger_adjustment b where a.uuid = ? and b.uuid = ?`,
    [openProposal, proposals.find(uuid => uuid !== openProposal)!],
  )
  await expect(approval).rejects.toMatchObject({ constraint: 'ledger_adjustment_known' })
  // Whoever proposes it again knows of the first.
  await approveBy(await proposeBy(shop, ana, 'IN'), bea)
  expect(await shop.balances()).toEqual({ available: 15_000, outside: -15_000 })
})

test('a PIX or an entry that an adjustment was approved for is not booked when the provider lists it at last', async () => {
  const shop = await merchant()
  await approveBy(await proposeBy(shop, ana, 'IN'), bea)
  const pix = sent(2_500, { direction: 'IN' })
  const statement = { entries: [pix], accountEntries: [entry('credit', 2_500)] }
  await shop.look(statement)
  expect(await shop.look(statement)).toMatchObject({ booked: 0, differences: 1, unexplainedEntryCount: 1 })
  expect(await shop.waits()).toEqual(['may_be_adjusted'])
  expect(await shop.balances()).toEqual({ available: 12_500, outside: -12_500 })
  const insert = fixture.sql(
    `insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents, status,
       end_to_end, reason, settled_at, created_at, updated_at)
     values (gen_random_uuid(), ?, ?, ?, 'EXTERNAL_TRANSFER', 'IN', 2500, 'SETTLED', ?, 'deposit', ?, now(), now())`,
    [shop.accountUuid, shop.providerAccountUuid, shop.connectionUuid, pix.endToEnd, pix.at],
  )
  await expect(insert).rejects.toMatchObject({ constraint: 'movement_unadjusted' })

  // Once the adjustment is undone, both are booked by their own identity.
  await approveBy(await proposeBy(shop, bea, 'OUT'), ana)
  expect(await shop.look(statement)).toMatchObject({ booked: 2, unexplainedEntryCount: 0 })
  expect(await shop.balances()).toEqual({ available: 15_000, outside: -15_000 })
  expect(await checkLedger(fixture.orm.em.fork())).toEqual([])
})
