import { type Leg, postingsOf } from '../../domain/ledger/legs.ts'
import type { EntityManager } from '../client/orm.ts'
import { type Query, query, type ResultRow, runQuery, sendStatement } from '../pipeline/query.ts'

/** Legs of one movement, all at one provider account. */
export type MovementLegs = { movementUuid: string; providerAccountUuid: string; legs: Leg[] }

/**
 * Writes the postings of movements and updates the balances, in the caller's transaction. Each posting stores its
 * bucket's balance after it, computed backwards from the final balance. All buckets of an account are locked together
 * and in sorted order, so that two transactions never deadlock whichever bucket each touches first. PostgreSQL refuses
 * a bucket that would fall below zero (constraint `balance_covered`) and an account without a connection at the
 * provider account. The statement is not waited for: such a refusal is the error of the transaction's next statement.
 * A posting's type is that of its leg, else that of its movement, whose row the caller has sent before.
 */
export async function writePostings(em: EntityManager, entries: MovementLegs[]): Promise<void> {
  const rows = entries.flatMap(({ movementUuid, providerAccountUuid, legs }) =>
    postingsOf(legs).map(posting => ({ ...posting, movementUuid, providerAccountUuid })),
  )
  if (rows.length === 0) return
  await sendStatement(
    em,
    `with leg as (
       select * from unnest(?::uuid[], ?::uuid[], ?::uuid[], ?::text[], ?::bigint[], ?::text[])
         with ordinality as l (movement, provider_account, account, bucket, cents, type, position)
     ), wanted as (
       select provider_account, account, bucket, sum(cents) as cents from leg group by provider_account, account, bucket
     ), locked as (
       select provider_account_uuid, account_uuid, bucket from balance
       where (provider_account_uuid, account_uuid) in (select provider_account, account from wanted)
       order by provider_account_uuid, account_uuid, bucket for update
     ), moved as (
       update balance b set cents = b.cents + w.cents
       from locked l
       join wanted w on w.provider_account = l.provider_account_uuid and w.account = l.account_uuid and w.bucket = l.bucket
       where b.provider_account_uuid = l.provider_account_uuid and b.account_uuid = l.account_uuid
         and b.bucket = l.bucket
       returning b.provider_account_uuid, b.account_uuid, b.bucket, b.cents
     )
     insert into posting (movement_uuid, account_uuid, provider_account_uuid, type, bucket, cents, balance_cents)
     select l.movement, l.account, l.provider_account,
       coalesce(l.type, (select type from movement where uuid = l.movement)), l.bucket, l.cents,
       m.cents - coalesce(sum(l.cents) over (
         partition by l.provider_account, l.account, l.bucket order by l.position
         rows between 1 following and unbounded following), 0)
     from leg l
     left join moved m on m.provider_account_uuid = l.provider_account and m.account_uuid = l.account and m.bucket = l.bucket
     order by l.position`,
    [
      rows.map(row => row.movementUuid),
      rows.map(row => row.providerAccountUuid),
      rows.map(row => row.accountUuid),
      rows.map(row => row.bucket),
      rows.map(row => row.cents),
      rows.map(row => row.type),
    ],
  )
}

/**
 * Locks the balances of accounts at provider accounts in sorted order, before the first of them is updated:
 * transactions that move money between the same provider accounts or accounts in opposite directions never deadlock.
 */
export function lockBalances(
  em: EntityManager,
  { accountUuids, providerAccountUuids }: { accountUuids: string[]; providerAccountUuids: string[] },
): Promise<void> {
  return sendStatement(
    em,
    `select from balance where account_uuid = any(?::uuid[]) and provider_account_uuid = any(?::uuid[])
     order by provider_account_uuid, account_uuid, bucket for update`,
    [accountUuids, providerAccountUuids],
  )
}

/**
 * Queries the shortfalls of accounts at a provider account, in negative centavos. All balances of these accounts are
 * locked, in sorted order: no concurrent inflow repays the same shortfall.
 */
export function queryLockedShortfalls(
  providerAccountUuid: string,
  accountUuids: string[],
): Query<{ accountUuid: string; cents: number }[]> {
  const sql = `select account_uuid, bucket, cents from balance
    where provider_account_uuid = ? and account_uuid = any(?::uuid[]) order by account_uuid, bucket for update`
  return query(sql, [providerAccountUuid, accountUuids], rows =>
    rows
      .map(row => ({ accountUuid: String(row.account_uuid), bucket: row.bucket, cents: Number(row.cents) }))
      .filter(({ bucket, cents }) => bucket === 'shortfall' && cents < 0),
  )
}

/** Returns what an account can spend at a provider account now; its balances stay locked until the transaction ends. */
export function lockAvailableBalance(
  em: EntityManager,
  { accountUuid, providerAccountUuid }: { accountUuid: string; providerAccountUuid: string },
): Promise<number> {
  return runQuery(em, queryAvailableBalance(accountUuid, [providerAccountUuid]))
}

/** Builds the query of `lockAvailableBalance` for a batch; `key`: SQL of the provider account's key over `values`. */
export function queryAvailableBalance(accountUuid: string, values: string[], key = '?'): Query<number> {
  const sql = `select bucket, cents from balance
    where provider_account_uuid = ${key} and account_uuid = ? order by bucket for update`
  const availableCents = (rows: ResultRow[]) => rows.find(({ bucket }) => bucket === 'available')?.cents
  return query(sql, [...values, accountUuid], rows => Number(availableCents(rows) ?? 0))
}
