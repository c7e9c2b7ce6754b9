import type { ProviderName } from '../../domain/providers/provider.ts'
import type { EntityManager } from '../client/orm.ts'
import { Connection } from '../entities/connection.ts'
import { buildPauseCondition, type MoneyDirection, Pause, type PauseReach } from '../entities/pause.ts'
import { type Query, query } from '../pipeline/query.ts'
import { formatTextArray } from '../sql-conditions.ts'

/** SPEC §9, `trilho pause`: during a pause no new operation starts within its reach; running ones are polled. */

/** The whole service, an account, a connection, or all connections to a provider. */
export type PauseTarget =
  | 'all'
  | { accountUuid: string }
  | { connectionUuid: string }
  | { provider: ProviderName }

/** Columns of the connection `c` that decide which pauses stop something of it. */
export const CONNECTION_COLUMNS = { uuid: 'c.uuid', accountUuid: 'c.account_uuid', provider: 'c.provider' }

/** Queries whether a pause stops the direction through the connection. Never cache the result. */
export function queryIsPaused(connectionUuid: string, direction: MoneyDirection): Query<boolean> {
  return queryIsAnyPaused([connectionUuid], direction)
}

/** Queries whether a pause stops the direction through any of the connections. */
export function queryIsAnyPaused(connectionUuids: string[], direction: MoneyDirection): Query<boolean> {
  const paused = buildPauseCondition(direction, CONNECTION_COLUMNS)
  const sql = `select from connection c where c.uuid = any(?::uuid[]) and ${paused} limit 1`
  return query(sql, [formatTextArray(connectionUuids)], rows => rows.length > 0)
}

/** Conditions that decide whether a payout may leave through a connection now. */
export type PayoutConditions = {
  /** An operator's pause covers payouts of the connection. */
  isPaused: boolean
  isAccountBlocked: boolean
  /** When the transaction began, in milliseconds since 1970 by PostgreSQL's clock. */
  transactionStartedAtMs: number
}

/** Queries the conditions for a batch with the row lock, as of the moment after it. Never cache them. */
export function queryPayoutConditions(connectionUuid: string): Query<PayoutConditions> {
  const paused = buildPauseCondition('out', CONNECTION_COLUMNS)
  const sql = `select ${paused} as paused, a.status <> 'ACTIVE' as blocked, extract(epoch from now()) * 1000 as began_ms
    from connection c join account a on a.uuid = c.account_uuid where c.uuid = ?`
  return query(sql, [connectionUuid], ([row]) => ({
    isPaused: row?.paused === true,
    isAccountBlocked: row?.blocked === true,
    transactionStartedAtMs: Number(row?.began_ms),
  }))
}

/** What a pause stops. */
export const PAUSE_TARGETS = ['all', 'account', 'connection', 'provider'] as const
export type PauseTargetKind = (typeof PAUSE_TARGETS)[number]

/** The kind of what the pause `p` stops. */
const TARGET_SQL = `case when p.connection_uuid is not null then 'connection' when p.account_uuid is not null then 'account'
         when p.provider is not null then 'provider' else 'all' end`

/** Finds the active pause of a target. */
export function findPause(em: EntityManager, target: PauseTarget): Promise<Pause | null> {
  return em.fork().findOne(Pause, getPauseTargetColumns(target))
}

/** Lists the active pauses with the names of what they stop, oldest first. */
export function listPauses(em: EntityManager) {
  return em.execute(
    `select p.uuid, coalesce(p.connection_uuid, p.account_uuid) as target_uuid, p.reach, p.reason, p.actor, p.created_at,
       ${TARGET_SQL} as target,
       n.uuid as account_uuid, n.name as account_name, coalesce(p.provider, c.provider) as provider
     from pause p left join connection c on c.uuid = p.connection_uuid
     left join account n on n.uuid = coalesce(p.account_uuid, c.account_uuid)
     order by p.created_at`,
  )
}

/** A pause as a page names it: what it stops, and of whom where that is not the whole service. */
export type ShownPause = {
  target: PauseTargetKind
  reach: PauseReach
  /** Null of the whole service, and of a provider. */
  accountName: string | null
  /** Null where every provider is paused. */
  provider: ProviderName | null
}

/** Pauses that one page names. */
const MAX_SHOWN_PAUSES = 20

/**
 * Finds the pauses that stop something of an account, or of `null` all: the widest first. To an account, a pause of the service is as
 * wide as its own.
 */
export function findShownPauses(em: EntityManager, accountUuid: string | null): Promise<ShownPause[]> {
  return em.execute(
    `select ${TARGET_SQL} as target, p.reach, n.name as "accountName", coalesce(p.provider, c.provider) as provider
     from pause p left join connection c on c.uuid = p.connection_uuid
     left join account n on n.uuid = coalesce(p.account_uuid, c.account_uuid)
     where ?::uuid is null or n.uuid = ?
       or case when p.provider is null then n.uuid is null
         else exists (select from connection k where k.account_uuid = ? and k.provider = p.provider) end
     order by num_nonnulls(p.connection_uuid, p.provider), ?::uuid is null and p.account_uuid is not null,
       p.reach = 'everything' desc, p.created_at limit ${MAX_SHOWN_PAUSES}`,
    [accountUuid, accountUuid, accountUuid, accountUuid],
  )
}

/** Finds what pauses stop through these connections, by their uuid; nothing of a connection that none reaches. */
export async function findPauseReaches(em: EntityManager, uuids: string[]): Promise<Map<string, PauseReach>> {
  const fields = ['uuid', 'isPausedIn', 'isPausedOut'] as const
  const rows = await em.fork().find(Connection, { uuid: { $in: uuids } }, { fields: [...fields] })
  const paused = rows.filter(({ isPausedOut }) => isPausedOut)
  return new Map(paused.map(({ uuid, isPausedIn }) => [uuid, isPausedIn ? 'everything' : 'money_out']))
}

/** Columns of `Pause` that say what it stops. */
export function getPauseTargetColumns(target: PauseTarget): {
  accountUuid: string | null
  connectionUuid: string | null
  provider: ProviderName | null
} {
  return { accountUuid: null, connectionUuid: null, provider: null, ...(target !== 'all' && target) }
}
