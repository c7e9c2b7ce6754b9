import {
  type ProviderHealth,
  type ProvidersQuery,
  showDefaultProvider,
  showProvider,
} from '../../contract/providers/provider.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { Connection, DefaultProvider } from '../../db/entities/connection.ts'
import { connectionScopeOf, visibilityFilter } from '../authorization/scope.ts'
import { fail } from '../http/api-error.ts'
import { buildListPage, newestFirstOptions } from '../http/pagination.ts'
import type { CallerToken } from '../middleware/authenticate.ts'

/** Lists one page of the connections that a token may see, with balances and health, newest first. */
export async function listProviders(em: EntityManager, token: CallerToken, query: ProvidersQuery) {
  const [rows, total] = await em.findAndCount(
    Connection,
    { ...buildConnectionVisibilityFilter(token), ...(query.status && { status: { $in: query.status } }) },
    newestFirstOptions(query),
  )
  return buildListPage({ ...query, total, rows: await showProviders(em, rows) })
}

/** Reads a connection that the token may see, or fails with 404. */
export async function readVisibleProvider(em: EntityManager, token: CallerToken, uuid: string) {
  const connection = await em.findOne(Connection, {
    $and: [buildConnectionVisibilityFilter(token), { uuid }],
  })
  if (!connection) return fail('not_found')
  const [provider] = await showProviders(em, [connection])
  return provider!
}

function buildConnectionVisibilityFilter(token: CallerToken) {
  return { accountUuid: token.accountUuid, ...connectionScopeOf(token) }
}

/** Presents connections with balances and health; one more query, however many connections. */
async function showProviders(em: EntityManager, connections: Connection[]) {
  const conditions = await readProviderHealth(em, connections)
  return connections.map(connection => showProvider(connection, conditions.get(connection.uuid)!))
}

type ProviderHealthRow = Record<
  'available' | 'pending' | 'blocked' | 'retained' | 'provisioned',
  string | null
> & {
  uuid: string
  is_broken: boolean
}

async function readProviderHealth(em: EntityManager, connections: Connection[]) {
  if (connections.length === 0) return new Map()
  const rows = await em.execute<ProviderHealthRow[]>(
    `select c.uuid, bool_or(r.opened_at is not null) as is_broken,
       max(b.cents) filter (where b.bucket = 'available') as available,
       max(b.cents) filter (where b.bucket = 'pending') as pending,
       max(b.cents) filter (where b.bucket = 'blocked') as blocked,
       max(b.cents) filter (where b.bucket = 'retained') as retained,
       max(b.cents) filter (where b.bucket = 'provisioned') as provisioned
     from connection c
     join balance b on b.account_uuid = c.account_uuid and b.provider_account_uuid = c.provider_account_uuid
     left join circuit_breaker r on r.connection_uuid = c.uuid
     where c.uuid = any(array[?]::uuid[]) group by c.uuid`,
    [connections.map(connection => connection.uuid)],
  )
  return new Map(rows.map(row => [row.uuid, toProviderHealth(row)]))
}

function toProviderHealth(row: ProviderHealthRow): ProviderHealth {
  return {
    isCircuitOpen: row.is_broken,
    balance: {
      available_balance: Number(row.available),
      pending_balance: Number(row.pending),
      blocked_balance: Number(row.blocked),
      retained_balance: Number(row.retained),
      provisioned_balance: Number(row.provisioned),
      currency: 'BRL',
    },
  }
}

/** Lists the default providers that a token may see, in order of priority. */
export async function listDefaultProviders(em: EntityManager, token: CallerToken) {
  const bindings = await em.find(
    DefaultProvider,
    { ...visibilityFilter(token), paymentType: 'PIX' },
    { populate: ['connection'], orderBy: { position: 'asc' } },
  )
  const connections = bindings.map(binding => binding.connection)
  const broken = await findOpenCircuits(
    em,
    connections.map(({ uuid }) => uuid),
  )
  return connections.map(connection => showDefaultProvider(connection, broken.has(connection.uuid)))
}

async function findOpenCircuits(em: EntityManager, uuids: string[]): Promise<Set<string>> {
  const rows = await em.execute<{ connection_uuid: string }[]>(
    'select connection_uuid from circuit_breaker where opened_at is not null and connection_uuid = any(array[?]::uuid[])',
    [uuids],
  )
  return new Set(rows.map(row => row.connection_uuid))
}
