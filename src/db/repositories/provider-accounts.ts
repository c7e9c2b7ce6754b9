import { randomUUID } from 'node:crypto'
import { BUCKETS } from '../../domain/ledger/legs.ts'
import type { EntityManager } from '../client/orm.ts'
import { Account } from '../entities/account.ts'
import { Connection, ProviderAccount, ProviderAccountOpening } from '../entities/connection.ts'
import { selectValue } from '../select-values.ts'

/** Provider accounts: who bears their unmatched movements, and since and until when their statements are compared. */

/** The account that bears a provider account's unmatched movements, and the connection that is locked and shown. */
export type ProviderAccountOwner = {
  accountUuid: string
  connection: Connection
  /** The service bears them: the account at the provider is shared, and no merchant owns what names no charge. */
  isService: boolean
}

/**
 * Finds the owner of a provider account: the account of its oldest NOMINAL connection; if it is only shared (POOL),
 * the service's own account, which then gets balances there. Expects a transaction.
 */
export async function findProviderAccountOwner(
  em: EntityManager,
  providerAccountUuid: string,
): Promise<ProviderAccountOwner> {
  const connections = await em.find(
    Connection,
    { providerAccountUuid, status: { $ne: 'CONFIGURATION_PENDING' } },
    { orderBy: { createdAt: 'asc', uuid: 'asc' } },
  )
  const nominal = connections.find(({ type }) => type === 'NOMINAL')
  const connection = nominal ?? connections[0]
  if (!connection) throw new Error(`no connection to the provider account ${providerAccountUuid}`)
  const accountUuid = nominal?.accountUuid ?? (await ensureServiceAccount(em, providerAccountUuid))
  return { accountUuid, connection, isService: nominal === undefined }
}

/** Returns the service's own account, created on first use, with balances at this provider account. */
export async function ensureServiceAccount(em: EntityManager, providerAccountUuid: string): Promise<string> {
  await em.execute(
    `insert into account (uuid, name, document, is_service, created_at) values (?, 'Trilho', '', true, now())
     on conflict (is_service) where is_service do nothing`,
    [randomUUID()],
  )
  const options = { fields: ['uuid'], disableIdentityMap: true } as const
  const { uuid: service } = await em.findOneOrFail(Account, { isService: true }, options)
  await em.execute(
    `insert into balance (account_uuid, provider_account_uuid, bucket, cents)
     select ?, ?, name, 0 from unnest(array[?]::text[]) as name on conflict do nothing`,
    [service, providerAccountUuid, [...BUCKETS]],
  )
  return service
}

/** Finds what the opening balance of a provider account was read with; null where it was not read. */
export function findOpening(
  em: EntityManager,
  providerAccountUuid: string,
): Promise<ProviderAccountOpening | null> {
  return em.findOne(ProviderAccountOpening, providerAccountUuid)
}

/** Returns whether a movement is dated before the provider account's movements are credited: its opening balance may have it. */
export async function isBeforeCrediting(
  em: EntityManager,
  { providerAccountUuid, at }: { providerAccountUuid: string; at: Date },
): Promise<boolean> {
  return (await em.count(ProviderAccountOpening, { providerAccountUuid, creditedSince: { $gt: at } })) > 0
}

/**
 * Reads the time up to which a provider account's statement has been compared without a gap, in ms: where it never was,
 * the time since which its movements are credited. Null where neither is known.
 */
export function readComparedUntil(em: EntityManager, providerAccountUuid: string): Promise<number | null> {
  return selectValue(
    em,
    `select (extract(epoch from coalesce(p.compared_until, (
       select min(c.credited_since) from connection c
       where c.provider_account_uuid = p.uuid and c.credited_since <= now()))) * 1000)::float8
     from provider_account p where p.uuid = ?`,
    [providerAccountUuid],
  )
}

/**
 * Records a comparison that has just ended. `comparedUntil` (ms) is absent where a gap before its period remains; the
 * recorded time never goes back.
 */
export async function recordComparison(
  em: EntityManager,
  { providerAccountUuid, comparedUntil }: { providerAccountUuid: string; comparedUntil?: number | undefined },
): Promise<void> {
  const until = comparedUntil === undefined ? null : new Date(comparedUntil)
  await em.execute(
    `update provider_account set compared_at = now(), compared_until = greatest(compared_until, ?::timestamptz)
     where uuid = ?`,
    [until, providerAccountUuid],
  )
}

/** Finds when a provider account's statement was last compared with the ledger; null where it never was. */
export async function findComparisonTime(
  em: EntityManager,
  providerAccountUuid: string,
): Promise<Date | null> {
  const options = { fields: ['comparedAt'], disableIdentityMap: true } as const
  const providerAccount = await em.findOne(ProviderAccount, providerAccountUuid, options)
  return providerAccount?.comparedAt ?? null
}
