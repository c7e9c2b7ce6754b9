import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { reconcile } from '../../../src/activities/reconciliation/reconcile.ts'
import { postOpeningBalance } from '../../../src/admin/connections.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { referenceOf } from '../../../src/domain/pix/identifiers.ts'
import type {
  PayoutReturn,
  ProviderPayout,
  SendPayoutOutcome,
  StatementEntry,
} from '../../../src/domain/providers/provider.ts'
import type { TransferInput } from '../../../src/workflows/contracts/transfers.ts'
import { sendThroughCandidates, type TerminalOutcome } from '../../../src/workflows/payouts/candidates.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'
import { createPaidCharge, createUnmatchedPayment } from '../support/money-fixture.ts'

describe('settled after failure', () => {
  /** Payouts that were called FAILED, and whose money left the provider all the same. */

  let fixture: Awaited<ReturnType<typeof openActivityFixture>>
  beforeAll(async () => {
    fixture = await openActivityFixture()
  })
  afterAll(() => fixture?.close())

  const REFUSED = { kind: 'rejected', finality: 'final', code: 'no', message: 'no' } as const
  const railId = (letter: 'E' | 'D') => `${letter}${randomUUID().replaceAll('-', '').slice(1)}`
  const ago = (ms: number) => new Date(Date.now() - ms).toISOString()
  const MINUTE_MS = 60_000

  type Merchant = { accountUuid: string; connectionUuid: string }
  /** Each creates a payout that its provider refused; `read` reads its state and that of its attempt. */
  const PAYOUTS = {
    async transfer(merchant: Merchant) {
      const order = fixture.transferInput(merchant, { valueCents: 1_000 })
      const key = { uuid: order.uuid, connectionUuid: merchant.connectionUuid }
      await fixture.records.storeTransfer(order)
      fixture.scriptProvider({ sendTransfer: async () => REFUSED })
      await fixture.providers.sendTransfer({ ...key, isResend: false })
      expect(await fixture.records.failTransfer(order.uuid)).toMatchObject({ state: 'failed' })
      return { uuid: order.uuid, sql: 'select state from transfer where uuid = ?', settled: 'paid' }
    },
    async refund(merchant: Merchant) {
      const chargeUuid = await createPaidCharge(fixture, merchant)
      const order = { uuid: randomUUID(), chargeUuid, ...merchant, valueCents: 1_000 }
      await fixture.records.openRefund({ ...order, fingerprint: 'f', requestId: 'r', timeScale: 1 })
      fixture.scriptProvider({ refund: async () => REFUSED })
      const key = { uuid: order.uuid, connectionUuid: merchant.connectionUuid }
      await fixture.providers.sendRefund({ ...key, isResend: false })
      return { uuid: order.uuid, sql: 'select state from refund where uuid = ?', settled: 'settled' }
    },
    async return(merchant: Merchant) {
      const uuid = await createUnmatchedPayment(fixture, merchant)
      fixture.scriptProvider({ refund: async () => REFUSED })
      const key = { uuid, connectionUuid: merchant.connectionUuid }
      await fixture.providers.sendReturn({ ...key, isResend: false })
      return { uuid, sql: 'select disposition as state from movement where uuid = ?', settled: 'returned' }
    },
  }

  async function compare(connectionUuid: string, entries: StatementEntry[]) {
    const [row] = await fixture.sql<{ uuid: string }>(
      'select provider_account_uuid as uuid from connection where uuid = ?',
      [connectionUuid],
    )
    fixture.scriptProvider({
      listDisputes: async () => ({ kind: 'found', disputes: [] }),
      statement: async () => ({ kind: 'found', entries }),
    })
    const period = { from: ago(48 * 60 * MINUTE_MS), to: new Date().toISOString() }
    return reconcile(fixture.dependencies)({ providerAccountUuid: row!.uuid, ...period })
  }

  const movementsOf = (endToEnd: string) =>
    fixture.sql('select status, reason from movement where end_to_end = ?', [endToEnd])

  describe.each(Object.entries(PAYOUTS))(
    'a failed %s whose money the statement lists as gone',
    (noun, create) => {
      const entryOf = (uuid: string, changes: Partial<StatementEntry> = {}): StatementEntry => ({
        endToEnd: railId(noun === 'transfer' ? 'E' : 'D'),
        reference: referenceOf(uuid),
        direction: 'OUT',
        cents: 1_000,
        at: ago(10 * MINUTE_MS),
        ...changes,
      })

      test('settles late, is booked once, and is shown to the operator', async () => {
        const merchant = await fixture.createMerchant(1_000)
        const payout = await create(merchant)
        const before = await fixture.readBalances(merchant.accountUuid)
        const entry = entryOf(payout.uuid)
        expect(await compare(merchant.connectionUuid, [entry])).toMatchObject({ differences: 0, repaired: 1 })
        expect(await fixture.sql(payout.sql, [payout.uuid])).toEqual([{ state: payout.settled }])
        expect(await movementsOf(entry.endToEnd)).toEqual([{ status: 'SETTLED', reason: 'late_settlement' }])
        const after = await fixture.readBalances(merchant.accountUuid)
        expect(after.outside ?? 0).toBe((before.outside ?? 0) + 1_000)
        // A later comparison finds both in agreement.
        expect(await compare(merchant.connectionUuid, [entry])).toMatchObject({ differences: 0, matched: 1 })
        expect(await fixture.readBalances(merchant.accountUuid)).toEqual(after)
      })

      test('is announced by the next sweep of deliveries, because its workflow has ended', async () => {
        const merchant = await fixture.createMerchant(1_000)
        const payout = await create(merchant)
        await fixture.sql(
          `insert into webhook (uuid, account_uuid, url, sealed_secret, masked_secret, events, fingerprint, created_at)
         values (?, ?, 'https://example.com', ?, 'whsec_…', array['PIX_TRANSACTION'], 'f', now())`,
          [randomUUID(), merchant.accountUuid, fixture.seal.seal('whsec_x')],
        )
        await compare(merchant.connectionUuid, [entryOf(payout.uuid)])
        const deliveries = await fixture.sql(
          `select d.sweep_at <= now() as due from delivery d join event e on e.uuid = d.event_uuid where e.account_uuid = ?`,
          [merchant.accountUuid],
        )
        expect(deliveries).toEqual([{ due: true }])
      })

      test('is a contradiction where the statement lists another value', async () => {
        const merchant = await fixture.createMerchant(1_000)
        const payout = await create(merchant)
        const before = await fixture.readBalances(merchant.accountUuid)
        await compare(merchant.connectionUuid, [entryOf(payout.uuid, { cents: 1 })])
        expect(await fixture.sql(payout.sql, [payout.uuid])).not.toEqual([{ state: payout.settled }])
        const contradictions =
          'select contradiction_code as code from attempt where subject_uuid = ? and operation = ?'
        expect(await fixture.sql(contradictions, [payout.uuid, noun])).toEqual([{ code: 'value_differs' }])
        expect(await fixture.readBalances(merchant.accountUuid)).toEqual(before)
      })
    },
  )

  test('a PIX that was booked as one of the panel becomes the movement of the failed transfer that it was', async () => {
    const merchant = await fixture.createMerchant(2_000)
    const transfer = await PAYOUTS.transfer(merchant)
    const entry: StatementEntry = {
      endToEnd: railId('E'),
      reference: null,
      direction: 'OUT',
      cents: 1_000,
      at: ago(25 * 60 * MINUTE_MS),
    }
    await compare(merchant.connectionUuid, [entry]) // Leaves it to a workflow first.
    expect(await compare(merchant.connectionUuid, [entry])).toMatchObject({ booked: 1 })
    const booked = await fixture.readBalances(merchant.accountUuid)
    expect(booked).toEqual({ available: 1_000, outside: -1_000 })
    fixture.scriptProvider({
      findTransfer: async () => ({
        kind: 'found',
        payout: { status: 'settled', cents: 1_000, endToEnd: entry.endToEnd, at: entry.at, returns: [] },
      }),
    })
    const key = { uuid: transfer.uuid, connectionUuid: merchant.connectionUuid }
    expect(await fixture.providers.pollTransfer({ ...key, pollCount: 1 })).toMatchObject({ kind: 'settled' })
    expect(await fixture.sql(transfer.sql, [transfer.uuid])).toEqual([{ state: 'paid' }])
    expect(await movementsOf(entry.endToEnd)).toEqual([{ status: 'SETTLED', reason: 'late_settlement' }])
    expect(await fixture.readBalances(merchant.accountUuid)).toEqual(booked)
  })
})

describe('scheduled transfers', () => {
  /** Whether a scheduled transfer is tried again later is decided by what its activity may do then. */

  let fixture: Awaited<ReturnType<typeof openActivityFixture>>
  let merchant: { accountUuid: string; connectionUuid: string }
  let order: TransferInput
  let calls: number
  beforeAll(async () => {
    fixture = await openActivityFixture()
  })
  beforeEach(async () => {
    merchant = await fixture.createMerchant(1_000)
    order = fixture.transferInput(merchant, { scheduledFor: new Date(Date.now() + 60_000).toISOString() })
    await fixture.records.storeTransfer(order)
    calls = 0
  })
  afterAll(() => fixture?.close())

  const unreachable: SendPayoutOutcome = { kind: 'unreachable', code: 'dns_failed', message: 'no such host' }
  const inProcess: SendPayoutOutcome = {
    kind: 'accepted',
    payout: { status: 'in_process', cents: 500, endToEnd: `E${'5'.repeat(31)}`, at: null },
  }
  const refusedByBank: SendPayoutOutcome = {
    kind: 'rejected',
    finality: 'other_may_help',
    code: 'insufficient_balance',
    message: 'no funds at the bank',
  }

  function answers(outcome: SendPayoutOutcome): void {
    fixture.scriptProvider({
      async sendTransfer() {
        calls++
        return outcome
      },
    })
  }
  const send = (connectionUuid: string, { uuid }: { uuid: string } = order) =>
    fixture.providers.sendTransfer({ uuid, connectionUuid, isResend: false })
  const tryCandidates = (candidates = order.candidates) =>
    sendThroughCandidates(candidates, async connectionUuid => (await send(connectionUuid)) as TerminalOutcome)

  test('its only provider refused it for too little balance there: it is not tried again, and fails', async () => {
    answers(refusedByBank)
    for (let round = 0; round < 2; round++)
      expect(await tryCandidates()).toMatchObject({ last: { kind: 'rejected' }, retryLater: false })
    expect(calls).toBe(1)
    expect(await fixture.records.failTransfer(order.uuid)).toMatchObject({ state: 'failed' })
    expect(await fixture.sql('select failure from transfer where uuid = ?', [order.uuid])).toMatchObject([
      { failure: { code: 'insufficient_balance' } },
    ])
  })

  test('one provider refused it and another was unreachable: only that one is called again', async () => {
    const candidates = [merchant.connectionUuid, await fixture.createConnection(merchant)]
    const connection = await fixture.orm.em.fork().findOneOrFail(Connection, candidates[1]!)
    await postOpeningBalance(fixture.orm.em.fork(), connection, 1_000)
    answers(refusedByBank)
    await send(candidates[0]!)
    answers(unreachable)
    expect(await tryCandidates(candidates)).toMatchObject({ last: { kind: 'unreachable' }, retryLater: true })
    answers(inProcess)
    expect(await tryCandidates(candidates)).toMatchObject({ last: { kind: 'in_process' } })
    expect(calls).toBe(3)
  })

  test('its provider was unreachable, and the available balance is too low later: it is sent once it suffices', async () => {
    answers(unreachable)
    expect(await tryCandidates()).toMatchObject({ last: { kind: 'unreachable' }, retryLater: true })
    answers(inProcess)
    const other = fixture.transferInput(merchant, { valueCents: 1_000 })
    await fixture.records.storeTransfer(other)
    await send(merchant.connectionUuid, other)
    calls = 0
    for (let round = 0; round < 2; round++)
      expect(await tryCandidates()).toMatchObject({
        last: { kind: 'rejected', code: 'insufficient_balance' },
        retryLater: true,
      })
    expect(calls).toBe(0)
    const connection = await fixture.orm.em.fork().findOneOrFail(Connection, merchant.connectionUuid)
    await postOpeningBalance(fixture.orm.em.fork(), connection, 1_000)
    expect(await tryCandidates()).toMatchObject({ last: { kind: 'in_process' } })
    expect(calls).toBe(1)
  })
})

describe('return identity', () => {
  /** A return is identified by what it returns and the provider's id of it; its rail id may come later. */

  let fixture: Awaited<ReturnType<typeof openActivityFixture>>
  beforeAll(async () => {
    fixture = await openActivityFixture()
  })
  afterAll(() => fixture?.close())

  const AT = '2026-11-21T12:00:00Z'
  const railId = (letter: string) => letter + randomBytes(16).toString('hex').slice(0, 31)
  const returned = (one: Partial<PayoutReturn>): PayoutReturn => ({
    id: null,
    endToEnd: null,
    cents: 100,
    at: AT,
    ...one,
  })

  /** A transfer of R$ 5.00 that has settled, and the returns that its provider lists from then on. */
  async function aTransfer() {
    const merchant = await fixture.createMerchant(1_000)
    const order = fixture.transferInput(merchant)
    const key = { uuid: order.uuid, connectionUuid: merchant.connectionUuid, pollCount: 1 }
    const settled: ProviderPayout = { status: 'settled', cents: 500, endToEnd: railId('E'), at: AT }
    await fixture.records.storeTransfer(order)
    fixture.scriptProvider({
      sendTransfer: async () => ({ kind: 'accepted', payout: { ...settled, returns: [] } }),
    })
    await fixture.providers.sendTransfer({ ...key, isResend: false })
    return {
      async lists(...returns: PayoutReturn[]) {
        fixture.scriptProvider({
          findTransfer: async () => ({ kind: 'found', payout: { ...settled, returns } }),
        })
        await fixture.providers.pollTransfer(key)
        const { available } = await fixture.readBalances(merchant.accountUuid)
        const rows = await fixture.sql<{ return_id: string; end_to_end: string | null; return_of: string }>(
          `select return_id, end_to_end, return_of from movement where transfer_uuid = ? and movement_type = 'IN'
         order by created_at, uuid`,
          [order.uuid],
        )
        expect(rows.every(row => row.return_of === settled.endToEnd)).toBe(true)
        return { back: available! - 500, rows: rows.map(row => [row.return_id, row.end_to_end]) }
      },
    }
  }

  describe('a return of a transfer is credited once', () => {
    test('whether its rail id comes late, is omitted again, or is the only id', async () => {
      const transfer = await aTransfer()
      const D1 = railId('D')
      const forms = [{ id: 'A' }, { id: 'A', endToEnd: D1 }, { id: 'A' }, { endToEnd: D1 }]
      for (const [place, form] of forms.entries())
        expect(await transfer.lists(returned(form))).toEqual({
          back: 100,
          rows: [['A', place === 0 ? null : D1]],
        })
    })

    test('where its provider first gives one kind of id and later the other', async () => {
      const D1 = railId('D')
      for (const forms of [
        [{ id: 'A' }, { endToEnd: D1 }],
        [{ endToEnd: D1 }, { id: 'A' }],
      ]) {
        const transfer = await aTransfer()
        for (const form of forms) expect((await transfer.lists(returned(form))).back).toBe(100)
      }
    })

    test('where it is listed twice at once', async () => {
      const transfer = await aTransfer()
      expect((await transfer.lists(returned({ id: 'A' }), returned({ id: 'A' }))).back).toBe(100)
    })
  })

  describe('returns are distinguished', () => {
    test('of two transfers by the same id', async () => {
      for (const transfer of [await aTransfer(), await aTransfer()])
        expect(await transfer.lists(returned({ id: 'D123' }))).toEqual({ back: 100, rows: [['D123', null]] })
    })

    test('of one transfer, of the same value', async () => {
      const transfer = await aTransfer()
      const two = [returned({ id: 'A' }), returned({ id: 'B', endToEnd: railId('D') })]
      expect((await transfer.lists(...two)).back).toBe(200)
      expect((await transfer.lists(...two.toReversed())).back).toBe(200)
    })
  })

  test('the database refuses a return that is posted twice', async () => {
    const transfer = await aTransfer()
    await transfer.lists(returned({ id: 'A' }))
    await expect(
      fixture.sql(
        `insert into movement select (jsonb_populate_record(m, jsonb_build_object('uuid', gen_random_uuid()))).*
       from movement m where return_id = 'A' and status = 'SETTLED' order by created_at desc limit 1`,
      ),
    ).rejects.toMatchObject({ code: '23505' })
  })
})
