import {
  type AccountLimits,
  getEffectiveLimits,
  type LimitSettings,
  NO_LIMITS,
} from '../../domain/limits/account-limits.ts'
import type { UsageWindow, UsageWindowName } from '../../domain/limits/usage-window.ts'
import type { EntityManager } from '../client/orm.ts'
import { type Query, query, type ResultRow, runQuery, sendStatement } from '../pipeline/query.ts'

/** The limits of an account with their version, 0 where it has never set any, as of a moment of PostgreSQL's clock. */
export type StoredLimits = LimitSettings & { version: number; updatedAt: Date | null; at: Date }

const SETTINGS_SQL = `l.limits, l.pending, l.pending_from, l.version, l.updated_at, clock_timestamp() as at`

/** Reads the limits of an account; those that bind nothing where it has never set any. */
export async function readAccountLimits(em: EntityManager, accountUuid: string): Promise<StoredLimits> {
  const sql = `select ${SETTINGS_SQL} from (select ?::uuid as account_uuid) a left join account_limits l using (account_uuid)`
  return runQuery(
    em,
    query(sql, [accountUuid], ([row]) => parseSettings(row!)),
  )
}

/** Locks the limits of an account for a change, and reads them; a row is written where there is none yet. */
export async function lockAccountLimits(em: EntityManager, accountUuid: string): Promise<StoredLimits> {
  await sendStatement(
    em,
    `insert into account_limits (account_uuid, limits, version) values (?, ?::jsonb, 0) on conflict do nothing`,
    [accountUuid, JSON.stringify(NO_LIMITS)],
  )
  const sql = `select ${SETTINGS_SQL} from account_limits l where account_uuid = ? for no key update`
  return runQuery(
    em,
    query(sql, [accountUuid], ([row]) => parseSettings(row!)),
  )
}

/** Writes changed limits, and counts their version. The caller holds the lock of `lockAccountLimits`. */
export async function updateAccountLimits(
  em: EntityManager,
  accountUuid: string,
  { limits, pending }: LimitSettings,
): Promise<void> {
  await sendStatement(
    em,
    `update account_limits set limits = ?::jsonb, pending = ?::jsonb, pending_from = ?, version = version + 1,
       updated_at = clock_timestamp() where account_uuid = ?`,
    [
      JSON.stringify(limits),
      pending && JSON.stringify(pending.limits),
      pending?.effectiveAt.toISOString() ?? null,
      accountUuid,
    ],
  )
}

function parseSettings(row: ResultRow): StoredLimits {
  const pendingFrom = row.pending_from as string | Date | null
  return {
    limits: (row.limits as AccountLimits | null) ?? NO_LIMITS,
    pending:
      pendingFrom === null
        ? null
        : { limits: row.pending as AccountLimits, effectiveAt: new Date(pendingFrom) },
    version: Number(row.version ?? 0),
    updatedAt: row.updated_at === null ? null : new Date(row.updated_at as string | Date),
    at: new Date(row.at as string | Date),
  }
}

/** The limits in force that an order of an account is checked against, and the moment that they were read. */
export type LimitsInForce = { limits: AccountLimits; at: Date }

/**
 * Queries and locks the limits in force of an account, for a batch after the lock of its balances; null where the account
 * has never set any, which costs no more than the look-up. The lock orders the orders of an account, at whatever provider
 * account, and changes of its limits. `condition`: SQL over `values`, false where nothing is to be locked.
 */
export function queryLockedLimits(
  accountUuid: string,
  values: string[] = [],
  condition = 'true',
): Query<LimitsInForce | null> {
  const sql = `select ${SETTINGS_SQL} from account_limits l where account_uuid = ? and ${condition} for no key update`
  return query(sql, [accountUuid, ...values], ([row]) => {
    if (!row) return null
    const settings = parseSettings(row)
    return { limits: getEffectiveLimits(settings, settings.at), at: settings.at }
  })
}

/** Whose counters: an account's, of simulated money or of real money. */
export type UsageOwner = { accountUuid: string; isSimulated: boolean }

/** Locks counters in the order of their key, which writes those that are missing, and returns what each has counted. */
export function lockLimitUsage(
  em: EntityManager,
  { accountUuid, isSimulated }: UsageOwner,
  windows: UsageWindow[],
): Promise<Partial<Record<UsageWindowName, number>>> {
  const sql = `insert into limit_usage as u (account_uuid, is_simulated, name, starts_on, receiver_hash)
    select ?, ?, name, starts_on, receiver_hash
    from unnest(?::text[], ?::date[], ?::text[]) as w (name, starts_on, receiver_hash)
    order by name, starts_on, receiver_hash
    on conflict (account_uuid, is_simulated, name, starts_on, receiver_hash) do update set late_cents = u.late_cents
    returning name, used_cents + late_cents as cents`
  return runQuery(em, query(sql, [accountUuid, isSimulated, ...listWindowColumns(windows)], parseUsage))
}

/** Reads what counters have counted; one that is absent has counted nothing. */
export function readLimitUsage(
  em: EntityManager,
  { accountUuid, isSimulated }: UsageOwner,
  windows: UsageWindow[],
): Promise<Partial<Record<UsageWindowName, number>>> {
  const sql = `select name, used_cents + late_cents as cents from limit_usage
    join unnest(?::text[], ?::date[], ?::text[]) as w (name, starts_on, receiver_hash) using (name, starts_on, receiver_hash)
    where account_uuid = ? and is_simulated = ?`
  return runQuery(em, query(sql, [...listWindowColumns(windows), accountUuid, isSimulated], parseUsage))
}

function parseUsage(rows: ResultRow[]): Partial<Record<UsageWindowName, number>> {
  return Object.fromEntries(rows.map(({ name, cents }) => [name, Number(cents)]))
}

function listWindowColumns(windows: UsageWindow[]): string[][] {
  return [
    windows.map(({ name }) => name),
    windows.map(({ startsOn }) => startsOn),
    windows.map(({ receiverHash }) => receiverHash),
  ]
}

/**
 * Adds centavos to counters, below zero to give room back. `lateCents`: what left without having been let through. Counters are
 * locked in the order of their key. PostgreSQL refuses what would exceed the limit in force (`limit_usage_within_limit`).
 */
export function addLimitUsage(
  em: EntityManager,
  { accountUuid, isSimulated }: UsageOwner,
  {
    windows,
    usedCents = 0,
    lateCents = 0,
  }: { windows: UsageWindow[]; usedCents?: number; lateCents?: number },
): Promise<void> {
  return sendStatement(
    em,
    `with counted as (
       select u.name, u.starts_on, u.receiver_hash from limit_usage u
       join unnest(?::text[], ?::date[], ?::text[]) as w (name, starts_on, receiver_hash)
         using (name, starts_on, receiver_hash)
       where u.account_uuid = ? and u.is_simulated = ?
       order by u.name, u.starts_on, u.receiver_hash for update of u
     )
     update limit_usage u set used_cents = u.used_cents + ?, late_cents = u.late_cents + ?
     from counted c
     where u.account_uuid = ? and u.is_simulated = ? and u.name = c.name and u.starts_on = c.starts_on
       and u.receiver_hash = c.receiver_hash`,
    [...listWindowColumns(windows), accountUuid, isSimulated, usedCents, lateCents, accountUuid, isSimulated],
  )
}

/**
 * Reads when the first transfer of an account to a receiver settled, or one that settled before `enough`, which spares an old
 * receiver the reading of all; null where none has.
 */
export function readFirstSettlement(
  em: EntityManager,
  { accountUuid, isSimulated }: UsageOwner,
  { receiverId, enough }: { receiverId: string; enough: Date },
): Promise<Date | null> {
  const settled = `transfer t join connection c on c.uuid = t.connection_uuid
    where t.account_uuid = ? and t.receiver_id = ? and c.is_simulated = ?`
  const sql = `select coalesce(
    (select t.settled_at from ${settled} and t.settled_at <= ? order by t.created_at limit 1),
    (select min(t.settled_at) from ${settled} and t.settled_at is not null)) as settled_at`
  const values = [accountUuid, receiverId, isSimulated]
  return runQuery(
    em,
    query(sql, [...values, enough.toISOString(), ...values], ([row]) =>
      row?.settled_at ? new Date(row.settled_at as string | Date) : null,
    ),
  )
}

/** Finds the latest transfer of an account with this value to this receiver within the last seconds that may have paid it. */
export function findRecentTransfer(
  em: EntityManager,
  { accountUuid, isSimulated }: UsageOwner,
  { receiverId, valueCents, seconds }: { receiverId: string; valueCents: number; seconds: number },
): Promise<string | null> {
  const sql = `select t.uuid from transfer t join connection c on c.uuid = t.connection_uuid
    where t.account_uuid = ? and t.receiver_id = ? and t.value_cents = ? and c.is_simulated = ?
      and t.created_at > clock_timestamp() - make_interval(secs => ?)
      and t.state not in ('failed', 'cancelled', 'expired')
    order by t.created_at desc limit 1`
  return runQuery(
    em,
    query(sql, [accountUuid, receiverId, valueCents, isSimulated, seconds], ([row]) =>
      row ? String(row.uuid) : null,
    ),
  )
}
