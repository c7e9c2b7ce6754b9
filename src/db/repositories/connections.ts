import { raw } from '@mikro-orm/core'
import type { BUCKETS } from '../../domain/ledger/legs.ts'
import type { ConnectionStatus, ProviderName } from '../../domain/providers/provider.ts'
import type { EntityManager } from '../client/orm.ts'
import { runInTransaction } from '../client/transaction.ts'
import { Account } from '../entities/account.ts'
import { Connection, DefaultProvider } from '../entities/connection.ts'
import type { Token } from '../entities/token.ts'
import { lockAccount } from '../locks.ts'
import { getEntityMapper, queryEntities } from '../pipeline/entity-mapper.ts'
import { firstRow, type Query, query } from '../pipeline/query.ts'
import { selectValues } from '../select-values.ts'
import { MAX_LISTED_ROWS } from './operator-lists.ts'

/** Connections of accounts to providers, and the order in which an account's operations choose them. */

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

/**
 * Replaces the priority list of an account; simulators and real providers are numbered separately, in the order
 * given, because candidates are always of one kind. With `mode`, only that kind is replaced. Locks the account row,
 * so that concurrent replacements run one after the other.
 */
export async function replaceDefaultConnections(
  em: EntityManager,
  { accountUuid, mode }: { accountUuid: string; mode?: Token['mode'] | undefined },
  connectionUuids: string[],
): Promise<void> {
  await runInTransaction(em, async tx => {
    await lockAccount(tx, accountUuid)
    const ofMode = mode && { connection: { isSimulated: mode === 'test' } }
    await tx.nativeDelete(DefaultProvider, { accountUuid, paymentType: 'PIX', ...ofMode })
    await tx.execute(
      `insert into default_provider (account_uuid, payment_type, position, connection_uuid)
       select ?, 'PIX', row_number() over (partition by k.is_simulated order by asked.place), k.uuid
       from unnest(array[?]::uuid[]) with ordinality as asked (uuid, place) join connection k on k.uuid = asked.uuid`,
      [accountUuid, connectionUuids],
    )
  })
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

/** Status of a connection through which no operation has gone, because its notification URL was never registered. */
const UNCONFIGURED: ConnectionStatus = 'CONFIGURATION_PENDING'

/** Lists the provider accounts of all configured connections. */
export function listProviderAccountUuids(em: EntityManager): Promise<string[]> {
  const sql = 'select distinct provider_account_uuid from connection where status <> ? order by 1'
  return selectValues(em, sql, [UNCONFIGURED])
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
export async function findListingConnection(
  em: EntityManager,
  providerAccountUuid: string,
): Promise<string | undefined> {
  const connection = await em.findOne(
    Connection,
    { providerAccountUuid, status: { $ne: UNCONFIGURED } },
    {
      fields: ['uuid'],
      orderBy: [{ [raw(`status = 'ACTIVE'`)]: 'desc' }, { createdAt: 'asc' }],
      disableIdentityMap: true,
    },
  )
  return connection?.uuid
}

/** Lists whether an account's connections are simulated: real ones first, each value once. */
export function listIsSimulated(em: EntityManager, accountUuid: string): Promise<boolean[]> {
  const sql = 'select distinct is_simulated from connection where account_uuid = ? order by is_simulated'
  return selectValues(em, sql, [accountUuid])
}

/** Lists the connections of all accounts, or to one provider, unhealthy ones first: status, circuit breaker and pauses. */
export function listConnectionHealth(em: EntityManager, provider: ProviderName | null) {
  return em.execute(
    `select c.uuid, c.account_uuid, n.name as account_name, c.provider, c.type, c.status, b.opened_at, p.reach as pause
     from connection c join account n on n.uuid = c.account_uuid
     left join circuit_breaker b on b.connection_uuid = c.uuid
     left join pause p on p.connection_uuid = c.uuid
     where ?::text is null or c.provider = ?
     order by (b.opened_at is null and p.uuid is null and c.status = 'ACTIVE'), n.name, c.provider limit ${MAX_LISTED_ROWS}`,
    [provider, provider],
  )
}

/** Reads the balances of connections' accounts at their provider accounts, in centavos by bucket. */
export async function readConnectionBalances(em: EntityManager, connectionUuids: string[]) {
  const rows: { uuid: string; cents: Record<(typeof BUCKETS)[number], number> }[] = await em.execute(
    `select c.uuid, json_object_agg(b.bucket, b.cents) as cents from connection c
     join balance b on b.account_uuid = c.account_uuid and b.provider_account_uuid = c.provider_account_uuid
     where c.uuid = any(array[?]::uuid[]) group by c.uuid`,
    [connectionUuids],
  )
  return new Map(rows.map(row => [row.uuid, row.cents]))
}

/** Reads the name that payers see on a static code: of the account at the provider, at a shared one of the merchant. */
export async function readReceiverName(
  em: EntityManager,
  { virtualAccount }: Pick<Connection, 'virtualAccount'>,
  accountUuid: string,
): Promise<string> {
  return virtualAccount?.name || (await em.findOneOrFail(Account, accountUuid, { fields: ['name'] })).name
}
