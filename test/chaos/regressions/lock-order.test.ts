import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { runInTransaction } from '../../../src/db/client/transaction.ts'
import type { IncomingPix, IssuedCharge, PayoutReturn } from '../../../src/domain/providers/provider.ts'
import { toParty } from '../../../src/providers/adapter/party.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'
import { createDisputeFixture } from '../support/dispute-fixture.ts'
import { newEndToEndId } from '../support/money-fixture.ts'

/**
 * Disputes are locked before balances, by every transaction. The fixture's end fails where one of these transactions has
 * locked them in another order (test/chaos/support/lock-order.ts).
 */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

type Merchant = { accountUuid: string; connectionUuid: string }

/** A charge of R$ 10.00, of which `recipient` gets half where there is one. */
async function openCharge({ accountUuid, connectionUuid }: Merchant, recipient?: Merchant) {
  const uuid = randomUUID()
  const reference = uuid.replaceAll('-', '')
  const charge: IssuedCharge = {
    txid: reference,
    payload: 'payload',
    pixKey: 'key',
    receiver: toParty({}),
    expiresAt: new Date(Date.now() + 60_000).toISOString(),
  }
  fixture.scriptProvider({ issueCharge: async () => ({ kind: 'accepted', charge }) })
  const splits = recipient
    ? [{ recipientAccountUuid: recipient.accountUuid, type: 'PERCENTAGE', amount: 5_000 }]
    : []
  await fixture.providers.issueCharge({
    uuid,
    accountUuid,
    candidates: [connectionUuid],
    valueCents: 1_000,
    details: fixture.seal.seal({ splits, fingerprint: 'f' }),
    requestId: 'r',
    timeScale: 1,
    expiresInSeconds: 60,
  })
  return {
    pix: (more: Partial<IncomingPix> = {}): IncomingPix => ({
      endToEnd: newEndToEndId(),
      txid: reference,
      reference,
      cents: 1_000,
      status: 'settled',
      at: new Date().toISOString(),
      payer: null,
      pixKey: 'key',
      ...more,
    }),
    poll(...payments: IncomingPix[]) {
      fixture.scriptProvider({
        findCharge: async () => ({ kind: 'found', status: 'completed', charge, payments }),
      })
      return fixture.providers.pollCharge({ chargeUuid: uuid, isPayloadExpired: false })
    },
  }
}

/** A charge of R$ 10.00 with half of it for a recipient. */
async function chargeWithSplit() {
  const pool = randomUUID()
  const owner = await fixture.createMerchant(0, pool)
  const recipient = await fixture.createMerchant(0, pool)
  return { owner, recipient, ...(await openCharge(owner, recipient)) }
}

/** Credits a payment of R$ 10.00, which its payer disputes; the account has spent it. */
async function openUncoveredDispute(merchant: Merchant) {
  const { connectionUuid } = merchant
  const charge = await openCharge(merchant)
  const payment = charge.pix()
  const { endToEnd, at } = payment
  expect(await charge.poll(payment)).toMatchObject({ state: 'paid' })
  fixture.scriptProvider({
    sendTransfer: async () => ({
      kind: 'accepted',
      payout: { status: 'settled', cents: 1_000, endToEnd: newEndToEndId(), at, returns: [] },
    }),
  })
  const order = fixture.transferInput(merchant, { valueCents: 1_000 })
  await fixture.records.storeTransfer(order)
  await fixture.providers.sendTransfer({ uuid: order.uuid, connectionUuid, isResend: false })
  const dispute = createDisputeFixture(fixture, { connectionUuid, endToEnd })
  await dispute.pollAnswering()
  expect(await dispute.readCents()).toEqual({ claimed: 1_000, held: 0, retained: 0 })
  return dispute
}

test('a payment with a split waits for a dispute of its recipient without a lock on the balances', async () => {
  const charge = await chargeWithSplit()
  const { accountUuid } = charge.recipient
  const dispute = await openUncoveredDispute(charge.recipient)
  let poll: Promise<unknown> | undefined
  await runInTransaction(fixture.orm, async em => {
    await em.execute('select from dispute where account_uuid = ? for update', [accountUuid])
    poll = charge.poll(charge.pix())
    await waitForLockWaiter()
    // As an inflow of the recipient itself does: with both locks it deadlocks where the payment has the balance.
    await em.execute(`set local lock_timeout = '300ms'`)
    await em.execute('select from balance where account_uuid = ? for update', [accountUuid])
  })
  expect(await poll).toMatchObject({ state: 'paid' })
  expect(await dispute.readCents()).toEqual({ claimed: 1_000, held: 0, retained: 500 })
})

test('a payment with a split that was pending before is confirmed', async () => {
  const charge = await chargeWithSplit()
  const dispute = await openUncoveredDispute(charge.recipient)
  const pix = charge.pix({ status: 'in_process' })
  expect(await charge.poll(pix)).toMatchObject({ state: 'paying' })
  expect(await charge.poll({ ...pix, status: 'settled' })).toMatchObject({ state: 'paid' })
  expect(await dispute.readCents()).toMatchObject({ retained: 500 })
})

test('a second payment of a charge is listed with the one that pays it', async () => {
  const charge = await chargeWithSplit()
  await fixture.sql(`update account set unmatched_policy = 'keep' where uuid = ?`, [charge.owner.accountUuid])
  expect(await charge.poll(charge.pix(), charge.pix())).toMatchObject({ state: 'paid' })
  expect(await fixture.readBalances(charge.owner.accountUuid)).toMatchObject({ available: 1_500 })
})

test('a transfer is settled and returned in one answer', async () => {
  const merchant = await fixture.createMerchant(1_000)
  const at = new Date().toISOString()
  const returns: PayoutReturn[] = [300, 200].map(cents => ({
    id: randomUUID(),
    endToEnd: newEndToEndId(),
    cents,
    at,
  }))
  fixture.scriptProvider({
    sendTransfer: async () => ({
      kind: 'accepted',
      payout: { status: 'settled', cents: 1_000, endToEnd: newEndToEndId(), at, returns },
    }),
  })
  const order = fixture.transferInput(merchant, { valueCents: 1_000 })
  await fixture.records.storeTransfer(order)
  const { connectionUuid } = merchant
  expect(
    await fixture.providers.sendTransfer({ uuid: order.uuid, connectionUuid, isResend: false }),
  ).toMatchObject({ kind: 'settled' })
  expect(await fixture.readBalances(merchant.accountUuid)).toMatchObject({ available: 500 })
})

test('a transfer moves to the next provider with what its hold released', async () => {
  const merchant = await fixture.createMerchant(1_000)
  const candidates = [merchant.connectionUuid, await fixture.createConnection(merchant)]
  fixture.scriptProvider({
    sendTransfer: async () => ({ kind: 'unreachable', code: 'dns_failed', message: 'no such host' }),
  })
  const order = fixture.transferInput(merchant, { valueCents: 1_000, candidates })
  await fixture.records.storeTransfer(order)
  for (const connectionUuid of candidates)
    await fixture.providers.sendTransfer({ uuid: order.uuid, connectionUuid, isResend: false })
  expect(await fixture.readBalances(merchant.accountUuid)).toMatchObject({ available: 1_000 })
})

test.each(['40P01', '40001'])(
  'a refusal is recorded where PostgreSQL rolls back its record once, by %s',
  async code => {
    const merchant = await fixture.createMerchant(1_000)
    const order = fixture.transferInput(merchant, { valueCents: 1_000 })
    await fixture.records.storeTransfer(order)
    const refused = {
      kind: 'rejected',
      finality: 'final',
      code: 'invalid_key',
      message: 'no such key',
    } as const
    fixture.scriptProvider({
      async sendTransfer() {
        await failNextAttemptUpdate(code)
        return refused
      },
    })
    const { connectionUuid } = merchant
    expect(
      await fixture.providers.sendTransfer({ uuid: order.uuid, connectionUuid, isResend: false }),
    ).toMatchObject({ kind: 'rejected', code: 'invalid_key' })
    const attempts = await fixture.sql('select state, code from attempt where subject_uuid = ?', [order.uuid])
    expect(attempts).toEqual([{ state: 'rejected', code: 'invalid_key' }])
  },
)

/** Makes PostgreSQL fail the next update of an attempt with this SQLSTATE; a sequence survives the rollback. */
async function failNextAttemptUpdate(code: string): Promise<void> {
  await fixture.sql(`
    drop sequence if exists attempt_update cascade;
    create sequence attempt_update;
    create or replace function fail_first_update() returns trigger language plpgsql as $$
    begin
      if nextval('attempt_update') = 1 then raise exception 'rolled back' using errcode = '${code}'; end if;
      return new;
    end $$;
    create or replace trigger fail_first_update before update on attempt
      for each row execute function fail_first_update();
  `)
}

/** Resolves when a transaction in this database waits for a lock. */
async function waitForLockWaiter(): Promise<void> {
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
  const em = fixture.orm.em.fork({ disableContextResolution: true })
  while ((await em.execute<object[]>(waiting)).length === 0) await sleep(10)
}
