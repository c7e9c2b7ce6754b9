import type { EntityManager } from '../client/orm.ts'
import { Connection } from '../entities/connection.ts'
import { getEntityMapper, queryEntities } from '../pipeline/entity-mapper.ts'
import { firstRow, type Query, query } from '../pipeline/query.ts'
import { selectValue, selectValues } from '../select-values.ts'

/** Reads of connections on the path of every operation. Those of API requests are read-only mappings. */

/** SQL condition: operations may have gone through the connection, because its notification URL was registered. */
const IS_CONFIGURED = `status <> 'CONFIGURATION_PENDING'`

/** Queries a connection of an account by uuid. */
export function queryAccountConnection(
  em: EntityManager,
  { accountUuid, uuid }: { accountUuid: string; uuid: string },
): Query<Connection | undefined> {
  return firstRow(
    queryConnections(em, 'connection c where c.uuid = ? and c.account_uuid = ?', [uuid, accountUuid]),
  )
}

/** Queries the public connections on an account's priority list, in its order. */
export function queryRankedConnections(em: EntityManager, accountUuid: string): Query<Connection[]> {
  const ranked = `default_provider d join connection c on c.uuid = d.connection_uuid
    where d.account_uuid = ? and d.payment_type = 'PIX' and c.is_public order by c.is_simulated, d.position`
  return queryConnections(em, ranked, [accountUuid])
}

function queryConnections(em: EntityManager, from: string, values: string[]): Query<Connection[]> {
  const connection = getEntityMapper(em, Connection, 'c', ['isPausedIn', 'isPausedOut'])
  return query(`select ${connection.columns} from ${from}`, values, rows => rows.map(connection.mapRow))
}

/** Queries a connection to call, with credentials and circuit breaker; refreshes it in the unit of work. */
export function queryConnectionToCall(em: EntityManager, uuid: string): Query<Connection | undefined> {
  return queryToCall(em, '?', [uuid])
}

/** Queries the connection of a charge like `queryConnectionToCall`. */
export function queryChargeConnectionToCall(
  em: EntityManager,
  chargeUuid: string,
): Query<Connection | undefined> {
  return queryToCall(em, '(select connection_uuid from charge where uuid = ?)', [chargeUuid])
}

/** `key`: SQL of the connection's key over `values`. */
function queryToCall(em: EntityManager, key: string, values: string[]): Query<Connection | undefined> {
  const lazyProperties: (keyof Connection & string)[] = ['sealedCredentials', 'isDistrusted']
  const rest = `where r.uuid = ${key}`
  return firstRow(queryEntities(em, Connection, { rest, values, lazyProperties, refresh: true }))
}

/** Lists the provider accounts of all configured connections. */
export function listProviderAccountUuids(em: EntityManager): Promise<string[]> {
  return selectValues(
    em,
    `select distinct provider_account_uuid from connection where ${IS_CONFIGURED} order by 1`,
  )
}

/** Finds which of the accounts are active and have an active connection to the provider account. */
export async function findActiveAccountsAt(
  em: EntityManager,
  providerAccountUuid: string,
  accountUuids: string[],
): Promise<Set<string>> {
  const uuids: string[] = await selectValues(
    em,
    `select a.uuid from account a where a.uuid = any(array[?]::uuid[]) and a.status = 'ACTIVE' and exists (
       select from connection c where c.account_uuid = a.uuid and c.status = 'ACTIVE' and c.provider_account_uuid = ?)`,
    [accountUuids, providerAccountUuid],
  )
  return new Set(uuids)
}

/**
 * Finds the connection through which a provider account is listed: an ACTIVE one, else any configured one. Undefined
 * where its last connection was withdrawn or moved to another provider account.
 */
export function findListingConnection(
  em: EntityManager,
  providerAccountUuid: string,
): Promise<string | undefined> {
  return selectValue(
    em,
    `select uuid from connection where provider_account_uuid = ? and ${IS_CONFIGURED}
     order by status = 'ACTIVE' desc, created_at limit 1`,
    [providerAccountUuid],
  )
}

/** Lists whether an account's connections are simulated: real ones first, each value once. */
export function listIsSimulated(em: EntityManager, accountUuid: string): Promise<boolean[]> {
  const sql = 'select distinct is_simulated from connection where account_uuid = ? order by is_simulated'
  return selectValues(em, sql, [accountUuid])
}
