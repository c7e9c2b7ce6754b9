import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { reconcile } from '../../../src/activities/reconciliation/reconcile.ts'
import type { IncomingPix, IssuedCharge, StatementEntry } from '../../../src/domain/providers/provider.ts'
import { toParty } from '../../../src/providers/adapter/party.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

/** A PIX recorded as a deposit, because its lookup named no charge, pays its charge once the charge's lookup names it. */

const DAY = 86_400_000

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

type Given = { splits?: object[]; cents?: number; pool?: string }

async function aCharge({ splits = [], cents = 1_000, pool }: Given = {}) {
  const merchant = await fixture.createMerchant(0, pool)
  const { accountUuid, connectionUuid } = merchant
  const uuid = randomUUID()
  const charge: IssuedCharge = {
    txid: uuid.replaceAll('-', ''),
    payload: 'payload',
    pixKey: 'key',
    receiver: toParty({}),
    expiresAt: new Date(Date.now() + 60_000).toISOString(),
  }
  fixture.scriptProvider({ issueCharge: async () => ({ kind: 'accepted', charge }) })
  await fixture.providers.issueCharge({
    uuid,
    accountUuid,
    candidates: [connectionUuid],
    valueCents: cents,
    expiresInSeconds: 60,
    details: fixture.seal.seal({ splits, fingerprint: 'f' }),
    requestId: 'r',
    timeScale: 1,
  })
  const endToEnd = `E${randomUUID().replaceAll('-', '')}`.slice(0, 32)
  const pix = (more: Partial<IncomingPix> = {}): IncomingPix => ({
    endToEnd,
    txid: charge.txid,
    reference: charge.txid,
    cents,
    status: 'settled',
    at: new Date().toISOString(),
    payer: null,
    pixKey: 'key',
    ...more,
  })
  return {
    ...merchant,
    uuid,
    endToEnd,
    deposit(more: Partial<IncomingPix> = {}) {
      const payment = pix({ txid: null, reference: null, ...more })
      fixture.scriptProvider({ findPayment: async () => ({ kind: 'found', payment }) })
      return fixture.providers.recordDeposit({ connectionUuid, endToEnd, requestId: 'r', timeScale: 1 })
    },
    /** A reconciliation finds in the statement that this much of the PIX was returned in the provider's panel. */
    async returnInPanel(returnedCents: number) {
      const [row] = await fixture.sql<{ uuid: string }>(
        'select provider_account_uuid as uuid from connection where uuid = ?',
        [connectionUuid],
      )
      const at = new Date(Date.now() - 2 * DAY).toISOString()
      const returned: StatementEntry = {
        endToEnd: `D${endToEnd.slice(1)}`,
        returnOf: endToEnd,
        reference: null,
        direction: 'OUT',
        cents: returnedCents,
        at,
      }
      fixture.scriptProvider({
        statement: async () => ({ kind: 'found', entries: [returned], accountEntries: [] }),
        listDisputes: async () => ({ kind: 'found', disputes: [] }),
      })
      const [from, to] = [new Date(Date.now() - 7 * DAY).toISOString(), new Date().toISOString()]
      const period = { providerAccountUuid: row!.uuid, from, to }
      // The first one notifies the workflow that may know of it, the second one books it.
      for (let run = 0; run < 2; run++) await reconcile(fixture.dependencies)(period)
    },
    follow(more: Partial<IncomingPix> = {}) {
      const payments = [pix(more)]
      fixture.scriptProvider({
        findCharge: async () => ({ kind: 'found', status: 'completed', charge, payments }),
      })
      return fixture.providers.pollCharge({ chargeUuid: uuid, isPayloadExpired: false })
    },
    movements: () =>
      fixture.sql<object>(
        `select type, reason, charge_uuid, status, value_cents::int as cents from movement
         where end_to_end = ? or charge_uuid = ? order by created_at, uuid`,
        [endToEnd, uuid],
      ),
    async events() {
      return fixture.sql<{ type: string; sequence: number; status: string; reason: string | null }>(
        `select type, sequence, body ->> 'status' as status, body ->> 'reason' as reason from event where account_uuid = ? order by created_at, type`,
        [accountUuid],
      )
    },
  }
}

test('a deposit that turns out to pay a charge is counted once, and both events report it', async () => {
  const charge = await aCharge()
  expect(await charge.deposit()).toMatchObject({ kind: 'accepted' })
  expect(await fixture.readBalances(charge.accountUuid)).toEqual({ available: 1_000, outside: -1_000 })
  for (let look = 0; look < 2; look++) {
    expect(await charge.follow()).toMatchObject({ kind: 'known', state: 'paid' })
    expect(await fixture.readBalances(charge.accountUuid)).toEqual({ available: 1_000, outside: -1_000 })
    expect(await charge.movements()).toEqual([
      { type: 'EXTERNAL_TRANSFER', reason: null, charge_uuid: charge.uuid, status: 'SETTLED', cents: 1_000 },
    ])
  }
  expect(await charge.deposit()).toMatchObject({ kind: 'accepted' })
  expect(await fixture.readBalances(charge.accountUuid)).toEqual({ available: 1_000, outside: -1_000 })
  const events = await charge.events()
  expect(events.map(({ type, sequence }) => [type, sequence]).sort()).toEqual([
    ['PAYMENT', 1],
    ['PIX_TRANSACTION', 1],
    ['PIX_TRANSACTION', 2],
  ])
})

test.each(['first', 'together'])(
  'concurrent lookups of a PIX and of its charge, %s, credit it once',
  async how => {
    for (let round = 0; round < 5; round++) {
      const charge = await aCharge()
      const [deposit, follow] = [charge.deposit(), charge.follow()].map(one => one.catch(() => undefined))
      if (how === 'first') await follow
      await Promise.all([deposit, follow])
      await charge.deposit()
      expect(await charge.follow()).toMatchObject({ state: 'paid' })
      expect(await fixture.readBalances(charge.accountUuid)).toEqual({ available: 1_000, outside: -1_000 })
      expect(await charge.movements()).toHaveLength(1)
    }
  },
)

test('a PIX to a shared key that may pay an unpaid charge is left to that charge', async () => {
  const charge = await aCharge({ pool: randomUUID() })
  expect(await charge.deposit()).toEqual({ kind: 'no_answer', code: 'may_pay_a_charge' })
  expect(await charge.movements()).toEqual([])
  expect(await charge.follow()).toMatchObject({ state: 'paid' })
  expect(await charge.deposit()).toMatchObject({ kind: 'accepted' })
  expect(await charge.movements()).toHaveLength(1)
  expect(await fixture.readBalances(charge.accountUuid)).toEqual({ available: 1_000, outside: -1_000 })
})

test('a PIX to a shared key of another value than the unpaid charges is recorded at once', async () => {
  const charge = await aCharge({ pool: randomUUID() })
  expect(await charge.deposit({ cents: 900 })).toMatchObject({ kind: 'accepted' })
  expect(await charge.movements()).toMatchObject([{ reason: 'deposit', charge_uuid: null, cents: 900 }])
  expect(await fixture.readBalances(charge.accountUuid)).toEqual({})
})

test('fee and splits are taken from what is left of the deposit, and the service advances what was spent', async () => {
  const pool = randomUUID()
  const partner = await fixture.createMerchant(0, pool)
  const charge = await aCharge({
    pool,
    splits: [{ recipientAccountUuid: partner.accountUuid, type: 'PERCENTAGE', amount: 5_000 }],
  })
  // The provider account is the owner's, whose deposits it takes, and the partner shares it.
  await fixture.sql(
    `update provider_account set owner_uuid = ?
     where uuid = (select provider_account_uuid from connection where uuid = ?)`,
    [charge.accountUuid, charge.connectionUuid],
  )
  await fixture.sql(`update connection set type = 'NOMINAL' where uuid = ?`, [charge.connectionUuid])
  expect(await charge.deposit()).toMatchObject({ kind: 'accepted' })
  const order = fixture.transferInput(charge, { valueCents: 800 })
  await fixture.records.storeTransfer(order)
  fixture.scriptProvider({
    sendTransfer: async () => ({
      kind: 'accepted',
      payout: { status: 'settled', cents: 800, endToEnd: 'E1', at: new Date().toISOString(), returns: [] },
    }),
  })
  await fixture.providers.sendTransfer({
    uuid: order.uuid,
    connectionUuid: charge.connectionUuid,
    isResend: false,
  })
  expect(await fixture.readBalances(charge.accountUuid)).toEqual({ available: 200, outside: -200 })
  expect(await charge.follow()).toMatchObject({ state: 'paid' })
  expect(await fixture.readBalances(charge.accountUuid)).toEqual({ shortfall: -300, outside: -200 })
  expect(await fixture.readBalances(partner.accountUuid)).toEqual({ available: 500 })
})

test.each<[string, Partial<IncomingPix>]>([
  ['of another amount', { cents: 900 }],
  ['that names another charge', { reference: randomUUID().replaceAll('-', '') }],
])('a deposit %s stays a deposit', async (_, more) => {
  const charge = await aCharge()
  await charge.deposit(more.cents ? more : {})
  expect(await charge.follow(more)).toMatchObject({ state: 'pending' })
  expect(await charge.movements()).toMatchObject([{ reason: 'deposit', charge_uuid: null }])
})

test.each([1_000, 300])(
  'a deposit of which %i centavos were returned in the provider’s panel stays a deposit',
  async cents => {
    const charge = await aCharge()
    await charge.deposit()
    await charge.returnInPanel(cents)
    expect(await charge.follow()).toMatchObject({ state: 'pending' })
    const left = 1_000 - cents
    expect(await fixture.readBalances(charge.accountUuid)).toEqual(
      left > 0 ? { available: left, outside: -left } : {},
    )
    expect(await charge.movements()).toMatchObject([{ reason: 'deposit', charge_uuid: null }])
    const events = await charge.events()
    expect(events.filter(({ type }) => type === 'PAYMENT')).toEqual([])
  },
)

test('a PIX that names another charge is not credited to the charge that was polled', async () => {
  const charge = await aCharge()
  expect(await charge.follow({ reference: randomUUID().replaceAll('-', '') })).toMatchObject({
    state: 'pending',
  })
  expect(await charge.movements()).toEqual([])
})

test.each(['charge', 'PIX'])('an undocumented status credits nothing, found by its %s', async by => {
  const charge = await aCharge()
  const odd = { status: 'FAILED_AT_RISK' as IncomingPix['status'] }
  if (by === 'charge') expect(await charge.follow(odd)).toMatchObject({ state: 'pending' })
  else expect(await charge.deposit(odd)).toMatchObject({ kind: 'no_answer' })
  expect(await charge.movements()).toEqual([])
  expect(await fixture.readBalances(charge.accountUuid)).toEqual({})
})
