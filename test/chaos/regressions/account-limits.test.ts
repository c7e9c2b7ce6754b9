import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import {
  addLimitUsage,
  lockAccountLimits,
  updateAccountLimits,
} from '../../../src/db/repositories/account-limits.ts'
import { type AccountLimits, NO_LIMITS } from '../../../src/domain/limits/account-limits.ts'
import type { ProviderPayout, SendPayoutOutcome } from '../../../src/domain/providers/provider.ts'
import type { TransferInput } from '../../../src/workflows/contracts/transfers.ts'
import { keyDestination } from '../../support/transfer-destinations.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'
import { createPaidCharge, newEndToEndId } from '../support/money-fixture.ts'

/**
 * Limits of an account under concurrent orders: they are taken in the transaction of the hold, so that no two orders pass
 * together, and given back with it. The fixture's end fails where a transaction has taken locks out of order.
 */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

type Merchant = Awaited<ReturnType<typeof fixture.createMerchant>>

const setLimits = ({ accountUuid }: Pick<Merchant, 'accountUuid'>, limits: Partial<AccountLimits>) =>
  runInTransaction(fixture.orm, async em => {
    await lockAccountLimits(em, accountUuid)
    await updateAccountLimits(em, accountUuid, { limits: { ...NO_LIMITS, ...limits }, pending: null })
  })

async function limitedMerchant(cents: number, limits: Partial<AccountLimits>): Promise<Merchant> {
  const merchant = await fixture.createMerchant(cents)
  await setLimits(merchant, limits)
  return merchant
}

const answer = (outcome: Partial<ProviderPayout>, cents: number): SendPayoutOutcome => ({
  kind: 'accepted',
  payout: { status: 'settled', cents, endToEnd: newEndToEndId(), at: new Date().toISOString(), ...outcome },
})
const settles = (cents = 500) => ({ sendTransfer: async () => answer({}, cents) })
const refuses = {
  sendTransfer: async (): Promise<SendPayoutOutcome> => ({
    kind: 'rejected',
    code: 'receiver_closed',
    message: 'closed',
    finality: 'final',
  }),
}

/** Sends one order through its first connection, as its workflow does. */
async function send(order: TransferInput, connectionUuid = order.candidates[0]!) {
  const result = await fixture.providers.sendTransfer({
    uuid: order.uuid,
    connectionUuid,
    isResend: false,
    order,
  })
  if (result.kind === 'rejected' && result.finality === 'final')
    await fixture.records.failTransfer(order.uuid)
  return result
}

const usage = (accountUuid: string) =>
  fixture
    .sql<{ name: string; cents: string }>(
      'select name, sum(used_cents + late_cents) as cents from limit_usage where account_uuid = ? group by name',
      [accountUuid],
    )
    .then(rows => Object.fromEntries(rows.map(({ name, cents }) => [name, Number(cents)])))

const failureOf = async (uuid: string) =>
  (
    await fixture.sql<{ state: string; failure: object }>(
      'select state, failure from transfer where uuid = ?',
      [uuid],
    )
  )[0]

test('of 200 parallel orders at two provider accounts no more pass than the limit, and all that fit', async () => {
  fixture.scriptProvider({
    sendTransfer: async ({ cents }) => answer({ status: 'in_process' }, cents),
  })
  const merchant = await limitedMerchant(1_000_000, { perDayCents: 10_007, perReceiverPerDayCents: 5_003 })
  const other = await fixture.createConnection(merchant)
  await fixture.fund(other, 1_000_000)
  const orders = Array.from({ length: 200 }, (_, index) => {
    const connectionUuid = index % 2 === 0 ? merchant.connectionUuid : other
    const valueCents = 50 + (index % 7) * 30
    return fixture.transferInput(
      { ...merchant, connectionUuid },
      { valueCents },
      { destination: keyDestination(`r${index % 3}@example.com`) },
    )
  })
  await Promise.all(orders.map(order => send(order)))
  const rows = await fixture.sql<{ pix_key: string; cents: string; largest: string }>(
    `select pix_key, sum(value_cents) as cents, max(value_cents) as largest from transfer
     where account_uuid = ? and state = 'settling' group by pix_key`,
    [merchant.accountUuid],
  )
  const total = rows.reduce((sum, { cents }) => sum + Number(cents), 0)
  expect(total).toBeLessThanOrEqual(10_007)
  expect(total).toBeGreaterThan(10_007 - 230)
  for (const { cents } of rows) expect(Number(cents)).toBeLessThanOrEqual(5_003)
  expect(await usage(merchant.accountUuid)).toMatchObject({ day: total, receiver_day: total })
  const refused = await fixture.sql<{ code: string; limit: string; held: string }>(
    `select distinct failure ->> 'code' as code, held_cents as held, limit_windows is null as free from transfer
     where account_uuid = ? and state <> 'settling'`,
    [merchant.accountUuid],
  )
  expect(refused).toEqual([{ code: 'over_limit', held: '0', free: true }])
})

test('a transfer above the day is FAILED with what is left and when it resets, and no provider is called', async () => {
  let calls = 0
  fixture.scriptProvider({
    sendTransfer: async () => {
      calls += 1
      return answer({}, 500)
    },
  })
  const merchant = await limitedMerchant(10_000, { perDayCents: 800 })
  await send(fixture.transferInput(merchant))
  const order = fixture.transferInput(merchant, {}, { destination: keyDestination('b@example.com') })
  expect(await send(order)).toMatchObject({ kind: 'rejected', code: 'over_limit', finality: 'final' })
  const tomorrow = new Date(Date.now() - 3 * 3_600_000 + 86_400_000).toISOString().slice(0, 10)
  expect(await failureOf(order.uuid)).toEqual({
    state: 'failed',
    failure: {
      code: 'over_limit',
      message: expect.any(String),
      exceeded: { limit: 'per_day', left_cents: 300, resets_at: `${tomorrow}T03:00:00.000000Z` },
    },
  })
  expect(calls).toBe(1)
  expect(await usage(merchant.accountUuid)).toEqual({
    day: 500,
    receiver_day: 500,
    ...(await nightOf(merchant)),
  })
})

/** The night's counter, where the test runs at night. */
async function nightOf({ accountUuid }: Merchant) {
  const { night } = await usage(accountUuid)
  return night === undefined ? {} : { night }
}

test('a failed transfer gives its room back with its hold, a settled one keeps it, returned or not', async () => {
  const merchant = await limitedMerchant(10_000, { perDayCents: 500 })
  fixture.scriptProvider(refuses)
  await send(fixture.transferInput(merchant))
  expect((await usage(merchant.accountUuid)).day).toBe(0)
  fixture.scriptProvider({
    sendTransfer: async () =>
      answer({ returns: [{ id: 'D1', cents: 500, at: new Date().toISOString() }] as never }, 500),
  })
  const order = fixture.transferInput(merchant, {}, { destination: keyDestination('b@example.com') })
  expect(await send(order)).toMatchObject({ kind: 'settled' })
  expect((await failureOf(order.uuid))?.state).toBe('refunded')
  expect((await usage(merchant.accountUuid)).day).toBe(500)
  expect(await send(fixture.transferInput(merchant, { valueCents: 1 }))).toMatchObject({ code: 'over_limit' })
})

test('a transfer that falls back to another provider takes its room once', async () => {
  const merchant = await limitedMerchant(10_000, { perDayCents: 500 })
  const other = await fixture.createConnection(merchant)
  await fixture.fund(other, 1_000)
  const order = fixture.transferInput(merchant, { candidates: [merchant.connectionUuid, other] })
  fixture.scriptProvider({
    sendTransfer: async () => ({
      kind: 'rejected',
      code: 'provider_account_blocked',
      message: '',
      finality: 'other_may_help',
    }),
  })
  expect(await send(order)).toMatchObject({ kind: 'rejected', finality: 'other_may_help' })
  fixture.scriptProvider(settles())
  expect(await send(order, other)).toMatchObject({ kind: 'settled' })
  expect((await usage(merchant.accountUuid)).day).toBe(500)
})

test('a transfer that settles after it had failed takes room that nobody asked for', async () => {
  const merchant = await limitedMerchant(10_000, { perDayCents: 700 })
  fixture.scriptProvider(refuses)
  const order = fixture.transferInput(merchant)
  await send(order)
  fixture.scriptProvider({
    findTransfer: async () => ({
      kind: 'found',
      payout: { status: 'settled', cents: 500, endToEnd: newEndToEndId(), at: new Date().toISOString() },
    }),
  })
  const { uuid } = order
  await fixture.providers.pollTransfer({ uuid, connectionUuid: merchant.connectionUuid, pollCount: 1 })
  expect((await failureOf(uuid))?.state).toBe('paid')
  const [day] = await fixture.sql<{ used_cents: string; late_cents: string }>(
    `select used_cents, late_cents from limit_usage where account_uuid = ? and name = 'day'`,
    [merchant.accountUuid],
  )
  expect(day).toEqual({ used_cents: '0', late_cents: '500' })
  expect(await send(fixture.transferInput(merchant, { valueCents: 201 }))).toMatchObject({
    code: 'over_limit',
  })
})

test('a scheduled transfer counts when it is sent, and is checked again then', async () => {
  fixture.scriptProvider(settles())
  const merchant = await limitedMerchant(10_000, { perDayCents: 900 })
  const scheduledFor = new Date(Date.now() + 86_400_000).toISOString()
  const order = fixture.transferInput(merchant, { scheduledFor })
  await fixture.records.storeTransfer(order)
  expect(await usage(merchant.accountUuid)).toEqual({})
  await send(fixture.transferInput(merchant, {}, { destination: keyDestination('b@example.com') }))
  expect(await send(order)).toMatchObject({ kind: 'rejected', code: 'over_limit' })
  expect((await failureOf(order.uuid))?.state).toBe('failed')
})

test('a refund counts per day only, gives its room back where it fails, and takes room where it settles late', async () => {
  const merchant = await fixture.createMerchant(10_000)
  const chargeUuid = await createPaidCharge(fixture, merchant)
  await setLimits(merchant, { perDayCents: 700, perTransferCents: 1, perReceiverPerDayCents: 1 })
  const open = async (valueCents: number) => {
    const uuid = randomUUID()
    const order = { uuid, chargeUuid, ...merchant, valueCents }
    await fixture.records.openRefund({ ...order, fingerprint: 'f', requestId: 'r', timeScale: 1 })
    return uuid
  }
  const readRefund = async (uuid: string) =>
    (await fixture.sql<object>('select state, failure from refund where uuid = ?', [uuid]))[0]
  const key = (uuid: string) => ({ uuid, connectionUuid: merchant.connectionUuid })
  expect(await readRefund(await open(701))).toMatchObject({
    state: 'failed',
    failure: { code: 'over_limit', exceeded: { limit: 'per_day', left_cents: 700 } },
  })
  const failed = await open(600)
  expect(await usage(merchant.accountUuid)).toEqual({ day: 600 })
  fixture.scriptProvider({
    refund: async () => ({ kind: 'rejected', code: 'no', message: 'no', finality: 'final' }),
  })
  await fixture.providers.sendRefund({ ...key(failed), isResend: false })
  expect([await readRefund(failed), await usage(merchant.accountUuid)]).toMatchObject([
    { state: 'failed' },
    { day: 0 },
  ])
  const kept = await open(700)
  expect(await readRefund(kept)).toMatchObject({ state: 'sending' })
  const at = new Date().toISOString()
  const payout: ProviderPayout = { status: 'settled', cents: 600, endToEnd: newEndToEndId(), at }
  fixture.scriptProvider({ findRefund: async () => ({ kind: 'found', payout }) })
  await fixture.providers.pollRefund({ ...key(failed), pollCount: 1 })
  expect(await readRefund(failed)).toMatchObject({ state: 'settled' })
  expect(await usage(merchant.accountUuid)).toEqual({ day: 1_300 })
  expect(await send(fixture.transferInput(merchant, { valueCents: 1 }))).toMatchObject({ code: 'over_limit' })
})

test('a transfer that its history says was accepted is rebuilt above a limit, and takes room', async () => {
  const merchant = await limitedMerchant(10_000, { perTransferCents: 499, perDayCents: 900 })
  const order = fixture.transferInput(merchant)
  const restored = { orderedAt: new Date().toISOString(), acceptedByUuid: merchant.connectionUuid }
  await fixture.providers.rebuildOperation({ noun: 'transfer', order, restored })
  const [row] = await fixture.sql('select held_cents, limit_windows from transfer where uuid = ?', [
    order.uuid,
  ])
  expect(row).toEqual({ held_cents: '500', limit_windows: null })
  expect(await usage(merchant.accountUuid)).toMatchObject({ day: 500, receiver_day: 500 })
  expect(await send(fixture.transferInput(merchant, { valueCents: 401 }))).toMatchObject({
    code: 'over_limit',
  })
})

test('a limit that is lowered binds the next order, and one that is raised does when its time has come', async () => {
  fixture.scriptProvider(settles())
  const merchant = await limitedMerchant(10_000, { perTransferCents: 499 })
  expect(await send(fixture.transferInput(merchant))).toMatchObject({ code: 'over_limit' })
  const limits = { ...NO_LIMITS, perTransferCents: 499 }
  const pend = (effectiveAt: Date) =>
    runInTransaction(fixture.orm, em =>
      updateAccountLimits(em, merchant.accountUuid, { limits, pending: { limits: NO_LIMITS, effectiveAt } }),
    )
  await pend(new Date(Date.now() + 60_000))
  expect(await send(fixture.transferInput(merchant))).toMatchObject({ code: 'over_limit' })
  await pend(new Date(Date.now() - 60_000))
  expect(await send(fixture.transferInput(merchant))).toMatchObject({ kind: 'settled' })
})

test('a new receiver gets no more than its value until its time since the first settlement has passed', async () => {
  fixture.scriptProvider(settles())
  const trusted = 'trusted@example.com'
  const merchant = await limitedMerchant(100_000, {
    newReceiver: { valueCents: 700, hours: 24 },
    trustedReceivers: [{ pixKey: trusted }],
  })
  const pay = (pixKey: string) =>
    send(fixture.transferInput(merchant, {}, { destination: keyDestination(pixKey) }))
  expect(await pay('new@example.com')).toMatchObject({ kind: 'settled' })
  expect(await pay('new@example.com')).toMatchObject({ code: 'over_limit' })
  for (const _ of [1, 2]) expect(await pay(trusted)).toMatchObject({ kind: 'settled' })
  await fixture.sql(
    `update transfer set settled_at = now() - interval '24 hours' where account_uuid = ? and pix_key = 'new@example.com' and state = 'paid'`,
    [merchant.accountUuid],
  )
  for (const _ of [1, 2]) expect(await pay('new@example.com')).toMatchObject({ kind: 'settled' })
})

test('only allowed receivers are paid, by key or by a document that the provider checks', async () => {
  fixture.scriptProvider(settles())
  const merchant = await limitedMerchant(100_000, {
    allowedReceiversOnly: true,
    trustedReceivers: [{ pixKey: 'a@example.com' }, { document: '11222333000181' }],
  })
  const pay = async (pixKey: string, document?: string) => {
    const order = fixture.transferInput(merchant, {}, { destination: keyDestination(pixKey, document) })
    await send(order)
    return (await failureOf(order.uuid))?.state
  }
  expect(await pay('a@example.com')).toBe('paid')
  expect(await pay('11222333000181')).toBe('paid')
  expect(await pay('b@example.com', '11222333000181')).toBe('paid')
  expect(await pay('b@example.com')).toBe('failed')
  expect(await pay('b@example.com', '52998224725')).toBe('failed')
})

test('of parallel orders of one value to one receiver the guard lets one through, unless the caller insists', async () => {
  fixture.scriptProvider({ sendTransfer: async ({ cents }) => answer({ status: 'in_process' }, cents) })
  const merchant = await limitedMerchant(100_000, { duplicateGuardSeconds: 60 })
  const orders = Array.from({ length: 10 }, () => fixture.transferInput(merchant))
  await Promise.all(orders.map(order => send(order)))
  const states = await fixture.sql<{ uuid: string; state: string; duplicate_of: string | null }>(
    `select uuid, state, failure ->> 'duplicate_of' as duplicate_of from transfer where account_uuid = ?`,
    [merchant.accountUuid],
  )
  const sent = states.filter(({ state }) => state === 'settling')
  expect(sent).toHaveLength(1)
  for (const { state, duplicate_of } of states.filter(one => one !== sent[0]))
    expect([state, duplicate_of]).toEqual(['failed', sent[0]!.uuid])
  const meant = fixture.transferInput(merchant, {}, { allowDuplicate: true })
  expect(await send(meant)).toMatchObject({ kind: 'in_process' })
  const another = fixture.transferInput(merchant, { valueCents: 501 })
  expect(await send(another)).toMatchObject({ kind: 'in_process' })
})

test('PostgreSQL refuses what would exceed the limit in force, whatever the code decides', async () => {
  fixture.scriptProvider(settles())
  const merchant = await limitedMerchant(10_000, { perDayCents: 600, perTransferCents: 550 })
  const order = fixture.transferInput(merchant)
  await send(order)
  const owner = { accountUuid: merchant.accountUuid, isSimulated: true }
  const [row] = await fixture.sql<{ limit_windows: never[] }>(
    'select limit_windows from transfer where uuid = ?',
    [order.uuid],
  )
  const add = (usedCents: number) =>
    runInTransaction(fixture.orm, em => addLimitUsage(em, owner, { windows: row!.limit_windows, usedCents }))
  await add(100)
  await expect(add(1)).rejects.toThrow('would exceed its limit')
  await setLimits(merchant, { perDayCents: 50, perTransferCents: 550 })
  await add(-600) // Room is given back though the limit was lowered meanwhile.
  const insert = (valueCents: number, key: string) =>
    fixture.sql(
      `insert into transfer (uuid, account_uuid, connection_uuid, provider_account_uuid, state, value_cents, pix_key,
         limit_windows, request_id, fingerprint, created_at, updated_at)
       select ?, account_uuid, connection_uuid, provider_account_uuid, 'sending', ?, ?, '[]', 'r', 'f', now(), now()
       from transfer where uuid = ?`,
      [randomUUID(), valueCents, key, order.uuid],
    )
  await insert(550, 'a@example.com')
  await expect(insert(551, 'a@example.com')).rejects.toThrow('would exceed a limit')
  await setLimits(merchant, { allowedReceiversOnly: true, trustedReceivers: [{ pixKey: 'a@example.com' }] })
  await insert(551, 'a@example.com')
  await expect(insert(551, 'b@example.com')).rejects.toThrow('would exceed a limit')
})
