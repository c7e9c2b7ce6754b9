import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { recordDeposit } from '../../../src/activities/deposits/record-deposit.ts'
import { openProviderAccount, readOpeningBalance } from '../../../src/admin/opening-balance.ts'
import { Connection } from '../../../src/db/entities/connection.ts'
import { checkLedger } from '../../../src/db/repositories/ledger-rules.ts'
import type { StatementEntry } from '../../../src/domain/providers/provider.ts'
import type { AccountEntry } from '../../../src/domain/reconciliation/account-entry.ts'
import { openActivityFixture } from '../../chaos/support/activity-fixture.ts'
import { ago, createScriptedMerchant, endToEndId, entry, sent } from '../support/scripted-statement.ts'

/** What is part of the balance that a provider account opens with is not credited again, and nothing of it is dropped silently. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

type Statement = { entries: StatementEntry[]; accountEntries?: AccountEntry[] }

/** A merchant whose account opens with 100.00 and with what the statement lists then. */
async function openAccount(...statements: Statement[]) {
  const shop = await createScriptedMerchant(fixture, 0)
  const em = fixture.orm.em.fork()
  const connection = await em.findOneOrFail(Connection, shop.connectionUuid)
  const last = statements.at(-1)!
  fixture.scriptProvider({
    statement: async () => ({ kind: 'found', ...(statements.shift() ?? last) }),
    balances: async () => ({ kind: 'found', balance: { availableCents: 9_500, blockedCents: 500 } }),
  })
  const provider = fixture.dependencies.providers.providerFor(connection)
  const open = () =>
    openProviderAccount(em, connection, () => readOpeningBalance(provider, { isSimulated: false }))
  expect(await open()).toEqual({ kind: 'opened', cents: 10_000 })
  return { ...shop, open }
}

const received = (cents: number, at: string): StatementEntry => sent(cents, { direction: 'IN', at })

/** The opening, and everything that moved near it, as if two days had passed. */
async function letTwoDaysPass({ providerAccountUuid }: { providerAccountUuid: string }) {
  await fixture.sql('alter table provider_account_opening disable trigger user')
  await fixture.sql(
    `update provider_account_opening set certain_until = certain_until - interval '2 days',
       credited_since = credited_since - interval '2 days' where provider_account_uuid = ?`,
    [providerAccountUuid],
  )
  await fixture.sql('alter table provider_account_opening enable trigger user')
}
const secondsAgo = (seconds: number) => ago(seconds / 86_400)
const twoDaysBefore = <T extends { at: string }>(one: T): T => ({
  ...one,
  at: new Date(Date.parse(one.at) - 2 * 86_400_000).toISOString(),
})

test('an opening balance is read between two equal statements, posted once, and shared by later connections', async () => {
  const changing = [[], [sent(1, { at: ago(0.002) })]].map(entries => ({ entries }))
  const shop = await openAccount(...changing, { entries: [sent(2, { at: ago(0.001) })] })
  expect(await shop.open()).toEqual({ kind: 'already_open' })
  expect(await shop.balances()).toEqual({ available: 10_000, outside: -10_000 })
})

test('what the provider lists late, and dates before the opening, is not booked: operators see it', async () => {
  const listedEntry = received(100, secondsAgo(60))
  const shop = await openAccount({ entries: [listedEntry] })
  // The list lags behind the balance; one more PIX has the time of the last one that was listed.
  const late = [
    received(9_000, secondsAgo(30)),
    received(700, listedEntry.at),
    sent(300, { at: secondsAgo(20) }),
  ]
  const tariff = entry('tariff', 50, { at: secondsAgo(10) })
  const early = received(800, secondsAgo(3_600))
  const later = received(40, new Date(Date.now() + 60_000).toISOString())
  await letTwoDaysPass(shop)
  const statement = {
    entries: [listedEntry, early, ...late, later].map(twoDaysBefore),
    accountEntries: [tariff].map(twoDaysBefore),
  }
  await shop.look(statement)
  const result = await shop.look(statement)
  expect(result).toMatchObject({ booked: 1, differences: 3, unexplainedEntryCount: 1 })
  expect(await shop.waits()).toEqual(['near_opening', 'near_opening', 'near_opening'])
  expect(await shop.balances()).toEqual({ available: 10_040, outside: -10_040 })
  expect(await checkLedger(fixture.orm.em.fork())).toEqual([])
})

test('a notification of such a PIX credits nothing', async () => {
  const shop = await openAccount({ entries: [] })
  const endToEnd = endToEndId()
  const payment = {
    endToEnd,
    reference: null,
    cents: 10_000,
    at: secondsAgo(5),
    status: 'settled' as const,
    payer: null,
    txid: null,
    pixKey: null,
    returns: [],
  }
  fixture.scriptProvider({ findPayment: async () => ({ kind: 'found', payment }) as never })
  const { connectionUuid } = shop
  const order = { connectionUuid, endToEnd, requestId: 'r' }
  expect(await recordDeposit(fixture.dependencies)(order as never)).toEqual({ kind: 'not_found' })
  expect(await shop.balances()).toEqual({ available: 10_000, outside: -10_000 })
})

test('PostgreSQL refuses to book by itself what moved before an opening, and a change of the opening', async () => {
  const shop = await openAccount({ entries: [] })
  const insert = fixture.sql(
    `insert into movement (uuid, account_uuid, provider_account_uuid, connection_uuid, type, movement_type, value_cents, status,
       end_to_end, reason, settled_at, created_at, updated_at)
     values (gen_random_uuid(), ?, ?, ?, 'EXTERNAL_TRANSFER', 'IN', 100, 'SETTLED', ?, 'deposit', now(), now(), now())`,
    [shop.accountUuid, shop.providerAccountUuid, shop.connectionUuid, endToEndId()],
  )
  await expect(insert).rejects.toMatchObject({ constraint: 'movement_after_opening' })
  await expect(
    fixture.sql(
      'update provider_account_opening set credited_since = now() where provider_account_uuid = ?',
      [shop.providerAccountUuid],
    ),
  ).rejects.toThrow()
})
