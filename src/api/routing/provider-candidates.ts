import { uuidSchema } from '../../contract/shared/fields.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import type { Connection } from '../../db/entities/connection.ts'
import { mapQuery, type Query, runQuery } from '../../db/pipeline/query.ts'
import { queryAccountConnection, queryRankedConnections } from '../../db/repositories/connections.ts'
import { collectFieldErrors, failField } from '../http/api-error.ts'
import type { FieldErrors } from '../http/validate.ts'
import type { CallerToken } from '../middleware/authenticate.ts'

type CandidateRequest = { token: CallerToken; providerUuid?: string | undefined }

/** SPEC §6, "Candidates": the connections that may carry a new operation, in the order of trying. */
export function findCandidates(em: EntityManager, wanted: CandidateRequest): Promise<Connection[]> {
  return runQuery(em, queryCandidates(em, wanted))
}

/** The same, to be asked beside others; hearing the answer refuses where there is none. */
export function queryCandidates(
  em: EntityManager,
  { token, providerUuid }: CandidateRequest,
): Query<Connection[]> {
  const { accountUuid, connectionUuid } = token
  if (connectionUuid !== null)
    return mapQuery(queryAccountConnection(em, { accountUuid, uuid: connectionUuid }), bound =>
      requireBoundConnection(bound, token),
    )
  if (providerUuid !== undefined)
    return mapQuery(queryAccountConnection(em, { accountUuid, uuid: providerUuid }), named =>
      requireNamedConnection(named, token),
    )
  // Which of them is trusted least just now is asked by whoever begins something at once (src/db/repositories/circuit-breaker.ts).
  return mapQuery(queryRankedConnections(em, accountUuid), ranked => requireDefaultConnections(ranked, token))
}

export type InvalidBodyRequest = { em: EntityManager; token: CallerToken; body: unknown }

/**
 * What is wrong with the provider that a body names, where its schema has refused it already: all is said at once.
 * `unable` judges candidates that may be named.
 */
export async function collectProviderErrors(
  { em, token, body }: InvalidBodyRequest,
  unable: (candidates: Connection[]) => FieldErrors,
): Promise<FieldErrors> {
  const errors: FieldErrors = {}
  const { success, data } = providerUuidSchema.safeParse(Object(body).provider_uuid)
  if (!success) return errors
  const found = await collectFieldErrors(errors, findCandidates(em, { token, providerUuid: data }))
  return found ? unable(found) : errors
}

const providerUuidSchema = uuidSchema.optional()

/** The token's provider wins over any that is named. */
function requireBoundConnection(connection: Connection | undefined, token: CallerToken): Connection[] {
  if (!connection || !canServe(connection, token))
    failProviderField('the provider of this token is not active')
  return [connection]
}

function requireNamedConnection(connection: Connection | undefined, token: CallerToken): Connection[] {
  if (!connection?.isPublic || !canServe(connection, token))
    failProviderField('must be an active provider of the account')
  return [connection]
}

function requireDefaultConnections(ranked: Connection[], token: CallerToken): Connection[] {
  const usable = dedupeByProviderAccount(ranked.filter(connection => canServe(connection, token)))
  if (usable.length === 0) failProviderField('no active default provider; name one, or set the defaults')
  return usable
}

/** Only ACTIVE starts anything; test tokens reach simulators only, live ones never. */
function canServe(connection: Connection, token: CallerToken): boolean {
  return connection.status === 'ACTIVE' && connection.isSimulated === (token.mode === 'test')
}

/** An orphan and the charge that was accepted must never share a reference at one provider account. */
function dedupeByProviderAccount(connections: Connection[]): Connection[] {
  const first = new Map<string, Connection>()
  for (const connection of connections) {
    if (!first.has(connection.providerAccountUuid)) first.set(connection.providerAccountUuid, connection)
  }
  return [...first.values()]
}

function failProviderField(message: string): never {
  failField('provider_uuid', message)
}
