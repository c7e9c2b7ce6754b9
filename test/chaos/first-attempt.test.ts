import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { EntityManager } from '../../src/db/client/orm.ts'
import { runInTransaction } from '../../src/db/client/transaction.ts'
import { lockConnection } from '../../src/db/locks.ts'
import type { ProviderPayout } from '../../src/domain/providers/provider.ts'
import type { TransferInput } from '../../src/workflows/contracts/transfers.ts'
import { readEventBodies } from '../support/event-bodies.ts'
import { openActivityFixture } from './support/activity-fixture.ts'
import { slowDownCommits } from './support/slow-commit.ts'

/** A transfer's row is created with its first attempt, before its provider is called, by whichever worker runs first. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
let calls = 0
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())
beforeEach(() => {
  calls = 0
  fixture.scriptProvider({
    sendTransfer: async () => {
      calls++
      return { kind: 'accepted', payout: accepted }
    },
  })
})

const accepted: ProviderPayout = {
  status: 'in_process',
  cents: 500,
  endToEnd: `E${'2'.repeat(31)}`,
  at: '2026-11-22T12:00:00Z',
}
const A_MINUTE = 60_000

const rows = (uuid: string) =>
  fixture.sql(
    `select t.state, t.held_cents, a.state as attempt from transfer t
     left join attempt a on a.subject_uuid = t.uuid where t.uuid = ?`,
    [uuid],
  )
const sent = (order: TransferInput) =>
  fixture.providers.sendTransfer({
    uuid: order.uuid,
    connectionUuid: order.candidates[0]!,
    isResend: false,
    order,
  })

test('the first attempt creates the transfer’s row, holds the money and calls the provider', async () => {
  const merchant = await fixture.createMerchant(1_000)
  const order = fixture.transferInput(merchant)
  expect(await sent(order)).toEqual({ kind: 'in_process' })
  expect(await rows(order.uuid)).toMatchObject([{ state: 'settling', attempt: 'accepted' }])
  expect(await fixture.readBalances(merchant.accountUuid)).toEqual({
    available: 1_000 - order.valueCents,
    provisioned: order.valueCents,
    outside: -1_000,
  })
  expect(calls).toBe(1)
})

test('the row committed before the call remains, whatever becomes of the call', async () => {
  const order = fixture.transferInput(await fixture.createMerchant(1_000))
  fixture.scriptProvider({
    sendTransfer: async () => {
      expect(await rows(order.uuid)).toMatchObject([{ state: 'sending', attempt: 'calling' }])
      throw new Error('killed')
    },
  })
  await expect(sent(order)).rejects.toThrow('killed')
  expect(await sent(order)).toEqual({ kind: 'unknown', code: 'interrupted' })
  expect(await rows(order.uuid)).toHaveLength(1)
})

test('of several concurrent attempts one calls the provider, and a repeat does not', async () => {
  const order = fixture.transferInput(await fixture.createMerchant(1_000))
  await Promise.allSettled([sent(order), sent(order), sent(order)])
  expect(calls).toBe(1)
  // A sent payout is only polled, and an accepted one is known to be in progress.
  expect(await sent(order)).toEqual({ kind: 'in_process' })
  expect(calls).toBe(1)
  expect(await rows(order.uuid)).toMatchObject([{ state: 'settling', attempt: 'accepted' }])
})

test('too little balance is stored as the refusal, and no provider is called', async () => {
  const merchant = await fixture.createMerchant(1)
  const order = fixture.transferInput(merchant)
  expect(await sent(order)).toMatchObject({ kind: 'rejected', code: 'insufficient_balance' })
  expect(await rows(order.uuid)).toMatchObject([{ state: 'sending', attempt: 'rejected' }])
  expect(await fixture.readBalances(merchant.accountUuid)).toMatchObject({ available: 1 })
  expect(calls).toBe(0)
})

describe('no provider is called', () => {
  test('for a transfer past its acceptance deadline: it is FAILED from the start, and answers so again', async () => {
    const late = new Date(Date.now() - A_MINUTE).toISOString()
    const order = fixture.transferInput(await fixture.createMerchant(1_000), { acceptBefore: late })
    for (let run = 0; run < 2; run++)
      expect(await sent(order)).toMatchObject({ kind: 'rejected', code: 'not_started', finality: 'final' })
    expect(await rows(order.uuid)).toEqual([{ state: 'failed', held_cents: '0', attempt: null }])
    expect(await readEventBodies(fixture.sql, 'subject_uuid = ?', [order.uuid])).toMatchObject([
      { status: 'FAILED', error: { code: 'not_started' } },
    ])
    expect(calls).toBe(0)
  })

  test('for a transfer that reaches its deadline while it waits for its connection’s lock', async () => {
    const merchant = await fixture.createMerchant(1_000)
    const order = fixture.transferInput(merchant, { acceptBefore: new Date(Date.now() + 500).toISOString() })
    const { over } = await holdLock(em => lockConnection(em, merchant.connectionUuid))
    expect(await sent(order)).toMatchObject({ kind: 'rejected', code: 'not_started', finality: 'final' })
    await over
    expect(await rows(order.uuid)).toEqual([{ state: 'failed', held_cents: '0', attempt: null }])
    expect(calls).toBe(0)
  })

  test('for a transfer that reaches its deadline while it waits for its balance’s lock', async () => {
    const merchant = await fixture.createMerchant(1_000)
    const order = fixture.transferInput(merchant, { acceptBefore: new Date(Date.now() + 500).toISOString() })
    const lock = 'select from balance where account_uuid = ? for update'
    const { over } = await holdLock(em => em.execute(lock, [merchant.accountUuid]))
    expect(await sent(order)).toMatchObject({ kind: 'rejected', code: 'not_started', finality: 'final' })
    await over
    expect(await rows(order.uuid)).toEqual([{ state: 'failed', held_cents: '0', attempt: null }])
    expect(calls).toBe(0)
  })

  test('for a transfer that reaches its deadline while it waits for its reference’s lock', async () => {
    const merchant = await fixture.createMerchant(1_000)
    await fixture.sql('update account set unique_external_ref = true where uuid = ?', [merchant.accountUuid])
    const lock = 'select from account where uuid = ? for no key update'
    const { over } = await holdLock(em => em.execute(lock, [merchant.accountUuid]), 5_000)
    // It starts in time even where the machine stands still for a moment.
    const acceptBefore = new Date(Date.now() + 4_000).toISOString()
    const order = fixture.transferInput(merchant, { acceptBefore }, { externalRef: 'invoice 8' })
    expect(await sent(order)).toMatchObject({ kind: 'rejected', code: 'not_started', finality: 'final' })
    await over
    expect(await fixture.sql('select state from transfer where uuid = ?', [order.uuid])).toEqual([
      { state: 'failed' },
    ])
    expect(calls).toBe(0)
  })

  test('for a transfer whose commit ends after its caller was answered that it was not accepted', async () => {
    const slow = await slowDownCommits(fixture, 'transfer', 5)
    const merchant = await fixture.createMerchant(1_000)
    const order = fixture.transferInput(merchant, {
      acceptBefore: new Date(Date.now() + 4_000).toISOString(),
    })
    expect(await sent(order)).toMatchObject({ kind: 'rejected', code: 'not_started', finality: 'final' })
    await slow.end()
    expect(await fixture.records.failTransfer(order.uuid)).toMatchObject({ state: 'failed' })
    expect(await rows(order.uuid)).toEqual([{ state: 'failed', held_cents: '0', attempt: 'rejected' }])
    expect(await fixture.readBalances(merchant.accountUuid)).toMatchObject({ available: 1_000 })
    expect(calls).toBe(0)
  })

  test('before the repeat for a transfer whose commit ends late, and which the API then confirms: it is sent once', async () => {
    const confirm = 'update transfer set accept_before = null where uuid = new.uuid'
    const slow = await slowDownCommits(fixture, 'transfer', 5, confirm)
    const merchant = await fixture.createMerchant(1_000)
    const order = fixture.transferInput(merchant, {
      acceptBefore: new Date(Date.now() + 4_000).toISOString(),
    })
    expect(await sent(order)).toEqual({ kind: 'not_connected' })
    await slow.end()
    expect(await rows(order.uuid)).toMatchObject([{ state: 'sending', attempt: 'calling' }])
    expect(calls).toBe(0)
    expect(await sent(order)).toEqual({ kind: 'in_process' })
    expect(await sent(order)).toEqual({ kind: 'in_process' })
    expect(calls).toBe(1)
  })

  test('for a scheduled transfer that was stored after its deadline', async () => {
    const slow = await slowDownCommits(fixture, 'transfer', 2)
    const order = fixture.transferInput(await fixture.createMerchant(1_000), {
      acceptBefore: new Date(Date.now() + 1_500).toISOString(),
      scheduledFor: new Date(Date.now() + A_MINUTE).toISOString(),
    })
    expect(await fixture.records.storeTransfer(order)).toMatchObject({ state: 'failed' })
    await slow.end()
    expect(await rows(order.uuid)).toEqual([{ state: 'failed', held_cents: '0', attempt: null }])
    expect(await readEventBodies(fixture.sql, 'subject_uuid = ?', [order.uuid])).toMatchObject([
      { status: 'FAILED', error: { code: 'not_started' } },
    ])
  })

  test('for the second of two transfers with one reference, where the account requires unique references', async () => {
    const merchant = await fixture.createMerchant(1_000)
    await fixture.sql('update account set unique_external_ref = true where uuid = ?', [merchant.accountUuid])
    const orders = [1, 2].map(() => fixture.transferInput(merchant, {}, { externalRef: 'invoice 7' }))
    const kinds = await Promise.all(orders.map(order => sent(order).then(({ kind }) => kind)))
    expect(kinds.toSorted()).toEqual(['in_process', 'rejected'])
    expect(calls).toBe(1)
  })

  test('for a transfer whose workflow has ended', async () => {
    const merchant = await fixture.createMerchant(1_000)
    const scheduledFor = new Date(Date.now() + A_MINUTE).toISOString()
    const order = fixture.transferInput(merchant, { scheduledFor })
    await fixture.records.storeTransfer(order)
    await fixture.records.endScheduledTransfer({ uuid: order.uuid, event: 'cancelled' })
    expect(await sent(order)).toMatchObject({ kind: 'rejected', code: 'cancelled', finality: 'final' })
    expect(await rows(order.uuid)).toEqual([{ state: 'cancelled', held_cents: '0', attempt: null }])
    expect(calls).toBe(0)
  })
})

/** Holds a lock in another transaction for a time from now; resolves when it is released. */
async function holdLock(
  lock: (em: EntityManager) => Promise<unknown>,
  forMs = 1_000,
): Promise<{ over: Promise<void> }> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const over = runInTransaction(fixture.orm, async em => {
    await lock(em)
    resolve()
    await sleep(forMs)
  })
  await promise
  return { over }
}
