import {
  type BalanceComparison,
  isBalanceExplained,
} from '../../domain/reconciliation/statement-comparison.ts'
import type { EntityManager } from '../client/orm.ts'
import { selectValue } from '../select-values.ts'
import { IS_OPEN_ENTRY_SQL } from './account-entries.ts'
import { DIFFERENCE_CENTS_SQL } from './operator-lists.ts'

/** The last balance that each provider reported, next to the ledger's (table `balance_check`). */

/** Sums the ledger's balance at a provider account: all buckets but `outside`; `movingCents` is the part in transit. */
export async function readLedgerBalance(
  em: EntityManager,
  providerAccountUuid: string,
): Promise<{ ledgerCents: number; movingCents: number }> {
  const [row] = await em.execute<{ ledgerCents: number; movingCents: number }[]>(
    `select coalesce(sum(cents) filter (where bucket <> 'outside'), 0)::float8 as "ledgerCents",
       (coalesce(sum(cents) filter (where bucket = 'provisioned'), 0) + (select coalesce(sum(value_cents), 0) from movement
        where provider_account_uuid = ? and movement_type = 'IN' and status = 'PENDING'))::float8 as "movingCents"
     from balance where provider_account_uuid = ?`,
    [providerAccountUuid, providerAccountUuid],
  )
  return row!
}

/** Stores the comparison of balances; `differs_since` keeps the time of the first check that differed. */
export async function storeBalanceCheck(
  em: EntityManager,
  { providerAccountUuid, ...comparison }: BalanceComparison & { providerAccountUuid: string },
): Promise<void> {
  const { providerCents, ledgerCents, movingCents } = comparison
  await em.execute(
    `insert into balance_check as b
       (provider_account_uuid, provider_cents, ledger_cents, moving_cents, checked_at, differs_since)
     values (?, ?, ?, ?, now(), case when ? then null else now() end)
     on conflict (provider_account_uuid) do update set provider_cents = excluded.provider_cents,
       ledger_cents = excluded.ledger_cents, moving_cents = excluded.moving_cents, checked_at = now(),
       differs_since = case when excluded.differs_since is null then null
         else coalesce(b.differs_since, excluded.differs_since) end`,
    [providerAccountUuid, providerCents, ledgerCents, movingCents, isBalanceExplained(comparison)],
  )
}

/** Sums why a provider account's balance may differ: centavos that only its statement lists, by reason. */
export function sumUnbookedCents(
  em: EntityManager,
  providerAccountUuid: string,
): Promise<{ why: string; direction: string; cents: number; count: number }[]> {
  return em.execute(
    `select why, direction, sum(cents)::float8 as cents, count(*)::int as count from (
       select coalesce(pending_reason, kind) as why, movement_type as direction,
         ${DIFFERENCE_CENTS_SQL} as cents
       from difference where provider_account_uuid = ? and settled_at is null
       union all
       select kind || ' ' || type, '', value_cents from account_entry
       where provider_account_uuid = ? and ${IS_OPEN_ENTRY_SQL} and kind not in ('block', 'unblock')
     ) unbooked group by why, direction order by why, direction`,
    [providerAccountUuid, providerAccountUuid],
  )
}

/** Returns whether an account has balances at a provider account. */
export function hasBalances(
  em: EntityManager,
  { accountUuid, providerAccountUuid }: { accountUuid: string; providerAccountUuid: string },
): Promise<boolean> {
  const sql = 'select exists (select from balance where account_uuid = ? and provider_account_uuid = ?)'
  return selectValue(em, sql, [accountUuid, providerAccountUuid])
}
