import type { EntityManager } from '../../db/client/orm.ts'
import type { Attempt } from '../../db/entities/attempt.ts'
import type { Connection } from '../../db/entities/connection.ts'
import { runQuery } from '../../db/pipeline/query.ts'
import { type CircuitOrder, recordCircuitResult } from '../../db/repositories/circuit-breaker.ts'
import { queryConnectionToCall } from '../../db/repositories/connections.ts'
import type { Party } from '../../domain/pix/party.ts'
import { isConnectFailure, type NoAnswerResult } from '../../domain/providers/provider.ts'
import type { Provider } from '../../providers/port.ts'
import type { ActivityDependencies } from '../runtime/dependencies.ts'

/** A connection of an account with its provider's adapter. */
export type ProviderConnection = { connection: Connection; provider: Provider }

type RegistryDependency = Pick<ActivityDependencies, 'providers'>

/** Reads a connection and returns it with its adapter. */
export async function loadProviderConnection(
  dependencies: RegistryDependency,
  em: EntityManager,
  connectionUuid: string,
): Promise<ProviderConnection> {
  return toProviderConnection(dependencies, await runQuery(em, queryConnectionToCall(em, connectionUuid)))
}

/** Returns a connection with its adapter, which is reused. Throws where the connection does not exist. */
export function toProviderConnection(
  { providers }: RegistryDependency,
  connection: Connection | undefined,
): ProviderConnection {
  if (!connection) throw new Error('the connection does not exist')
  return { connection, provider: providers.providerFor(connection) }
}

/** Returns the account of a connection as a party of its payments; null where the provider account is shared. */
export function getConnectionParty({ virtualAccount }: Connection): Party | null {
  if (!virtualAccount) return null
  const { type: _, ...party } = virtualAccount
  return party
}

type ReachDependency = Pick<ActivityDependencies, 'isReachedByOthersOnly'>

/** Returns whether another worker reaches one of these connections' providers and this one does not (docs/production.md). */
export async function isReachedByOtherWorkersOnly(
  { isReachedByOthersOnly }: ReachDependency,
  connections: Pick<Connection, 'baseUrl'>[],
): Promise<boolean> {
  if (!isReachedByOthersOnly) return false
  for (const baseUrl of new Set(connections.map(connection => connection.baseUrl)))
    if (await isReachedByOthersOnly(baseUrl)) return true
  return false
}

type CallOutcome = { kind: string; code?: string; isUnprocessed?: true }

/**
 * Records the outcome of a call in the connection's circuit breaker. Returns whether the call is left to other workers:
 * it could not connect from this one, and another worker reaches its provider.
 */
export async function recordCall(
  dependencies: ReachDependency,
  em: EntityManager,
  connection: Pick<Connection, 'uuid' | 'isDistrusted' | 'baseUrl'>,
  outcome: CallOutcome,
  order?: CircuitOrder,
): Promise<boolean> {
  await recordCircuitResult(em, connection, { outcome, ...(order && { order }) })
  return isConnectFailure(outcome) && isReachedByOtherWorkersOnly(dependencies, [connection])
}

/**
 * Makes a call through a connection and records its outcome. Throws where the call is left to other workers: Temporal
 * then repeats the activity, or its workflow polls and calls it again (src/workflows/pix-keys/pix-key.workflows.ts).
 * Not for calls that must not be repeated: those that send money, or change something at the provider.
 */
export async function callRepeatably<Answer extends CallOutcome>(
  dependencies: ReachDependency & Pick<ActivityDependencies, 'providers'>,
  em: EntityManager,
  connectionUuid: string,
  call: (provider: Provider) => Promise<Answer>,
): Promise<ProviderConnection & { answer: Answer }> {
  const client = await loadProviderConnection(dependencies, em, connectionUuid)
  return { ...client, answer: await callClientRepeatably(dependencies, em, client, call) }
}

/** Makes a call like `callRepeatably` through a connection that is loaded. */
export async function callClientRepeatably<Answer extends CallOutcome>(
  dependencies: ReachDependency,
  em: EntityManager,
  { connection, provider }: ProviderConnection,
  call: (provider: Provider) => Promise<Answer>,
): Promise<Answer> {
  const answer = await call(provider)
  await requireReach(dependencies, em, connection, answer)
  return answer
}

/** Records the outcome of a repeatable call like `callRepeatably`. */
export async function requireReach(...call: Parameters<typeof recordCall>): Promise<void> {
  if (await recordCall(...call)) throw new UnreachedProviderError()
}

/** Fails an activity that another worker can do: Temporal repeats it there. */
export class UnreachedProviderError extends Error {
  constructor() {
    super('This worker does not reach the provider: another run makes the call')
  }
}

/**
 * Replaces a "not found" after a connection's credentials were replaced by ones that may belong to another account: it
 * proves nothing about calls made with the earlier credentials (docs/security.md, Providers).
 */
const CREDENTIALS_CHANGED = {
  kind: 'no_answer',
  code: 'credentials_changed',
  message: 'the credentials were replaced; the current ones may belong to another account',
} as const satisfies NoAnswerResult

type EpochHolder = Pick<Connection | Attempt, 'credentialsEpoch'>

/** Tells whether an attempt was made with credentials of the same provider account as the connection's current ones. */
export function hasSameCredentialsEpoch(attempt: EpochHolder, connection: EpochHolder): boolean {
  return attempt.credentialsEpoch === connection.credentialsEpoch
}

/** Guards a provider's answer about an attempt: "not found" counts only in the attempt's own credentials epoch. */
export function guardNotFoundByEpoch<Answer extends { kind: string }>(
  answer: Answer,
  { attempt, connection }: { attempt: EpochHolder; connection: EpochHolder },
): Answer | NoAnswerResult {
  return answer.kind === 'not_found' && !hasSameCredentialsEpoch(attempt, connection)
    ? CREDENTIALS_CHANGED
    : answer
}

/** Guards an answer about an operation without a stored attempt, which may have been sent since it was ordered. */
export function guardNotFoundByOrderTime<Answer extends { kind: string }>(
  answer: Answer,
  { orderedAt, connection }: { orderedAt: Date; connection: Pick<Connection, 'credentialsSince'> },
): Answer | NoAnswerResult {
  const { credentialsSince: since } = connection
  return answer.kind === 'not_found' && since && orderedAt < since ? CREDENTIALS_CHANGED : answer
}
