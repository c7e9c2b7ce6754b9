import { uuidSchema } from '../../contract/shared/fields.ts'
import type { EntityManager } from '../../db/client/orm.ts'
import type { Connection } from '../../db/entities/connection.ts'
import type { MoneyDirection } from '../../db/entities/pause.ts'
import { mapQuery, type Query, runQuery } from '../../db/pipeline/query.ts'
import { queryAccountConnection, queryRankedConnections } from '../../db/repositories/connections.ts'
import { queryIsPaused } from '../../db/repositories/pauses.ts'
import { collectFieldErrors, fail, failField } from '../../http/api-error.ts'
import { PAUSED_RETRY_S } from '../../http/limits.ts'
import type { FieldErrors } from '../../http/validate.ts'
import type { CallerToken } from '../authorization/authenticate.ts'

type CandidateRequest = { token: CallerToken; providerUuid?: string | undefined }

/** Finds the candidate connections of a new operation, in the order of trying (SPEC §6, "Candidates"). */
export function findCandidates(em: EntityManager, request: CandidateRequest): Promise<Connection[]> {
  return runQuery(em, queryCandidates(em, request))
}

/** Queries the candidates, for a batch with other queries. Fails with 422 when the result is read and has none. */
export function queryCandidates(
  em: EntityManager,
  { token, providerUuid }: CandidateRequest,
): Query<Connection[]> {
  const { accountUuid, connectionUuid } = token
  const uuid = connectionUuid ?? providerUuid
  if (uuid !== undefined)
    return mapQuery(queryAccountConnection(em, { accountUuid, uuid }), connection =>
      requireNamedConnection(connection, token),
    )
  // Ordering by circuit state is left to operations that start at once (src/db/repositories/circuit-breaker.ts).
  return mapQuery(queryRankedConnections(em, accountUuid), ranked => requireDefaultConnections(ranked, token))
}

export type InvalidBodyRequest = { em: EntityManager; token: CallerToken; body: unknown }

/**
 * Collects the errors of `provider_uuid` in a body that its schema has already rejected, so that all errors are sent
 * at once. `validateCandidates` validates the candidates found.
 */
export async function collectProviderErrors(
  { em, token, body }: InvalidBodyRequest,
  validateCandidates: (candidates: Connection[]) => FieldErrors,
): Promise<FieldErrors> {
  const errors: FieldErrors = {}
  const { success, data } = providerUuidSchema.safeParse(Object(body).provider_uuid)
  if (!success) return errors
  const candidates = await collectFieldErrors(errors, findCandidates(em, { token, providerUuid: data }))
  return candidates ? validateCandidates(candidates) : errors
}

const providerUuidSchema = uuidSchema.optional()

/** Returns the connection that the token is bound to, else the one that the body names. */
function requireNamedConnection(connection: Connection | undefined, token: CallerToken): Connection[] {
  const isBound = token.connectionUuid !== null
  if (connection && canServe(connection, token) && (isBound || connection.isPublic)) return [connection]
  return failProviderField(
    isBound
      ? 'is not active: the token is bound to this provider'
      : 'must be an active provider of the account',
  )
}

/** Returns the defaults, the first of each provider account: orphan and accepted charge never share a reference there. */
function requireDefaultConnections(ranked: Connection[], token: CallerToken): Connection[] {
  const usable = ranked.filter(connection => canServe(connection, token))
  if (usable.length === 0) failProviderField('is required: no default provider is active')
  const accountUuids = usable.map(connection => connection.providerAccountUuid)
  return usable.filter(
    ({ providerAccountUuid }, index) => accountUuids.indexOf(providerAccountUuid) === index,
  )
}

/** Tests whether a connection can start operations: it is ACTIVE, and a simulator for test tokens only. */
function canServe(connection: Connection, token: CallerToken): boolean {
  return connection.status === 'ACTIVE' && connection.isSimulated === (token.mode === 'test')
}

function failProviderField(message: string): never {
  failField('provider_uuid', message)
}

/** Returns the candidates that are not paused for a direction; fails with 503 where all are paused (SPEC §9). */
export function requireUnpausedConnections(candidates: Connection[], direction: MoneyDirection): string[] {
  const unpaused = candidates.filter(
    connection => !(direction === 'in' ? connection.isPausedIn : connection.isPausedOut),
  )
  if (unpaused.length === 0) failPaused()
  return unpaused.map(({ uuid }) => uuid)
}

/**
 * Queries whether payouts of one connection are paused, for a refund or return, which has no other connection. Fails
 * with 503 when the result is read.
 */
export function queryPayoutPause(connectionUuid: string): Query<void> {
  return mapQuery(queryIsPaused(connectionUuid, 'out'), isNow => void (isNow && failPaused()))
}

function failPaused(): never {
  fail('paused', { retryAfterS: PAUSED_RETRY_S })
}
