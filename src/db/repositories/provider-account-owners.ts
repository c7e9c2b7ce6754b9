import { randomUUID } from 'node:crypto'
import { BUCKETS } from '../../domain/ledger/legs.ts'
import type { EntityManager } from '../client/orm.ts'
import { Connection } from '../entities/connection.ts'
import { selectValue } from '../select-values.ts'

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
  const service: string = await selectValue(em, 'select uuid from account where is_service')
  await em.execute(
    `insert into balance (account_uuid, provider_account_uuid, bucket, cents)
     select ?, ?, name, 0 from unnest(array[?]::text[]) as name on conflict do nothing`,
    [service, providerAccountUuid, [...BUCKETS]],
  )
  return service
}
