import { randomUUID } from 'node:crypto'
import { reconcile } from '../../../src/activities/reconciliation/reconcile.ts'
import { addUser } from '../../../src/admin/users.ts'
import type { StatementEntry } from '../../../src/domain/providers/provider.ts'
import type { AccountEntry } from '../../../src/domain/reconciliation/account-entry.ts'
import type { openActivityFixture } from '../../chaos/support/activity-fixture.ts'

/** A merchant at a provider whose statement a test writes. */

type ActivityFixture = Awaited<ReturnType<typeof openActivityFixture>>
const DAY = 86_400_000
export const ago = (days: number) => new Date(Date.now() - days * DAY).toISOString()
export const endToEndId = (letter: 'E' | 'D' = 'E') => `${letter}${randomUUID().replaceAll('-', '').slice(1)}`

type Statement = { entries?: StatementEntry[]; accountEntries?: AccountEntry[]; availableCents?: number }

/** A merchant whose provider lists what a test gives it; `look` reconciles once. */
export async function createScriptedMerchant(fixture: ActivityFixture, cents = 10_000, pool?: string) {
  const made = await fixture.createMerchant(cents, pool)
  const [{ uuid: providerAccountUuid }] = (await fixture.sql<{ uuid: string }>(
    'select provider_account_uuid as uuid from connection where uuid = ?',
    [made.connectionUuid],
  )) as [{ uuid: string }]
  return {
    ...made,
    providerAccountUuid,
    async look({ entries = [], accountEntries = [], availableCents = 0 }: Statement = {}) {
      fixture.scriptProvider({
        statement: async () => ({ kind: 'found', entries, accountEntries }),
        listDisputes: async () => ({ kind: 'found', disputes: [] }),
        balances: async () => ({ kind: 'found', balance: { availableCents, blockedCents: 0 } }),
      })
      const order = { providerAccountUuid, from: ago(7), to: new Date().toISOString() }
      return reconcile(fixture.dependencies)(order)
    },
    balances: () => fixture.readBalances(made.accountUuid),
    movements: () =>
      fixture.sql<{ type: string; reason: string | null; movement_type: string; value_cents: string }>(
        `select type, reason, movement_type, value_cents from movement
         where provider_account_uuid = ? and reason is not null order by settled_at, created_at`,
        [providerAccountUuid],
      ),
    waits: async () =>
      (
        await fixture.sql<{ pending_reason: string | null }>(
          'select pending_reason from difference where provider_account_uuid = ? and settled_at is null',
          [providerAccountUuid],
        )
      ).map(row => row.pending_reason),
  }
}

let count = 0
/** An entry of a statement that is no PIX, of more than a day ago. */
export const entry = (
  kind: AccountEntry['kind'],
  cents: number,
  more: Partial<AccountEntry> = {},
): AccountEntry => {
  count += 1
  return {
    id: `entry-${count}`,
    kind,
    type: kind.toUpperCase(),
    cents,
    at: ago(1.5 - count / 1_000),
    ...more,
  }
}
/** A PIX of a statement that was sent two days ago. */
export const sent = (cents: number, more: Partial<StatementEntry> = {}): StatementEntry => ({
  endToEnd: endToEndId(),
  reference: null,
  direction: 'OUT',
  cents,
  at: ago(2),
  ...more,
})

/** Adds two operators and returns their e-mails. */
export async function addOperators(fixture: ActivityFixture): Promise<[string, string]> {
  const emails = [`${randomUUID()}@trilho.test`, `${randomUUID()}@trilho.test`] as const
  for (const email of emails)
    await addUser(fixture.orm.em.fork(), { email, password: randomUUID(), accountUuid: null })
  return [...emails]
}
