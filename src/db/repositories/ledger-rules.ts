import type { EntityManager } from '../client/orm.ts'
import { buildUnreturnedSql } from './unmatched-payments.ts'

/** A violated rule of SPEC §7; `where` names the row. */
export type LedgerViolation = {
  rule: (typeof LEDGER_RULES)[number]['rule'] | 'provider_agrees'
  where: string
  detail: string
}

/**
 * Compares balances with the sum of what they consist of.
 *
 * @param rows - query of account, provider account, bucket and centavos
 */
const compareBalances = (rows: string, { name, buckets }: { name: string; buckets?: string }) => `
  select concat_ws('/', b.account_uuid, b.provider_account_uuid, b.bucket) as where,
         'balance ' || b.cents || ', ${name} ' || coalesce(l.cents, 0) as detail
  from balance b left join (
    select account_uuid, provider_account_uuid, bucket, sum(cents) as cents from (${rows}) part
    group by account_uuid, provider_account_uuid, bucket
  ) l using (account_uuid, provider_account_uuid, bucket)
  where b.cents <> coalesce(l.cents, 0) ${buckets ? `and b.bucket in (${buckets})` : ''}`

/** Value and fee of unfinished payouts; those of a refund belong to the charge's owner, whom its splits have paid. */
const HELD_CENTS_SQL = `
  select account_uuid, provider_account_uuid, 'provisioned' as bucket, held_cents as cents from transfer where held_cents > 0
  union all
  select account_uuid, provider_account_uuid, 'provisioned', value_cents + fee_cents + greatest(0, -(
    select sum((part ->> 'cents')::bigint) from jsonb_array_elements(parts) as part where part ->> 'splitUuid' is null))
  from refund where state in ('sending', 'settling')
  union all
  select account_uuid, provider_account_uuid, 'provisioned', value_cents from movement where disposition = 'returning'`

/** Payments in confirmation and unmatched payments, less what the provider returned of them without an order of ours. */
const PENDING_CENTS_SQL = `
  select m.account_uuid, m.provider_account_uuid, 'pending' as bucket, m.value_cents as cents
  from charge c join movement m on m.uuid = c.movement_uuid where c.state = 'paying'
  union all
  select account_uuid, provider_account_uuid, 'pending', ${buildUnreturnedSql('movement')}
  from movement where disposition in ('held', 'not_returned')`

/** Claims of disputes, and what the provider blocks by entries of its own. */
const COVERED_CENTS_SQL = `
  select account_uuid, provider_account_uuid, bucket, cents from dispute,
    lateral (values ('blocked', held_cents), ('retained', retained_cents)) as kept (bucket, cents)
  union all
  select p.account_uuid, p.provider_account_uuid, p.bucket, p.cents
  from movement e join posting p on p.movement_uuid = e.uuid
  where e.reason in ('provider_block', 'provider_unblock') and p.bucket = 'blocked'`

/** Rules that PostgreSQL alone can check: each query returns the rows that violate it. */
const LEDGER_RULES = [
  {
    rule: 'movement_balanced',
    query: `select movement_uuid::text as where, type || ' adds up to ' || sum(cents) as detail
            from posting group by movement_uuid, provider_account_uuid, type having sum(cents) <> 0`,
  },
  { rule: 'balance_is_fold', query: compareBalances('select * from posting', { name: 'postings' }) },
  {
    rule: 'balance_after_posting',
    query: `select id::text as where, 'says ' || balance_cents || ', fold says ' || fold as detail
            from (select id, balance_cents, sum(cents) over (
                    partition by account_uuid, provider_account_uuid, bucket order by id) as fold
                  from posting) p
            where balance_cents <> fold`,
  },
  {
    rule: 'dispute_cover',
    query: compareBalances(COVERED_CENTS_SQL, {
      name: 'disputes and blocks of the provider',
      buckets: `'blocked', 'retained'`,
    }),
  },
  {
    rule: 'provisioned_is_held',
    query: compareBalances(HELD_CENTS_SQL, { name: 'operations', buckets: `'provisioned'` }),
  },
  {
    rule: 'pending_waits',
    query: compareBalances(PENDING_CENTS_SQL, { name: 'operations', buckets: `'pending'` }),
  },
] as const

/** Checks the ledger without the providers; an empty list means that every rule holds. */
export async function checkLedger(em: EntityManager): Promise<LedgerViolation[]> {
  const violations: LedgerViolation[] = []
  for (const { rule, query } of LEDGER_RULES) {
    const rows: { where: string; detail: string }[] = await em.execute(query)
    violations.push(...rows.map(row => ({ rule, ...row })))
  }
  return violations
}
