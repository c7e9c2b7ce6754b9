import type { KeyLookupOutcome } from '../../domain/pix-keys/key-look-up.ts'
import { type BudgetAt, type LookUpBudget, spendBudget } from '../../domain/pix-keys/look-up-budget.ts'
import type { TransferLookup } from '../../domain/transfers/transfer-lookup.ts'
import type { EntityManager } from '../client/orm.ts'
import { runInTransaction } from '../client/transaction.ts'
import { KeyLookup } from '../entities/key-lookup.ts'
import {
  ASYNC_COMMIT,
  batchQueries,
  firstRow,
  mapQuery,
  type Query,
  query,
  runQuery,
} from '../pipeline/query.ts'

/** Look-ups of keys: the shared answers, the limits, and the budgets of the providers. */

/** How long a process may ask before another one asks in its place, in ms: longer than its calls. */
const LEASE_MS = 10_000

/** A key, by its HMAC, in one mode. `claim`: names the caller that may ask. */
export type KeyAnswerRequest = {
  claim: string
  isSimulated: boolean
  keyMac: string
  providerAccountUuid: string
}
/** An answer about a key. `retryAfterS`: none was requested, because the budget was too low. */
export type StoredKeyAnswer = {
  outcome: KeyLookupOutcome
  sealedAnswer: string | null
  providerAccountUuid: string
  retryAfterS: number | null
}
type KeyAnswerRow = Omit<StoredKeyAnswer, 'outcome'> & { state: KeyLookupOutcome | 'asking' }

/** Queries the answer about a key that callers of all provider accounts share; undefined where none is known. Takes no lock. */
export function querySharedAnswer({
  isSimulated,
  keyMac,
}: Pick<KeyAnswerRequest, 'isSimulated' | 'keyMac'>): Query<StoredKeyAnswer | undefined> {
  const isShared = `and expires_at > clock_timestamp() and state <> 'no_answer'`
  return mapQuery(queryKeyAnswer({ isSimulated, keyMac }, isShared), row => row && toStoredAnswer(row))
}

/**
 * Finds the answer about a key, or claims the right to ask for it; `asking` while another caller asks. One row lock decides between
 * parallel callers; an answer that is known is read without it. A failure is shared by callers of the same provider account only. Run
 * outside a transaction.
 */
export async function claimKeyAnswer(
  em: EntityManager,
  { claim, isSimulated, keyMac, providerAccountUuid }: KeyAnswerRequest,
): Promise<StoredKeyAnswer | 'claimed' | 'asking'> {
  const claiming = query(
    `insert into key_answer as k (uuid, is_simulated, key_mac, state, provider_account_uuid, leased_until)
     select ?, ?, ?, 'asking', ?, clock_timestamp() + ?::float8 * interval '1 ms'
     where not exists (
       select from key_answer where is_simulated = ? and key_mac = ? and expires_at > clock_timestamp()
         and (state <> 'no_answer' or provider_account_uuid = ?))
     on conflict (is_simulated, key_mac) do update set uuid = excluded.uuid, state = 'asking',
       provider_account_uuid = excluded.provider_account_uuid, leased_until = excluded.leased_until,
       sealed_answer = null, retry_after_s = null, expires_at = null
     where k.expires_at <= clock_timestamp() or k.leased_until <= clock_timestamp()
       or (k.state = 'no_answer' and k.provider_account_uuid <> excluded.provider_account_uuid)
     returning uuid`,
    [
      ...[claim, isSimulated, keyMac, providerAccountUuid, LEASE_MS],
      ...[isSimulated, keyMac, providerAccountUuid],
    ],
    rows => rows.length > 0,
  )
  const [isClaimed, row] = await runQuery(em, batchQueries(claiming, queryKeyAnswer({ isSimulated, keyMac })))
  if (isClaimed) return 'claimed'
  // Where the row was deleted meanwhile, the next claim finds none.
  return (row && toStoredAnswer(row)) ?? 'asking'
}

/** `condition`: SQL of what else must hold, a constant of the code. */
function queryKeyAnswer(
  { isSimulated, keyMac }: Pick<KeyAnswerRequest, 'isSimulated' | 'keyMac'>,
  condition = '',
): Query<KeyAnswerRow | undefined> {
  return firstRow(
    query(
      `select state, sealed_answer as "sealedAnswer", provider_account_uuid as "providerAccountUuid",
         retry_after_s as "retryAfterS"
       from key_answer where is_simulated = ? and key_mac = ? ${condition}`,
      [isSimulated, keyMac],
      rows => rows as KeyAnswerRow[],
    ),
  )
}

function toStoredAnswer({ state, ...answer }: KeyAnswerRow): StoredKeyAnswer | undefined {
  return state === 'asking' ? undefined : { outcome: state, ...answer }
}

/** Stores the answer of a claim for `validityMs`; does nothing where another caller has claimed it meanwhile. */
export async function storeKeyAnswer(
  em: EntityManager,
  claim: string,
  { outcome, sealedAnswer, providerAccountUuid, retryAfterS }: StoredKeyAnswer,
  validityMs: number,
): Promise<void> {
  await em.execute(
    `update key_answer set state = ?, sealed_answer = ?, provider_account_uuid = ?, retry_after_s = ?, leased_until = null,
       expires_at = clock_timestamp() + ?::float8 * interval '1 ms'
     where uuid = ? and state = 'asking'`,
    [outcome, sealedAnswer, providerAccountUuid, retryAfterS, validityMs, claim],
  )
}

/**
 * Queries the count of a look-up of a token and its account: the seconds until another is allowed, 0 where this one is counted. Run by
 * `runAsyncCommit`: the lock of the counters ends with the statement, and a crash of PostgreSQL may lose the latest counts.
 */
export function queryLookupCount({
  accountUuid,
  tokenUuid,
}: {
  accountUuid: string
  tokenUuid: string
}): Query<number> {
  const sql = `select count_key_lookup(?, ?) as wait_s from ${ASYNC_COMMIT}`
  return query(sql, [accountUuid, tokenUuid], ([row]) => Number(row!.wait_s))
}

/**
 * Binds a look-up to the first transfer that names it, in the transaction that stores the transfer; for any other one the id that binds
 * is removed from the copy. Repeatable.
 */
export async function claimLookup(
  em: EntityManager,
  transferUuid: string,
  { endToEnd, ...lookup }: TransferLookup,
): Promise<TransferLookup> {
  if (endToEnd === undefined) return lookup
  const isFirst = await em.nativeUpdate(
    KeyLookup,
    { uuid: lookup.uuid, $or: [{ transferUuid: null }, { transferUuid }] },
    { transferUuid },
  )
  return isFirst === 1 ? { ...lookup, endToEnd } : lookup
}

type BudgetRow = LookUpBudget & { atMs: number; readAtMs: number }

const BUDGET_COLUMNS = `capacity, tokens_left as left, refill_per_minute as "refillPerMinute",
  extract(epoch from at)::float8 * 1000 as "atMs", extract(epoch from read_at)::float8 * 1000 as "readAtMs"`

/** Queries the budget of a provider account as it is known. `readAtMs`: when its provider reported it. */
export function queryLookupBudget(providerAccountUuid: string): Query<BudgetRow | undefined> {
  const sql = `select ${BUDGET_COLUMNS} from lookup_budget where provider_account_uuid = ?`
  return firstRow(query(sql, [providerAccountUuid], rows => rows as BudgetRow[]))
}

/** Finds the budgets that are known of connections' provider accounts, by the connection's uuid. */
export async function findConnectionBudgets(
  em: EntityManager,
  connectionUuids: string[],
): Promise<Map<string, BudgetRow>> {
  const sql = `select c.uuid as "connectionUuid", ${BUDGET_COLUMNS} from lookup_budget b
    join connection c using (provider_account_uuid) where c.uuid = any(array[?]::uuid[])`
  const rows = await em.execute<(BudgetRow & { connectionUuid: string })[]>(sql, [connectionUuids])
  return new Map(rows.map(({ connectionUuid, ...budget }) => [connectionUuid, budget]))
}

/** Stores what a provider reports: its number counts, whatever was computed before. */
export async function storeLookupBudget(
  em: EntityManager,
  providerAccountUuid: string,
  { capacity, left, refillPerMinute }: LookUpBudget,
  readAtMs: number,
): Promise<void> {
  const at = new Date(readAtMs)
  await em.execute(
    `insert into lookup_budget (provider_account_uuid, capacity, tokens_left, refill_per_minute, at, read_at)
     values (?, ?, ?, ?, ?, ?)
     on conflict (provider_account_uuid) do update set capacity = excluded.capacity, tokens_left = excluded.tokens_left,
       refill_per_minute = excluded.refill_per_minute, at = excluded.at, read_at = excluded.read_at
     where lookup_budget.read_at <= excluded.read_at`,
    [providerAccountUuid, capacity, left, refillPerMinute, at, at],
  )
}

/** Takes the cost of a look-up from the budget that is known, and returns what is left; undefined where none is known. */
export function spendLookupBudget(
  em: EntityManager,
  providerAccountUuid: string,
  cost: number,
): Promise<BudgetAt | undefined> {
  return runInTransaction(em, async tx => {
    const sql = `select ${BUDGET_COLUMNS} from lookup_budget where provider_account_uuid = ? for update`
    const [row] = await tx.execute<BudgetRow[]>(sql, [providerAccountUuid])
    if (!row) return undefined
    const { left, atMs, ...budget } = spendBudget(row, cost, Date.now())
    await tx.execute('update lookup_budget set tokens_left = ?, at = ? where provider_account_uuid = ?', [
      left,
      new Date(atMs),
      providerAccountUuid,
    ])
    return { ...budget, left, atMs }
  })
}

/**
 * Deletes answers that have expired, and the sealed answers of look-ups that no transfer may name any more. Returns the most that one
 * of them deleted, at most `limit`.
 */
export async function pruneKeyLookups(em: EntityManager, limit: number): Promise<number> {
  const statements = [
    `delete from key_answer where uuid in (
       select uuid from key_answer where expires_at < now() or leased_until < now() - interval '1 hour' limit ?) returning uuid`,
    `update key_lookup set sealed_answer = null where uuid in (
       select uuid from key_lookup where sealed_answer is not null and expires_at < now() order by expires_at limit ?)
     returning uuid`,
    `delete from key_lookup_times where token_uuid in (
       select token_uuid from key_lookup_times
       where not exists (select from unnest(at) one where one > now() - interval '1 minute') limit ?) returning token_uuid`,
  ]
  const counts: number[] = []
  for (const sql of statements) counts.push((await em.execute<object[]>(sql, [limit])).length)
  return Math.max(...counts)
}
