import { z } from 'zod'
import { Connection, DefaultProvider } from '../../db/entities/connection.ts'
import type { EntityManager } from '../../db/orm.ts'
import {
  type Condition,
  defaultsAnswer,
  providerAnswer,
  providerPage,
  providersQuery,
  replaceDefaults,
  showDefaultProvider,
  showProvider,
} from '../../wire/provider.ts'
import type { Routes } from '../app.ts'
import type { Token } from '../auth.ts'
import { refuse } from '../errors.ts'
import { newestFirst, pageOf } from '../pagination.ts'
import { route } from '../route.ts'

/** api-document.txt, Providers. A bound token sees its own provider only. */
export const providerRoutes: Routes = router => {
  route(router, {
    method: 'get',
    path: '/api/v1/providers',
    summary: 'List the providers of the account',
    query: providersQuery,
    answers: { 200: providerPage },
    async handle({ query, token, em }) {
      const [rows, total] = await em.findAndCount(
        Connection,
        { ...visible(token), ...(query.status && { status: { $in: query.status } }) },
        newestFirst(query),
      )
      return { body: pageOf({ ...query, total, rows: await shown(em, rows) }) }
    },
  })

  route(router, {
    method: 'get',
    path: '/api/v1/providers/defaults',
    summary: 'Read the default providers',
    description: 'In their order of priority; a bound token sees itself where it is one of them.',
    answers: { 200: defaultsAnswer },
    async handle({ token, em }) {
      return { body: { data: { PIX: await shownDefaults(em, token) } } }
    },
  })

  route(router, {
    method: 'put',
    path: '/api/v1/providers/defaults',
    summary: 'Replace the default providers',
    description: 'Providers that are absent from the list are defaults no more.',
    tokens: 'global_only',
    body: replaceDefaults,
    answers: { 200: z.object({ message: z.string() }) },
    async handle({ body, token, em }) {
      await em.transactional(inner => replacedDefaults(inner, token, body.provider_uuids))
      return { body: { message: 'The default providers were replaced.' } }
    },
  })

  route(router, {
    method: 'get',
    path: '/api/v1/providers/:uuid',
    summary: 'Read a provider',
    answers: { 200: providerAnswer },
    async handle({ params, token, em }) {
      const connection = await em.findOne(Connection, { $and: [visible(token), { uuid: params.uuid }] })
      if (!connection) return refuse('not_found')
      const [data] = await shown(em, [connection])
      return { body: { data: data! } }
    },
  })
}

function visible({ accountUuid, connectionUuid }: Token) {
  return { accountUuid, ...(connectionUuid !== null && { uuid: connectionUuid }) }
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

async function shownDefaults(em: EntityManager, { accountUuid, connectionUuid }: Token) {
  const places = await em.find(
    DefaultProvider,
    { accountUuid, paymentType: 'PIX', ...(connectionUuid !== null && { connectionUuid }) },
    { orderBy: { position: 'asc' } },
  )
  const uuids = places.map(place => place.connectionUuid)
  const connections = new Map((await em.find(Connection, { uuid: uuids })).map(one => [one.uuid, one]))
  const broken = await openBreakers(em, uuids)
  return uuids.map(uuid => showDefaultProvider(connections.get(uuid)!, broken.has(uuid)))
}

async function openBreakers(em: EntityManager, uuids: string[]): Promise<Set<string>> {
  const rows = await em.execute<{ connection_uuid: string }[]>(
    'select connection_uuid from breaker where opened_at is not null and connection_uuid = any(array[?]::uuid[])',
    [uuids],
  )
  return new Set(rows.map(row => row.connection_uuid))
}

/** Under the account's lock, so that of two replacements at once one follows the other whole. */
async function replacedDefaults(em: EntityManager, { accountUuid }: Token, uuids: string[]): Promise<void> {
  await em.execute('select from account where uuid = ? for update', [accountUuid])
  const errors = await unfitDefaults(em, accountUuid, uuids)
  if (Object.keys(errors).length > 0) refuse('validation_failed', { errors })
  await em.nativeDelete(DefaultProvider, { accountUuid, paymentType: 'PIX' })
  await em.insertMany(
    DefaultProvider,
    uuids.map((connectionUuid, index) => ({
      accountUuid,
      paymentType: 'PIX' as const,
      position: index + 1,
      connectionUuid,
    })),
  )
}

async function unfitDefaults(em: EntityManager, accountUuid: string, uuids: string[]) {
  const usable = await em.find(Connection, { uuid: uuids, accountUuid, status: 'ACTIVE', isPublic: true })
  const known = new Set(usable.map(connection => connection.uuid))
  const errors: Record<string, string[]> = {}
  for (const [index, uuid] of uuids.entries()) {
    if (uuids.indexOf(uuid) !== index) errors[`provider_uuids.${index}`] = ['must not be named twice']
    else if (!known.has(uuid))
      errors[`provider_uuids.${index}`] = ['must be an active provider of the account']
  }
  return errors
}
