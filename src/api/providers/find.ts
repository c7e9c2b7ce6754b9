import { Connection, DefaultProvider } from '../../db/entities/connection.ts'
import type { EntityManager } from '../../db/orm.ts'
import {
  type Condition,
  type ProvidersQuery,
  showDefaultProvider,
  showProvider,
} from '../../wire/provider.ts'
import type { Token } from '../auth.ts'
import { refuse } from '../errors.ts'
import { newestFirst, pageOf } from '../pagination.ts'
import { connectionsSeenBy, visibleTo } from '../visible.ts'

/** One page of the connections that a token sees, with balances and health, newest first. */
export async function listProviders(em: EntityManager, token: Token, query: ProvidersQuery) {
  const [rows, total] = await em.findAndCount(
    Connection,
    { ...visible(token), ...(query.status && { status: { $in: query.status } }) },
    newestFirst(query),
  )
  return pageOf({ ...query, total, rows: await shown(em, rows) })
}

/** A connection that the token sees, or 404. */
export async function providerOf(em: EntityManager, token: Token, uuid: string) {
  const connection = await em.findOne(Connection, { $and: [visible(token), { uuid }] })
  if (!connection) return refuse('not_found')
  const [provider] = await shown(em, [connection])
  return provider!
}

function visible(token: Token) {
  return { accountUuid: token.accountUuid, ...connectionsSeenBy(token) }
}

/** Connections with their balances and health, however many, in one query more. */
async function shown(em: EntityManager, connections: Connection[]) {
  const conditions = await conditionsOf(em, connections)
  return connections.map(connection => showProvider(connection, conditions.get(connection.uuid)!))
}

type ConditionRow = Record<
  'available' | 'pending' | 'blocked' | 'retained' | 'provisioned',
  string | null
> & {
  uuid: string
  is_broken: boolean
}

async function conditionsOf(em: EntityManager, connections: Connection[]): Promise<Map<string, Condition>> {
  if (connections.length === 0) return new Map()
  const rows = await em.execute<ConditionRow[]>(
    `select c.uuid, bool_or(r.opened_at is not null) as is_broken,
       max(b.cents) filter (where b.bucket = 'available') as available,
       max(b.cents) filter (where b.bucket = 'pending') as pending,
       max(b.cents) filter (where b.bucket = 'blocked') as blocked,
       max(b.cents) filter (where b.bucket = 'retained') as retained,
       max(b.cents) filter (where b.bucket = 'provisioned') as provisioned
     from connection c
     join balance b on b.account_uuid = c.account_uuid and b.provider_account_uuid = c.provider_account_uuid
     left join breaker r on r.connection_uuid = c.uuid
     where c.uuid = any(array[?]::uuid[]) group by c.uuid`,
    [connections.map(connection => connection.uuid)],
  )
  return new Map(rows.map(row => [row.uuid, conditionOf(row)]))
}

function conditionOf(row: ConditionRow): Condition {
  return {
    isBroken: row.is_broken,
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

/** The default providers that a token sees, in their order of priority. */
export async function defaultProviders(em: EntityManager, token: Token) {
  const places = await em.find(
    DefaultProvider,
    { ...visibleTo(token), paymentType: 'PIX' },
    { populate: ['connection'], orderBy: { position: 'asc' } },
  )
  const connections = places.map(place => place.connection)
  const broken = await openBreakers(
    em,
    connections.map(({ uuid }) => uuid),
  )
  return connections.map(connection => showDefaultProvider(connection, broken.has(connection.uuid)))
}

async function openBreakers(em: EntityManager, uuids: string[]): Promise<Set<string>> {
  const rows = await em.execute<{ connection_uuid: string }[]>(
    'select connection_uuid from breaker where opened_at is not null and connection_uuid = any(array[?]::uuid[])',
    [uuids],
  )
  return new Set(rows.map(row => row.connection_uuid))
}
