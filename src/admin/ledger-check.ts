import { raw } from '@mikro-orm/core'
import type { EntityManager } from '../db/client/orm.ts'
import { Connection } from '../db/entities/connection.ts'
import { readLedgerBalance, sumUnbookedCents } from '../db/repositories/balance-checks.ts'
import { listProviderAccountUuids } from '../db/repositories/connections.ts'
import type { ProviderRegistry } from '../providers/registry.ts'

/** A violated rule of SPEC §7; `where` names the row. */
export type LedgerViolation = {
  rule:
    | 'movement_balanced'
    | 'balance_is_fold'
    | 'balance_after_posting'
    | 'dispute_cover'
    | 'provisioned_is_held'
    | 'pending_waits'
    | 'provider_agrees'
  where: string
  detail: string
}

/** Compares a bucket with what the operations hold in it: rows of (account, provider account, centavos). */
const buildBucketQuery = (bucket: 'provisioned' | 'pending', operations: string) => `
  select concat_ws('/', b.account_uuid, b.provider_account_uuid, b.bucket) as where,
         'balance ' || b.cents || ', operations ' || coalesce(l.cents, 0) as detail
  from balance b left join (
    select account_uuid, provider_account_uuid, sum(cents) as cents from (${operations}) operation
    group by account_uuid, provider_account_uuid
  ) l using (account_uuid, provider_account_uuid)
  where b.bucket = '${bucket}' and b.cents <> coalesce(l.cents, 0)`

/** Value and fee of unfinished payouts; the parts of a refund belong to their payers, its fee to the owner. */
const HELD_CENTS_SQL = `
  select account_uuid, provider_account_uuid, held_cents as cents from transfer where held_cents > 0
  union all
  select (part ->> 'accountUuid')::uuid, provider_account_uuid, greatest(0, (part ->> 'cents')::bigint)
  from refund, jsonb_array_elements(parts) as part where state in ('sending', 'settling')
  union all
  select account_uuid, provider_account_uuid, fee_cents from refund where state in ('sending', 'settling')
  union all
  select account_uuid, provider_account_uuid, value_cents from movement where disposition = 'returning'`

/** Payments in confirmation and unmatched payments, less what the provider returned of them without an order of ours. */
const PENDING_CENTS_SQL = `
  select m.account_uuid, m.provider_account_uuid, m.value_cents as cents
  from charge c join movement m on m.uuid = c.movement_uuid where c.state = 'paying'
  union all
  select account_uuid, provider_account_uuid, value_cents - coalesce((
    select sum(back.value_cents) from movement back
    where back.original_uuid = movement.uuid and back.type = 'EXTERNAL_REFUND'
      and (back.dispute_uuid is not null or back.reason = 'panel_return')), 0)
  from movement where disposition in ('held', 'not_returned')`

/** Rules that PostgreSQL alone can check: each query returns the rows that violate it. */
const LEDGER_RULES: { rule: LedgerViolation['rule']; query: string }[] = [
  {
    rule: 'movement_balanced',
    query: `select movement_uuid::text as where, 'adds up to ' || sum(cents) as detail
            from posting group by movement_uuid, provider_account_uuid having sum(cents) <> 0`,
  },
  {
    rule: 'balance_is_fold',
    query: `select concat_ws('/', b.account_uuid, b.provider_account_uuid, b.bucket) as where,
                   'balance ' || b.cents || ', postings ' || coalesce(p.cents, 0) as detail
            from balance b left join (
              select account_uuid, provider_account_uuid, bucket, sum(cents) as cents
              from posting group by account_uuid, provider_account_uuid, bucket
            ) p using (account_uuid, provider_account_uuid, bucket)
            where b.cents <> coalesce(p.cents, 0)`,
  },
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
    query: `select concat_ws('/', b.account_uuid, b.provider_account_uuid, b.bucket) as where,
                   'balance ' || b.cents || ', disputes and blocks of the provider ' || coalesce(m.cents, 0) as detail
            from balance b left join (
              select account_uuid, provider_account_uuid, bucket, sum(cents) as cents from (
                select account_uuid, provider_account_uuid, bucket, cents from dispute,
                  lateral (values ('blocked', held_cents), ('retained', retained_cents)) as kept (bucket, cents)
                union all
                select p.account_uuid, p.provider_account_uuid, p.bucket, p.cents
                from movement e join posting p on p.movement_uuid = e.uuid
                where e.reason in ('provider_block', 'provider_unblock') and p.bucket = 'blocked'
              ) held group by account_uuid, provider_account_uuid, bucket
            ) m using (account_uuid, provider_account_uuid, bucket)
            where b.bucket in ('blocked', 'retained') and b.cents <> coalesce(m.cents, 0)`,
  },
  { rule: 'provisioned_is_held', query: buildBucketQuery('provisioned', HELD_CENTS_SQL) },
  { rule: 'pending_waits', query: buildBucketQuery('pending', PENDING_CENTS_SQL) },
]

/** Checks the ledger without the providers; an empty list means that every rule holds. */
export async function checkLedger(em: EntityManager): Promise<LedgerViolation[]> {
  const violations: LedgerViolation[] = []
  for (const { rule, query } of LEDGER_RULES) {
    const rows: { where: string; detail: string }[] = await em.execute(query)
    violations.push(...rows.map(row => ({ rule, ...row })))
  }
  return violations
}

/**
 * Compares the balance that each provider reports with the sum of all buckets but `outside` at its account. Payments in
 * progress are differences until they settle: repeat the check before acting on it.
 */
export async function checkProviderBalances(
  em: EntityManager,
  providers: ProviderRegistry,
): Promise<LedgerViolation[]> {
  const violations: LedgerViolation[] = []
  for (const providerAccountUuid of await listProviderAccountUuids(em)) {
    // A connection that is not ACTIVE is used where there is no other, as in reconciliation.
    const orderBy = [{ [raw(`status = 'ACTIVE'`)]: 'desc' }, { createdAt: 'asc' }] as const
    const connection = await em.findOneOrFail(
      Connection,
      { providerAccountUuid, status: { $ne: 'CONFIGURATION_PENDING' } },
      { populate: ['sealedCredentials'], orderBy: [...orderBy] },
    )
    const providerCents = await readProviderCents(providers, connection)
    const { ledgerCents, movingCents } = await readLedgerBalance(em, providerAccountUuid)
    if (providerCents !== ledgerCents)
      violations.push({
        rule: 'provider_agrees',
        where: `${connection.provider}/${providerAccountUuid}`,
        detail: [
          `ledger ${ledgerCents}, provider ${providerCents ?? 'does not answer'}`,
          ...(movingCents > 0 ? [`in progress ${movingCents}`] : []),
          ...(await sumUnbookedCents(em, providerAccountUuid)).map(
            ({ why, direction, cents, count }) =>
              `${[why, direction].join(' ').trim()}: ${cents} in ${count}`,
          ),
        ].join('; '),
      })
  }
  return violations
}

/** Reads the balance; null where the provider does not answer or the credentials cannot be read. */
async function readProviderCents(providers: ProviderRegistry, connection: Connection) {
  try {
    const balances = await providers.providerFor(connection).balances()
    return balances.kind === 'found' ? balances.balance.availableCents + balances.balance.blockedCents : null
  } catch {
    return null
  }
}
