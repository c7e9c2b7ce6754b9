import {
  type ProvidersQuery,
  showDefaultProvider,
  showProvider,
} from '../../../contract/providers/provider.ts'
import type { EntityManager } from '../../../db/client/orm.ts'
import { Connection, DefaultProvider } from '../../../db/entities/connection.ts'
import { findOpenCircuits } from '../../../db/repositories/circuit-breaker.ts'
import { readConnectionBalances } from '../../../db/repositories/connection-health.ts'
import { fail } from '../../../http/api-error.ts'
import type { CallerToken } from '../../authorization/authenticate.ts'
import { connectionScopeOf, visibilityFilter } from '../../authorization/scope.ts'
import { buildListPage, newestFirstOptions } from '../pagination.ts'

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

/** Presents connections with balances and health; two more queries, however many connections. */
async function showProviders(em: EntityManager, connections: Connection[]) {
  const uuids = connections.map(({ uuid }) => uuid)
  const [balances, open] = await Promise.all([readConnectionBalances(em, uuids), findOpenCircuits(em, uuids)])
  return connections.map(connection => {
    const cents = balances.get(connection.uuid)!
    const balance = {
      available_balance: cents.available,
      pending_balance: cents.pending,
      blocked_balance: cents.blocked,
      retained_balance: cents.retained,
      provisioned_balance: cents.provisioned,
      currency: 'BRL',
    } as const
    return showProvider(connection, { isCircuitOpen: open.has(connection.uuid), balance })
  })
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
