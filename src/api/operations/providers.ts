import {
  MAX_DEFAULT_PROVIDERS,
  type ProvidersQuery,
  showDefaultProvider,
  showProvider,
} from '../../contract/providers/provider.ts'
import { uuidSchema } from '../../contract/shared/fields.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import { Connection, DefaultProvider } from '../../db/entities/connection.ts'
import { findOpenCircuits } from '../../db/repositories/circuit-breaker.ts'
import { readConnectionBalances, replaceDefaultConnections } from '../../db/repositories/connections.ts'
import { fail } from '../../http/api-error.ts'
import type { FieldErrors } from '../../http/validate.ts'
import type { CallerToken } from '../authorization/authenticate.ts'
import { visibilityFilter, visibleConnections } from '../authorization/visibility.ts'
import type { InvalidBodyRequest } from '../routing/provider-candidates.ts'
import { readEntityPage } from './pagination.ts'
import { writeDirectly } from './user-acts.ts'

/** Lists one page of the connections that a token may see, with balances and health, newest first. */
export async function listProviders(em: EntityManager, token: CallerToken, query: ProvidersQuery) {
  const filter = {
    ...buildConnectionVisibilityFilter(token),
    ...(query.status && { status: { $in: query.status } }),
  }
  const { data, meta } = await readEntityPage(em, Connection, { name: 'provider', query, filter })
  return { data: await showProviders(em, data), meta }
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
  return { accountUuid: token.accountUuid, ...visibleConnections(token) }
}

/** Presents connections with balances and health; two more queries, however many connections. */
async function showProviders(em: EntityManager, connections: Connection[]) {
  const uuids = connections.map(({ uuid }) => uuid)
  const [balances, openCircuits] = await Promise.all([
    readConnectionBalances(em, uuids),
    findOpenCircuits(em, uuids),
  ])
  return connections.map(connection => {
    const cents = balances.get(connection.uuid)!
    const balance = {
      available_balance: cents.available,
      pending_balance: cents.pending,
      blocked_balance: cents.blocked,
      retained_balance: cents.retained,
      provisioned_balance: cents.provisioned,
      shortfall_balance: 0 - cents.shortfall, // Not -0.
      currency: 'BRL',
    } as const
    return showProvider(connection, { isCircuitOpen: openCircuits.has(connection.uuid), balance })
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
  const openCircuits = await findOpenCircuits(
    em,
    connections.map(({ uuid }) => uuid),
  )
  return connections.map(connection => showDefaultProvider(connection, openCircuits.has(connection.uuid)))
}

/** Replaces the default providers of the token's account and mode; 422 names every entry that is not allowed. */
export async function replaceDefaultProviders(
  em: EntityManager,
  token: CallerToken,
  uuids: string[],
): Promise<void> {
  const errors = await findInvalidDefaults(em, token, uuids)
  if (Object.keys(errors).length > 0) fail('validation_failed', { errors })
  const act = { token, action: 'account_defaults', subject: `account/${token.accountUuid}` } as const
  await writeDirectly(em, { ids: { PIX: uuids.map(uuid => ({ uuid })) }, act }, tx =>
    replaceDefaultConnections(tx, { accountUuid: token.accountUuid, mode: token.modeScope }, uuids),
  )
}

/** Collects the errors of a body that its schema has rejected, so that all errors are sent at once. */
export async function collectDefaultProviderErrors({
  em,
  token,
  body,
}: InvalidBodyRequest): Promise<FieldErrors> {
  const { provider_uuids } = Object(body)
  if (!Array.isArray(provider_uuids) || provider_uuids.length > MAX_DEFAULT_PROVIDERS) return {}
  const uuids = provider_uuids.map(one => uuidSchema.safeParse(one).data)
  return findInvalidDefaults(em, token, uuids)
}

/** Finds the entries that may not be defaults; entries that are no UUID are left to the schema. */
async function findInvalidDefaults(
  em: EntityManager,
  token: CallerToken,
  uuids: (string | undefined)[],
): Promise<FieldErrors> {
  const distinctUuids = uuids.filter(uuid => uuid !== undefined)
  const usable = await em.find(Connection, {
    $and: [{ uuid: distinctUuids, accountUuid: token.accountUuid }, visibleConnections(token)],
    status: 'ACTIVE',
    isPublic: true,
  })
  const usableUuids = new Set(usable.map(connection => connection.uuid))
  const errors: FieldErrors = {}
  for (const [index, uuid] of uuids.entries()) {
    if (uuid === undefined) continue
    if (uuids.indexOf(uuid) !== index) errors[`provider_uuids.${index}`] = ['must not be repeated']
    else if (!usableUuids.has(uuid))
      errors[`provider_uuids.${index}`] = ['must be an active provider of the account']
  }
  return errors
}
