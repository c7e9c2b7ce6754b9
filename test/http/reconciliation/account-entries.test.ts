import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { settleManually } from '../../../src/activities/payouts/manual-settlement.ts'
import { transferPayout } from '../../../src/activities/transfers/transfer-payout.ts'
import { recordUnmatchedPayment } from '../../../src/activities/unmatched/record.ts'
import { approveAdjustment, proposeAdjustment } from '../../../src/admin/ledger-adjustments.ts'
import { checkProviderBalances } from '../../../src/admin/ledger-check.ts'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { listOpenAccountEntries } from '../../../src/db/repositories/account-entries.ts'
import { checkLedger } from '../../../src/db/repositories/ledger-rules.ts'
import { referenceOf } from '../../../src/domain/pix/identifiers.ts'
import type { IncomingPix, IssuedCharge } from '../../../src/domain/providers/provider.ts'
import type { AccountEntry } from '../../../src/domain/reconciliation/account-entry.ts'
import { toParty } from '../../../src/providers/adapter/party.ts'
import { openActivityFixture } from '../../chaos/support/activity-fixture.ts'
import {
  addOperators,
  ago,
  createScriptedMerchant,
  endToEndId,
  entry,
  sent,
} from '../support/scripted-statement.ts'

/** Money that moves at a provider without us: posted from its statement, once, and never where it may be ours. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

const merchant = (cents?: number, pool?: string) => createScriptedMerchant(fixture, cents, pool)
const operators = () => addOperators(fixture)
const ledgerHolds = async () => expect(await checkLedger(fixture.orm.em.fork())).toEqual([])

test('tariffs, withdrawals, credits, blocks and releases are each posted once', async () => {
  const shop = await merchant(10_000)
  const accountEntries = [
    entry('tariff', 50),
    entry('withdrawal', 2_000),
    entry('credit', 700),
    entry('block', 3_000),
    entry('unblock', 1_000),
  ]
  const statement = { accountEntries, availableCents: 8_650 }
  const first = await shop.look(statement)
  expect(first).toMatchObject({
    booked: 5,
    unexplainedEntryCount: 0,
    balance: { providerCents: 8_650, ledgerCents: 8_650 },
  })
  expect(await shop.look(statement)).toMatchObject({ booked: 0, unexplainedEntryCount: 0 })
  expect(await shop.balances()).toEqual({ available: 6_650, blocked: 2_000, outside: -8_650 })
  expect(
    (await shop.movements()).map(({ type, reason, movement_type }) => [type, reason, movement_type]),
  ).toEqual([
    ['ADJUSTMENT', 'provider_tariff', 'OUT'],
    ['ADJUSTMENT', 'provider_withdrawal', 'OUT'],
    ['ADJUSTMENT', 'provider_credit', 'IN'],
    ['HOLD', 'provider_block', 'OUT'],
    ['HOLD', 'provider_unblock', 'IN'],
  ])
  const events = await fixture.sql('select 1 from event where account_uuid = ? and type = ?', [
    shop.accountUuid,
    'PIX_TRANSACTION',
  ])
  expect(events).toHaveLength(5)
  await ledgerHolds()
})

test('a release that is listed before its block leaves nothing blocked', async () => {
  const shop = await merchant(10_000)
  const [block, release] = [entry('block', 3_000), entry('unblock', 3_000)]
  await shop.look({ accountEntries: [release] })
  await shop.look({ accountEntries: [block, release] })
  expect(await shop.balances()).toMatchObject({ available: 10_000 })
  expect((await shop.balances()).blocked ?? 0).toBe(0)
  await shop.look({ accountEntries: [entry('block', 1_000)] })
  expect(await shop.balances()).toMatchObject({ available: 9_000, blocked: 1_000 })
  await ledgerHolds()
})

test('webhooks of a movement without a workflow are started by the next sweep', async () => {
  const shop = await merchant(10_000)
  await fixture.sql(
    `insert into webhook (uuid, account_uuid, url, sealed_secret, masked_secret, events, fingerprint, created_at)
     values (?, ?, 'https://example.com', ?, 'whsec_…', array['PIX_TRANSACTION'], 'f', now())`,
    [randomUUID(), shop.accountUuid, fixture.seal.seal('whsec_x')],
  )
  await shop.look({ accountEntries: [entry('tariff', 50)] })
  const deliveries = await fixture.sql<{ due: boolean }>(
    `select d.sweep_at <= now() as due from delivery d join event e on e.uuid = d.event_uuid where e.account_uuid = ?`,
    [shop.accountUuid],
  )
  expect(deliveries).toEqual([{ due: true }])
})

test('two concurrent reconciliations post an entry once', async () => {
  const shop = await merchant(10_000)
  const statement = { accountEntries: [entry('tariff', 100), entry('withdrawal', 900)], entries: [sent(500)] }
  await Promise.all([shop.look(statement), shop.look(statement)])
  await shop.look(statement)
  expect(await shop.balances()).toEqual({ available: 8_500, outside: -8_500 })
  await ledgerHolds()
})

test('a debit beyond the available balance is the service’s shortfall, and the next credit repays it first', async () => {
  const shop = await merchant(1_000)
  await shop.look({ accountEntries: [entry('withdrawal', 1_500)] })
  expect(await shop.balances()).toEqual({ shortfall: -500, outside: 500 })
  await shop.look({ accountEntries: [entry('credit', 800)] })
  expect(await shop.balances()).toEqual({ available: 300, outside: -300 })
  await ledgerHolds()
})

test('a shared provider account’s tariffs and deposits belong to the service, never to a merchant', async () => {
  const pool = randomUUID()
  const shop = await merchant(1_000, pool)
  const deposit = sent(900, { direction: 'IN' })
  const statement = { accountEntries: [entry('tariff', 30)], entries: [deposit] }
  await shop.look(statement)
  await shop.look(statement)
  expect(await shop.balances()).toEqual({ available: 1_000, outside: -1_000 })
  const service = await fixture.sql<{ bucket: string; cents: string }>(
    `select bucket, cents from balance b join account a on a.uuid = b.account_uuid
     where a.is_service and b.provider_account_uuid = ? and cents <> 0 order by bucket`,
    [shop.providerAccountUuid],
  )
  // An operator decides about the deposit, so that it does not cover the tariff.
  expect(Object.fromEntries(service.map(row => [row.bucket, Number(row.cents)]))).toEqual({
    pending: 900,
    shortfall: -30,
    outside: -870,
  })
  await ledgerHolds()
})

test('an entry of an undocumented type moves nothing, is shown, and is posted by two operators', async () => {
  const shop = await merchant(1_000)
  const unlisted = entry('unlisted', 400, { type: 'INTERNAL_TRANSFER' })
  expect(await shop.look({ accountEntries: [unlisted], availableCents: 600 })).toMatchObject({
    booked: 0,
    unexplainedEntryCount: 1,
    balance: { providerCents: 600, ledgerCents: 1_000 },
  })
  expect(await shop.balances()).toEqual({ available: 1_000, outside: -1_000 })
  const [{ uuid: entryUuid }] = (await fixture.sql<{ uuid: string }>(
    'select uuid from account_entry where entry_id = ?',
    [unlisted.id],
  )) as [{ uuid: string }]
  const [ana, bea] = await operators()
  const { accountUuid, connectionUuid } = shop
  const order = {
    accountUuid,
    connectionUuid,
    direction: 'OUT',
    cents: 400,
    reason: 'to our other account',
    entryUuid,
    operatorEmail: ana,
  } as const
  await expect(proposeAdjustment(fixture.orm, { ...order, cents: 401 })).rejects.toThrow('another value')
  const uuid = await proposeAdjustment(fixture.orm, order)
  expect(await shop.balances()).toEqual({ available: 1_000, outside: -1_000 })
  await expect(
    approveAdjustment(fixture.orm, { uuid, operatorEmail: ana, reason: 'ok', timeScale: 1 }),
  ).rejects.toThrow('another operator')
  const movement = await approveAdjustment(fixture.orm, {
    uuid,
    operatorEmail: bea,
    reason: 'ok',
    timeScale: 1,
  })
  expect(await approveAdjustment(fixture.orm, { uuid, operatorEmail: bea, reason: 'ok', timeScale: 1 })).toBe(
    movement,
  )
  expect(await shop.look({ accountEntries: [unlisted], availableCents: 600 })).toMatchObject({
    unexplainedEntryCount: 0,
    balance: { providerCents: 600, ledgerCents: 600 },
  })
  expect(await shop.balances()).toEqual({ available: 600, outside: -600 })
  await ledgerHolds()
})

const undirected = (cents: number): AccountEntry => {
  const endToEnd = endToEndId('D')
  return entry('unlisted', cents, { type: 'REFUND', id: endToEnd, endToEnd })
}

test('a return in an unknown direction moves nothing, and is explained by a movement with its id', async () => {
  const shop = await merchant(10_000)
  const { endToEnd } = await paidCharge(shop, 1_000)
  const back = undirected(400)
  expect(await shop.look({ accountEntries: [back] })).toMatchObject({ booked: 0, unexplainedEntryCount: 1 })
  expect(await shop.balances()).toMatchObject({ available: 11_000 })
  const listedEntry = sent(400, { endToEnd: back.id, returnOf: endToEnd })
  await shop.look({ entries: [listedEntry] })
  await shop.look({ entries: [listedEntry] })
  expect(await shop.balances()).toMatchObject({ available: 10_600 })
  // The return is recorded here: the entry without a direction is the same one, and nothing is missing there.
  expect(await shop.look({ accountEntries: [back] })).toMatchObject({
    differences: 0,
    unexplainedEntryCount: 0,
  })
  expect(await shop.balances()).toMatchObject({ available: 10_600 })
  await ledgerHolds()
})

test('a return that was adjusted while its direction was unknown is not posted again when the statement names it', async () => {
  const shop = await merchant(10_000)
  const back = undirected(400)
  await shop.look({ accountEntries: [back] })
  const [row] = await fixture.sql<{ uuid: string }>('select uuid from account_entry where entry_id = ?', [
    back.id,
  ])
  const [ana, bea] = await operators()
  const uuid = await proposeAdjustment(fixture.orm, {
    accountUuid: shop.accountUuid,
    connectionUuid: shop.connectionUuid,
    direction: 'OUT',
    cents: 400,
    reason: 'a return in the panel',
    entryUuid: row!.uuid,
    operatorEmail: ana,
  })
  await approveAdjustment(fixture.orm, {
    uuid,
    operatorEmail: bea,
    reason: 'seen in the panel',
    timeScale: 1,
  })
  const entries = [sent(400, { endToEnd: back.id, returnOf: endToEndId() })]
  await shop.look({ entries })
  expect(await shop.look({ entries })).toMatchObject({ differences: 0, booked: 0 })
  expect(await shop.balances()).toEqual({ available: 9_600, outside: -9_600 })
  await ledgerHolds()
})

test('a PIX whose id is recorded in the other direction is left to an operator', async () => {
  const shop = await merchant(10_000)
  const sentEntry = sent(200)
  await shop.look({ entries: [sentEntry] })
  await shop.look({ entries: [sentEntry] })
  expect(await shop.balances()).toMatchObject({ available: 9_800 })
  const mirrored = { ...sentEntry, direction: 'IN' } as const
  await shop.look({ entries: [mirrored] })
  await shop.look({ entries: [mirrored] })
  expect(await shop.balances()).toMatchObject({ available: 9_800 })
  expect(await shop.waits()).toContain('recorded_in_other_direction')
})

test('a PIX sent in the panel is posted when none of our operations can explain it any more', async () => {
  const shop = await merchant(10_000)
  const young = sent(100, { at: ago(0.5) })
  const old = sent(200)
  const named = sent(300, { reference: referenceOf(randomUUID()) })
  const nameless = sent(400, { endToEnd: '' })
  // The first comparison routes it to a possible owner; from the second on it is unmatched.
  await shop.look({ entries: [young, old, named, nameless] })
  await shop.look({ entries: [young, old, named, nameless] })
  expect(await shop.balances()).toEqual({ available: 9_800, outside: -9_800 })
  expect((await shop.waits()).sort()).toEqual(['has_our_reference', 'no_end_to_end', 'too_young'])
  expect(await shop.movements()).toMatchObject([{ type: 'EXTERNAL_TRANSFER', reason: 'panel_transfer' }])
  expect(await shop.look({ entries: [young, old, named, nameless] })).toMatchObject({ matched: 1, booked: 0 })
  await ledgerHolds()
})

test('a PIX with the value of an unresolved attempt waits until that attempt is resolved', async () => {
  const shop = await merchant(10_000)
  fixture.scriptProvider({
    sendTransfer: async () => ({ kind: 'unknown', code: 'timeout', message: 'no answer' }),
  })
  const order = fixture.transferInput(shop, { valueCents: 500 })
  await fixture.records.storeTransfer(order)
  await fixture.providers.sendTransfer({
    uuid: order.uuid,
    connectionUuid: shop.connectionUuid,
    isResend: false,
  })
  const entries = [sent(500), sent(501)]
  await shop.look({ entries })
  await shop.look({ entries })
  expect(await shop.waits()).toEqual(['may_be_our_payout'])
  await fixture.sql(`update attempt set state = 'rejected' where subject_uuid = ?`, [order.uuid])
  await shop.look({ entries })
  expect(await shop.waits()).toEqual([])
})

test('a withdrawal without an end-to-end id waits an hour, and for the payouts of its value', async () => {
  const shop = await merchant(10_000)
  const young = entry('withdrawal', 300, { at: ago(0.02) })
  expect(await shop.look({ accountEntries: [young] })).toMatchObject({ booked: 0, unexplainedEntryCount: 1 })
  // The statement names the id now: it was the transfer that it lists as a PIX.
  expect(await shop.look({ accountEntries: [] })).toMatchObject({ booked: 0, unexplainedEntryCount: 0 })

  fixture.scriptProvider({
    sendTransfer: async () => ({ kind: 'unknown', code: 'timeout', message: 'no answer' }),
  })
  const order = fixture.transferInput(shop, { valueCents: 500 })
  await fixture.records.storeTransfer(order)
  const key = { uuid: order.uuid, connectionUuid: shop.connectionUuid }
  await fixture.providers.sendTransfer({ ...key, isResend: false })
  const accountEntries = [entry('withdrawal', 500, { at: ago(0.1) })]
  expect(await shop.look({ accountEntries })).toMatchObject({ booked: 0, unexplainedEntryCount: 1 })
  fixture.scriptProvider({
    findTransfer: async () => ({
      kind: 'found',
      payout: { status: 'settled', cents: 500, endToEnd: endToEndId(), at: ago(0.1), returns: [] },
    }),
  })
  await fixture.providers.pollTransfer({ ...key, pollCount: 1 })
  // Settled here under an id that the statement does not list: the same money, debited once.
  expect(await shop.look({ accountEntries })).toMatchObject({
    booked: 0,
    differences: 1,
    unexplainedEntryCount: 1,
  })
  expect(await shop.balances()).toMatchObject({ outside: -9_500 })
  await ledgerHolds()
})

/** A transfer of R$ 5.00 that settled three days ago, without an end-to-end id. */
async function transferWithoutId(shop: Awaited<ReturnType<typeof merchant>>) {
  const settled = { status: 'settled' as const, cents: 500, endToEnd: '', at: ago(3), returns: [] }
  fixture.scriptProvider({ sendTransfer: async () => ({ kind: 'accepted', payout: settled }) })
  const order = fixture.transferInput(shop, { valueCents: 500 })
  const key = { uuid: order.uuid, connectionUuid: shop.connectionUuid }
  await fixture.records.storeTransfer(order)
  await fixture.providers.sendTransfer({ ...key, isResend: false })
  await fixture.sql('update movement set created_at = ?, updated_at = ? where transfer_uuid = ?', [
    ...[ago(3), ago(3), order.uuid],
  ])
  return {
    async pollReporting(endToEnd: string) {
      const payout = { ...settled, endToEnd }
      fixture.scriptProvider({ findTransfer: async () => ({ kind: 'found', payout }) })
      await fixture.providers.pollTransfer({ ...key, pollCount: 1 })
    },
  }
}

test('money of the value of a transfer that settled without its end-to-end id is not debited again', async () => {
  const shop = await merchant(10_000)
  const transfer = await transferWithoutId(shop)
  const unnamed = [entry('withdrawal', 500, { at: ago(2) })]
  expect(await shop.look({ accountEntries: unnamed })).toMatchObject({ booked: 0, unexplainedEntryCount: 1 })
  // The statement names the PIX now, without our id.
  const pix = sent(500)
  await shop.look({ entries: [pix] })
  expect(await shop.look({ entries: [pix] })).toMatchObject({ booked: 0 })
  expect(await shop.waits()).toEqual(['may_be_our_payout'])
  expect(await shop.balances()).toMatchObject({ available: 9_500 })
  await transfer.pollReporting(pix.endToEnd)
  expect(await shop.look({ entries: [pix] })).toMatchObject({ matched: 1, differences: 0 })
  expect(await shop.waits()).toEqual([])
  await ledgerHolds()
})

test('two operators can book a withdrawal of the value of a transfer without its end-to-end id', async () => {
  const shop = await merchant(10_000)
  await transferWithoutId(shop)
  const accountEntries = [entry('withdrawal', 500, { at: ago(2) })]
  expect(await shop.look({ accountEntries })).toMatchObject({ booked: 0, unexplainedEntryCount: 1 })
  const [openEntry] = await listOpenAccountEntries(fixture.orm.em.fork(), shop.providerAccountUuid)
  const [ana, bea] = await operators()
  const uuid = await proposeAdjustment(fixture.orm, {
    accountUuid: shop.accountUuid,
    connectionUuid: shop.connectionUuid,
    entryUuid: openEntry!.uuid,
    direction: 'OUT',
    cents: 500,
    reason: 'a withdrawal to the bank',
    operatorEmail: ana,
  })
  await approveAdjustment(fixture.orm, { uuid, operatorEmail: bea, reason: 'ok', timeScale: 1 })
  expect(await shop.look({ accountEntries })).toMatchObject({ unexplainedEntryCount: 0 })
  expect(await shop.balances()).toMatchObject({ available: 9_000 })
  await ledgerHolds()
})

test('a return of a charge’s PIX in the panel refunds the charge, and reduces what can be refunded', async () => {
  const shop = await merchant(5_000)
  const { chargeUuid, endToEnd } = await paidCharge(shop, 1_000)
  const entries = [
    sent(400, {
      endToEnd: endToEndId('D'),
      returnOf: endToEnd,
      returnId: '0123456789abcdef01234567',
      reference: null,
    }),
  ]
  await shop.look({ entries })
  await shop.look({ entries })
  const [charge] = await fixture.sql(
    'select state, refunded_cents, received_cents from charge where uuid = ?',
    [chargeUuid],
  )
  expect(charge).toMatchObject({ state: 'partially_refunded', refunded_cents: '400', received_cents: '1000' })
  expect(await shop.balances()).toMatchObject({ available: 5_600, outside: -5_600 })
  const refund = (valueCents: number) =>
    fixture.records.openRefund({
      uuid: randomUUID(),
      chargeUuid,
      valueCents,
      requestId: 'r',
      fingerprint: '',
      timeScale: 1,
      accountUuid: shop.accountUuid,
      connectionUuid: shop.connectionUuid,
    } as never)
  expect(await refund(601)).toMatchObject({ state: 'failed' })
  expect(await refund(600)).toMatchObject({ state: 'sending' })
  expect(await shop.look({ entries })).toMatchObject({ booked: 0 })
  await ledgerHolds()
})

test('an older return of the same PIX is not reported as missing in the statement', async () => {
  const shop = await merchant(5_000)
  const { endToEnd } = await paidCharge(shop, 1_000)
  const returned = (cents: number, days: number) =>
    sent(cents, { endToEnd: endToEndId('D'), returnOf: endToEnd, at: ago(days) })
  const older = [returned(100, 8)]
  await shop.look({ entries: older })
  await shop.look({ entries: older })
  const newer = [returned(200, 2)]
  await shop.look({ entries: newer })
  await shop.look({ entries: newer })
  expect(await shop.look({ entries: newer })).toMatchObject({ matched: 1, differences: 0 })
  expect(await shop.waits()).toEqual([])
  expect(await shop.balances()).toMatchObject({ available: 5_700 })
})

test('a payout that an operator settles has the time of its end-to-end id', async () => {
  const shop = await merchant(10_000)
  fixture.scriptProvider({
    sendTransfer: async () => ({ kind: 'unknown', code: 'timeout', message: 'no answer' }),
  })
  const settle = settleManually(fixture.dependencies, transferPayout)
  const settledAt = async (calledDaysAgo: number, minute: string) => {
    const order = fixture.transferInput(shop, { valueCents: 500 })
    await fixture.records.storeTransfer(order)
    const key = { uuid: order.uuid, connectionUuid: shop.connectionUuid }
    await fixture.providers.sendTransfer({ ...key, isResend: false })
    const [attempt] = await fixture.sql<{ uuid: string; sendings: number }>(
      'update attempt set called_at = ? where subject_uuid = ? returning uuid, sendings',
      [ago(calledDaysAgo), order.uuid],
    )
    const suffix = randomUUID().replaceAll('-', '').slice(0, 11)
    const endToEnd = `E00000000${minute.replace(/[^0-9]/g, '')}${suffix}`
    const signal = {
      attempt: attempt!.uuid,
      sending: attempt!.sendings,
      as: 'settled',
      endToEnd,
      reason: 'r',
    }
    expect(await settle({ ...key, signal })).toMatchObject({ kind: 'settled' })
    const [row] = await fixture.sql<{ settled_at: Date }>(
      'select settled_at from movement where end_to_end = ?',
      [endToEnd],
    )
    return new Date(row!.settled_at).toISOString()
  }
  const minute = ago(3).slice(0, 16)
  expect(await settledAt(4, minute)).toBe(`${minute}:00.000Z`)
  expect(Date.parse(await settledAt(1, minute))).toBeGreaterThan(Date.parse(ago(1)) - 60_000)
})

test('a return of an unmatched PIX in the panel debits the waiting amount', async () => {
  const shop = await merchant(1_000)
  const endToEnd = endToEndId()
  const payment = {
    endToEnd,
    txid: '',
    cents: 900,
    status: 'settled',
    at: ago(3),
    reference: null,
  } as IncomingPix
  await runInTransaction(fixture.orm, async em => {
    const connection = await em.findOneOrFail(Connection, shop.connectionUuid)
    return recordUnmatchedPayment(em, { connection, payment, reason: 'second_payment', requestId: 'r' })
  })
  const returned = (cents: number) => sent(cents, { endToEnd: endToEndId('D'), returnOf: endToEnd })
  const entries = [returned(300)]
  await shop.look({ entries })
  await shop.look({ entries })
  expect(await shop.balances()).toEqual({ available: 1_000, pending: 600, outside: -1_600 })
  entries.push(returned(600))
  await shop.look({ entries })
  await shop.look({ entries })
  expect(await shop.balances()).toEqual({ available: 1_000, outside: -1_000 })
  const [row] = await fixture.sql('select disposition from movement where end_to_end = ?', [endToEnd])
  expect(row).toEqual({ disposition: 'returned' })
  await ledgerHolds()
})

test('a movement before the opening balance is not credited', async () => {
  const shop = await merchant(10_000)
  await fixture.sql('update connection set credited_since = ? where uuid = ?', [ago(3), shop.connectionUuid])
  const statement = {
    entries: [sent(100, { at: ago(4) }), sent(200, { at: ago(2) })],
    accountEntries: [entry('tariff', 50, { at: ago(4) }), entry('tariff', 60, { at: ago(2) })],
  }
  await shop.look(statement)
  expect(await shop.look(statement)).toMatchObject({ booked: 1, differences: 0 })
  expect(await shop.balances()).toEqual({ available: 9_740, outside: -9_740 })
})

test('check-ledger reports each provider’s difference with its cause', async () => {
  const shop = await merchant(1_000)
  await shop.look({ accountEntries: [entry('unlisted', 400, { type: 'REVERSAL' })], availableCents: 600 })
  const providers = { ...fixture.dependencies.providers }
  const found = await checkProviderBalances(fixture.orm.em.fork(), providers)
  const own = found.find(({ where }) => where.endsWith(shop.providerAccountUuid))
  expect(own).toMatchObject({
    rule: 'provider_agrees',
    detail: 'ledger 1000, provider 600; unlisted REVERSAL: 400 in 1',
  })
})

test('the database refuses rows that the code never writes', async () => {
  const shop = await merchant(1_000)
  await shop.look({ accountEntries: [entry('tariff', 50)], entries: [sent(70)] })
  const movement = (values: Record<string, unknown>) => {
    const row = {
      uuid: randomUUID(),
      account_uuid: shop.accountUuid,
      provider_account_uuid: shop.providerAccountUuid,
      type: 'HOLD',
      movement_type: 'OUT',
      value_cents: 10,
      status: 'SETTLED',
      settled_at: new Date(),
      created_at: new Date(),
      updated_at: new Date(),
      ...values,
    }
    const columns = Object.keys(row)
    return fixture.sql(
      `insert into movement (${columns}) values (${columns.map(() => '?')})`,
      Object.values(row),
    )
  }
  const [tariff] = await fixture.sql<{ entry_name: string }>(
    `select entry_name from movement where provider_account_uuid = ? and reason = 'provider_tariff'`,
    [shop.providerAccountUuid],
  )
  await expect(movement({ reason: 'provider_tariff', entry_name: tariff!.entry_name })).rejects.toMatchObject(
    {
      constraint: 'movement_entry_once',
    },
  )
  await expect(movement({ reason: 'provider_tariff' })).rejects.toMatchObject({
    constraint: 'movement_entry',
  })
  await expect(movement({ entry_name: 'X/1' })).rejects.toMatchObject({ constraint: 'movement_entry' })
  await expect(movement({ reason: 'panel_transfer' })).rejects.toMatchObject({ constraint: 'movement_entry' })
  await expect(movement({ reason: 'adjustment', entry_name: 'adjustment/1' })).rejects.toMatchObject({
    constraint: 'movement_adjusted',
  })
  await movement({ reason: 'opening_balance' })
  await expect(movement({ reason: 'opening_balance' })).rejects.toMatchObject({
    constraint: 'movement_opened_once',
  })

  const [ana] = await operators()
  const uuid = await proposeAdjustment(fixture.orm, {
    accountUuid: shop.accountUuid,
    connectionUuid: shop.connectionUuid,
    direction: 'IN',
    cents: 10,
    reason: 'test',
    entryUuid: null,
    operatorEmail: ana,
  })
  const change = (set: string) => fixture.sql(`update ledger_adjustment set ${set} where uuid = ?`, [uuid])
  await expect(change('value_cents = 11')).rejects.toMatchObject({ constraint: 'ledger_adjustment_fixed' })
  const booked = `approved_at = now(), movement_uuid = (select uuid from movement limit 1)`
  await expect(change(`approved_by = proposed_by, ${booked}`)).rejects.toMatchObject({
    constraint: 'ledger_adjustment_second_person',
  })
  await expect(change('approved_by = proposed_by')).rejects.toMatchObject({ code: '23514' })
  await fixture.sql(`alter table ledger_adjustment disable trigger ledger_adjustment_fixed`)
  await change(`proposed_at = now() - interval '9 days', expires_at = now() - interval '2 days'`)
  await fixture.sql(`alter table ledger_adjustment enable trigger ledger_adjustment_fixed`)
  const [, bea] = await operators()
  await expect(
    approveAdjustment(fixture.orm, { uuid, operatorEmail: bea, reason: 'late', timeScale: 1 }),
  ).rejects.toThrow('expired')
  await expect(
    approveAdjustment(fixture.orm, { uuid, operatorEmail: 'somebody', reason: 'x', timeScale: 1 }),
  ).rejects.toThrow('is not an operator')
})

/** A charge of the merchant's that was issued and paid through its provider. */
async function paidCharge(
  { accountUuid, connectionUuid }: { accountUuid: string; connectionUuid: string },
  cents: number,
) {
  const uuid = randomUUID()
  const charge = {
    txid: referenceOf(uuid),
    payload: 'payload',
    pixKey: 'key',
    receiver: toParty({ name: 'Loja', document: '11222333000181' }),
    expiresAt: new Date(Date.now() + 60_000).toISOString(),
  } as IssuedCharge
  const payment = {
    endToEnd: endToEndId(),
    txid: charge.txid,
    reference: charge.txid,
    cents,
    status: 'settled',
    at: new Date().toISOString(),
    payer: null,
    pixKey: 'key',
  } as IncomingPix
  fixture.scriptProvider({
    issueCharge: async () => ({ kind: 'accepted', charge }),
    findCharge: async () => ({ kind: 'found', status: 'completed', charge, payments: [payment] }),
  })
  await fixture.providers.issueCharge({
    uuid,
    accountUuid,
    candidates: [connectionUuid],
    valueCents: cents,
    expiresInSeconds: 60,
    details: fixture.seal.seal({ splits: [], fingerprint: 'f' }),
    requestId: 'r',
    timeScale: 1,
  })
  await fixture.providers.pollCharge({ chargeUuid: uuid, isPayloadExpired: false })
  return { chargeUuid: uuid, endToEnd: payment.endToEnd }
}
