import type { FilterQuery } from '@mikro-orm/core'
import type { ConnectionType, ProviderApi, ProviderName } from '../../domain/providers/provider.ts'
import type { EntityManager } from '../client/orm.ts'
import { ProviderAccountIdentity } from '../entities/connection.ts'
import { formatTextArray } from '../sql-conditions.ts'

/** What identifies provider accounts at their banks, and whose money they hold. */

/** The name under which an account at a bank is connected. */
export type ProviderAccountName = { uuid: string; provider: ProviderName; isSimulated: boolean; name: string }

/** Lets one transaction at a time compare identities with all others and store its own; readers do not wait. */
export async function lockIdentities(em: EntityManager): Promise<void> {
  await em.execute('lock table provider_account_identity in share row exclusive mode')
}

/**
 * Finds the provider accounts that have any of these hashes, or one of these random PIX keys: created through Trilho, or
 * collecting for a connection.
 */
export function findIdentifiedAccounts(
  em: EntityManager,
  { dialect, hashes, keys }: { dialect: ProviderApi; hashes: string[]; keys: string[] },
): Promise<ProviderAccountName[]> {
  return em.execute<ProviderAccountName[]>(
    `select uuid, provider, is_simulated as "isSimulated", name from provider_account where uuid in (
       select provider_account_uuid from provider_account_identity where dialect = ? and hash = any(?::text[])
       union select provider_account_uuid from pix_key where type = 'RANDOM' and key = any(?::text[])
       union select provider_account_uuid from connection where collection_key = any(?::text[])
     ) order by created_at, uuid`,
    [dialect, formatTextArray(hashes), formatTextArray(keys), formatTextArray(keys)],
  )
}

/** Lists the hashes that a provider account has had. */
export function listIdentityHashes(em: EntityManager, providerAccountUuid: string): Promise<string[]> {
  return findHashes(em, { providerAccountUuid })
}

async function findHashes(em: EntityManager, where: FilterQuery<ProviderAccountIdentity>): Promise<string[]> {
  const options = { fields: ['hash'], orderBy: { hash: 'asc' }, disableIdentityMap: true } as const
  const rows = await em.find(ProviderAccountIdentity, where, options)
  return rows.map(({ hash }) => hash)
}

type IdentityOfAccount = { providerAccountUuid: string; dialect: ProviderApi; hashes: string[] }

/**
 * Stores hashes of a provider account and returns those that it did not have. A hash of another provider account is a
 * violation of `provider_account_identity_once`.
 */
export async function storeIdentities(
  em: EntityManager,
  { providerAccountUuid, dialect, hashes }: IdentityOfAccount,
): Promise<string[]> {
  const stored = new Set(await findHashes(em, { providerAccountUuid, dialect, hash: { $in: hashes } }))
  const added = [...new Set(hashes)].filter(hash => !stored.has(hash))
  await em.insertMany(
    ProviderAccountIdentity,
    added.map(hash => ({ dialect, hash, providerAccountUuid })),
  )
  return added
}

/** Deletes hashes of a provider account that were not proved to be its own. */
export async function deleteIdentities(
  em: EntityManager,
  { providerAccountUuid, dialect, hashes }: IdentityOfAccount,
): Promise<void> {
  await em.nativeDelete(ProviderAccountIdentity, { providerAccountUuid, dialect, hash: { $in: hashes } })
}

/** An account that has a connection to a provider account, which holds its money. */
export type ProviderAccountHolder = { accountUuid: string; name: string; type: ConnectionType }

/** Lists whose money a provider account holds, by its connections that are not pending: the oldest first. */
export function listProviderAccountHolders(
  em: EntityManager,
  providerAccountUuid: string,
): Promise<ProviderAccountHolder[]> {
  return em.execute<ProviderAccountHolder[]>(
    `select a.uuid as "accountUuid", a.name, min(c.type) as type
     from connection c join account a on a.uuid = c.account_uuid
     where c.provider_account_uuid = ? and c.status <> 'CONFIGURATION_PENDING'
     group by a.uuid, a.name order by min(c.created_at), a.uuid`,
    [providerAccountUuid],
  )
}

/** Deletes a provider account that has no connection any more and never held money, with all that names it. */
export async function deleteUnusedProviderAccount(
  em: EntityManager,
  providerAccountUuid: string,
): Promise<void> {
  const unused = `?::uuid and not exists (select from connection where provider_account_uuid = ?)
    and not exists (select from movement where provider_account_uuid = ?)`
  const values = [providerAccountUuid, providerAccountUuid, providerAccountUuid]
  for (const [table, column] of [
    ['provider_account_identity', 'provider_account_uuid'],
    ['balance', 'provider_account_uuid'],
    ['provider_account', 'uuid'],
  ])
    await em.execute(`delete from ${table} where ${column} = ${unused}`, values)
}
